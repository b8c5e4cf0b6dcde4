import type { Timers } from './semaphore.js';

/** Resolves after a time, or when a signal is aborted. */
export function pause(ms: number, timers: Pick<Timers, 'after'>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** Does something at intervals, until the result is called. */
export function repeat(intervalMs: number, timers: Pick<Timers, 'after'>, work: () => void): () => void {
  let stop = (): void => undefined;
  const next = (): void => {
    stop = timers.after(intervalMs, () => {
      work();
      next();
    });
  };
  next();
  return () => stop();
}

/** Whether some work ends in time. Throws what it throws until then. */
export async function endsWithin(
  limitMs: number,
  timers: Pick<Timers, 'after'>,
  work: Promise<unknown>,
): Promise<boolean> {
  const over = new AbortController();
  try {
    return await Promise.race([work.then(() => true), pause(limitMs, timers, over.signal).then(() => false)]);
  } finally {
    over.abort();
  }
}
