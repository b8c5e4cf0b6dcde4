import type { Timestamp } from '../../pmapi/index.js';
import type { ReplayBuffer } from './replay-buffer.js';
import { isBehind, type StreamSink, type StreamSubscription } from './stream-output.js';

/** Events that may wait regardless of size: one may come while the previous one is being sent. */
const EVENTS_ALLOWED = 2;

export interface SubscriberSurroundings {
  readonly bufferBytes: () => number;
  readonly nowMs: () => number;
  readonly onSent: () => void;
  readonly onDropped: () => void;
  /** The stream has ended, for whatever reason. Called once. */
  readonly onEnd: (subscriber: StreamSubscriber) => void;
}

/** A client's samples when it begins to follow a buffer. */
export interface Reached {
  readonly last: Timestamp;
  /** The event that precedes a sample if some are missing between the two. */
  gapBefore(next: Timestamp): string | undefined;
}

interface Following {
  readonly log: ReplayBuffer;
  next: number;
  /** Until its first sample is sent. */
  reached: Reached | undefined;
}

/** One client of a stream: sends texts at its speed, or follows a group's buffer. Without a queue; disconnected if too far behind. */
export class StreamSubscriber implements StreamSubscription {
  readonly #sink: StreamSink;
  readonly #around: SubscriberSurroundings;
  #following: Following | undefined;
  #isClogged = false;
  #hasEnded = false;
  #lastSentMs: number;
  #wake: (() => void) | undefined;

  constructor(sink: StreamSink, surroundings: SubscriberSurroundings) {
    this.#sink = sink;
    this.#around = surroundings;
    this.#lastSentMs = surroundings.nowMs();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** It follows a buffer, and was sent all of it. */
  get isUpToDate(): boolean {
    const following = this.#following;
    return following !== undefined && following.next === following.log.end && following.reached === undefined;
  }

  /** Sends an event at once, before anything that waits. */
  send(event: string | Uint8Array): void {
    this.#write(typeof event === 'string' ? Buffer.from(event) : event);
  }

  /** Sends events at the client's speed. Rejects as making them does. */
  async pour(events: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>): Promise<void> {
    for await (const event of events) {
      if (this.#hasEnded) return;
      this.send(event);
      // A loop: the client may have left, or stopped reading again, when this continues.
      while (this.#isClogged && !this.hasEnded) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.hasEnded) return;
    }
  }

  /** Sends a buffer's events from a number on. @param reached samples up to here are left out */
  follow(log: ReplayBuffer, from: number, reached?: Reached): void {
    this.#following = { log, next: from, reached };
    this.pump();
  }

  /** Sends what was added to the buffer. */
  pump(): void {
    const following = this.#following;
    if (!following) return;
    const { log } = following;
    while (!this.#isClogged && !this.#hasEnded && following.next < log.end) {
      const event = log.at(following.next);
      if (!event) {
        this.#drop();
        return;
      }
      following.next++;
      if (event.id && following.reached) {
        const { reached } = following;
        if (isBehind(event.id, reached.last)) continue;
        following.reached = undefined;
        const text = reached.gapBefore(event.id);
        if (text !== undefined) this.send(text);
      }
      this.#write(event.bytes);
    }
    const waiting = log.end - following.next;
    if (!this.#isClogged || waiting < EVENTS_ALLOWED) return;
    if (this.#sink.waitingBytes + log.bytesFrom(following.next) > this.#around.bufferBytes()) this.#drop();
  }

  beat(text: string, silenceMs: number): void {
    if (this.#isClogged || this.#around.nowMs() - this.#lastSentMs < silenceMs) return;
    this.#isClogged = !this.#sink.write(Buffer.from(text));
    this.#lastSentMs = this.#around.nowMs();
  }

  drained(): void {
    this.#isClogged = false;
    this.#wakeUp();
    this.pump();
  }

  unsubscribe(): void {
    this.#finish();
  }

  /** Ends the stream with a last event, or without one, so that the client reconnects. */
  end(text?: string): void {
    if (this.#hasEnded) return;
    if (text !== undefined) this.send(text);
    this.#finish();
    this.#sink.end();
  }

  #write(bytes: Uint8Array): void {
    if (this.#hasEnded) return;
    this.#lastSentMs = this.#around.nowMs();
    this.#around.onSent();
    this.#isClogged = !this.#sink.write(bytes);
  }

  #drop(): void {
    this.#around.onDropped();
    this.#finish();
    this.#sink.destroy();
  }

  #finish(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#following = undefined;
    this.#wakeUp();
    this.#around.onEnd(this);
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
