import { openSync, readSync } from 'node:fs';
import type { Limit } from '../budgets.js';
import { cpuMs, median, report } from './report.js';

/** What some work took. */
export interface Took {
  readonly ms: number;
  /** The longest turn of the event loop meanwhile, in CPU time of its thread: others use this machine, too. */
  readonly turnMs: number;
  /** CPU time of the process, with all its threads. */
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
  const [startMs, cpuStartMs] = [performance.now(), cpuMs()];
  await work();
  isDone = true;
  return { ms: performance.now() - startMs, turnMs: longestMs, cpuMs: cpuMs(cpuStartMs) };
}

/** Report the longest turn of the event loop in CPU time, the median of what each work had. */
export function reportTurns(took: readonly Took[], budget: Limit): void {
  const turns = median(took.map(({ turnMs }) => turnMs));
  report('longest turn of the event loop meanwhile, median of runs', turns, 'millisec', budget);
}
