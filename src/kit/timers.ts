/** Where waiting comes from: injected, so that tests control time. */
export interface Timers {
  /** Call `callback` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
  /** Milliseconds that never go backwards; the origin means nothing. */
  nowMs(): number;
}

/** The system's timers. They do not keep the process alive: what they watch does. */
export const systemTimers: Timers = {
  after(delayMs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  nowMs(): number {
    return performance.now();
  },
};
