import type { Timers } from '../../kit/index.js';

/** How long is waited for one call, in milliseconds; less than the deadline of a slow source. */
const PATIENCE_MS = 1000;
/** Each call holds a thread of the pool as long as it lasts. */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** How many calls may be under way, and so hang: of one kind, and in all. One thread is left for the rest of the gateway. */
export interface CallLimits {
  readonly ofKind: number;
  readonly inAll: number;
}

const LIMITS: CallLimits = { ofKind: Math.max(1, Math.floor(THREADS / 2)), inAll: Math.max(1, THREADS - 1) };

/** What those get whose call has not returned in time, or was not made because too many hang. */
export const NO_ANSWER = Symbol('no answer');

interface Call {
  readonly answer: Promise<unknown>;
  /** Whether it takes longer than anybody waits. */
  isOverdue: boolean;
}

/** What is under way of one kind, or in all, and how much of that is overdue. */
interface Count {
  underWay: number;
  overdue: number;
}

interface Waiting {
  readonly kind: string;
  readonly start: () => void;
  readonly giveUp: () => void;
}

/**
 * Calls in the thread pool that may never return: statfs(2) on a server that is gone, reading the memory of a process that is stuck in
 * the kernel. No more than a few are under way at a time, and further ones wait for their turn. What did not answer within a second is
 * not asked again until its call has returned; while as many of a kind hang as may be under way, nothing of that kind is asked at all.
 */
export class UncertainCalls {
  readonly #timers: Timers;
  readonly #limits: CallLimits;
  /** Those that are under way or wait, by kind and key. */
  readonly #calls = new Map<string, Call>();
  readonly #kinds = new Map<string, Count>();
  readonly #all: Count = { underWay: 0, overdue: 0 };
  #waiting: readonly Waiting[] = [];

  constructor(timers: Timers, limits: CallLimits = LIMITS) {
    this.#timers = timers;
    this.#limits = limits;
  }

  /** Make a call, or share the one of the same kind and key that is not over yet. Rejects as the call does. */
  ask<T>(kind: string, key: string, make: () => Promise<T>): Promise<T | typeof NO_ANSWER> {
    const id = `${kind} ${key}`;
    let call = this.#calls.get(id);
    if (call?.isOverdue === true || (!call && this.#isStuck(kind))) return Promise.resolve(NO_ANSWER);
    if (!call) {
      call = this.#make(kind, id, make);
      this.#calls.set(id, call);
    }
    return call.answer as Promise<T | typeof NO_ANSWER>;
  }

  #make<T>(kind: string, id: string, make: () => Promise<T>): Call {
    let start = (): void => undefined;
    let answerNothing = (): void => undefined;
    const answer = new Promise<T | typeof NO_ANSWER>((resolve, reject) => {
      answerNothing = () => resolve(NO_ANSWER);
      start = () => {
        this.#count(kind, 'underWay', 1);
        const stopWaiting = this.#timers.after(PATIENCE_MS, () => {
          call.isOverdue = true;
          answerNothing();
          this.#count(kind, 'overdue', 1);
          this.#settle();
        });
        const over = (): void => {
          stopWaiting();
          this.#calls.delete(id);
          this.#count(kind, 'underWay', -1);
          if (call.isOverdue) this.#count(kind, 'overdue', -1);
          this.#settle();
        };
        new Promise<T>((returned) => returned(make())).finally(over).then(resolve, reject);
      };
    });
    const call: Call = { answer, isOverdue: false };
    const giveUp = (): void => {
      this.#calls.delete(id);
      answerNothing();
    };
    if (this.#hasRoom(kind)) start();
    else this.#waiting = [...this.#waiting, { kind, start, giveUp }];
    return call;
  }

  /** Begin what has room by now, and give up what will have none. */
  #settle(): void {
    this.#waiting = this.#waiting.filter(({ kind, start, giveUp }) => {
      if (this.#isStuck(kind)) giveUp();
      else if (this.#hasRoom(kind)) start();
      else return true;
      return false;
    });
  }

  #hasRoom(kind: string): boolean {
    return this.#of(kind).underWay < this.#limits.ofKind && this.#all.underWay < this.#limits.inAll;
  }

  #isStuck(kind: string): boolean {
    return this.#of(kind).overdue >= this.#limits.ofKind || this.#all.overdue >= this.#limits.inAll;
  }

  #of(kind: string): Count {
    let count = this.#kinds.get(kind);
    if (!count) {
      count = { underWay: 0, overdue: 0 };
      this.#kinds.set(kind, count);
    }
    return count;
  }

  #count(kind: string, what: keyof Count, by: 1 | -1): void {
    this.#of(kind)[what] += by;
    this.#all[what] += by;
  }
}
