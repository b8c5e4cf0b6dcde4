/** Milliseconds of long work per turn of the event loop, all together: a live fetch may wait so long in each of several turns. */
const BUDGET_MS = 1;
/** The elements of a list that are processed before the time is checked. */
const BATCH = 64;
/** The turns in a row that only take connections. */
const ARRIVING_TURNS = 64;

/** Calls a function in the next turn of the event loop. Pages have no setImmediate, and their timers wait for milliseconds: messages do not. */
export function inNextTurn(work: () => void): void {
  if ('setImmediate' in globalThis) {
    globalThis.setImmediate(work);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  const onmessage = (): void => {
    port1.close();
    work();
  };
  Object.assign(port1, { onmessage });
  port2.postMessage(undefined);
}

/** Shares the event loop between long work and the rest: work in memory never waits for I/O, and would keep the thread. */
export class EventLoopTurns {
  readonly #nowMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #turnStartMs = -Infinity;
  #isScheduled = false;
  #hasArrival = false;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Whether the time of this turn is used up. */
  get isOver(): boolean {
    return this.#nowMs() - this.#turnStartMs >= BUDGET_MS;
  }

  /** A promise to wait for; undefined while this turn has time left. */
  next(): Promise<void> | undefined {
    return this.isOver ? this.own() : undefined;
  }

  /** Waits for a turn that begins with the caller's work. */
  own(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  /**
   * A connection came. libuv takes one per turn of the event loop (`uv__server_io`, since 1.45): long work waits while more come, or a
   * connection behind fifty others would wait for fifty long turns.
   */
  arrived(): void {
    this.#hasArrival = true;
  }

  /** One task continues per turn, so that a turn is as long as one budget, however many tasks there are. */
  #schedule(arrivals = 0): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    inNextTurn(() => {
      this.#isScheduled = false;
      const waits = this.#hasArrival && arrivals < ARRIVING_TURNS;
      this.#hasArrival = false;
      if (waits) {
        this.#schedule(arrivals + 1);
        return;
      }
      this.#turnStartMs = this.#nowMs();
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}

/** The turns that all long work of this process shares. */
export const eventLoopTurns = new EventLoopTurns();

/** Items, as many per turn of the event loop as fit. */
export async function* inTurns<T>(items: Iterable<T>, turns: EventLoopTurns = eventLoopTurns): AsyncGenerator<T, void> {
  let isFirst = true;
  for (const item of items) {
    const turn = isFirst ? undefined : turns.next();
    if (turn) await turn;
    isFirst = false;
    yield item;
  }
}

/** Processes items, as many per turn of the event loop as fit. */
export async function eachInTurns<T>(
  items: Iterable<T>,
  each: (item: T) => void,
  turns: EventLoopTurns = eventLoopTurns,
): Promise<void> {
  for await (const item of inTurns(items, turns)) each(item);
}

/** Batches of a list, in turns of the event loop. Throws the signal's reason before the next batch. */
export async function* inBatches<T>(list: readonly T[], signal: AbortSignal): AsyncGenerator<readonly T[], void> {
  for await (const batch of inTurns(batchesOf(list))) {
    signal.throwIfAborted();
    yield batch;
  }
}

function* batchesOf<T>(list: readonly T[]): Generator<readonly T[], void> {
  for (let start = 0; start < list.length; start += BATCH) yield list.slice(start, start + BATCH);
}

/** Long work that yields after each part, so that its caller can let others run. */
export type InSteps<T> = Generator<void, T>;

/** Run all steps of some work at once; returns its result. */
export function atOnce<T>(steps: InSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs steps, as many per turn of the event loop as fit; returns the result. Throws the signal's reason before the next step. */
export async function throughInTurns<T>(steps: Iterator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = eventLoopTurns.next();
    if (turn) await turn;
  }
}

/** How many elements are sorted or merged in one step. */
const SORTED_AT_ONCE = 1024;

/** A sorted copy, in steps; equal elements keep their order. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): InSteps<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += SORTED_AT_ONCE) {
    runs.push(items.slice(start, start + SORTED_AT_ONCE).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) longer.push(yield* merge(runs[i]!, runs[i + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): InSteps<T[]> {
  const merged: T[] = [];
  for (let [i, j] = [0, 0]; i < left.length || j < right.length;) {
    const isRight = i === left.length || (j < right.length && compare(left[i]!, right[j]!) > 0);
    merged.push(isRight ? right[j++]! : left[i++]!);
    if (merged.length % SORTED_AT_ONCE === 0) yield;
  }
  return merged;
}
