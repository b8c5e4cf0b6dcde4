import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { LOAD_GENERATOR } from './machine.js';

/** What a server answered under load. */
export interface Load {
  /** Answers of status 2xx in a second. */
  readonly rate: number;
  /** NaN where the load generator does not tell. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Requests that failed or were answered otherwise. */
  readonly errors: number;
}

/** Ask one URL over and over on some keep-alive connections. */
export async function loadUrl(url: string, connections: number, seconds: number): Promise<Load> {
  return LOAD_GENERATOR === 'wrk' ? wrk(url, connections, seconds) : cannon(url, connections, seconds);
}

async function cannon(url: string, connections: number, seconds: number): Promise<Load> {
  const result = await autocannon({ url, connections, duration: seconds });
  const errors = result.errors + result.non2xx;
  return { rate: result['2xx'] / result.duration, p50Ms: result.latency.p50, p99Ms: result.latency.p99, errors };
}

async function wrk(url: string, connections: number, seconds: number): Promise<Load> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', url];
  const { stdout } = await promisify(execFile)('wrk', args);
  const number = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1] ?? 0);
  const unitMs = { us: 0.001, ms: 1, s: 1000 };
  const latencyMs = (percent: number): number => {
    const [, value = 'NaN', unit = 'ms'] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout) ?? [];
    return Number(value) * unitMs[unit as keyof typeof unitMs];
  };
  const other = number(/Non-2xx or 3xx responses: (\d+)/);
  const broken = [...(/Socket errors: (.*)/.exec(stdout)?.[1] ?? '').matchAll(/\d+/g)].reduce(
    (n, [d]) => n + Number(d),
    0,
  );
  const answered = number(/(\d+) requests in/) - other;
  return { rate: answered / seconds, p50Ms: latencyMs(50), p99Ms: latencyMs(99), errors: other + broken };
}
