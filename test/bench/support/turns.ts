/** What some work took. */
export interface Took {
  readonly ms: number;
  /** The longest turn of the event loop meanwhile, in CPU time of this process: others use this machine, too. */
  readonly turnMs: number;
}

/** Do some work, and look at every turn of the event loop meanwhile. */
export async function watchTurns(work: () => Promise<unknown>): Promise<Took> {
  let longestMicros = 0;
  let isDone = false;
  let last = process.cpuUsage();
  const watch = (): void => {
    const { user, system } = process.cpuUsage(last);
    longestMicros = Math.max(longestMicros, user + system);
    last = process.cpuUsage();
    if (!isDone) setImmediate(watch);
  };
  setImmediate(watch);
  const startMs = performance.now();
  await work();
  const ms = performance.now() - startMs;
  isDone = true;
  return { ms, turnMs: longestMicros / 1000 };
}
