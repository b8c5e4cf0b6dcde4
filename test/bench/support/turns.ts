import { openSync, readSync } from 'node:fs';
import type { Limit } from '../budgets.js';
import { ownCpuUs } from './proc.js';
import { median, report } from './report.js';

/** What some work took. */
export interface Took {
  readonly ms: number;
  /** The longest turn of the event loop meanwhile, in CPU time of its thread: others use this machine, too. */
  readonly turnMs: number;
  /** CPU time of the whole process meanwhile. */
  readonly cpuMs: number;
}

const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const text = Buffer.alloc(64);

/** CPU time of the main thread, in milliseconds. Threads that collect garbage beside it keep nobody waiting. @see proc(5), schedstat */
function threadCpuMs(): number {
  const length = readSync(schedstat, text, 0, text.length, 0);
  return Number(text.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}

/** Do some work, and look at every turn of the event loop meanwhile. */
export async function watchTurns(work: () => Promise<unknown>): Promise<Took> {
  let longestMs = 0;
  let isDone = false;
  let lastMs = threadCpuMs();
  const watch = (): void => {
    const nowMs = threadCpuMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = threadCpuMs();
    if (!isDone) setImmediate(watch);
  };
  setImmediate(watch);
  const startMs = performance.now();
  const cpuStartUs = ownCpuUs();
  await work();
  const ms = performance.now() - startMs;
  isDone = true;
  return { ms, turnMs: longestMs, cpuMs: (ownCpuUs() - cpuStartUs) / 1000 };
}

/** Report how long some work took, on the clock and of CPU time: medians. */
export function reportTook(name: string, took: readonly Took[], budget?: Limit): void {
  report(name, median(took.map(({ ms }) => ms)), 'millisec', budget);
  report(`${name}, CPU time`, median(took.map(({ cpuMs }) => cpuMs)), 'ms CPU');
}

/** Report the longest turn of the event loop in CPU time, the median of what each work had. */
export function reportTurns(took: readonly Took[], budget: Limit): void {
  const turns = median(took.map(({ turnMs }) => turnMs));
  report('longest turn of the event loop meanwhile, median of runs', turns, 'millisec', budget);
}
