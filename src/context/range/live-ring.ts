import { bisect } from '../../kit/index.js';
import { addSeconds, compareTimestamps, LEAST_RATE_SEC, secondsBetween, wasClockSetBack } from '../../pmapi/index.js';
import type { Clock, FetchResult, MetricDescriptor, Timestamp, ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../../sources/index.js';
import { LiveChunk, LiveTimes, setsOf, timeOf } from './live-chunk.js';
import type { LiveRow, LiveRows } from './live-chunk.js';

export interface LiveMemoryLimits {
  readonly bytes: number;
  /** Samples are forgotten at this age, in milliseconds. */
  readonly maxAgeMs: number;
}

const DEFAULT_LIVE_MEMORY_LIMITS: LiveMemoryLimits = Object.freeze({
  bytes: 64 * 1024 * 1024,
  maxAgeMs: 30 * 60 * 1000,
});

/** Limit for sources that flap. */
const MARKS_KEPT = 1000;
/** Moments tried for samples of several metrics: clients fetch them together repeatedly. */
const MOMENTS_TRIED = 16;
/** Maximum length of a chunk as a share of the maximum age: chunks are evicted as a whole. */
const CHUNKS_PER_AGE = 4;
/** The preferred minimum, and the maximum, of a rate's period in seconds. */
const [RATE_OVER_SEC, MAX_RATE_OVER_SEC] = [0.5, 300];
/** The approximate memory of an empty ring, and of a chunk's entry in the order of all. */
const [RING_BYTES, ORDER_BYTES] = [150, 60];

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

/** Samples of all live sources in one byte budget: evicts the oldest chunks, and those above the maximum age in {@link sweep}. */
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

  get bytes(): number {
    return this.#bytes;
  }

  /** A lower limit is enforced at the next sweep or sample. */
  set limits(limits: LiveMemoryLimits) {
    this.#limits = limits;
  }

  /** A new source's memory. Clients that may not see each other's values need separate ones. */
  history(): LiveHistory {
    return new LiveHistory(this);
  }

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

  get nowMs(): number {
    return this.#clock.monotonicMs();
  }

  noteBytes(bytes: number): void {
    this.#bytes += bytes;
  }
}

/** Samples of one live source: a ring per fetched metric. Records fetches that happen anyway. */
export class LiveHistory {
  readonly #memory: LiveMemory;
  readonly #rings = new Map<number, LiveRing>();
  #marks: Timestamp[] = [];
  #reconnects: number | undefined;
  #isInterrupted = false;
  #newest: Timestamp | undefined;
  #changes = 0;

  constructor(memory: LiveMemory) {
    this.#memory = memory;
  }

  /** Records a fetch, operands included, without sets that a profile reduced: instances would seem gone. A change of `reconnects` is a mark. */
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

  #append(ring: LiveRing, set: ValueSet, timestamp: Timestamp, nowMs: number): boolean {
    const chunk = ring.chunks.at(-1);
    if (!chunk || nowMs - chunk.firstMs > this.#memory.chunkMs) return false;
    const before = chunk.bytes + chunk.times.bytes;
    const isAppended = chunk.push(set, timestamp, nowMs);
    this.#memory.noteBytes(chunk.bytes + chunk.times.bytes - before);
    return isAppended;
  }

  interrupt(): void {
    this.#isInterrupted = true;
  }

  /** The first and last moment of any of the metrics. */
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

  get pmids(): readonly number[] {
    return [...this.#rings.keys()];
  }

  /** Changes with the remembered metrics, or the instances of one. */
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

  /** The newest samples taken together at or before a moment; undefined without recent ones, or if the source was lost since. */
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

  /** Samples taken together where rates at a moment start: half a second earlier or more if possible, neither too near nor too old. */
  samplesBefore(pmids: readonly number[], moment: Timestamp): readonly LiveRow[] | undefined {
    const samples =
      this.samplesAt(pmids, addSeconds(moment, -RATE_OVER_SEC)) ??
      this.samplesAt(pmids, addSeconds(moment, -LEAST_RATE_SEC));
    return samples?.[0] && secondsBetween(moment, timeOf(samples[0])) <= MAX_RATE_OVER_SEC ? samples : undefined;
  }

  /** The value sets of {@link samplesBefore}, as far as a profile includes their instances. */
  setsBefore(
    pmids: readonly number[],
    indoms: readonly number[],
    profile: InstanceProfile,
    moment: Timestamp,
  ): { readonly at: Timestamp; readonly sets: readonly ValueSet[] } | undefined {
    const samples = this.samplesBefore(pmids, moment);
    return samples?.[0] && { at: timeOf(samples[0]), sets: setsOf(samples, pmids, indoms, profile) };
  }

  /** When the source was lost and found again: samples from then on follow a mark. */
  get marks(): readonly Timestamp[] {
    return this.#marks;
  }

  get isEmpty(): boolean {
    return this.#rings.size === 0;
  }

  clear(): void {
    for (const [pmid, ring] of [...this.#rings]) while (ring.chunks.length > 0) this.dropChunk(pmid, ring);
    this.#marks = [];
    this.#newest = undefined;
  }

  /** Drops the oldest chunk of a ring, and an empty ring. For the memory. */
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
