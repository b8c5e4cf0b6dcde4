import { MemoryQuota } from '../../derived/index.js';
import type { Timers } from '../../kit/index.js';
import { systemTimers } from '../../kit/index.js';
import { GatewayError } from '../../pmapi/index.js';
import type { Clock } from '../../pmapi/index.js';
import { Ticker } from './ticker.js';
import { openReplay, replay } from './replay.js';
import { ReplayMemory } from './replay-buffer.js';
import { StreamGroup } from './stream-group.js';
import { DEFAULT_STREAM_LIMITS, MAX_INTERVAL_MS } from './stream-request.js';
import type { StreamLimits, LiveStreamRequest, ReplayRequest } from './stream-request.js';
import type { StreamFormat, StreamSink, StreamSubscription } from './stream-output.js';
import { StreamSubscriber } from './stream-subscriber.js';

/** What a hub asks of whoever knows how busy the gateway is. */
export interface StreamLoad {
  /** Whether the gateway has more to do than it can. */
  readonly isStrained: boolean;
  /** Throw OVERLOADED when there is no room for sampling something that no stream samples yet. */
  admitSampling(): void;
}

/** What a hub works with. */
export interface StreamHubOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly timers?: Timers;
  readonly limits?: StreamLimits;
  /** Absent: streams are limited only by their number and {@link memoryBytes}. */
  readonly load?: StreamLoad;
  /** What open streams may take, beside what is remembered of them; 32 MiB by default. */
  readonly memoryBytes?: number;
}

/** What streams did since the start. */
export interface StreamStatistics {
  /** Events that were written to clients. */
  events: number;
  /** Clients that were cut off because they took too little. */
  dropped: number;
}

const DEFAULT_BYTES = 32 * 1024 * 1024;
/** How often clients try again that were turned away. */
const RETRY_AFTER_SEC = 5;

interface Listener {
  readonly format: StreamFormat;
  /** Called when the stream is over. */
  readonly leave: () => void;
}

/**
 * All streams of a gateway. Clients that want the same samples share a group, and with it one fetch per interval; the heartbeat, the memory
 * and the ticks are common to all.
 */
export class StreamHub {
  readonly statistics: StreamStatistics = { events: 0, dropped: 0 };
  readonly #clock: Pick<Clock, 'now'>;
  readonly #timers: Timers;
  readonly #ticker: Ticker;
  readonly #memory: ReplayMemory;
  readonly #quota: MemoryQuota;
  readonly #load: StreamLoad | undefined;
  readonly #groups = new Map<string, StreamGroup>();
  readonly #listeners = new Map<StreamSubscriber, Listener>();
  #limits: StreamLimits;
  #cancelHeartbeat: (() => void) | undefined;
  #hasClosed = false;

  constructor({
    clock,
    timers = systemTimers,
    limits = DEFAULT_STREAM_LIMITS,
    load,
    memoryBytes = DEFAULT_BYTES,
  }: StreamHubOptions) {
    this.#clock = clock;
    this.#timers = timers;
    this.#limits = limits;
    this.#load = load;
    this.#ticker = new Ticker(clock, timers);
    this.#memory = new ReplayMemory(timers, limits);
    this.#quota = new MemoryQuota('open streams', memoryBytes);
  }

  /** What is allowed; a change concerns streams that begin from then on, but for what may be remembered and left untaken. */
  get limits(): StreamLimits {
    return this.#limits;
  }

  set limits(limits: StreamLimits) {
    this.#limits = limits;
    this.#memory.limits = limits;
  }

  /** Clients that listen now. */
  get subscribers(): number {
    return this.#listeners.size;
  }

  /** Groups that sample now, those included that linger. */
  get groups(): number {
    return this.#groups.size;
  }

  /** Bytes of the texts that are remembered, about. */
  get rememberedBytes(): number {
    return this.#memory.bytes;
  }

  /** Bytes that open streams take beside that, about. */
  get heldBytes(): number {
    return this.#quota.bytes;
  }

  /**
   * Refuse an interval that is too short or too long.
   * @throws GatewayError BAD_PARAMETER that says what would fit
   */
  checkInterval(intervalMs: number): void {
    const { minIntervalMs } = this.#limits;
    if (intervalMs >= minIntervalMs && intervalMs <= MAX_INTERVAL_MS) return;
    const expected = `${minIntervalMs}msec to ${MAX_INTERVAL_MS / 3_600_000}hours`;
    throw new GatewayError('BAD_PARAMETER', `invalid interval of ${intervalMs} msec: expected ${expected}`, {
      parameter: 'interval',
      expected,
    });
  }

  /**
   * Stream samples of a live source to a sink, from the last event on that the client got.
   * @throws GatewayError UNAVAILABLE when there are too many streams, or when the gateway is shutting down; when nobody streams the same,
   * OVERLOADED where the gateway has enough to do, and MEMORY_FULL where there is no room
   */
  subscribe(request: LiveStreamRequest, sink: StreamSink): StreamSubscription {
    this.#admit();
    const subscriber = this.#makeSubscriber(sink);
    this.#join(subscriber, request);
    return subscriber;
  }

  /**
   * Replay an archive to a sink, from the last event on that the client got. What cannot be read is told as a failure, and ends it.
   * @throws GatewayError UNAVAILABLE as {@link subscribe} does
   */
  replay(request: ReplayRequest, sink: StreamSink): StreamSubscription {
    this.#admit();
    const { context, format, plan } = request;
    const gone = new AbortController();
    const subscriber = this.#makeSubscriber(sink);
    const releases = [
      context.hold(),
      // Archives that are other ones by now are still those that this is about.
      context.onClose((reason) => reason === 'moved' || subscriber.end(format.end('destroyed'))),
    ];
    this.#listen(subscriber, format, () => {
      gone.abort();
      for (const release of releases) release();
    });
    const play = async (): Promise<void> => {
      const range = await openReplay(request, gone.signal);
      if (subscriber.hasEnded) return;
      subscriber.send(format.metrics(range.samples.metrics, plan.missing, 'first'));
      await subscriber.pour(replay(request, range, this.#timers, gone.signal));
      subscriber.end(format.end('archive'));
    };
    play().catch((error: unknown) => {
      if (subscriber.hasEnded) return;
      subscriber.send(format.failure(error));
      subscriber.end(format.end('failed'));
    });
    return subscriber;
  }

  /** Cut all streams off, so that their clients come back and go on where they were: those that are let in again. */
  interrupt(): void {
    for (const subscriber of [...this.#listeners.keys()]) subscriber.end();
  }

  /** End all streams at once, and refuse new ones. */
  close(): void {
    this.#hasClosed = true;
    for (const [subscriber, { format }] of [...this.#listeners]) subscriber.end(format.end('shutdown'));
    for (const group of [...this.#groups.values()]) group.end('shutdown');
    this.#cancelHeartbeat?.();
    this.#cancelHeartbeat = undefined;
  }

  #admit(): void {
    const { maxSubscribers } = this.#limits;
    if (this.#hasClosed) throw new GatewayError('UNAVAILABLE', 'the gateway is shutting down');
    if (this.#listeners.size < maxSubscribers) return;
    throw new GatewayError(
      'UNAVAILABLE',
      `too many open streams (streams.maxSubscribers is ${maxSubscribers}): close some, or try again later`,
      { retryAfterSec: RETRY_AFTER_SEC },
    );
  }

  /** Have a subscriber get what a request asks for, from the group of those who ask for the same. */
  #join(subscriber: StreamSubscriber, request: LiveStreamRequest): void {
    const group = this.#groupOf(request);
    this.#listen(subscriber, request.format, () => group.leave(subscriber));
    group.join(subscriber, request);
  }

  #groupOf(request: LiveStreamRequest): StreamGroup {
    const { context, plan, selection, intervalMs, changed, format } = request;
    const key = [context.id, plan.key, selection?.key ?? '', intervalMs, changed, format.key].join('\n');
    const known = this.#groups.get(key);
    if (known) return known;
    this.#load?.admitSampling();
    this.#makeRoom();
    const group = new StreamGroup(request, {
      clock: this.#clock,
      timers: this.#timers,
      ticker: this.#ticker,
      memory: this.#memory,
      quota: this.#quota,
      lingerMs: () => this.#limits.lingerMs,
      isStrained: () => this.#load?.isStrained === true,
      onEnd: (ended) => {
        if (this.#groups.get(key) === ended) this.#groups.delete(key);
      },
      onMove: (moved, subscribers) => void this.#goOn(moved, subscribers),
    });
    this.#groups.set(key, group);
    return group;
  }

  /** Go on with the context that has taken the place of a request's. Who is behind is ended: it comes back, and is told what it missed. */
  async #goOn({ again, format }: LiveStreamRequest, subscribers: readonly StreamSubscriber[]): Promise<void> {
    for (const subscriber of subscribers) if (!again || !subscriber.isUpToDate) subscriber.end();
    if (!again || subscribers.every(({ hasEnded }) => hasEnded)) return;
    try {
      const next = await again();
      for (const subscriber of subscribers) {
        if (!subscriber.hasEnded) this.#join(subscriber, { ...next, lastEventId: undefined });
      }
    } catch (error) {
      for (const subscriber of subscribers) {
        subscriber.send(format.failure(error));
        subscriber.end();
      }
    }
  }

  /** Groups without listeners must not pile up while clients ask for ever other things. */
  #makeRoom(): void {
    if (this.#groups.size < this.#limits.maxSubscribers) return;
    for (const group of this.#groups.values()) {
      if (!group.isLingering) continue;
      group.end('shutdown');
      return;
    }
  }

  #makeSubscriber(sink: StreamSink): StreamSubscriber {
    return new StreamSubscriber(sink, {
      bufferBytes: () => this.#limits.bufferBytes,
      nowMs: () => this.#timers.nowMs(),
      onSent: () => {
        this.statistics.events++;
      },
      onDropped: () => {
        this.statistics.dropped++;
      },
      onEnd: (subscriber) => {
        const listener = this.#listeners.get(subscriber);
        this.#listeners.delete(subscriber);
        listener?.leave();
      },
    });
  }

  #listen(subscriber: StreamSubscriber, format: StreamFormat, leave: () => void): void {
    this.#listeners.set(subscriber, { format, leave });
    if (!this.#cancelHeartbeat) this.#armHeartbeat();
  }

  #armHeartbeat(): void {
    const { heartbeatMs } = this.#limits;
    this.#cancelHeartbeat = this.#timers.after(heartbeatMs / 2, () => {
      this.#cancelHeartbeat = undefined;
      for (const [subscriber, { format }] of this.#listeners) subscriber.beat(format.heartbeat, heartbeatMs);
      if (this.#listeners.size > 0) this.#armHeartbeat();
    });
  }
}
