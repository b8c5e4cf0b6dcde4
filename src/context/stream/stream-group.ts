import { eventLoopTurns } from '../../kit/index.js';
import {
  addSeconds,
  compareTimestamps,
  formatIsoTime,
  GatewayError,
  secondsBetween,
  UTC_ZONE,
} from '../../pmapi/index.js';
import type { FetchResult, Timestamp } from '../../pmapi/index.js';
import { recordsOf, type Batch, type RecordedSource } from '../../sources/index.js';
import type { FetchNotes, KeptResult } from '../plans/fetcher.js';
import { planAnew, type FetchPlan } from '../plans/fetch-plan.js';
import type { FetchView } from '../selection/index.js';
import type { Context } from '../context.js';
import { Audience, type StreamServices } from './audience.js';
import { ChangedValues } from './changed-values.js';
import { eventIdAfter, isBehind, type LiveStreamRequest, type StreamSample } from './stream-output.js';
import { phaseOf, wallMs } from './ticker.js';
import type { StreamSubscriber } from './stream-subscriber.js';

export interface GroupSurroundings extends StreamServices {
  /** Whether another gateway has to sample from now on. Asked at each sample. */
  readonly hasMoved: () => boolean;
  readonly onEnd: () => void;
  /** Another context has replaced the group's: the hub takes over the subscribers. */
  readonly onMove: (request: LiveStreamRequest, subscribers: readonly StreamSubscriber[]) => void;
}

/** The longest time between ticks, in intervals, unless the process stood still. */
const PAUSE_INTERVALS = 2;

const GROUP_BYTES = 3_000;

/**
 * Clients of the same samples: one fetch and one text per interval. Late fetches skip ticks; failed ones are reported. Samples are taken
 * and written in turns of the event loop, because hundreds of groups share a tick. Missed ticks make a gap.
 */
export class StreamGroup extends Audience {
  readonly #request: LiveStreamRequest;
  readonly #around: GroupSurroundings;
  readonly #changed: ChangedValues | undefined;
  readonly #releases: readonly (() => void)[];
  #plan: FetchPlan;
  #view: FetchView;
  #reconnects: number | undefined;
  #hasSampled = false;
  #lastTimestamp: Timestamp | undefined;
  #isSampling = false;
  #askedAtMs = -Infinity;
  #tickedAtMs: number;
  #hasPaused = false;

  /** @throws GatewayError CONVERSION, and MEMORY_FULL if there is no room for another group */
  constructor(request: LiveStreamRequest, surroundings: GroupSurroundings) {
    super(request.format, surroundings, surroundings.onEnd);
    this.#request = request;
    this.#around = surroundings;
    this.#tickedAtMs = surroundings.timers.nowMs();
    this.#changed = request.changed ? new ChangedValues() : undefined;
    this.#plan = request.plan;
    this.#view = request.context.fetching.view(request.plan, request.selection);
    this.#count();
    this.#releases = [
      request.context.hold(),
      request.context.onClose((reason) => (reason === 'moved' ? this.#move() : this.end(reason))),
      surroundings.ticker.every(request.intervalMs, () => this.#tick(), phaseOf(request.context)),
    ];
    this.#tick();
  }

  /** Adds a subscriber, and brings it up to date. `request` is its own, equal except for the last event. */
  join(subscriber: StreamSubscriber, { format, lastEventId, recorded }: LiveStreamRequest): void {
    this.welcome(subscriber);
    subscriber.send(format.metrics(this.#view.metrics, this.#plan.missing, 'first'));
    if (lastEventId === undefined) {
      this.#start(subscriber);
      return;
    }
    const next = this.log.numberAfter(lastEventId, this.#changed !== undefined);
    // It may have come from another gateway, which was a moment ahead.
    const reached = { last: lastEventId, gapBefore: () => undefined };
    if (next !== undefined) subscriber.follow(this.log, next, reached);
    else void this.#catchUp(subscriber, lastEventId, recorded);
  }

  #move(): void {
    this.#around.onMove(this.#request, this.close());
  }

  protected override close(): readonly StreamSubscriber[] {
    if (!this.hasEnded) for (const release of this.#releases) release();
    return super.close();
  }

  /** Sends a new subscriber the complete last sample, and then the following ones. */
  #start(subscriber: StreamSubscriber, backfill?: Backfill): void {
    const { latestId } = this.log;
    const text = latestId && this.#wholeText(latestId);
    if (latestId === undefined || text === undefined) {
      subscriber.follow(this.log, this.log.end, backfill);
      return;
    }
    if (backfill && isBehind(latestId, backfill.last)) {
      // Changes can be understood only after the very sample that they refer to: when the client comes back, there is a later one.
      if (this.#changed && compareTimestamps(latestId, backfill.last) < 0) subscriber.end();
      else subscriber.follow(this.log, this.log.end, backfill);
      return;
    }
    const gap = backfill?.gapBefore(latestId);
    if (gap !== undefined) subscriber.send(gap);
    subscriber.send(text);
    subscriber.follow(this.log, this.log.end);
  }

  /** Backfills what the group no longer has and continues with the replay buffer. */
  async #catchUp(subscriber: StreamSubscriber, after: Timestamp, recorded: RecordedSource | undefined): Promise<void> {
    const { context, selection, format, intervalMs, changed } = this.#request;
    const view = context.fetching.view(this.#plan, selection);
    const backfill = new Backfill({ context, plan: this.#plan, view, format, intervalMs, changed, after, recorded });
    try {
      for (let until = this.#joint(after); ; until = this.#joint(after)) {
        await subscriber.pour(backfill.upTo(until ?? this.#around.clock.now()));
        if (subscriber.hasEnded) return;
        const now = this.#joint(after);
        if (now === until || (now && until && compareTimestamps(now, until) === 0)) break;
      }
    } catch (error) {
      subscriber.send(format.failure(error));
    }
    if (subscriber.hasEnded || this.hasEnded) return;
    const first = this.log.firstSample();
    if (first && this.#continues(first, backfill.last)) subscriber.follow(this.log, first.number, backfill);
    else this.#start(subscriber, backfill);
  }

  /** The sample up to which a subscriber must be backfilled. */
  #joint(after: Timestamp): Timestamp | undefined {
    const first = this.log.firstSample();
    return first && this.#continues(first, after) ? first.id : this.log.latestId;
  }

  /** Whether a client with a given sample can continue with the buffer's first one. */
  #continues({ id, isFull }: { readonly id: Timestamp; readonly isFull: boolean }, last: Timestamp): boolean {
    return this.#changed === undefined || (isFull && !isBehind(id, last));
  }

  #tick(): void {
    if (this.cancelLinger && this.#around.isStrained()) {
      this.close();
      return;
    }
    const { intervalMs, context } = this.#request;
    const nowMs = this.#around.timers.nowMs();
    this.#hasPaused ||= nowMs - this.#tickedAtMs > PAUSE_INTERVALS * intervalMs;
    this.#tickedAtMs = nowMs;
    // The first sample is taken at once, and ticks move when the clock is set.
    if (this.#isSampling || nowMs - this.#askedAtMs < intervalMs / 2) return;
    this.#askedAtMs = nowMs;
    this.#isSampling = true;
    planAnew(() => this.#sample(context))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#isSampling = false;
      });
  }

  async #sample(context: LiveStreamRequest['context']): Promise<void> {
    await eventLoopTurns.own();
    if (this.hasEnded) return;
    const plan = await context.plans.get(this.#request.selector, () => this.stop.signal);
    this.#adopt(plan);
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

  /** Writes a sample in a later turn: many groups share a response of the source. */
  async #takeLater({ result, release }: KeptResult, notes: FetchNotes): Promise<void> {
    try {
      await eventLoopTurns.own();
      this.#take(result, notes);
    } finally {
      release();
    }
  }

  /** Adopts a new plan; the same content changes nothing. Throws CONVERSION, and then keeps the previous plan. */
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

  #take(result: FetchResult, notes: FetchNotes): void {
    if (this.hasEnded) return;
    const { timestamp } = result;
    // Two fetches that share one sample count as one.
    if (this.#lastTimestamp && compareTimestamps(timestamp, this.#lastTimestamp) === 0) return;
    this.#lastTimestamp = timestamp;
    this.#request.check?.(result);
    const reconnected = this.#hasSampled && notes.reconnects !== this.#reconnects;
    this.#hasSampled = true;
    this.#reconnects = notes.reconnects;
    const last = this.log.latestId;
    const id = eventIdAfter(timestamp, last);
    const gap = last && this.#hasPaused ? this.#request.format.gap(last, id) : '';
    this.#hasPaused = false;
    const answered: StreamSample['answered'] = this.#view;
    const sample = this.#changed?.next(answered, result) ?? { answered, result };
    const text = this.#request.format.sample({ id, reconnected, changes: undefined, ...sample });
    this.#send({ id, text, isFull: sample.changes?.isFull ?? true }, gap);
    this.#count();
  }

  #count(): void {
    this.count(GROUP_BYTES + this.#view.bytes + (this.#changed?.bytes ?? 0));
  }

  /** Reports an error to subscribers; the next sample may succeed, except when there is no memory. */
  #fail(error: unknown): void {
    if (this.hasEnded) return;
    this.#send({ id: undefined, text: this.#request.format.failure(error), isFull: true });
    if (error instanceof GatewayError && error.code === 'MEMORY_FULL') this.end('failed');
  }

  #send({ id, text, isFull }: { id: Timestamp | undefined; text: string; isFull: boolean }, gap = ''): void {
    if (id && this.#around.hasMoved()) {
      // It continues the group: clients reconnect there.
      this.end();
      return;
    }
    if (gap !== '') this.log.append({ id: undefined, bytes: Buffer.from(gap), isFull: true });
    this.send({ id, bytes: Buffer.from(text), isFull });
  }

  /** The last sample in full; undefined after a failure (unless changes refer to it), or for other metrics. */
  #wholeText(id: Timestamp): string | undefined {
    const { latest } = this.log;
    if (latest?.id && latest.isFull) return latest.bytes.toString();
    const last = this.#changed?.last(this.#view);
    return last && this.#request.format.sample({ id, reconnected: false, changes: undefined, ...last });
  }
}

function describe({ entries, missing }: FetchPlan): string {
  return JSON.stringify([entries.map(({ name, descriptor }) => [name, descriptor]), missing]);
}

/** Samples further apart than so many intervals have a gap. */
const GAP_INTERVALS = 1.5;
/** A sample this share of an interval before a tick is that of the tick: timers fire early. */
const EARLY_SHARE = 0.1;

interface BackfillOptions extends Pick<
  LiveStreamRequest,
  'context' | 'plan' | 'format' | 'intervalMs' | 'changed' | 'recorded'
> {
  /** A separate view: rates continue from sample to sample. */
  readonly view: FetchView;
  /** The client's last sample. */
  readonly after: Timestamp;
}

interface Candidate {
  readonly at: Timestamp;
  readonly cell: number;
  readonly fullness: number;
  readonly text: string;
}

/** Samples missed by a client, and gaps: one remembered sample per tick. Samples with fewer metrics are left out. */
class Backfill {
  readonly #options: BackfillOptions;
  #last: Timestamp;
  #fullness = 1;
  /** Between the last two samples; Infinity at first. */
  #stepMs = Infinity;
  #hasBegun = false;

  constructor(options: BackfillOptions) {
    this.#options = options;
    this.#last = options.after;
  }

  /** The events before a moment. May be called again, to continue. */
  async *upTo(until: Timestamp): AsyncGenerator<string, void> {
    if (compareTimestamps(this.#last, until) >= 0) return;
    let best: Candidate | undefined;
    for await (const candidate of this.#candidates(until)) {
      if (best && best.cell === candidate.cell) {
        if (candidate.fullness > best.fullness) best = candidate;
        continue;
      }
      if (best) yield* this.#take(best);
      best = candidate;
    }
    if (best) yield* this.#take(best);
  }

  get last(): Timestamp {
    return this.#last;
  }

  /** The gap before the next sample, if any. */
  gapBefore(next: Timestamp): string | undefined {
    const { format, intervalMs, recorded } = this.#options;
    const usualMs = recorded ? Math.max(intervalMs, this.#stepMs) : intervalMs;
    const isGap = secondsBetween(next, this.#last) * 1000 > GAP_INTERVALS * usualMs;
    return isGap ? format.gap(this.#last, next) : undefined;
  }

  *#take({ at, text }: Candidate): Generator<string, void> {
    const gap = this.gapBefore(at);
    if (gap !== undefined) yield gap;
    // Behind a gap samples may be further apart than before it.
    this.#stepMs = gap === undefined && this.#hasBegun ? secondsBetween(at, this.#last) * 1000 : Infinity;
    this.#hasBegun = true;
    this.#last = at;
    yield text;
  }

  async *#candidates(until: Timestamp): AsyncGenerator<Candidate, void> {
    const { context, plan, view, format, intervalMs, changed } = this.#options;
    if (plan.entries.length === 0) return;
    const from = this.#last;
    // Samples before are read, too: rates continue from the one that the client has, or from one that another client had fetched.
    const start = addSeconds(from, (-GAP_INTERVALS * intervalMs) / 1000);
    const window = { start: isoTime(start), finish: isoTime(addSeconds(until, -1e-9)) };
    const samples = recordsOf(readWindow(context, plan, window, this.#options.recorded));
    const phaseMs = phaseOf(context);
    const cellOf = (at: Timestamp): number => Math.floor((wallMs(at) - phaseMs) / intervalMs + EARLY_SHARE);
    const reached = cellOf(from);
    for await (const { isMark, result } of samples) {
      if (isMark) {
        view.forget();
        continue;
      }
      const fullness = countFilled(result);
      // Recorded samples of metrics at different times are not incomplete.
      if (!this.#options.recorded && fullness < this.#fullness) continue;
      this.#fullness = fullness;
      const shaped = await view.shape(result);
      const at = result.timestamp;
      const cell = cellOf(at);
      if (compareTimestamps(at, from) <= 0 || (cell === reached && !this.#options.recorded)) continue;
      const changes = changed ? { isFull: true, gone: [] } : undefined;
      const text = format.sample({ id: at, answered: view, result: shaped, reconnected: false, changes });
      yield { at, cell, fullness, text };
    }
  }
}

/** The samples of a window; none if nothing is remembered. */
async function* readWindow(
  context: Context,
  plan: FetchPlan,
  window: { readonly start: string; readonly finish: string },
  recorded: RecordedSource | undefined,
): AsyncGenerator<Batch, void> {
  try {
    yield* (await context.fetching.range(plan, window, { recorded })).samples.batches();
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === 'WRONG_CONTEXT')) throw error;
  }
}

function isoTime(at: Timestamp): string {
  return formatIsoTime(at, UTC_ZONE);
}

function countFilled({ sets }: FetchResult): number {
  let filled = 0;
  for (const { status } of sets) if (status !== 0) filled++;
  return filled;
}
