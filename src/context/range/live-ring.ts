import { compareTimestamps } from '../../pmapi/index.js';
import type { Clock, FetchResult, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import type { InstanceProfile } from '../../sources/index.js';
import { wasClockSetBack } from '../clock-step.js';
import { keepSample } from './live-sample.js';
import type { LiveSample } from './live-sample.js';

/** What may be remembered of live sources, all of them together. */
export interface LiveMemoryLimits {
  readonly bytes: number;
  /** Samples are forgotten when they are as old as this, in milliseconds. */
  readonly maxAgeMs: number;
}

/** Half an hour, within 64 MiB. */
export const DEFAULT_LIVE_MEMORY_LIMITS: LiveMemoryLimits = Object.freeze({
  bytes: 64 * 1024 * 1024,
  maxAgeMs: 30 * 60 * 1000,
});

/** A source that flaps must not fill the memory with marks. */
const MARKS_KEPT = 1000;
/** Moments that are tried for samples of several metrics: whoever fetches these together does so again and again. */
const MOMENTS_TRIED = 16;
/** What an empty ring costs, about. */
const RING_BYTES = 300;

/** The samples of one metric of one source, oldest first. */
class LiveRing {
  #samples: (LiveSample | undefined)[] = [];
  #head = 0;

  get last(): LiveSample | undefined {
    return this.#samples.at(-1);
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  get size(): number {
    return this.#samples.length - this.#head;
  }

  get first(): LiveSample | undefined {
    return this.#samples[this.#head];
  }

  push(sample: LiveSample): void {
    this.#samples.push(sample);
  }

  /** Drop the oldest sample. */
  shift(): LiveSample | undefined {
    const oldest = this.#samples[this.#head];
    if (!oldest) return undefined;
    this.#samples[this.#head++] = undefined;
    if (this.#head > 32 && this.#head * 2 > this.#samples.length) {
      this.#samples = this.#samples.slice(this.#head);
      this.#head = 0;
    }
    return oldest;
  }

  /** The newest sample at or before a moment. */
  latest(at: Timestamp): LiveSample | undefined {
    for (let i = this.#samples.length - 1; i >= this.#head; i--) {
      const sample = this.#samples[i]!;
      if (compareTimestamps(sample.timestamp, at) <= 0) return sample;
    }
    return undefined;
  }

  /** The samples as they are now; what is pushed and dropped later does not show. */
  snapshot(): readonly LiveSample[] {
    return this.#samples.slice(this.#head) as LiveSample[]; // only what is before the head was dropped
  }
}

/** A sample in the order in which all were kept. */
interface Kept {
  readonly ring: LiveRing;
  readonly history: LiveHistory;
  readonly pmid: number;
  readonly atMs: number;
}

/**
 * What the gateway remembers of all live sources: within one byte budget, the oldest samples of whatever source going first,
 * and none longer than the age limit. Somebody has to call {@link sweep} now and then.
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

  /** Bytes that all samples take, about; never more than the limit for longer than a call. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What is allowed; less is enforced at the next sweep or sample. */
  set limits(limits: LiveMemoryLimits) {
    this.#limits = limits;
  }

  /** A memory of one source. Whoever may not see each other's values need different ones. */
  history(): LiveHistory {
    return new LiveHistory(this);
  }

  /** Forget what is too old. */
  sweep(): void {
    const { bytes, maxAgeMs } = this.#limits;
    const oldestMs = this.#clock.monotonicMs() - maxAgeMs;
    while (this.#head < this.#order.length) {
      const kept = this.#order[this.#head]!;
      if (this.#bytes <= bytes && kept.atMs >= oldestMs) break;
      this.#head++;
      const { ring, history, pmid } = kept;
      const dropped = ring.shift();
      if (dropped) this.#bytes -= dropped.bytes;
      if (ring.isEmpty) history.dropRing(pmid, ring);
    }
    if (this.#head > 1024 && this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Count a sample that a ring has taken. For histories. */
  noteKept(history: LiveHistory, pmid: number, ring: LiveRing, sample: LiveSample): void {
    this.#bytes += sample.bytes;
    this.#order.push({ ring, history, pmid, atMs: this.#clock.monotonicMs() });
  }

  /** Count bytes of rings that came or went. For histories. */
  noteBytes(bytes: number): void {
    this.#bytes += bytes;
  }
}

/**
 * What the gateway has seen of one live source: a ring of samples per metric that anybody fetched. Fed by fetches that happen
 * anyway; asks for nothing itself.
 */
export class LiveHistory {
  readonly #memory: LiveMemory;
  readonly #rings = new Map<number, LiveRing>();
  /** When the source was lost and found again, in order. */
  #marks: Timestamp[] = [];
  #reconnects: number | undefined;
  #isInterrupted = false;
  #newest: Timestamp | undefined;

  constructor(memory: LiveMemory) {
    this.#memory = memory;
  }

  /**
   * Keep what a fetch answered. Value sets that a profile cut short are not kept: they would look like instances that went.
   * Samples no newer than the last one are those of an overlapping fetch, or the same once more; but when the clock was set back,
   * all that was before is forgotten: by the new time it has not happened yet.
   * @param metrics the metrics of the result, in order: base metrics, operands of derived ones among them
   * @param reconnects the source's count of reconnections: when it moves, what was before cannot be compared
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
    for (let i = 0; i < metrics.length; i++) {
      const { pmid, indom } = metrics[i]!.descriptor;
      const set = result.sets[i];
      if (set?.pmid !== pmid || !profile.includesAll(indom)) continue;
      let ring = this.#rings.get(pmid);
      const before = ring?.last;
      if (before && compareTimestamps(timestamp, before.timestamp) <= 0) continue;
      if (!ring) {
        ring = new LiveRing();
        this.#rings.set(pmid, ring);
        this.#memory.noteBytes(RING_BYTES);
      }
      const sample = keepSample(set, timestamp, before);
      ring.push(sample);
      this.#memory.noteKept(this, pmid, ring, sample);
    }
    this.#memory.sweep();
  }

  /** Take the next sample for one after a reconnection, whatever the source's count says. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  /** The first and last moment at which any of some metrics was seen; undefined when none was. */
  bounds(pmids: readonly number[]): { readonly start: Timestamp; readonly end: Timestamp } | undefined {
    let start: Timestamp | undefined;
    let end: Timestamp | undefined;
    for (const pmid of pmids) {
      const ring = this.#rings.get(pmid);
      if (!ring?.first || !ring.last) continue;
      if (!start || compareTimestamps(ring.first.timestamp, start) < 0) start = ring.first.timestamp;
      if (!end || compareTimestamps(ring.last.timestamp, end) > 0) end = ring.last.timestamp;
    }
    return start && end ? { start, end } : undefined;
  }

  /** The metric with the most samples; undefined when nothing is remembered. */
  get fullest(): number | undefined {
    let found: { readonly pmid: number; readonly size: number } | undefined;
    for (const [pmid, { size }] of this.#rings) if (!found || size > found.size) found = { pmid, size };
    return found?.pmid;
  }

  /** The samples of a metric, oldest first; a snapshot. */
  samples(pmid: number): readonly LiveSample[] {
    return this.#rings.get(pmid)?.snapshot() ?? [];
  }

  /**
   * The newest samples of some metrics that were taken at one moment, at or before another, in their order; undefined when there are
   * none of late, or the source was lost since.
   */
  samplesAt(pmids: readonly number[], at: Timestamp): readonly LiveSample[] | undefined {
    const lost = this.#marks.at(-1);
    for (let latest = at, tries = 0; tries < MOMENTS_TRIED; tries++) {
      const samples: LiveSample[] = [];
      for (const pmid of pmids) {
        const sample = this.#rings.get(pmid)?.latest(latest);
        if (!sample || (lost && compareTimestamps(sample.timestamp, lost) < 0)) return undefined;
        latest = sample.timestamp;
        samples.push(sample);
      }
      if (samples.every(({ timestamp }) => compareTimestamps(timestamp, latest) === 0)) return samples;
    }
    return undefined;
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
    for (const [pmid, ring] of [...this.#rings]) {
      for (let sample = ring.shift(); sample; sample = ring.shift()) this.#memory.noteBytes(-sample.bytes);
      this.dropRing(pmid, ring);
    }
    this.#marks = [];
    this.#newest = undefined;
  }

  /** Let go of a ring that has no samples left. For the memory. */
  dropRing(pmid: number, ring: unknown): void {
    if (this.#rings.get(pmid) !== ring) return;
    this.#rings.delete(pmid);
    this.#memory.noteBytes(-RING_BYTES);
    if (this.#rings.size === 0) this.#marks = [];
  }
}
