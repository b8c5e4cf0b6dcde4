import type { LoopTimers } from '../../src/http/overload/loop-delay.js';
import { ManualTimers } from './manual-timers.js';

/** An event loop that a test turns: timers that come due stand still until the work of a turn is said to be done. */
export class ManualLoop extends ManualTimers implements LoopTimers {
  #afterTurn: (() => void)[] = [];

  afterTurn(callback: () => void): void {
    this.#afterTurn.push(callback);
  }

  /** One turn: what is due is called, then work of so many milliseconds follows, during which `work` is called. */
  turn(workMs: number, work: () => void = () => undefined): void {
    work();
    this.advance(workMs);
    for (const callback of this.#afterTurn.splice(0)) callback();
  }
}
