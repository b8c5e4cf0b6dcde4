import type { LoopTimers } from '../../src/http/guards/overload/overload-guard.js';
import { ManualTimers } from './manual-timers.js';

/** An event loop that a test turns: timers that come due stand still until the work of a turn is said to be done. */
export class ManualLoop extends ManualTimers implements LoopTimers {
  /** Milliseconds that count as work, of those that pass; of each turn, unless a test says otherwise. */
  worked = 0;
  readonly #afterTurn: (() => void)[] = [];
  #turns = 0;

  /** How many wait for the end of the turn. */
  get pendingAfterTurn(): number {
    return this.#afterTurn.length;
  }

  turnNumber(): number {
    return this.#turns;
  }

  busyMs(): number {
    return this.worked;
  }

  afterTurn(callback: () => void): void {
    this.#afterTurn.push(callback);
  }

  /** One turn: what is due is called, then so many milliseconds pass, a share of them in work; `work` is called before. */
  turn(workMs: number, work: () => void = () => undefined, share = 0.5): void {
    work();
    this.worked += workMs * share;
    this.advance(workMs);
    for (const callback of this.#afterTurn.splice(0)) callback();
    this.#turns++;
  }
}
