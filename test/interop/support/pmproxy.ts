import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../support/free-port.js';
import { ask } from '../../support/plain-request.js';

const PMPROXY_CANDIDATES = ['/usr/lib/pcp/bin/pmproxy', '/usr/libexec/pcp/bin/pmproxy'];
const START_TIMEOUT_MS = 60_000;

/** A pmproxy that a test started for itself, in front of the pmcd on a port. Ask it one thing at a time: four at once crash it. */
export interface RunningPmproxy {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Start a pmproxy whose default hostspec reaches the pmcd on `pmcdPort`, and wait until it answers.
 * @param options further arguments
 * @param probe what it answers once it is ready
 */
export async function startPmproxy(
  pmcdPort: number,
  options: readonly string[] = [],
  probe = '/pmapi/context',
): Promise<RunningPmproxy> {
  const program = PMPROXY_CANDIDATES.find((candidate) => existsSync(candidate));
  if (program === undefined) throw new Error('no pmproxy is installed');
  const port = await freePort();
  const dir = mkdtempSync(path.join(tmpdir(), 'pmgate-pmproxy-'));
  const args = ['-f', '-A', '-i', '127.0.0.1', '-U', 'root', '-p', String(port)];
  args.push('-s', path.join(dir, 'pmproxy.socket'), '-l', path.join(dir, 'pmproxy.log'), ...options);
  const child = spawn(program, args, {
    // Agents leave their logs where they are started.
    cwd: dir,
    stdio: 'ignore',
    env: { ...process.env, PMCD_PORT: String(pmcdPort), PCP_RUN_DIR: dir, PCP_TMP_DIR: dir },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await exited;
    clearTimeout(timer);
    rmSync(dir, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const answer = await get(port, probe).catch(() => undefined);
    if (answer?.status === 200) return { port, stop };
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`pmproxy did not start on port ${port}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** An answer, with its body as text. */
export interface PlainAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A plain GET on loopback, exactly as written; with a body, a POST. */
export async function get(
  port: number,
  target: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<PlainAnswer> {
  const sending = { headers, timeoutMs: 120_000, ...(body !== undefined && { body }) };
  const { status, headers: theirs, body: text } = await ask(port, target, sending);
  return { status, contentType: theirs['content-type'] ?? '', body: text };
}
