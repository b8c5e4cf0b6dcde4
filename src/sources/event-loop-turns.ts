/**
 * Work that ranges and other large answers may do between two turns of the event loop, all of them together. A live fetch takes
 * several turns, each of which it may have to wait so long for; a turn itself costs a few microseconds.
 */
const BUDGET_MS = 1;

/**
 * Shares the event loop between ranges and everything else. Values of a warm archive need no waiting for files, so a range
 * would never let go of the thread by itself; and several ranges that each took their fill would add up.
 */
export class EventLoopTurns {
  readonly #nowMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #turnStartMs = -Infinity;
  #isScheduled = false;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Whether there is no time left in this turn. */
  get isOver(): boolean {
    return this.#nowMs() - this.#turnStartMs >= BUDGET_MS;
  }

  /** What to wait for before going on; undefined while there is time left in this turn. */
  next(): Promise<void> | undefined {
    return this.isOver ? this.own() : undefined;
  }

  /** Wait for a turn of the event loop that begins with the caller's work, even while there is time left in this one. */
  own(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  /** One range goes on per turn, so that a turn is as long as one budget, whatever the number of ranges. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#turnStartMs = this.#nowMs();
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}

/** The turns that all ranges of this process take. */
export const eventLoopTurns = new EventLoopTurns();

/** Items one after the other, as many of them in a turn of the event loop as there is time for: what makes them need not care. */
export async function* inTurns<T>(items: Iterable<T>, turns: EventLoopTurns = eventLoopTurns): AsyncGenerator<T, void> {
  let isFirst = true;
  for (const item of items) {
    const turn = isFirst ? undefined : turns.next();
    if (turn) await turn;
    isFirst = false;
    yield item;
  }
}

/**
 * Go through steps of some work, as many in a turn of the event loop as there is time for; answers what came of it.
 * @param signal aborted when no one waits for it any more: throws its reason before the next step
 */
export async function throughInTurns<T>(steps: Iterator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = eventLoopTurns.next();
    if (turn) await turn;
  }
}
