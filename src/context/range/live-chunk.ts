import { grown } from '../../kit/index.js';
import { Column, compareTimestamps, INSTANCE_NULL, isArithmeticType, ValueSet } from '../../pmapi/index.js';
import type { MetricType, Timestamp } from '../../pmapi/index.js';
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
export class LiveTimes {
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
    return (
      instances.length === this.instances.length && instances.every((instance, i) => instance === this.instances[i])
    );
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
