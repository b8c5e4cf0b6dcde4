import type { Timestamp } from '../../pmapi/index.js';
import type { ReplayBuffer } from './replay-buffer.js';
import type { StreamSink, StreamSubscription } from './stream-output.js';

/** So many events may wait however large they are: one may come while the last is on its way. */
const EVENTS_ALLOWED = 2;

/** What a subscriber needs of its hub. */
export interface SubscriberSurroundings {
  /** Bytes that a client may leave untaken. */
  readonly bufferBytes: () => number;
  readonly nowMs: () => number;
  /** An event went to the client. */
  readonly onSent: () => void;
  /** The client was cut off, for it took too little. */
  readonly onDropped: () => void;
  /** The stream is over, whoever ended it. Called once. */
  readonly onEnd: (subscriber: StreamSubscriber) => void;
}

/** How a log is followed. */
interface Following {
  readonly log: ReplayBuffer;
  next: number;
  /** Called with the id of the first sample, for what is to be said before it. */
  before: ((id: Timestamp) => string | undefined) | undefined;
}

/**
 * One client of a stream. It has no queue of its own: it either pours texts that are made as the client takes them, or follows the log
 * of a group, where its place is all that it keeps. So a client that takes nothing costs what its connection has buffered, one event
 * more than the connection asks for; and one that falls too far behind is cut off.
 */
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

  /** Whether it follows a log, and was sent all of it. */
  get isUpToDate(): boolean {
    const following = this.#following;
    return following !== undefined && following.next === following.log.end && following.before === undefined;
  }

  /** Send one event at once, whatever waits. */
  send(text: string): void {
    this.#write(Buffer.from(text));
  }

  /** Send texts, no more of them than the client takes. Rejects with what making them throws. */
  async pour(texts: AsyncIterable<string>): Promise<void> {
    for await (const text of texts) {
      if (this.#hasEnded) return;
      this.send(text);
      // A loop: the client may have gone, or clogged again, when this goes on.
      while (this.#isClogged && !this.hasEnded) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.hasEnded) return;
    }
  }

  /**
   * Send what a log has from a number on, and what it will get.
   * @param before called with the id of the first sample: what it answers is sent first
   */
  follow(log: ReplayBuffer, from: number, before?: (id: Timestamp) => string | undefined): void {
    this.#following = { log, next: from, before };
    this.pump();
  }

  /** Send what the log got. */
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
      if (event.id && following.before) {
        const text = following.before(event.id);
        following.before = undefined;
        if (text !== undefined) this.send(text);
      }
      this.#write(event.bytes);
    }
    const waiting = log.end - following.next;
    if (!this.#isClogged || waiting < EVENTS_ALLOWED) return;
    if (this.#sink.waitingBytes + log.bytesFrom(following.next) > this.#around.bufferBytes()) this.#drop();
  }

  /** Send a text when nothing was sent for a while. */
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

  /** End the stream with a last event; without one the client comes back, and goes on where it was. */
  end(text?: string): void {
    if (this.#hasEnded) return;
    if (text !== undefined) this.send(text);
    this.#finish();
    this.#sink.end();
  }

  #write(bytes: Buffer): void {
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
