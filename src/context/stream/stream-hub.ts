import { MemoryQuota } from '../../derived/index.js';
import { pause, systemTimers, type Timers } from '../../kit/index.js';
import {
  badParameter,
  compareTimestamps,
  formatIsoTime,
  GatewayError,
  later,
  secondsBetween,
  UTC_ZONE,
} from '../../pmapi/index.js';
import type { Clock, Timestamp } from '../../pmapi/index.js';
import { recordsOf } from '../../sources/index.js';
import type { Context } from '../context.js';
import type { OpenRange } from '../open-range.js';
import { DEFAULT_RANGE_LIMITS } from '../range/index.js';
import type { Audience, StreamServices } from './audience.js';
import { Ticker } from './ticker.js';
import { ReplayMemory } from './replay-buffer.js';
import { StreamGroup } from './stream-group.js';
import { MAX_INTERVAL_MS, type LiveStreamRequest, type ReplayRequest, type StreamLimits } from './stream-output.js';
import type { StreamFormat, StreamSink, StreamSubscription } from './stream-output.js';
import { StreamRelay, type RelayRequest } from './stream-relay.js';
import { StreamSubscriber } from './stream-subscriber.js';
import { ChangedValues } from './changed-values.js';

/** The gateway's load, which new streams depend on. */
export interface StreamLoad {
  readonly isStrained: boolean;
  /** Throws OVERLOADED without capacity for a stream group. */
  admitSampling(): void;
}

export interface StreamHubOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly timers?: Timers;
  readonly limits: StreamLimits;
  /** Absent: streams are limited only by their number and {@link memoryBytes}. */
  readonly load?: StreamLoad;
  /** Tells, at each sample of a new group, whether another gateway of the fleet has to sample from now on. Absent: no fleet. */
  readonly placement?: ((context: Context) => () => boolean) | undefined;
  /** The memory of open streams besides replay buffers; 32 MiB by default. */
  readonly memoryBytes?: number;
}

export interface StreamStatistics {
  events: number;
  /** Clients that were disconnected because they read too slowly. */
  dropped: number;
}

const DEFAULT_BYTES = 32 * 1024 * 1024;
const RETRY_AFTER_SEC = 5;

interface Listener {
  readonly format: Pick<StreamFormat, 'heartbeat' | 'end'>;
  readonly leave: () => void;
}

interface OpenedRelay {
  readonly opening: Promise<StreamRelay | undefined>;
  relay: StreamRelay | undefined;
}

/** All streams of a gateway: clients of the same samples share a group, with one fetch per interval. */
export class StreamHub {
  readonly statistics: StreamStatistics = { events: 0, dropped: 0 };
  /** A change affects later streams, but the budgets of buffers and unread bytes at once. */
  limits: StreamLimits;
  readonly #services: StreamServices;
  readonly #load: StreamLoad | undefined;
  readonly #placement: StreamHubOptions['placement'];
  readonly #groups = new Map<string, StreamGroup>();
  /** Streams sampled by other gateways, including those being opened. */
  readonly #relays = new Map<string, OpenedRelay>();
  readonly #listeners = new Map<StreamSubscriber, Listener>();
  #cancelHeartbeat: (() => void) | undefined;
  #hasClosed = false;

  constructor({
    clock,
    timers = systemTimers,
    limits,
    load,
    placement,
    memoryBytes = DEFAULT_BYTES,
  }: StreamHubOptions) {
    this.limits = limits;
    this.#load = load;
    this.#placement = placement;
    this.#services = {
      clock,
      timers,
      ticker: new Ticker(clock, timers),
      memory: new ReplayMemory(timers, () => this.limits),
      quota: new MemoryQuota('open streams', memoryBytes),
      limits: () => this.limits,
      isStrained: () => load?.isStrained === true,
    };
  }

  get subscribers(): number {
    return this.#listeners.size;
  }

  /** Current groups, lingering ones included, without relays. */
  get groups(): number {
    return this.#groups.size;
  }

  get rememberedBytes(): number {
    return this.#services.memory.bytes;
  }

  /** Approximate memory of open streams without replay buffers. */
  get heldBytes(): number {
    return this.#services.quota.bytes;
  }

  /** Throws BAD_PARAMETER for an interval that is too short or too long, with what would fit. */
  checkInterval(intervalMs: number): void {
    const { minIntervalMs } = this.limits;
    if (intervalMs >= minIntervalMs && intervalMs <= MAX_INTERVAL_MS) return;
    const expected = `${minIntervalMs}msec to ${MAX_INTERVAL_MS / 3_600_000}hours`;
    throw badParameter('interval', `invalid interval of ${intervalMs} msec: expected ${expected}`, expected);
  }

  /** Streams samples from the client's last event. Throws UNAVAILABLE for too many streams; for a new group OVERLOADED, MEMORY_FULL. */
  subscribe(request: LiveStreamRequest, sink: StreamSink): StreamSubscription {
    this.#admit();
    const subscriber = this.#makeSubscriber(sink);
    this.#join(subscriber, request);
    return subscriber;
  }

  /** Replays an archive, from the client's last event. A read error ends the stream. Throws UNAVAILABLE. */
  replay(request: ReplayRequest, sink: StreamSink): StreamSubscription {
    this.#admit();
    const { context, format, plan } = request;
    const gone = new AbortController();
    const subscriber = this.#makeSubscriber(sink);
    const releases = [
      context.hold(),
      // An archive that was reopened meanwhile is still the same archive.
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
      await subscriber.pour(replay(request, range, this.#services.timers, gone.signal));
      subscriber.end(format.end('archive'));
    };
    play().catch((error: unknown) => {
      if (subscriber.hasEnded) return;
      subscriber.send(format.failure(error));
      subscriber.end(format.end('failed'));
    });
    return subscriber;
  }

  /** Joins a stream of another gateway; undefined without that gateway. Rejects with its error. Throws UNAVAILABLE, MEMORY_FULL. */
  async relay(request: RelayRequest): Promise<((sink: StreamSink) => StreamSubscription) | undefined> {
    this.#admit();
    const gone = new AbortController();
    const relay = await this.#relayOf(request);
    // Now, so that an error is the answer to the request.
    const past = relay && request.hasPast ? await request.open('own', gone.signal) : undefined;
    return (
      relay &&
      ((sink) => {
        this.#admit();
        const subscriber = this.#makeSubscriber(sink);
        this.#listen(subscriber, request.format, () => {
          gone.abort();
          relay.leave(subscriber);
        });
        relay.join(subscriber, request, { past, gone });
        return subscriber;
      })
    );
  }

  /** Disconnects all streams; clients reconnect, as far as still permitted. */
  interrupt(): void {
    for (const subscriber of [...this.#listeners.keys()]) subscriber.end();
    // The other gateway may still send what they were permitted before.
    for (const { relay } of [...this.#relays.values()]) relay?.end();
  }

  close(): void {
    this.#hasClosed = true;
    for (const [subscriber, { format }] of [...this.#listeners]) subscriber.end(format.end('shutdown'));
    for (const group of [...this.#groups.values()]) group.end('shutdown');
    for (const { relay } of [...this.#relays.values()]) relay?.end('shutdown');
    this.#cancelHeartbeat?.();
    this.#cancelHeartbeat = undefined;
  }

  #admit(): void {
    const { maxSubscribers } = this.limits;
    if (this.#hasClosed) throw new GatewayError('UNAVAILABLE', 'the gateway is shutting down');
    if (this.#listeners.size < maxSubscribers) return;
    const message = `too many open streams (streams.maxSubscribers is ${maxSubscribers}): close some, or try again later`;
    throw new GatewayError('UNAVAILABLE', message, { retryAfterSec: RETRY_AFTER_SEC });
  }

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
    this.#makeRoom(this.#groups.size, this.#groups.values());
    const group = new StreamGroup(request, {
      ...this.#services,
      hasMoved: this.#placement?.(context) ?? (() => false),
      onEnd: () => {
        if (this.#groups.get(key) === group) this.#groups.delete(key);
      },
      onMove: (moved, subscribers) => void this.#goOn(moved, subscribers),
    });
    this.#groups.set(key, group);
    return group;
  }

  #relayOf(request: RelayRequest): Promise<StreamRelay | undefined> {
    const { key } = request;
    const known = this.#relays.get(key);
    if (known) return known.opening;
    this.#makeRoom(
      this.#relays.size,
      Array.from(this.#relays.values(), ({ relay }) => relay),
    );
    const forget = (): void => {
      if (this.#relays.get(key) === opened) this.#relays.delete(key);
    };
    const open = async (): Promise<StreamRelay | undefined> => {
      const relay = await StreamRelay.open(request, this.#services, forget);
      return (opened.relay = relay);
    };
    const opened: OpenedRelay = { opening: open(), relay: undefined };
    this.#relays.set(key, opened);
    opened.opening.then((relay) => relay?.hasEnded !== false && forget(), forget);
    return opened.opening;
  }

  /** Continues with the context that replaced a request's. Subscribers that are behind reconnect. */
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

  /** Ends lingering groups while clients keep requesting new ones. */
  #makeRoom(count: number, groups: Iterable<Audience | undefined>): void {
    if (count < this.limits.maxSubscribers) return;
    for (const group of groups) {
      if (group?.isLingering !== true) continue;
      group.end('shutdown');
      return;
    }
  }

  #makeSubscriber(sink: StreamSink): StreamSubscriber {
    return new StreamSubscriber(sink, {
      bufferBytes: () => this.limits.bufferBytes,
      nowMs: () => this.#services.timers.nowMs(),
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

  #listen(subscriber: StreamSubscriber, format: Listener['format'], leave: () => void): void {
    this.#listeners.set(subscriber, { format, leave });
    if (!this.#cancelHeartbeat) this.#armHeartbeat();
  }

  #armHeartbeat(): void {
    const { heartbeatMs } = this.limits;
    this.#cancelHeartbeat = this.#services.timers.after(heartbeatMs / 2, () => {
      this.#cancelHeartbeat = undefined;
      for (const [subscriber, { format }] of this.#listeners) subscriber.beat(format.heartbeat, heartbeatMs);
      if (this.#listeners.size > 0) this.#armHeartbeat();
    });
  }
}

/** A replay keeps nothing, at its client's pace: no bound is needed. */
const LIMITS = { ...DEFAULT_RANGE_LIMITS, values: Number.MAX_SAFE_INTEGER };

/** Plans a replay without reading. Resuming reads the client's last sample again, for rates. Throws BAD_PARAMETER and CONVERSION. */
async function openReplay(request: ReplayRequest, signal: AbortSignal): Promise<OpenRange> {
  const { context, plan, parameters, selection, lastEventId } = request;
  const settings = { limits: LIMITS, signal, selection, wrap: selection?.rate?.wrap };
  const range = await context.fetching.range(plan, parameters, settings);
  const { start, finish } = range.request;
  if (!lastEventId || compareTimestamps(lastEventId, start) < 0) return range;
  const rest = {
    start: formatIsoTime(lastEventId, UTC_ZONE),
    finish: formatIsoTime(later(lastEventId, finish), UTC_ZONE),
  };
  return context.fetching.range(plan, { ...parameters, ...rest }, settings);
}

/** Events of an archive's samples, each when due. Ends when the signal is aborted. */
async function* replay(
  { format, changed, speed, lastEventId }: ReplayRequest,
  { samples, instanceName }: OpenRange,
  timers: Timers,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const answered = { entries: samples.metrics, instanceName };
  const changes = changed ? new ChangedValues() : undefined;
  let begin: { readonly at: Timestamp; readonly ms: number } | undefined;
  for await (const { isMark, result } of recordsOf(samples.batches())) {
    const id = result.timestamp;
    if (isMark || (lastEventId && compareTimestamps(id, lastEventId) <= 0)) continue;
    const sample = changes?.next(answered, result) ?? { answered, result };
    const text = format.sample({ id, reconnected: false, changes: undefined, ...sample });
    begin ??= { at: id, ms: timers.nowMs() };
    const dueMs = begin.ms + (secondsBetween(id, begin.at) * 1000) / speed;
    await until(dueMs, timers, signal);
    if (signal.aborted) return;
    yield text;
  }
}

const LONGEST_WAIT_MS = 3_600_000;

async function until(dueMs: number, timers: Timers, signal: AbortSignal): Promise<void> {
  for (let leftMs = dueMs - timers.nowMs(); leftMs > 0 && !signal.aborted; leftMs = dueMs - timers.nowMs()) {
    await pause(Math.min(leftMs, LONGEST_WAIT_MS), timers, signal);
  }
}
