/** A generator of the promises that it waits for, none if all is there: those of async functions cost a warm range more than its values. */
export type Waits<T> = Generator<Promise<unknown>, T, unknown>;

/** Wait for a promise: `yield* waitFor(promise)` is what `await promise` is in an async function. */
export function* waitFor<T>(promise: Promise<T>): Waits<T> {
  return (yield promise) as T;
}

/** Runs work: returns its result, or a promise if it has to wait. Throws errors from before it waits. */
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
