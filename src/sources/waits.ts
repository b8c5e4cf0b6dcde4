/**
 * Work that may have to wait: a generator that yields each promise that it waits for, and none where everything is there. An async function
 * makes promises even then, which costs a range over a warm archive more than its values do.
 */
export type Waits<T> = Generator<Promise<unknown>, T, unknown>;

/** Wait for a promise: `yield* waitFor(promise)` is what `await promise` is in an async function. */
export function* waitFor<T>(promise: Promise<T>): Waits<T> {
  return (yield promise) as T;
}

/** Do some work: returns what comes of it, or a promise where it has to wait. Throws what it throws before it waits. */
export function doWaiting<T>(work: Waits<T>): T | Promise<T> {
  const step = work.next();
  return step.done === true ? step.value : finish(work, step.value);
}

async function finish<T>(work: Waits<T>, first: Promise<unknown>): Promise<T> {
  let waitingFor = first;
  for (;;) {
    let step: IteratorResult<Promise<unknown>, T>;
    try {
      step = work.next(await waitingFor);
    } catch (error) {
      // Throws the error once more when the work had no use for it.
      step = work.throw(error);
    }
    if (step.done === true) return step.value;
    waitingFor = step.value;
  }
}
