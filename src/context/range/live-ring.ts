import { bisect } from '../../kit/index.js';
import { addSeconds, compareTimestamps, LEAST_RATE_SEC, secondsBetween, wasClockSetBack } from '../../pmapi/index.js';
import type { Clock, FetchResult, MetricDescriptor, Timestamp, ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../../sources/index.js';
import { LiveChunk, LiveTimes, timeOf } from './live-chunk.js';
import type { LiveRow, LiveRows } from './live-chunk.js';

/** What may be remembered of live sources, all of them together. */
export interface LiveMemoryLimits {
  readonly bytes: number;
  /** Samples are forgotten when they are as old as this, in milliseconds. */
  readonly maxAgeMs: number;
}

/** Half an hour, within 64 MiB. */
const DEFAULT_LIVE_MEMORY_LIMITS: LiveMemoryLimits = Object.freeze({
  bytes: 64 * 1024 * 1024,
  maxAgeMs: 30 * 60 * 1000,
});

/** A source that flaps must not fill the memory with marks. */
const MARKS_KEPT = 1000;
/** Moments that are tried for samples of several metrics: clients that fetch metrics together do so repeatedly. */
const MOMENTS_TRIED = 16;
/** The maximum length of a chunk, as a share of the maximum age of samples: chunks are evicted as a whole. */
const CHUNKS_PER_AGE = 4;
/** The period of a rate from which on there is no better one, if there is a choice of samples, and the maximum: older samples are useless for a current rate. */
const [RATE_OVER_SEC, MAX_RATE_OVER_SEC] = [0.5, 300];
/** The approximate memory of an empty ring, and of a chunk's entry in the order of all. */
const [RING_BYTES, ORDER_BYTES] = [150, 60];

/** The samples of one metric of one source, oldest first. */
class LiveRing {
  readonly chunks: LiveChunk[] = [];

  get size(): number {
    return this.chunks.reduce((sum, { first, length }) => sum + length - first, 0);
  }

  get first(): Timestamp | undefined {
    const chunk = this.chunks[0];
    return chunk?.times.at(chunk.first);
  }

  get last(): Timestamp | undefined {
    const chunk = this.chunks.at(-1);
    return chunk?.times.at(chunk.length - 1);
  }

  /** The newest sample at or before a moment. */
  latest(at: Timestamp): LiveRow | undefined {
    for (let i = this.chunks.length - 1; i >= 0; i--) {
      const chunk = this.chunks[i]!;
      const end = bisect(chunk.first, chunk.length, (row) => chunk.times.compare(row, at) > 0);
      if (end > chunk.first) return { chunk, row: end - 1 };
    }
    return undefined;
  }
}

/** A chunk, in the order in which all were begun. */
interface Kept {
  readonly ring: LiveRing;
  readonly history: LiveHistory;
  readonly pmid: number;
  readonly chunk: LiveChunk;
}

/**
 * What the gateway remembers of all live sources, within one byte budget: the oldest chunks of all sources are evicted first, and
 * none is kept longer than the maximum age. Call {@link sweep} periodically.
 */
export class LiveMemory {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #limits: LiveMemoryLimits;
  #order: Kept[] = [];
  #head = 0;
  #bytes = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: LiveMemoryLimits = DEFAULT_LIVE_MEMORY_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** The approximate memory of all samples; it exceeds the limit only during a call. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What is allowed; less is enforced at the next sweep or sample. */
  set limits(limits: LiveMemoryLimits) {
    this.#limits = limits;
  }

  /** The memory of one source. Clients that may not see each other's values need separate ones. */
  history(): LiveHistory {
    return new LiveHistory(this);
  }

  /** Evicts samples that are too old, and the oldest chunks beyond the limit. */
  sweep(): void {
    const { bytes, maxAgeMs } = this.#limits;
    const oldestMs = this.#clock.monotonicMs() - maxAgeMs;
    for (; this.#head < this.#order.length; this.#head++) {
      const { ring, history, pmid, chunk } = this.#order[this.#head]!;
      const isGone = ring.chunks[0] !== chunk;
      if (!isGone) {
        chunk.forget(oldestMs);
        if (this.#bytes <= bytes && chunk.first < chunk.length) break;
        history.dropChunk(pmid, ring);
      }
    }
    if (this.#head > 1024 && this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Note a chunk that a ring has begun. For histories. */
  noteChunk(kept: Kept): void {
    this.#order.push(kept);
  }

  /** The maximum duration of a chunk, in milliseconds. For histories. */
  get chunkMs(): number {
    return this.#limits.maxAgeMs / CHUNKS_PER_AGE;
  }

  /** Samples kept before this time are too old. For histories. */
  get oldestMs(): number {
    return this.nowMs - this.#limits.maxAgeMs;
  }

  /** The gateway's clock. For histories. */
  get nowMs(): number {
    return this.#clock.monotonicMs();
  }

  /** Counts bytes that rings take or free. For histories. */
  noteBytes(bytes: number): void {
    this.#bytes += bytes;
  }
}

/**
 * What the gateway has seen of one live source: a ring of samples for each metric that a client fetched. It records fetches that
 * happen anyway, and makes none of its own.
 */
export class LiveHistory {
  readonly #memory: LiveMemory;
  readonly #rings = new Map<number, LiveRing>();
  /** When the source was lost and found again, in order. */
  #marks: Timestamp[] = [];
  #reconnects: number | undefined;
  #isInterrupted = false;
  #newest: Timestamp | undefined;
  #changes = 0;

  constructor(memory: LiveMemory) {
    this.#memory = memory;
  }

  /**
   * Records the result of a fetch. Value sets that a profile reduced are not kept: instances would seem to have disappeared.
   * Samples no newer than the last one come from an overlapping fetch, or are the same again. If the clock was set back, all
   * earlier samples are dropped: they would be in the future.
   * @param metrics the metrics of the result, in order: base metrics, operands of derived ones among them
   * @param reconnects the source's count of reconnections: when it changes, earlier samples cannot be compared
   */
  record(
    metrics: readonly { readonly descriptor: MetricDescriptor }[],
    result: FetchResult,
    profile: InstanceProfile,
    reconnects?: number,
  ): void {
    const { timestamp } = result;
    if (this.#newest && wasClockSetBack(timestamp, this.#newest)) this.clear();
    if (!this.#newest || compareTimestamps(timestamp, this.#newest) > 0) this.#newest = timestamp;
    if (reconnects !== this.#reconnects || this.#isInterrupted) {
      if (this.#rings.size > 0) this.#marks.push(timestamp);
      if (this.#marks.length > MARKS_KEPT) this.#marks.shift();
      this.#reconnects = reconnects;
      this.#isInterrupted = false;
    }
    const nowMs = this.#memory.nowMs;
    let times: LiveTimes | undefined;
    for (let i = 0; i < metrics.length; i++) {
      const { pmid, indom } = metrics[i]!.descriptor;
      const set = result.sets[i];
      if (set?.pmid !== pmid || !profile.includesAll(indom)) continue;
      let ring = this.#rings.get(pmid);
      const before = ring?.last;
      if (before && compareTimestamps(timestamp, before) <= 0) continue;
      if (!ring) {
        ring = new LiveRing();
        this.#rings.set(pmid, ring);
        this.#memory.noteBytes(RING_BYTES);
      }
      if (this.#append(ring, set, timestamp, nowMs)) continue;
      if (!times) {
        times = new LiveTimes(timestamp);
        times.push(timestamp);
        this.#memory.noteBytes(times.bytes);
      }
      const chunk = new LiveChunk(set, times, nowMs);
      if (!ring.chunks.at(-1)?.hasSameInstances(chunk)) this.#changes++;
      ring.chunks.push(chunk);
      this.#memory.noteBytes(chunk.bytes + ORDER_BYTES);
      this.#memory.noteChunk({ ring, history: this, pmid, chunk });
    }
    this.#memory.sweep();
  }

  /** Append a sample to the last chunk of a ring. Returns whether it fits there. */
  #append(ring: LiveRing, set: ValueSet, timestamp: Timestamp, nowMs: number): boolean {
    const chunk = ring.chunks.at(-1);
    if (!chunk || nowMs - chunk.firstMs > this.#memory.chunkMs) return false;
    const before = chunk.bytes + chunk.times.bytes;
    const isAppended = chunk.push(set, timestamp, nowMs);
    this.#memory.noteBytes(chunk.bytes + chunk.times.bytes - before);
    return isAppended;
  }

  /** Treat the next sample as one after a reconnection. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  /** The first and last moment at which any of the metrics was seen; undefined if never. */
  bounds(pmids: readonly number[]): { readonly start: Timestamp; readonly end: Timestamp } | undefined {
    let start: Timestamp | undefined;
    let end: Timestamp | undefined;
    for (const pmid of pmids) {
      const ring = this.#rings.get(pmid);
      if (!ring?.first || !ring.last) continue;
      if (!start || compareTimestamps(ring.first, start) < 0) start = ring.first;
      if (!end || compareTimestamps(ring.last, end) > 0) end = ring.last;
    }
    return start && end ? { start, end } : undefined;
  }

  /** The metrics that were seen. */
  get pmids(): readonly number[] {
    return [...this.#rings.keys()];
  }

  /** Changes when the set of remembered metrics, or the instances of one of them, change. */
  get contentVersion(): number {
    return this.#changes;
  }

  /** When a metric was sampled, oldest first. @param pmid by default the metric with the most samples */
  moments(pmid = this.#fullest): readonly Timestamp[] {
    if (pmid === undefined) return [];
    return this.samples(pmid).flatMap(({ chunk, first, end }) =>
      Array.from({ length: end - first }, (_, i) => chunk.times.at(first + i)),
    );
  }

  get #fullest(): number | undefined {
    let found: { readonly pmid: number; readonly size: number } | undefined;
    for (const [pmid, { size }] of this.#rings) if (!found || size > found.size) found = { pmid, size };
    return found?.pmid;
  }

  /** The samples of a metric, oldest first; a snapshot. */
  samples(pmid: number): readonly LiveRows[] {
    const chunks = this.#rings.get(pmid)?.chunks ?? [];
    for (const chunk of chunks) chunk.forget(this.#memory.oldestMs);
    return chunks.map((chunk) => ({ chunk, first: chunk.first, end: chunk.length }));
  }

  /**
   * The newest samples of the metrics that were taken together, at or before a moment, in the order of the metrics; undefined without
   * recent ones, or if the source was lost since.
   */
  samplesAt(pmids: readonly number[], at: Timestamp): readonly LiveRow[] | undefined {
    const lost = this.#marks.at(-1);
    for (let latest = at, tries = 0; tries < MOMENTS_TRIED; tries++) {
      const samples: LiveRow[] = [];
      for (const pmid of pmids) {
        const sample = this.#rings.get(pmid)?.latest(latest);
        if (!sample) return undefined;
        latest = timeOf(sample);
        if (lost && compareTimestamps(latest, lost) < 0) return undefined;
        samples.push(sample);
      }
      const moment = latest;
      if (samples.every((sample) => compareTimestamps(timeOf(sample), moment) === 0)) return samples;
    }
    return undefined;
  }

  /**
   * Where rates of the metrics at a moment start: samples that were taken together, half a second earlier or more where there is a choice,
   * not nearer than a rate can carry, and not so old that they say nothing of now. Undefined as {@link samplesAt} is.
   */
  samplesBefore(pmids: readonly number[], moment: Timestamp): readonly LiveRow[] | undefined {
    const samples =
      this.samplesAt(pmids, addSeconds(moment, -RATE_OVER_SEC)) ??
      this.samplesAt(pmids, addSeconds(moment, -LEAST_RATE_SEC));
    return samples?.[0] && secondsBetween(moment, timeOf(samples[0])) <= MAX_RATE_OVER_SEC ? samples : undefined;
  }

  /** When the source was lost and found again, in order: the samples from then on follow a mark. */
  get marks(): readonly Timestamp[] {
    return this.#marks;
  }

  /** Whether nothing is remembered. */
  get isEmpty(): boolean {
    return this.#rings.size === 0;
  }

  /** Forget everything. */
  clear(): void {
    for (const [pmid, ring] of [...this.#rings]) while (ring.chunks.length > 0) this.dropChunk(pmid, ring);
    this.#marks = [];
    this.#newest = undefined;
  }

  /** Drop the oldest chunk of a ring, and an empty ring. For the memory. */
  dropChunk(pmid: number, ring: LiveRing): void {
    const { bytes, times } = ring.chunks.shift()!;
    this.#memory.noteBytes(-bytes - ORDER_BYTES - (--times.users === 0 ? times.bytes : 0));
    if (ring.chunks.length > 0 || this.#rings.get(pmid) !== ring) return;
    this.#rings.delete(pmid);
    this.#changes++;
    this.#memory.noteBytes(-RING_BYTES);
    if (this.#rings.size === 0) this.#marks = [];
  }
}
