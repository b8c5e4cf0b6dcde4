import { systemLoopTimers } from '../guards/overload/loop-load.js';
import type { LoopTimers } from '../guards/overload/loop-load.js';

/** How long an answer may wait for others, in milliseconds, while they are made one after the other. */
const TOGETHER_MS = 1;

/**
 * Sends the answers that are made in one turn of the event loop together, at its end: each that goes alone wakes its reader up, which
 * costs more than all the rest of a small answer. An answer waits for the others of a millisecond, and for the one that is being made
 * then. Where there is but one in a turn, nothing waits, and nothing is done at the end of the turn.
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
   * Have an answer sent, in the order in which this is called.
   * @param send must not throw: nobody is left to catch it
   * @param nowMs the time now, in milliseconds from any point that stays the same
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
