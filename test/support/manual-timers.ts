/** Timers that stand still until a test moves them; fits every `Timers` that wants `after` and `nowMs`. */
export class ManualTimers {
  #nowMs = 0;
  readonly #waiting = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  get pending(): number {
    return this.#waiting.size;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#waiting.add(timer);
    return () => this.#waiting.delete(timer);
  }

  /** Let time pass: calls what becomes due, in order. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#waiting].filter((timer) => timer.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!due) break;
      this.#waiting.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = untilMs;
  }

  /** Let time pass in which the process stands still: what became due is called late. */
  stall(ms: number): void {
    this.#nowMs += ms;
    this.advance(0);
  }
}
