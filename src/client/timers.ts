/** Where waiting comes from; injected, so that tests need no sleeps. */
export interface ClientTimers {
  /** Call `callback` after so many milliseconds, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The timers of the platform. */
export const platformTimers: ClientTimers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Waits; rejects with the signal's reason if it is aborted meanwhile. */
export function pause(timers: ClientTimers, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = timers.after(delayMs, () => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    });
    if (signal?.aborted === true) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}
