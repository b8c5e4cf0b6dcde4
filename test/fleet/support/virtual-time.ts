import type { Timers } from '../../../src/kit/index.js';

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

// Looking up a global name takes long where tests run.
const { max } = Math;

/** Time that passes only from one event to the next. Events at the same time happen in the order in which they were planned. */
export class VirtualTime {
  nowMs = 0;
  readonly #heap: Event[] = [];
  #order = 0;

  at(atMs: number, run: () => void): () => void {
    const heap = this.#heap;
    const event = { atMs: max(atMs, this.nowMs), order: this.#order++, run, isCancelled: false };
    let i = heap.length;
    heap.push(event);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = event;
    return () => void (event.isCancelled = true);
  }

  after(delayMs: number, run: () => void): () => void {
    return this.at(this.nowMs + delayMs, run);
  }

  async runUntil(untilMs: number): Promise<void> {
    while (this.#heap.length > 0 && this.#heap[0]!.atMs <= untilMs) {
      const { atMs, run, isCancelled } = this.#pop();
      if (isCancelled) continue;
      this.nowMs = atMs;
      run();
      // All that follows from it at once, however many promises that takes.
      await new Promise(setImmediate);
    }
    this.nowMs = untilMs;
  }

  #pop(): Event {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** A process in virtual time: it can be killed, and stopped for a while. Its clock goes on while it is stopped. */
export class SimulatedProcess implements Timers {
  readonly #time: VirtualTime;
  readonly #rate: number;
  #isAlive = true;
  #isStopped = false;
  #held: (() => void)[] = [];

  constructor(time: VirtualTime, rate: number) {
    this.#time = time;
    this.#rate = rate;
  }

  get isRunning(): boolean {
    return this.#isAlive && !this.#isStopped;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  nowMs(): number {
    return this.#time.nowMs * this.#rate;
  }

  after(delayMs: number, callback: () => void): () => void {
    let isCancelled = false;
    const cancel = this.#time.after(delayMs / this.#rate, () => this.deliver(() => isCancelled || callback()));
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** Runs something in the process: later if it is stopped, never if it is dead. */
  deliver(run: () => void): void {
    if (!this.#isAlive) return;
    if (this.#isStopped) this.#held.push(run);
    else run();
  }

  kill(): void {
    this.#isAlive = false;
    this.#held = [];
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Goes on: what happened meanwhile arrives in order, each in a turn of its own. */
  resume(): void {
    this.#isStopped = false;
    const held = this.#held;
    this.#held = [];
    for (const run of held) this.#time.after(0, () => this.deliver(run));
  }
}
