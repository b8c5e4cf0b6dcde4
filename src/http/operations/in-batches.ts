import { inTurns } from '../../context/range/index.js';

/** Elements that are worked on at once: a source may answer for all of them in one turn of the event loop. */
const BATCH = 64;

/**
 * A list in batches, in turns of the event loop where there is more than one.
 * @param gone aborted when nobody waits for the rest: throws its reason then
 */
export async function* inBatches<T>(list: readonly T[], gone: AbortSignal): AsyncGenerator<readonly T[], void> {
  for await (const batch of inTurns(batchesOf(list))) {
    gone.throwIfAborted();
    yield batch;
  }
}

function* batchesOf<T>(list: readonly T[]): Generator<readonly T[], void> {
  for (let start = 0; start < list.length; start += BATCH) yield list.slice(start, start + BATCH);
}
