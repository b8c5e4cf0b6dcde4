import type { Timestamp } from '../../pmapi/index.js';
import { Audience, type StreamServices } from './audience.js';
import type { SentEvent } from './replay-buffer.js';
import type { StreamFormat } from './stream-output.js';
import type { StreamSubscriber } from './stream-subscriber.js';

/** An event of a stream that another gateway samples. */
export interface RelayedEvent extends SentEvent {
  /** `metrics` comes first, and after changes; `broken`: the stream ends there, and continues elsewhere. */
  readonly kind: 'metrics' | 'sample' | 'heartbeat' | 'end' | 'broken' | 'other';
}

export interface RelayRequest {
  /** Equal for clients of the same samples. */
  readonly key: string;
  readonly format: Pick<StreamFormat, 'heartbeat' | 'end'>;
  /** The id of the last event that a reconnecting client received. */
  readonly lastEventId: Timestamp | undefined;
  /** The client asks for a past that others are not sent. */
  readonly hasPast: boolean;
  readonly begin: (metrics: Buffer) => Uint8Array;
  /** All clients' events from now on, or this client's with its past; undefined without the gateway. Rejects with its error. */
  readonly open: (whose: 'all' | 'own', signal: AbortSignal) => Promise<AsyncIterable<RelayedEvent> | undefined>;
}

interface OwnStream {
  readonly past: AsyncIterable<RelayedEvent> | undefined;
  readonly gone: AbortController;
}

const RELAY_BYTES = 3_000;

/** Clients of another gateway's samples share one stream. One that is behind has a stream of its own until it has caught up. */
export class StreamRelay extends Audience {
  #metrics: Buffer = Buffer.alloc(0);
  #wasJoined = false;

  /** Opens a relay; undefined if the other gateway is not reachable. Rejects with its error. Throws MEMORY_FULL. */
  static async open(
    request: RelayRequest,
    around: StreamServices,
    onEnd: () => void,
  ): Promise<StreamRelay | undefined> {
    const relay = new StreamRelay(request.format, around, onEnd);
    try {
      relay.count(RELAY_BYTES);
      const events = await request.open('all', relay.stop.signal);
      if (!events) relay.close();
      if (!events || relay.hasEnded) return undefined;
      await relay.#begin(events[Symbol.asyncIterator]() as AsyncIterator<RelayedEvent, undefined>);
      return relay;
    } catch (error) {
      relay.close();
      throw error;
    }
  }

  /** Adds a subscriber, and brings it up to date. @param own its own stream at the other gateway */
  join(subscriber: StreamSubscriber, request: RelayRequest, own: OwnStream): void {
    if (this.hasEnded) {
      subscriber.end();
      return;
    }
    this.welcome(subscriber);
    this.#wasJoined = true;
    const { lastEventId, hasPast } = request;
    const { latest, end } = this.log;
    // Changes can be understood only after the very sample that they refer to.
    const next = lastEventId ? this.log.numberAfter(lastEventId, true) : end;
    const isCurrent = lastEventId !== undefined || !latest || (latest.id !== undefined && latest.isFull);
    if (hasPast || next === undefined || !isCurrent) {
      void this.#bridge(subscriber, request, own);
      return;
    }
    subscriber.send(request.begin(this.#metrics));
    if (!lastEventId && latest) subscriber.send(latest.bytes);
    subscriber.follow(this.log, next);
  }

  /** Reads up to the metrics, the first event of clients. */
  async #begin(events: AsyncIterator<RelayedEvent, undefined>): Promise<void> {
    for (;;) {
      const next = await events.next();
      if (next.done === true) throw new Error('the other gateway ended a stream before it began');
      this.#metrics = next.value.bytes;
      if (next.value.kind === 'metrics') break;
    }
    // Its first client is about to join.
    this.linger(this.around.limits().lingerMs);
    void this.#follow(events);
  }

  /** Never rejects: where the stream breaks off, clients reconnect. */
  async #follow(events: AsyncIterator<RelayedEvent, undefined>): Promise<void> {
    try {
      for (let next = await events.next(); next.done !== true && !this.hasEnded; next = await events.next()) {
        this.#take(next.value);
      }
    } catch {
      // The other gateway is gone, or this relay was closed.
    }
    this.finish();
  }

  #take(event: RelayedEvent): void {
    const { kind, bytes } = event;
    if (kind === 'heartbeat') return;
    if (kind === 'end' || kind === 'broken') {
      this.finish(kind === 'end' ? bytes.toString() : undefined);
      return;
    }
    if (this.#wasJoined && this.isLingering && this.around.isStrained()) {
      this.close();
      return;
    }
    if (kind === 'metrics') this.#metrics = bytes;
    this.send(event);
  }

  /** Sends one client its own stream up to a sample remembered here. Never rejects. */
  async #bridge(subscriber: StreamSubscriber, request: RelayRequest, { past, gone }: OwnStream): Promise<void> {
    let next: number | undefined;
    const log = this.log;
    async function* missed(): AsyncGenerator<Uint8Array> {
      for await (const { kind, id, bytes } of past ?? (await request.open('own', gone.signal)) ?? []) {
        if (kind === 'broken') return;
        yield bytes;
        next = id && log.numberAfter(id, true);
        if (next !== undefined || kind === 'end') return;
      }
    }
    try {
      await subscriber.pour(missed());
    } catch {
      // The client reconnects, and gets the error then.
    }
    gone.abort();
    if (next === undefined || this.hasEnded) subscriber.end();
    else subscriber.follow(log, next);
  }
}
