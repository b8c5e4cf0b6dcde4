import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import http from 'node:http';

/** How a request is sent: with GET unless it has a form in its body. */
interface Sending {
  readonly agent: http.Agent;
  readonly form?: string;
}

/** Read an answer to its last byte, and do nothing with it. Throws unless its status is 200. */
export function readWhole(port: number, path: string, { agent, form }: Sending): Promise<Buffer> {
  const method = form === undefined ? 'GET' : 'POST';
  const headers = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    http
      .request({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve(body);
          else reject(new Error(`${path}: ${response.statusCode} ${body.toString('utf8', 0, 500)}`));
        });
      })
      .on('error', reject)
      .end(form);
  });
}

/** How long some work takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** How long a program takes, with its start, in milliseconds; undefined where it is not installed. Throws when it fails. */
export function toolMs(program: string, ...args: string[]): number | undefined {
  if (!existsSync(program)) return undefined;
  const startMs = performance.now();
  const env = { ...process.env, PCP_DERIVED_CONFIG: '', TZ: 'UTC' };
  const { status } = spawnSync(program, args, { stdio: 'ignore', env });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: exit code ${status}`);
  return performance.now() - startMs;
}

/** Times of several ways to the same, in milliseconds: `rounds` of each in turns, after as many that do not count as `warmUp` says. */
export async function inTurns(
  { warmUp, rounds }: { readonly warmUp: number; readonly rounds: number },
  ...ways: readonly (() => Promise<unknown>)[]
): Promise<readonly (readonly number[])[]> {
  for (let i = 0; i < warmUp; i++) for (const way of ways) await way();
  const times = ways.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, way] of ways.entries()) times[i]!.push(await timed(way));
  }
  return times;
}
