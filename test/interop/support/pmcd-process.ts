import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../support/free-port.js';

const PMCD_CANDIDATES = ['/usr/lib/pcp/bin/pmcd', '/usr/libexec/pcp/bin/pmcd'];
const PMNS_ROOT = '/var/lib/pcp/pmns/root';
const PMNS_REBUILD = '/var/lib/pcp/pmns/Rebuild';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/** A pmcd that a test started for itself. */
export interface RunningPmcd {
  /** TCP port on 127.0.0.1. */
  readonly port: number;
  /** Path of the unix domain socket, over which pmcd serves process data to its own user. */
  readonly socket: string;
  /** End it, and the agents that it started. */
  stop(): Promise<void>;
}

/** Path of the installed pmcd, undefined when PCP is absent (or this user may not run its agents). */
export function findPmcd(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return PMCD_CANDIDATES.find((candidate) => existsSync(candidate));
}

/** What a test's pmcd is to have beyond the installed configuration. */
export interface PmcdSetup {
  /** TCP port on 127.0.0.1; a free one when not given. */
  readonly port?: number;
  /** Further arguments for pmcd. */
  readonly args?: readonly string[];
  /** Further environment, for pmcd and its agents. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Start a pmcd of its own on a free loopback port, with its installed agents, and wait until it answers. */
export async function startPmcd(setup: PmcdSetup = {}): Promise<RunningPmcd> {
  const pmcd = findPmcd();
  if (pmcd === undefined) throw new Error('no pmcd is installed, or this user is not root');
  rebuildPmns();
  const port = setup.port ?? (await freePort());
  const dir = mkdtempSync(path.join(tmpdir(), 'pmgate-pmcd-'));
  const socket = path.join(dir, 'pmcd.socket');
  const log = path.join(dir, 'pmcd.log');
  const args = ['-f', '-A', '-i', '127.0.0.1', '-p', String(port), '-s', socket, '-U', 'root', '-l', log].concat(
    // Agents that are late are not given up.
    ['-q', '60', '-t', '60'],
    setup.args ?? [],
  );
  const child = spawn(pmcd, args, {
    // Agents leave their logs where they are started.
    cwd: dir,
    stdio: 'ignore',
    env: { ...process.env, PCP_RUN_DIR: dir, PCP_TMP_DIR: dir, ...setup.env },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
    rmSync(dir, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      const report = existsSync(log) ? readFileSync(log, 'utf8') : 'it left no log';
      await stop();
      throw new Error(`pmcd did not start on port ${port}: ${report}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, socket, stop };
}

/** A fresh installation has no compiled name space yet: its start script makes it, and so does this. */
function rebuildPmns(): void {
  if (!existsSync(PMNS_ROOT) && existsSync(PMNS_REBUILD)) {
    spawnSync(PMNS_REBUILD, ['-dus'], { stdio: 'ignore', cwd: path.dirname(PMNS_REBUILD) });
  }
}

/** Whether pmcd greets who connects: it listens before its agents have begun. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, '127.0.0.1');
    probe.once('data', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false)).once('end', () => resolve(false));
  });
}
