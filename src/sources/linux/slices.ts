import type { Clock } from '../../pmapi/index.js';

const SLICE_MS = 2;

/** Do something for each item, holding the event loop for 2 ms at a time at most: others have their turn in between. */
export async function inSlices<T>(items: Iterable<T>, clock: Clock, each: (item: T) => void): Promise<void> {
  let sliceStartMs = clock.monotonicMs();
  for (const item of items) {
    each(item);
    if (clock.monotonicMs() - sliceStartMs < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    sliceStartMs = clock.monotonicMs();
  }
}
