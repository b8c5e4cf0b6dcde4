import { bisect, grown } from '../../kit/index.js';
import {
  addSeconds,
  compareTimestamps,
  LEAST_RATE_SEC,
  secondsBetween,
  wasClockSetBack,
  Column,
  INSTANCE_NULL,
  isArithmeticType,
  ValueSet,
} from '../../pmapi/index.js';
import type { Clock, FetchResult, MetricDescriptor, Timestamp, MetricType } from '../../pmapi/index.js';
import type { InstanceProfile, ObservedValues } from '../../sources/index.js';

/** Approximate memory of a chunk and a list of times without their arrays: measured on Node 20. */
const [CHUNK_BYTES, TIMES_BYTES] = [380, 200];
const [TEXT_BYTES, BLOCK_BYTES] = [40, 200];
/** Samples of a chunk: at first, and at most. */
const [FIRST_ROWS, MOST_ROWS] = [4, 256];
/** Nanoseconds that a number holds exactly. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER;
const [NO_INSTANCES, SINGULAR] = [new Int32Array(0), Int32Array.of(INSTANCE_NULL)];

/** Times of samples; metrics fetched together share one list. */
class LiveTimes {
  /** Nanoseconds since the base. */
  #offsets = new Float64Array(FIRST_ROWS);
  length = 0;
  users = 0;

  constructor(readonly base: Timestamp) {}

  get bytes(): number {
    return TIMES_BYTES + this.#offsets.byteLength;
  }

  at(row: number): Timestamp {
    const { sec, nsec } = this.base;
    const offset = this.#offsets[row]!;
    const nanoseconds = nsec + (offset % 1e9);
    const carry = nanoseconds >= 1e9 ? 1 : 0;
    return { sec: sec + Math.floor(offset / 1e9) + carry, nsec: nanoseconds - carry * 1e9 };
  }

  /** Negative, zero or positive for a sample before, at or after a moment. */
  compare(row: number, moment: Timestamp): number {
    return compareTimestamps(this.at(row), moment);
  }

  /** Seconds from the first moment to another, about. */
  secondsTo(row: number): number {
    return this.#offsets[row]! / 1e9;
  }

  /** Appends a moment if there is room; returns whether there was. */
  push({ sec, nsec }: Timestamp): boolean {
    const offset = (sec - this.base.sec) * 1e9 + (nsec - this.base.nsec);
    if (this.length === MOST_ROWS || offset > MAX_OFFSET) return false;
    if (this.length === this.#offsets.length) this.#offsets = grown(this.#offsets, 2 * this.length);
    this.#offsets[this.length++] = offset;
    return true;
  }
}

/** Consecutive samples of one live metric, all with the same instances or the same error, in columns. */
export class LiveChunk implements ObservedValues {
  readonly type: MetricType;
  /** Values per sample, or the PM_ERR code. */
  readonly status: number;
  readonly instances: Int32Array;
  readonly times: LiveTimes;
  /** When the first and the last sample were kept, by the gateway's clock. */
  readonly firstMs: number;
  #lastMs: number;
  /** The samples are those from `first` to before `length`. */
  first = 0;
  length = 0;
  /** The values of all samples, one sample after the other. */
  readonly values = new Column();
  #payloadBytes = 0;

  /** @param times with the sample's time as its only one */
  constructor(set: ValueSet, times: LiveTimes, nowMs: number) {
    this.type = set.type;
    this.status = set.status;
    this.instances = instancesOf(set);
    this.times = times;
    times.users++;
    this.firstMs = nowMs;
    this.#lastMs = nowMs;
    this.values.reset(set.type);
    this.#add(set);
  }

  get bytes(): number {
    const { instances } = this;
    const { numbers, wide } = this.values;
    return CHUNK_BYTES + numbers.byteLength + (wide?.byteLength ?? 0) + instances.byteLength + this.#payloadBytes;
  }

  hasSameInstances({ instances }: LiveChunk): boolean {
    return instances.length === this.instances.length && instances.every((one, i) => one === this.instances[i]);
  }

  /** Appends a sample if it fits; returns whether it does. */
  push(set: ValueSet, at: Timestamp, nowMs: number): boolean {
    const { times, length } = this;
    if (!this.#goesWith(set)) return false;
    const isTimed = times.length === length + 1 && times.compare(length, at) === 0;
    if (!isTimed && (times.length !== length || !times.push(at))) return false;
    this.#add(set);
    this.#lastMs = nowMs;
    return true;
  }

  /** Forgets samples kept before a time of the gateway's clock; approximate, because hosts have their own clocks. */
  forget(beforeMs: number): void {
    while (this.first < this.length && this.#keptMs(this.first) < beforeMs) this.first++;
  }

  /** No later than the last sample: the host's clock may have stepped. */
  #keptMs(row: number): number {
    return Math.min(this.firstMs + this.times.secondsTo(row) * 1000, this.#lastMs);
  }

  copyValue(index: number, instance: number, set: ValueSet): void {
    set.add(instance, this.values.atomAt(index));
  }

  /** Fills a set with a sample, as far as the profile includes its instances. */
  fill(row: number, pmid: number, indom: number, profile: InstanceProfile, set: ValueSet): void {
    set.reset(pmid, this.type);
    if (this.status < 0) set.fail(this.status);
    const width = this.instances.length;
    for (let i = 0; i < width; i++) {
      const instance = this.instances[i]!;
      if (profile.includes(indom, instance)) this.copyValue(row * width + i, instance, set);
    }
  }

  #goesWith({ type, status, instances }: ValueSet): boolean {
    if (type !== this.type || status !== this.status) return false;
    const own = this.instances;
    for (let i = 0; i < own.length; i++) if (own[i] !== instances[i]) return false;
    return true;
  }

  #add({ column }: ValueSet): void {
    const { values } = this;
    const width = this.instances.length;
    this.length++;
    if (isArithmeticType(this.type) && !column.wide) values.pushNumbers(column.numbers, 0, width);
    else for (let i = 0; i < width; i++) values.push(column.atomAt(i));
    for (let i = 0; i < Math.min(width, column.texts.length); i++) {
      this.#payloadBytes += TEXT_BYTES + 2 * column.texts[i]!.length;
    }
    for (let i = 0; i < Math.min(width, column.bytes.length); i++) {
      this.#payloadBytes += BLOCK_BYTES + column.bytes[i]!.length;
    }
  }
}

export interface LiveRow {
  readonly chunk: LiveChunk;
  readonly row: number;
}

/** A snapshot of a chunk: samples from `first` to before `end`. */
export interface LiveRows {
  readonly chunk: LiveChunk;
  readonly first: number;
  readonly end: number;
}

export function timeOf({ chunk, row }: LiveRow): Timestamp {
  return chunk.times.at(row);
}

/** The value sets of samples of some metrics, as far as a profile includes their instances. */
export function setsOf(
  samples: readonly LiveRow[],
  pmids: readonly number[],
  indoms: readonly number[],
  profile: InstanceProfile,
): readonly ValueSet[] {
  return samples.map(({ chunk, row }, i) => {
    const set = new ValueSet();
    chunk.fill(row, pmids[i]!, indoms[i]!, profile, set);
    return set;
  });
}

/** A copy of the instances of a set; shared for singular metrics. */
function instancesOf({ status, instances }: ValueSet): Int32Array {
  if (status <= 0) return NO_INSTANCES;
  return status === 1 && instances[0] === INSTANCE_NULL ? SINGULAR : instances.slice(0, status);
}

export interface LiveMemoryLimits {
  readonly bytes: number;
  /** Samples are forgotten at this age, in milliseconds. */
  readonly maxAgeMs: number;
}

const USUAL_LIMITS: LiveMemoryLimits = { bytes: 64 * 1024 * 1024, maxAgeMs: 30 * 60 * 1000 };

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

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: LiveMemoryLimits = USUAL_LIMITS) {
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
    // For each sample beyond the limit: no sorting.
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
