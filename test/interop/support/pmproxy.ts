import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../support/free-port.js';

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
export function get(
  port: number,
  target: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const options = { host: '127.0.0.1', port, path: target, method, headers, agent: false };
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    request.setTimeout(20_000, () => request.destroy(new Error(`no answer to ${target}`)));
    request.on('error', reject);
    request.end(body);
  });
}
