import { systemLoopTimers } from '../guards/overload/loop-load.js';
import type { LoopTimers } from '../guards/overload/loop-load.js';

/** How long a response may wait for others, in milliseconds, while they are made one after the other. */
const TOGETHER_MS = 1;

/**
 * Sends the responses that are made in one turn of the event loop together, at its end: each one sent alone wakes its reader,
 * which costs more than all the rest of a small response. A response waits for others for a millisecond, and for the one being
 * made then. With only one in a turn, nothing waits.
 */
export class WriteCoalescer {
  readonly #timers: Pick<LoopTimers, 'afterTurn' | 'turnNumber'>;
  #waiting: (() => void)[] = [];
  #sinceMs = 0;
  #turn: number | undefined;
  #inTurn = 0;
  #inLastTurn = 0;
  #isEndAwaited = false;

  constructor(timers: Pick<LoopTimers, 'afterTurn' | 'turnNumber'> = systemLoopTimers) {
    this.#timers = timers;
  }

  /**
   * Sends a response, in the order of the calls.
   * @param send must not throw: no one could catch it
   * @param nowMs the time now, in milliseconds from any fixed point
   */
  add(send: () => void, nowMs: number): void {
    const turn = this.#timers.turnNumber();
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#inLastTurn = this.#inTurn;
      this.#inTurn = 0;
    }
    if (this.#inTurn++ === 0 && this.#inLastTurn <= 1) {
      send();
      return;
    }
    if (!this.#isEndAwaited) this.#awaitEnd();
    if (this.#waiting.length === 0) this.#sinceMs = nowMs;
    this.#waiting.push(send);
    if (nowMs - this.#sinceMs >= TOGETHER_MS) this.#sendAll();
  }

  #awaitEnd(): void {
    this.#isEndAwaited = true;
    this.#timers.afterTurn(() => {
      this.#isEndAwaited = false;
      this.#sendAll();
    });
  }

  #sendAll(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) send();
  }
}
