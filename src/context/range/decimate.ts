import { grown } from '../../kit/index.js';
import { addSeconds, isArithmeticType, MetricType, secondsBetween } from '../../pmapi/index.js';
import type { AtomValue, Timestamp, ValueSet } from '../../pmapi/index.js';
import { markAt, RowBatch } from '../../sources/index.js';
import type { Batch, BatchColumn, ExactNumbers, NumberBlock } from '../../sources/index.js';
import type { Decimation, DecimationKind } from './range-request.js';
import type { RangeMetric, RangeSamples } from './metric-pipeline.js';

/** The window that buckets divide evenly. */
export interface DecimatedWindow {
  readonly start: Timestamp;
  readonly finish: Timestamp;
}

type BucketKind = Exclude<DecimationKind, 'envelope'>;
const ENVELOPE: readonly BucketKind[] = ['average', 'min', 'max'];
/** How many sets of a value per instance are answered at once. */
const SETS_AT_ONCE = 64;

/**
 * Keeps one value per bucket, metric and instance: least, greatest, mean or last (all three first for an envelope, metric by metric). A
 * sample's time is its bucket's start. Buckets without samples are omitted, but marks are kept. Integers become DOUBLE, except with `last`;
 * NaN does not count; of texts and aggregates, the last is kept. Memory: one bucket.
 */
export function decimate(samples: RangeSamples, window: DecimatedWindow, decimation: Decimation): RangeSamples {
  const kinds = decimation.kind === 'envelope' ? ENVELOPE : [decimation.kind];
  const buckets = samples.metrics.map(({ pmid, descriptor }) => new Bucket(pmid, descriptor.type, kinds));
  return {
    metrics: kinds.flatMap(() => samples.metrics.map((metric, i) => describeDecimated(metric, buckets[i]!.type))),
    counts: () => buckets.map(({ samples: count }) => count),
    batches: () => decimated(samples, window, decimation.points, buckets, kinds.length),
  };
}

async function* decimated(
  samples: RangeSamples,
  { start, finish }: DecimatedWindow,
  points: number,
  buckets: readonly Bucket[],
  kinds: number,
): AsyncGenerator<Batch, void> {
  const widthSec = secondsBetween(finish, start) / points;
  const width = buckets.length * kinds;
  const most = Math.max(1, Math.floor(SETS_AT_ONCE / Math.max(width, 1)));
  const answered: RowBatch = new RowBatch(width, most, (row, metric) => answered.columns[metric]!.status(row) !== 0);
  let current = -1;
  let hasSamples = false;
  let mark: Batch | undefined;
  const takeAnswered = function* (): Generator<Batch, void> {
    if (answered.length > 0) yield answered;
    answered.clear();
  };
  const finishBucket = function* (): Generator<Batch, void> {
    if (!hasSamples && !mark) return;
    const timestamp = current === 0 ? start : addSeconds(start, current * widthSec);
    if (!hasSamples) {
      yield* takeAnswered();
      yield markAt(timestamp, mark?.reason);
      return;
    }
    answered.next.timestamp = timestamp;
    answered.next.resize(width);
    answered.next.sets.forEach((set, i) => {
      buckets[i % buckets.length]!.finish(Math.floor(i / buckets.length), set);
    });
    answered.push();
    if (answered.length === most) yield* takeAnswered();
  };
  const placeOf = (sec: number, nsec: number): number => {
    const place = widthSec > 0 ? Math.floor(secondsBetween({ sec, nsec }, start) / widthSec) : 0;
    // Archives that overlap go back in time: what comes late counts for the bucket that is open.
    return Math.max(current, Math.min(Math.max(place, 0), points - 1));
  };
  const open = (bucket: number): void => {
    for (const each of buckets) each.reset();
    current = bucket;
    hasSamples = false;
    mark = undefined;
  };
  for await (const batch of samples.batches()) {
    const { secs, nsecs } = batch;
    for (let row = 0; row < batch.length;) {
      const bucket = placeOf(secs[row]!, nsecs[row]!);
      if (bucket !== current) {
        for (const finished of finishBucket()) yield finished;
        // Nothing was recorded after the samples of the bucket: the next one, which is empty, shows that.
        if (mark && hasSamples && bucket > current + 1) {
          yield* takeAnswered();
          yield markAt(addSeconds(start, (current + 1) * widthSec), mark.reason);
        }
        open(bucket);
      }
      let end = row + 1;
      while (end < batch.length && placeOf(secs[end]!, nsecs[end]!) === current) end++;
      // Of a bucket with samples, only a mark after them counts; and a mark says more than a joint or a hole.
      if (batch.isMark) mark = mark?.reason === 'mark' ? mark : batch;
      else {
        hasSamples = true;
        mark = undefined;
      }
      batch.columns.forEach((column, i) => {
        buckets[i]!.add(column, row, end);
      });
      row = end;
    }
  }
  yield* finishBucket();
  yield* takeAnswered();
}

function describeDecimated(metric: RangeMetric, type: MetricType): RangeMetric {
  return { ...metric, descriptor: { ...metric.descriptor, type } };
}

const INITIAL_SLOTS = 8;

class Bucket {
  readonly type: MetricType;
  /** Samples with values, in all buckets. */
  samples = 0;
  readonly #kinds: readonly BucketKind[];
  readonly #pmid: number;
  readonly #isLast: boolean;
  /** Each instance's slot, kept from bucket to bucket. */
  readonly #slots = new Map<number, number>();
  #instances = new Int32Array(INITIAL_SLOTS);
  #counts = new Int32Array(INITIAL_SLOTS);
  #sums = new Float64Array(INITIAL_SLOTS);
  #least = new Float64Array(INITIAL_SLOTS);
  #greatest = new Float64Array(INITIAL_SLOTS);
  readonly #last = new Map<number, AtomValue>();
  #pmErr = 0;

  constructor(pmid: number, type: MetricType, kinds: readonly BucketKind[]) {
    this.#pmid = pmid;
    this.#isLast = !isArithmeticType(type) || kinds[0] === 'last';
    this.type = this.#isLast || type === MetricType.FLOAT ? type : MetricType.DOUBLE;
    this.#kinds = kinds;
  }

  reset(): void {
    this.#counts.fill(0);
    this.#last.clear();
    this.#pmErr = 0;
  }

  add(column: BatchColumn, first: number, end: number): void {
    const { block } = column;
    if (block) this.#addBlock(block, first, end);
    else for (let row = first; row < end; row++) this.#addSet(column.at(row));
  }

  #addSet(set: ValueSet): void {
    if (set.status < 0) this.#pmErr = set.status;
    if (set.status > 0) this.samples++;
    for (let i = 0; i < set.status; i++) {
      const instance = set.instances[i]!;
      if (this.#isLast) this.#last.set(instance, set.column.atomAt(i));
      else this.#addNumbers(this.#likelySlot(instance, i), set.column.numbers, i, i + 1, 1);
    }
  }

  #addBlock({ instances, numbers, stride, places }: NumberBlock, first: number, end: number): void {
    if (instances.length > 0) this.samples += end - first;
    for (let k = 0; k < instances.length; k++) {
      const place = places[k]!;
      if (this.#isLast) this.#last.set(instances[k]!, numbers[(end - 1) * stride + place]!);
      else this.#addNumbers(this.#likelySlot(instances[k]!, k), numbers, first * stride + place, end * stride, stride);
    }
  }

  /** Adds every `stride`-th number from index `from` to before `end`. */
  #addNumbers(slot: number, numbers: ExactNumbers, from: number, end: number, stride: number): void {
    let count = this.#counts[slot]!;
    let sum = count > 0 ? this.#sums[slot]! : 0;
    let least = count > 0 ? this.#least[slot]! : Infinity;
    let greatest = count > 0 ? this.#greatest[slot]! : -Infinity;
    for (let i = from; i < end; i += stride) {
      const value = numbers[i]!;
      if (Number.isNaN(value)) continue;
      count++;
      sum += value;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
    this.#counts[slot] = count;
    this.#sums[slot] = sum;
    this.#least[slot] = least;
    this.#greatest[slot] = greatest;
  }

  /** Puts the bucket's result of one of its kinds into a set. */
  finish(place: number, values: ValueSet): void {
    const kind = this.#kinds[place]!;
    values.reset(this.#pmid, this.type);
    if (this.#isLast) for (const [instance, value] of this.#last) values.add(instance, value);
    else for (let slot = 0; slot < this.#slots.size; slot++) this.#finishSlot(slot, kind, values);
    if (values.status === 0 && this.#pmErr < 0) values.fail(this.#pmErr);
  }

  #finishSlot(slot: number, kind: BucketKind, values: ValueSet): void {
    const count = this.#counts[slot]!;
    if (count === 0) return;
    const [least, greatest] = [this.#least[slot]!, this.#greatest[slot]!];
    // Rounding, or a sum that overflows, must not take the mean out of what it is the mean of.
    const mean = Math.min(Math.max(this.#sums[slot]! / count, least), greatest);
    const value = kind === 'min' ? least : kind === 'max' ? greatest : mean;
    values.addNumber(this.#instances[slot]!, this.type === MetricType.FLOAT ? Math.fround(value) : value);
  }

  /** The slot of an instance that is probably at its usual place. */
  #likelySlot(instance: number, k: number): number {
    return k < this.#slots.size && this.#instances[k] === instance ? k : this.#slotOf(instance);
  }

  #slotOf(instance: number): number {
    const known = this.#slots.get(instance);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    this.#slots.set(instance, slot);
    if (slot === this.#counts.length) this.#grow();
    this.#instances[slot] = instance;
    return slot;
  }

  #grow(): void {
    const size = this.#counts.length * 2;
    this.#instances = grown(this.#instances, size);
    this.#counts = grown(this.#counts, size);
    this.#sums = grown(this.#sums, size);
    this.#least = grown(this.#least, size);
    this.#greatest = grown(this.#greatest, size);
  }
}
