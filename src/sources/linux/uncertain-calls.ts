import type { Timers } from '../../pmapi/index.js';

/** How long is waited for one call, in milliseconds; less than the deadline of a slow source. */
const PATIENCE_MS = 1000;
/** Each call holds a thread of the pool as long as it lasts. Half of them stay with the rest of the gateway, however many calls hang. */
const AT_ONCE = Math.max(1, Math.floor((Number(process.env.UV_THREADPOOL_SIZE) || 4) / 2));

/** What those get whose call has not returned in time, or was not made because too many hang. */
export const NO_ANSWER = Symbol('no answer');

interface Call {
  readonly answer: Promise<unknown>;
  /** Whether it takes longer than anybody waits. */
  isOverdue: boolean;
}

interface Waiting {
  readonly start: () => void;
  readonly giveUp: () => void;
}

/**
 * Calls in the thread pool that may never return: statfs(2) on a server that is gone, reading the memory of a process that is stuck in
 * the kernel. No more than a few are under way at a time, and further ones wait for their turn. What did not answer within a second is
 * not asked again until its call has returned; while as many hang as may be under way, nothing is asked at all.
 */
export class UncertainCalls {
  readonly #timers: Timers;
  readonly #atOnce: number;
  /** Those that are under way or wait, by key. */
  readonly #calls = new Map<string, Call>();
  readonly #waiting: Waiting[] = [];
  #underWay = 0;
  #overdue = 0;

  constructor(timers: Timers, atOnce = AT_ONCE) {
    this.#timers = timers;
    this.#atOnce = atOnce;
  }

  /** Make a call, or share the one of the same key that is not over yet. Rejects as the call does. */
  ask<T>(key: string, make: () => Promise<T>): Promise<T | typeof NO_ANSWER> {
    let call = this.#calls.get(key);
    if (call?.isOverdue === true || (!call && this.#overdue >= this.#atOnce)) return Promise.resolve(NO_ANSWER);
    if (!call) {
      call = this.#make(key, make);
      this.#calls.set(key, call);
    }
    return call.answer as Promise<T | typeof NO_ANSWER>;
  }

  #make<T>(key: string, make: () => Promise<T>): Call {
    let start = (): void => undefined;
    let answerNothing = (): void => undefined;
    const answer = new Promise<T | typeof NO_ANSWER>((resolve, reject) => {
      answerNothing = () => resolve(NO_ANSWER);
      start = () => {
        this.#underWay++;
        const stopWaiting = this.#timers.after(PATIENCE_MS, () => this.#overdueNow(call, answerNothing));
        const over = (): void => {
          stopWaiting();
          this.#over(key, call);
        };
        new Promise<T>((returned) => returned(make())).finally(over).then(resolve, reject);
      };
    });
    const call: Call = { answer, isOverdue: false };
    const giveUp = (): void => {
      this.#calls.delete(key);
      answerNothing();
    };
    if (this.#underWay < this.#atOnce) start();
    else this.#waiting.push({ start, giveUp });
    return call;
  }

  #overdueNow(call: Call, answerNothing: () => void): void {
    call.isOverdue = true;
    this.#overdue++;
    answerNothing();
    if (this.#overdue < this.#atOnce) return;
    for (const { giveUp } of this.#waiting.splice(0)) giveUp();
  }

  #over(key: string, call: Call): void {
    this.#calls.delete(key);
    this.#underWay--;
    if (call.isOverdue) this.#overdue--;
    this.#waiting.shift()?.start();
  }
}
