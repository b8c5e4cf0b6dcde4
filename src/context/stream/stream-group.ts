import type { MemoryQuota } from '../../derived/index.js';
import { eventLoopTurns } from '../../kit/index.js';
import type { Timers } from '../../kit/index.js';
import { compareTimestamps, FetchResult, GatewayError } from '../../pmapi/index.js';
import type { Clock, Timestamp } from '../../pmapi/index.js';
import type { FetchNotes, KeptResult } from '../plans/fetcher.js';
import type { FetchPlan } from '../plans/fetch-plan.js';
import type { FetchView } from '../selection/index.js';
import { ChangedValues } from './changed-values.js';
import { eventIdAfter } from './stream-output.js';
import type { Ticker } from './ticker.js';
import { Backfill } from './backfill.js';
import { ReplayBuffer } from './replay-buffer.js';
import type { ReplayMemory } from './replay-buffer.js';
import type { StreamEnd, StreamSample } from './stream-output.js';
import type { LiveStreamRequest } from './stream-request.js';
import type { StreamSubscriber } from './stream-subscriber.js';

/** What a group needs of its hub. */
export interface GroupSurroundings {
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Timers;
  readonly ticker: Ticker;
  readonly memory: ReplayMemory;
  /** What the views of all groups have to fit into, and the values that streams of changes compare with. */
  readonly quota: MemoryQuota;
  readonly lingerMs: () => number;
  /** Whether the gateway has more to do than it can, so that nobody is to sample for clients that have left. */
  readonly isStrained: () => boolean;
  /** The group is over: it samples no more, and must not be joined. Called once. */
  readonly onEnd: (group: StreamGroup) => void;
  /** Another context has taken the place of the group's, which is over: its subscribers are the hub's to go on with. */
  readonly onMove: (request: LiveStreamRequest, subscribers: readonly StreamSubscriber[]) => void;
}

/** What a group takes beside its view. */
const GROUP_BYTES = 3_000;
/** How long a group lingers at most, in multiples of the time for which it has existed. */
const LINGER_RATIO = 10;

/**
 * Clients that want the same samples: one fetch and one text per interval, sent to all. A fetch that takes longer than the interval
 * skips ticks; a failed one is reported, and the next tick tries again. Each sample is taken, and each large one written, in a turn of the
 * event loop of its own: hundreds of groups have the same tick. After the last subscriber has left, the group goes on for a while, so that
 * a client that reconnects misses nothing: at most ten times as long as it has existed, so that streams which are opened
 * and left at once cost little, and not while the gateway is overloaded.
 */
export class StreamGroup {
  readonly #request: LiveStreamRequest;
  readonly #around: GroupSurroundings;
  readonly #subscribers = new Set<StreamSubscriber>();
  readonly #log: ReplayBuffer;
  readonly #changed: ChangedValues | undefined;
  readonly #releases: readonly (() => void)[];
  #plan: FetchPlan;
  #view: FetchView;
  #reconnects: number | undefined;
  #hasSampled = false;
  #lastTimestamp: Timestamp | undefined;
  readonly #startMs: number;
  #isSampling = false;
  #askedAtMs = -Infinity;
  #cancelLinger: (() => void) | undefined;
  /** What was taken of the quota. */
  #takenBytes = 0;
  #hasEnded = false;
  readonly #stop = new AbortController();

  /** @throws GatewayError CONVERSION, and MEMORY_FULL when there is no room for one more */
  constructor(request: LiveStreamRequest, surroundings: GroupSurroundings) {
    this.#request = request;
    this.#around = surroundings;
    this.#log = new ReplayBuffer(surroundings.memory);
    this.#startMs = surroundings.timers.nowMs();
    this.#changed = request.changed ? new ChangedValues() : undefined;
    this.#plan = request.plan;
    this.#view = request.context.fetching.view(request.plan, request.selection);
    this.#count();
    this.#releases = [
      request.context.hold(),
      request.context.onClose((reason) => (reason === 'moved' ? this.#move() : this.end(reason))),
      surroundings.ticker.every(request.intervalMs, () => this.#tick()),
    ];
    this.#tick();
  }

  /** Whether nobody listens any more. */
  get isLingering(): boolean {
    return this.#subscribers.size === 0;
  }

  /** Take a subscriber in, and bring it up to date first. `request` is its own, alike but for the last event. */
  join(subscriber: StreamSubscriber, { format, lastEventId }: LiveStreamRequest): void {
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    this.#subscribers.add(subscriber);
    subscriber.send(format.metrics(this.#view.metrics, this.#plan.missing, 'first'));
    if (lastEventId === undefined) {
      this.#start(subscriber);
      return;
    }
    const next = this.#log.numberAfter(lastEventId, this.#changed !== undefined);
    if (next !== undefined) subscriber.follow(this.#log, next);
    else void this.#catchUp(subscriber, lastEventId);
  }

  /** Let a subscriber go. */
  leave(subscriber: StreamSubscriber): void {
    if (!this.#subscribers.delete(subscriber) || this.#subscribers.size > 0 || this.#hasEnded) return;
    const { timers, lingerMs } = this.#around;
    const lingersMs = Math.min(lingerMs(), LINGER_RATIO * (timers.nowMs() - this.#startMs));
    // Not at once, even for none: a client that leaves and comes back in the same moment goes on with the same group.
    this.#cancelLinger = timers.after(lingersMs, () => this.#close());
  }

  /** End the streams of all subscribers with a last event. */
  end(reason: StreamEnd): void {
    if (this.#hasEnded) return;
    const text = this.#request.format.end(reason);
    const subscribers = [...this.#subscribers];
    this.#close();
    for (const subscriber of subscribers) subscriber.end(text);
  }

  #move(): void {
    const subscribers = [...this.#subscribers];
    this.#close();
    this.#around.onMove(this.#request, subscribers);
  }

  #close(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stop.abort();
    this.#cancelLinger?.();
    for (const release of this.#releases) release();
    this.#around.quota.give(this.#takenBytes);
    this.#log.clear();
    this.#around.onEnd(this);
  }

  /** A new subscriber gets the last sample at once, whole, and then what comes. */
  #start(subscriber: StreamSubscriber, backfill?: Backfill): void {
    const { latest, latestId } = this.#log;
    const before = backfill && ((id: Timestamp): string | undefined => backfill.gapBefore(id));
    if (latest?.id === undefined || latestId === undefined) {
      subscriber.follow(this.#log, this.#log.end, before);
      return;
    }
    const gap = backfill?.gapBefore(latestId);
    if (gap !== undefined) subscriber.send(gap);
    subscriber.send(latest.isFull ? latest.bytes.toString() : this.#wholeText(latestId));
    subscriber.follow(this.#log, this.#log.end);
  }

  /** Send what the group does not remember, as far as anybody does, and then go on with what it does remember. */
  async #catchUp(subscriber: StreamSubscriber, after: Timestamp): Promise<void> {
    const { context, selection, format, intervalMs, changed } = this.#request;
    const view = context.fetching.view(this.#plan, selection);
    const backfill = new Backfill({ context, plan: this.#plan, view, format, intervalMs, changed, after });
    try {
      for (let until = this.#joint(); ; until = this.#joint()) {
        await subscriber.pour(backfill.upTo(until ?? this.#around.clock.now()));
        if (subscriber.hasEnded) return;
        const now = this.#joint();
        if (now === until || (now && until && compareTimestamps(now, until) === 0)) break;
      }
    } catch (error) {
      subscriber.send(format.failure(error));
    }
    if (subscriber.hasEnded || this.#hasEnded) return;
    const first = this.#log.firstSample();
    if (!first || (changed && !first.isFull)) this.#start(subscriber, backfill);
    else subscriber.follow(this.#log, first.number, (id) => backfill.gapBefore(id));
  }

  /** The sample up to which somebody who cannot go on must be brought: from there on the group has everything. */
  #joint(): Timestamp | undefined {
    const first = this.#log.firstSample();
    return first && (this.#changed === undefined || first.isFull) ? first.id : this.#log.latestId;
  }

  #tick(): void {
    if (this.#cancelLinger && this.#around.isStrained()) {
      this.#close();
      return;
    }
    const { intervalMs, context } = this.#request;
    const nowMs = this.#around.timers.nowMs();
    // The first sample is taken at once, and ticks move when the clock is set.
    if (this.#isSampling || nowMs - this.#askedAtMs < intervalMs / 2) return;
    this.#askedAtMs = nowMs;
    this.#isSampling = true;
    this.#sample(context)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#isSampling = false;
      });
  }

  async #sample(context: LiveStreamRequest['context']): Promise<void> {
    await eventLoopTurns.own();
    if (this.#hasEnded) return;
    const plan = await context.plans.get(this.#request.selector, () => this.#stop.signal);
    this.#adopt(plan);
    if (plan.entries.length === 0) {
      // A source would refuse to fetch nothing at all.
      const nothing = new FetchResult();
      nothing.timestamp = this.#around.clock.now();
      this.#take(nothing);
      return;
    }
    const later = await context.fetching.fetch(
      plan,
      (result, notes) => {
        if (eventLoopTurns.isOver) return { notes, kept: notes.keep() };
        this.#take(result, notes);
        return undefined;
      },
      this.#view,
    );
    if (later) await this.#takeLater(later.kept, later.notes);
  }

  /** Write a sample in a later turn of the event loop: many groups get theirs from one answer of the source. */
  async #takeLater({ result, release }: KeptResult, notes: FetchNotes): Promise<void> {
    try {
      await eventLoopTurns.own();
      this.#take(result, notes);
    } finally {
      release();
    }
  }

  /**
   * Metrics may have come, gone or become others. A plan that was made anew and says the same changes nothing.
   * @throws GatewayError CONVERSION, and goes on with the plan and the view of before
   */
  #adopt(plan: FetchPlan): void {
    if (plan === this.#plan) return;
    if (describe(plan) === describe(this.#plan)) {
      this.#plan = plan;
      return;
    }
    const { context, selection, format } = this.#request;
    this.#view = context.fetching.view(plan, selection);
    this.#plan = plan;
    this.#send({ id: undefined, text: format.metrics(this.#view.metrics, plan.missing, 'changed'), isFull: true });
  }

  #take(result: FetchResult, notes?: FetchNotes): void {
    if (this.#hasEnded) return;
    const { timestamp } = result;
    // One sample that was shared by two fetches is not two.
    if (this.#lastTimestamp && compareTimestamps(timestamp, this.#lastTimestamp) === 0) return;
    this.#lastTimestamp = timestamp;
    this.#request.check?.(result);
    const reconnected = this.#hasSampled && notes !== undefined && notes.reconnects !== this.#reconnects;
    this.#hasSampled = true;
    this.#reconnects = notes?.reconnects;
    const id = eventIdAfter(timestamp, this.#log.latestId);
    const answered: StreamSample['answered'] = this.#view;
    const sample = this.#changed?.next(answered, result) ?? { answered, result };
    const text = this.#request.format.sample({ id, reconnected, changes: undefined, ...sample });
    this.#send({ id, text, isFull: sample.changes?.isFull ?? true });
    this.#count();
  }

  /**
   * Count what the group takes by now: its view grows with what is sampled.
   * @throws GatewayError MEMORY_FULL when there is no room for that
   */
  #count(): void {
    const { quota } = this.#around;
    const added = GROUP_BYTES + this.#view.bytes + (this.#changed?.bytes ?? 0) - this.#takenBytes;
    if (added > 0) quota.require(added);
    quota.take(added);
    this.#takenBytes += added;
  }

  /** Tell subscribers of an error; the next sample may be better, but not where there is no memory for it. */
  #fail(error: unknown): void {
    if (this.#hasEnded) return;
    this.#send({ id: undefined, text: this.#request.format.failure(error), isFull: true });
    if (error instanceof GatewayError && error.code === 'MEMORY_FULL') this.end('failed');
  }

  #send({ id, text, isFull }: { id: Timestamp | undefined; text: string; isFull: boolean }): void {
    this.#log.append({ id, bytes: Buffer.from(text), isFull });
    for (const subscriber of this.#subscribers) subscriber.pump();
  }

  /** The last sample of a stream of changes, as if all had changed. */
  #wholeText(id: Timestamp): string {
    const all = this.#changed!.all(this.#view);
    return this.#request.format.sample({ id, reconnected: false, changes: undefined, ...all });
  }
}

function describe({ entries, missing }: FetchPlan): string {
  return JSON.stringify([entries, missing]);
}
