import type { Timers } from '../../kit/index.js';
import { compareTimestamps } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import type { StreamLimits } from './stream-request.js';

/** What an event costs beside its text, about. */
const EVENT_BYTES = 160;

/** One event that was sent to all who listened, as text. */
export interface SentEvent {
  /** The id of a sample; undefined for events of other kinds. */
  readonly id: Timestamp | undefined;
  readonly bytes: Buffer;
  /** Whether it can be understood by itself; changes cannot. */
  readonly isFull: boolean;
}

interface Kept extends SentEvent {
  /** Bytes of all events before it. */
  readonly offset: number;
}

/** The memory of all streams together: within one budget, the oldest events of all are forgotten first. */
export class ReplayMemory {
  limits: StreamLimits;
  readonly #timers: Timers;
  #order: { readonly log: ReplayBuffer; readonly number: number; readonly atMs: number }[] = [];
  #head = 0;
  #bytes = 0;

  constructor(timers: Timers, limits: StreamLimits) {
    this.#timers = timers;
    this.limits = limits;
  }

  /** Bytes that are held, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Count an event that a log is about to take. For logs. */
  note(log: ReplayBuffer, number: number, bytes: number): void {
    this.#order.push({ log, number, atMs: this.#timers.nowMs() });
    this.#bytes += bytes + EVENT_BYTES;
  }

  /** Count an event that a log has dropped. For logs. */
  noteDropped(bytes: number): void {
    this.#bytes -= bytes + EVENT_BYTES;
  }

  /** Forget what is too old, and the oldest of what is too much. */
  sweep(): void {
    const oldestMs = this.#timers.nowMs() - this.limits.lingerMs;
    while (this.#head < this.#order.length) {
      const { log, number, atMs } = this.#order[this.#head]!;
      if (this.#bytes <= this.limits.historyBytes && atMs >= oldestMs) break;
      this.#head++;
      // A log that was cleared has forgotten it already.
      if (log.at(number)) log.shift();
    }
    if (this.#head > 1024 && this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
  }
}

/**
 * What a group sent recently. Events are numbered from 0; listeners read on from a number, each at its own speed, and share the
 * texts. A listener whose next event was forgotten has fallen behind.
 */
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

  /** The number that the next event will have. */
  get end(): number {
    return this.#first + this.#events.length;
  }

  /** The last event, remembered whatever happens. */
  get latest(): SentEvent | undefined {
    return this.#latest;
  }

  /** The id of the last sample. */
  get latestId(): Timestamp | undefined {
    return this.#latestId;
  }

  append(event: SentEvent): void {
    // Before it is taken, so that it is there for all who listen.
    this.#memory.sweep();
    this.#memory.note(this, this.end, event.bytes.length);
    this.#events.push({ ...event, offset: this.#totalBytes });
    this.#totalBytes += event.bytes.length;
    this.#latest = event;
    this.#latestId = event.id ?? this.#latestId;
  }

  /** An event by number; undefined for one that was forgotten or has not been sent. */
  at(number: number): SentEvent | undefined {
    return this.#events[number - this.#first];
  }

  /** Bytes of the events from a number on; Infinity when some of them were forgotten. */
  bytesFrom(number: number): number {
    if (number === this.end) return 0;
    const event = this.#events[number - this.#first];
    return event ? this.#totalBytes - event.offset : Infinity;
  }

  /** The first sample that is remembered. */
  firstSample(): { readonly number: number; readonly id: Timestamp; readonly isFull: boolean } | undefined {
    const index = this.#events.findIndex(({ id }) => id !== undefined);
    if (index < 0) return undefined;
    const { id, isFull } = this.#events[index]!;
    return { number: this.#first + index, id: id!, isFull };
  }

  /**
   * The number to read on from after a sample; undefined when what followed it is not all remembered. With `isExact` the sample
   * must be one that was sent: changes can be understood only after it.
   */
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

  /** Forget the oldest event. */
  shift(): void {
    const oldest = this.#events.shift();
    if (!oldest) return;
    this.#first++;
    this.#forgotten = oldest.id ?? this.#forgotten;
    this.#memory.noteDropped(oldest.bytes.length);
  }

  /** Forget everything. */
  clear(): void {
    while (this.#events.length > 0) this.shift();
  }
}
