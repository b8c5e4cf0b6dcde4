import { getOrMake, type Timers } from '../../kit/index.js';

/** How long one call is waited for, in milliseconds; less than the deadline of a slow source. */
const PATIENCE_MS = 1000;
/** Each call occupies a thread of the pool while it lasts. */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** The maximum number of calls in progress, which may hang: of one kind, and in total. One thread is left for the rest of the gateway. */
export interface CallLimits {
  readonly ofKind: number;
  readonly inAll: number;
}

const LIMITS: CallLimits = { ofKind: Math.max(1, Math.floor(THREADS / 2)), inAll: Math.max(1, THREADS - 1) };

/** Why a call has no result: it has not returned in time, or was not made because too many hang. */
export const NO_ANSWER = Symbol('no answer');

interface Call {
  readonly answer: Promise<unknown>;
  isOverdue: boolean;
}

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
 * Calls in the thread pool that may never return: statfs(2) on a server that is gone, reading the memory of a process that is
 * stuck in the kernel. Only a few are in progress at a time, and others wait for their turn. A call that did not return within a
 * second is not repeated until it has; while the maximum number of calls of a kind hang, no call of that kind is made.
 */
export class UncertainCalls {
  readonly #timers: Timers;
  readonly #limits: CallLimits;
  readonly #calls = new Map<string, Call>();
  readonly #kinds = new Map<string, Count>();
  readonly #all: Count = { underWay: 0, overdue: 0 };
  #waiting: readonly Waiting[] = [];

  constructor(timers: Timers, limits: CallLimits = LIMITS) {
    this.#timers = timers;
    this.#limits = limits;
  }

  /** Makes a call, or shares the one with the same kind and key in progress. Rejects as the call does. */
  ask<T>(kind: string, key: string, make: () => Promise<T>): Promise<T | typeof NO_ANSWER> {
    const id = `${kind} ${key}`;
    const known = this.#calls.get(id);
    if (known?.isOverdue === true || (!known && this.#isStuck(kind))) return Promise.resolve(NO_ANSWER);
    const call = getOrMake(this.#calls, id, () => this.#make(kind, id, make));
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

  /** Starts waiting calls for which there is room, and rejects those that will have none. */
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
    return getOrMake(this.#kinds, kind, () => ({ underWay: 0, overdue: 0 }));
  }

  #count(kind: string, what: keyof Count, by: 1 | -1): void {
    this.#of(kind)[what] += by;
    this.#all[what] += by;
  }
}
