import type { Timers } from '../../kit/index.js';
import { compareTimestamps, type Timestamp } from '../../pmapi/index.js';
import type { StreamLimits } from './stream-output.js';

/** The approximate size of an event besides its text. */
const EVENT_BYTES = 160;

/** An event that was sent to all subscribers, as text. */
export interface SentEvent {
  /** The id of a sample; undefined for events of other kinds. */
  readonly id: Timestamp | undefined;
  readonly bytes: Buffer;
  /** It can be understood on its own, unlike changes. */
  readonly isFull: boolean;
}

interface Kept extends SentEvent {
  /** Bytes of all events before it. */
  readonly offset: number;
}

/** The memory of all replay buffers: drops the oldest events first. */
export class ReplayMemory {
  readonly #limits: () => StreamLimits;
  readonly #timers: Timers;
  #order: { readonly log: ReplayBuffer; readonly number: number; readonly atMs: number }[] = [];
  #head = 0;
  #bytes = 0;

  constructor(timers: Timers, limits: () => StreamLimits) {
    this.#timers = timers;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  note(log: ReplayBuffer, number: number, bytes: number): void {
    this.#order.push({ log, number, atMs: this.#timers.nowMs() });
    this.#bytes += bytes + EVENT_BYTES;
  }

  noteDropped(bytes: number): void {
    this.#bytes -= bytes + EVENT_BYTES;
  }

  /** Drops events that are too old, and the oldest beyond the budget. */
  sweep(): void {
    const { lingerMs, historyBytes } = this.#limits();
    const oldestMs = this.#timers.nowMs() - lingerMs;
    while (this.#head < this.#order.length) {
      const { log, number, atMs } = this.#order[this.#head]!;
      if (this.#bytes <= historyBytes && atMs >= oldestMs) break;
      this.#head++;
      // A cleared buffer has dropped it already.
      if (log.at(number)) log.shift();
    }
    if (this.#head > 1024 && this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** The recent events of a group, numbered from 0. Subscribers read at their own speed; one whose next event was dropped is too slow. */
export class ReplayBuffer {
  readonly #memory: ReplayMemory;
  #events: Kept[] = [];
  #first = 0;
  #totalBytes = 0;
  #forgotten: Timestamp | undefined;
  #latest: SentEvent | undefined;
  #latestId: Timestamp | undefined;

  constructor(memory: ReplayMemory) {
    this.#memory = memory;
  }

  get end(): number {
    return this.#first + this.#events.length;
  }

  /** The last event, always kept. */
  get latest(): SentEvent | undefined {
    return this.#latest;
  }

  get latestId(): Timestamp | undefined {
    return this.#latestId;
  }

  append(event: SentEvent): void {
    // Before the event is added, so that all subscribers find it.
    this.#memory.sweep();
    this.#memory.note(this, this.end, event.bytes.length);
    this.#events.push({ ...event, offset: this.#totalBytes });
    this.#totalBytes += event.bytes.length;
    this.#latest = event;
    this.#latestId = event.id ?? this.#latestId;
  }

  /** An event by number; undefined if it was dropped or has not been sent. */
  at(number: number): SentEvent | undefined {
    return this.#events[number - this.#first];
  }

  /** Bytes of the events from a number on; Infinity if some were dropped. */
  bytesFrom(number: number): number {
    if (number === this.end) return 0;
    const event = this.#events[number - this.#first];
    return event ? this.#totalBytes - event.offset : Infinity;
  }

  firstSample(): { readonly number: number; readonly id: Timestamp; readonly isFull: boolean } | undefined {
    const index = this.#events.findIndex(({ id }) => id !== undefined);
    if (index < 0) return undefined;
    const { id, isFull } = this.#events[index]!;
    return { number: this.#first + index, id: id!, isFull };
  }

  /** The number after a sample; undefined if later events were dropped. `isExact`: the sample must have been sent. */
  numberAfter(id: Timestamp, isExact: boolean): number | undefined {
    const floor = this.#forgotten ?? this.firstSample()?.id;
    if (!floor || compareTimestamps(id, floor) < 0) return undefined;
    let number = this.#first;
    let found = this.#forgotten !== undefined && compareTimestamps(id, this.#forgotten) === 0;
    for (const [i, event] of this.#events.entries()) {
      if (!event.id) continue;
      const order = compareTimestamps(event.id, id);
      if (order > 0) break;
      number = this.#first + i + 1;
      found ||= order === 0;
    }
    return found || !isExact ? number : undefined;
  }

  shift(): void {
    const oldest = this.#events.shift();
    if (!oldest) return;
    this.#first++;
    this.#forgotten = oldest.id ?? this.#forgotten;
    this.#memory.noteDropped(oldest.bytes.length);
  }

  clear(): void {
    while (this.#events.length > 0) this.shift();
  }
}
