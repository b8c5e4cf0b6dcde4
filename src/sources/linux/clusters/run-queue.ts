/** How processes are counted in proc.runq: the last components of its metrics' names. */
export const RUN_QUEUE_STATES = [
  'runnable',
  'blocked',
  'sleeping',
  'stopped',
  'swapped',
  'defunct',
  'unknown',
  'kernel',
] as const;
export type RunQueueState = (typeof RUN_QUEUE_STATES)[number];

const USER_STATES: ReadonlyMap<string, RunQueueState> = new Map([
  ['R', 'runnable'],
  ['S', 'sleeping'],
  ['D', 'blocked'],
  ['P', 'blocked'],
  ['T', 'stopped'],
  ['t', 'stopped'],
]);

/**
 * How one process is counted, from its state letter and its virtual and resident memory (any unit; NaN when unknown).
 *
 * PCP: its agent counts kernel threads, which have no memory, as swapped, and none as kernel, against its own help texts.
 * Differs from PCP: they count as kernel; swapped are processes that have virtual memory and none of it in RAM.
 */
export function runQueueState(sname: string, vsize: number, rss: number): RunQueueState {
  if (sname === 'Z') return 'defunct';
  if (vsize === 0) return 'kernel';
  if (rss === 0) return 'swapped';
  return USER_STATES.get(sname) ?? 'unknown';
}
