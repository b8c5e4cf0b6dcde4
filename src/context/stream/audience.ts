import type { MemoryQuota } from '../../derived/index.js';
import type { Timers } from '../../kit/index.js';
import type { Clock } from '../../pmapi/index.js';
import { ReplayBuffer, type ReplayMemory, type SentEvent } from './replay-buffer.js';
import type { StreamEnd, StreamFormat, StreamLimits } from './stream-output.js';
import type { StreamSubscriber } from './stream-subscriber.js';
import type { Ticker } from './ticker.js';

export interface StreamServices {
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Timers;
  readonly ticker: Ticker;
  readonly memory: ReplayMemory;
  /** The budget of views, and of the values that changes refer to. */
  readonly quota: MemoryQuota;
  readonly limits: () => StreamLimits;
  /** The gateway is overloaded: events for clients that have left must stop. */
  readonly isStrained: () => boolean;
}

/** Maximum linger time in multiples of the audience's age. */
const LINGER_RATIO = 10;

/** Clients of the same events. Without clients it lingers for those that reconnect: at most ten times its age, not under overload. */
export abstract class Audience {
  protected readonly subscribers = new Set<StreamSubscriber>();
  protected readonly log: ReplayBuffer;
  protected readonly stop = new AbortController();
  protected cancelLinger: (() => void) | undefined;
  readonly #startMs: number;
  readonly #onEnd: () => void;
  #takenBytes = 0;

  /** @param onEnd called once: it has ended, and must not be joined */
  constructor(
    protected readonly format: Pick<StreamFormat, 'end'>,
    protected readonly around: StreamServices,
    onEnd: () => void,
  ) {
    this.log = new ReplayBuffer(around.memory);
    this.#startMs = around.timers.nowMs();
    this.#onEnd = onEnd;
  }

  get hasEnded(): boolean {
    return this.stop.signal.aborted;
  }

  get isLingering(): boolean {
    return this.subscribers.size === 0;
  }

  leave(subscriber: StreamSubscriber): void {
    if (!this.subscribers.delete(subscriber) || !this.isLingering) return;
    const { timers, limits } = this.around;
    // Never at once, even with a linger time of 0: a client that reconnects at the same moment continues with the same events.
    this.linger(Math.min(limits().lingerMs, LINGER_RATIO * (timers.nowMs() - this.#startMs)));
  }

  /** Ends all streams with a last event; without a reason, so that clients reconnect. */
  end(reason?: StreamEnd): void {
    this.finish(reason && this.format.end(reason));
  }

  protected finish(text?: string): void {
    for (const subscriber of this.close()) subscriber.end(text);
  }

  protected welcome(subscriber: StreamSubscriber): void {
    this.cancelLinger?.();
    this.cancelLinger = undefined;
    this.subscribers.add(subscriber);
  }

  protected linger(ms: number): void {
    if (!this.hasEnded) this.cancelLinger = this.around.timers.after(ms, () => void this.close());
  }

  protected send(event: SentEvent): void {
    this.log.append(event);
    for (const subscriber of this.subscribers) subscriber.pump();
  }

  /** Updates its size. Throws MEMORY_FULL. */
  protected count(bytes: number): void {
    const added = bytes - this.#takenBytes;
    if (added > 0) this.around.quota.require(added);
    this.around.quota.take(added);
    this.#takenBytes = bytes;
  }

  protected close(): readonly StreamSubscriber[] {
    const left = [...this.subscribers];
    if (this.hasEnded) return left;
    this.subscribers.clear();
    this.stop.abort();
    this.cancelLinger?.();
    this.around.quota.give(this.#takenBytes);
    this.log.clear();
    this.#onEnd();
    return left;
  }
}
