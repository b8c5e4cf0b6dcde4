import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram, NoPcpError, PCP_ENVIRONMENT, pcpVersion, pminfo } from './pcp-tools.js';

const METRICS = ['kernel.all.load', 'mem.util.free', 'disk.dev.read'];
/** Four at once crash the pmproxy of PCP 6.0.3. */
const CONNECTIONS = [1, 2, 3];
const ROUNDS = 3;
const START_MS = 20_000;
const LOOK_EVERY_MS = 50;

/** What one server did with so many connections, the middle one of the rounds. */
interface Figure {
  readonly requestsPerSec: number;
  /** The 99th percentile of the times to an answer. */
  readonly p99Ms: number;
}

interface BenchRow {
  readonly connections: number;
  readonly pmgate: Figure;
  readonly pmproxy: Figure;
  /** The rate of pmgate, against that of pmproxy. */
  readonly ratio: number;
}

interface BenchReport {
  readonly pcp: string;
  readonly node: string;
  readonly processors: string;
  readonly metrics: readonly string[];
  readonly rows: readonly BenchRow[];
}

/**
 * Fetches of three metrics of a pmcd, through pmgate and through pmproxy, each in a process of its own, in turns. Throws a NoPcpError.
 * @param program the words that start pmgate
 * @param seconds how long each turn takes
 */
export async function benchAgainstPmproxy(
  hostspec: string,
  program: readonly string[],
  seconds: number,
  signal: AbortSignal,
): Promise<BenchReport> {
  const pcp = await pcpVersion();
  await pminfo(hostspec, METRICS, signal);
  const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-bench-'));
  const started: Started[] = [];
  try {
    started.push(await startPmgate(program, hostspec, directory), await startPmproxy(directory));
    const targets = await Promise.all(started.map((server) => readyTarget(server, hostspec, signal)));
    // The functions that are called often are compiled by then.
    for (const target of targets) await load(target, 1, seconds, signal);
    const rows: BenchRow[] = [];
    for (const connections of CONNECTIONS) {
      const found: [Figure[], Figure[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++)
        for (const [i, target] of targets.entries()) found[i]!.push(await load(target, connections, seconds, signal));
      const [pmgate, pmproxy] = found.map(middle) as [Figure, Figure];
      rows.push({ connections, pmgate, pmproxy, ratio: pmgate.requestsPerSec / pmproxy.requestsPerSec });
    }
    const model = os.cpus()[0]?.model ?? 'unknown';
    return { pcp, node: process.version, processors: `${os.cpus().length} × ${model}`, metrics: METRICS, rows };
  } finally {
    await Promise.all(started.map(stop));
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Started {
  readonly name: string;
  readonly port: number;
  readonly child: ChildProcess;
}

async function startPmgate(
  [command = '', ...words]: readonly string[],
  hostspec: string,
  cwd: string,
): Promise<Started> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PMGATE_'));
  const env = {
    ...Object.fromEntries(others),
    PMGATE_HOSTS_ALLOW: hostspec,
    PMGATE_RECORD_ENABLED: 'false',
    PMGATE_CONTEXTS_REMEMBER: '',
    PMGATE_STATE_DIRECTORY: cwd,
  };
  return start('pmgate', command, [...words, 'serve', '--log-level', 'error'], env, cwd);
}

async function startPmproxy(cwd: string): Promise<Started> {
  const files = ['-s', path.join(cwd, 'pmproxy.socket'), '-l', path.join(cwd, 'pmproxy.log')];
  const args = ['-f', '-A', '-i', '127.0.0.1', '-U', os.userInfo().username, ...files];
  const env = { ...PCP_ENVIRONMENT, PCP_RUN_DIR: cwd, PCP_TMP_DIR: cwd };
  return start('pmproxy', findProgram('pmproxy'), args, env, cwd);
}

async function start(
  name: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Started> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return { name, port, child: spawn(command, [...args, '-p', String(port)], { cwd, env, stdio: 'ignore' }) };
}

/** Nothing of what they write is needed. */
async function stop({ child }: Started): Promise<void> {
  const ended = once(child, 'exit');
  if (child.kill('SIGKILL')) await ended;
}

/** The URL to fetch from, of a context, once the server answers. */
async function readyTarget({ name, port, child }: Started, hostspec: string, signal: AbortSignal): Promise<URL> {
  const base = `http://127.0.0.1:${port}/pmapi`;
  for (let waitedMs = 0; waitedMs < START_MS && child.exitCode === null; waitedMs += LOOK_EVERY_MS) {
    const answer = await fetch(`${base}/context?hostspec=${hostspec}&polltimeout=600`, { signal }).catch(
      () => undefined,
    );
    if (answer?.ok) {
      const { context } = (await answer.json()) as { context: number };
      return new URL(`${base}/fetch?context=${context}&names=${METRICS.join(',')}`);
    }
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
  throw new NoPcpError(`${name} did not start, or does not reach the pmcd at ${hostspec}`);
}

/** As many requests as some connections can send, each after the answer to the one before. */
async function load(target: URL, connections: number, seconds: number, signal: AbortSignal): Promise<Figure> {
  const tookMs: number[] = [];
  const untilMs = performance.now() + seconds * 1000;
  const client = async (): Promise<void> => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < untilMs) {
      const sentMs = performance.now();
      await get(target, agent, signal).catch((error: unknown) => {
        if (signal.aborted) throw error;
        throw new NoPcpError(`with ${connections} connections ${target.origin} failed: ${(error as Error).message}`);
      });
      tookMs.push(performance.now() - sentMs);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: connections }, client));
  tookMs.sort((a, b) => a - b);
  return { requestsPerSec: tookMs.length / seconds, p99Ms: tookMs[Math.floor(tookMs.length * 0.99)]! };
}

function get(target: URL, agent: http.Agent, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.get(target, { agent, signal }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`${target.href} was answered with ${answer.statusCode}`));
      });
    });
    request.on('error', reject);
  });
}

function middle(figures: readonly Figure[]): Figure {
  return [...figures].sort((a, b) => a.requestsPerSec - b.requestsPerSec)[Math.floor(figures.length / 2)]!;
}
