import { addSeconds, isArithmeticType, MetricType, secondsBetween, ValueSet } from '../../pmapi/index.js';
import type { AtomValue, Timestamp } from '../../pmapi/index.js';
import { markAt, RowBatch, timeOfRow } from '../../sources/index.js';
import type { Batch, BatchColumn, NumberBlock } from '../../sources/index.js';
import type { Decimation, DecimationKind } from './range-request.js';
import type { RangeMetric, RangeSamples } from './range-source.js';
import { addAtom, atomAt } from './value-copy.js';

/** The window that buckets divide evenly. */
export interface DecimatedWindow {
  readonly start: Timestamp;
  readonly finish: Timestamp;
}

/**
 * Divide a window into buckets of equal length and keep one value of each, per metric and instance: the least, the greatest, the
 * mean or the last. A sample's time is its bucket's start; the window's finish belongs to the last bucket. Buckets without
 * samples are left out, but where one holds a mark, the mark is kept, so that a chart shows the gap.
 *
 * Numbers become DOUBLE, except with `last`. NaN does not count. Of texts and aggregates, the last is always kept. Memory: one
 * bucket.
 */
export function decimate(samples: RangeSamples, window: DecimatedWindow, decimation: Decimation): RangeSamples {
  const buckets = samples.metrics.map(({ pmid, descriptor }) => new Bucket(pmid, descriptor.type, decimation.kind));
  return {
    metrics: samples.metrics.map((metric, i) => describeDecimated(metric, buckets[i]!.type)),
    batches: () => decimated(samples, window, decimation.points, buckets),
  };
}

async function* decimated(
  samples: RangeSamples,
  { start, finish }: DecimatedWindow,
  points: number,
  buckets: readonly Bucket[],
): AsyncGenerator<Batch, void> {
  const widthSec = secondsBetween(finish, start) / points;
  const answered: RowBatch = new RowBatch(
    buckets.length,
    1,
    (row, metric) => answered.columns[metric]!.status(row) !== 0,
  );
  let current = -1;
  let hasSamples = false;
  let hasMark = false;
  const finishBucket = (): Batch | undefined => {
    if (!hasSamples && !hasMark) return undefined;
    const timestamp = current === 0 ? start : addSeconds(start, current * widthSec);
    if (!hasSamples) return markAt(timestamp);
    answered.clear();
    answered.next.timestamp = timestamp;
    answered.next.sets.length = 0;
    for (const bucket of buckets) answered.next.sets.push(bucket.finish());
    answered.push();
    return answered;
  };
  const placeOf = (at: Timestamp): number => {
    const place = widthSec > 0 ? Math.floor(secondsBetween(at, start) / widthSec) : 0;
    // Archives that overlap go back in time: what comes late counts for the bucket that is open.
    return Math.max(current, Math.min(Math.max(place, 0), points - 1));
  };
  const open = (bucket: number): void => {
    for (const each of buckets) each.reset();
    current = bucket;
    hasSamples = false;
    hasMark = false;
  };
  for await (const batch of samples.batches()) {
    for (let row = 0; row < batch.length;) {
      const bucket = placeOf(timeOfRow(batch, row));
      if (bucket !== current) {
        const finished = finishBucket();
        if (finished) yield finished;
        open(bucket);
      }
      let end = row + 1;
      while (end < batch.length && placeOf(timeOfRow(batch, end)) === current) end++;
      if (batch.isMark) hasMark = true;
      else hasSamples = true;
      batch.columns.forEach((column, i) => {
        buckets[i]!.add(column, row, end);
      });
      row = end;
    }
  }
  const finished = finishBucket();
  if (finished) yield finished;
}

function describeDecimated(metric: RangeMetric, type: MetricType): RangeMetric {
  return { ...metric, descriptor: { ...metric.descriptor, type } };
}

const INITIAL_SLOTS = 8;

/** What is kept of one metric in the open bucket. */
class Bucket {
  /** The type of what is kept. */
  readonly type: MetricType;
  readonly #values = new ValueSet();
  readonly #pmid: number;
  readonly #kind: DecimationKind;
  /** Where each instance's numbers are; instances keep their places from bucket to bucket. */
  readonly #slots = new Map<number, number>();
  #instances = new Int32Array(INITIAL_SLOTS);
  #counts = new Int32Array(INITIAL_SLOTS);
  /** By slot, as are the next two. */
  #sums = new Float64Array(INITIAL_SLOTS);
  #least = new Float64Array(INITIAL_SLOTS);
  #greatest = new Float64Array(INITIAL_SLOTS);
  readonly #last = new Map<number, AtomValue>();
  #pmErr = 0;

  constructor(pmid: number, type: MetricType, kind: DecimationKind) {
    this.#pmid = pmid;
    this.#kind = isArithmeticType(type) ? kind : 'last';
    this.type = this.#kind === 'last' ? type : MetricType.DOUBLE;
    this.#values.reset(pmid, this.type);
  }

  reset(): void {
    this.#counts.fill(0);
    this.#last.clear();
    this.#pmErr = 0;
    this.#values.reset(this.#pmid, this.type);
  }

  /** Count some rows of a column in. */
  add(column: BatchColumn, first: number, end: number): void {
    const { block } = column;
    for (let row = first; row < end; row++) {
      if (block) this.#addRow(block, row);
      else this.#addSet(column.at(row));
    }
  }

  #addSet(set: ValueSet): void {
    if (set.status < 0) this.#pmErr = set.status;
    for (let i = 0; i < set.status; i++) {
      const instance = set.instances[i]!;
      if (this.#kind === 'last') this.#last.set(instance, atomAt(set.column, i));
      else this.#addNumber(this.#likelySlot(instance, i), set.column.numbers[i]!);
    }
  }

  #addRow({ instances, numbers, stride, places }: NumberBlock, row: number): void {
    for (let k = 0; k < instances.length; k++) {
      const value = numbers[row * stride + places[k]!]!;
      if (this.#kind === 'last') this.#last.set(instances[k]!, value);
      else this.#addNumber(this.#likelySlot(instances[k]!, k), value);
    }
  }

  /** What is answered for the bucket. Scratch. */
  finish(): ValueSet {
    const values = this.#values;
    if (this.#kind === 'last') for (const [instance, value] of this.#last) addAtom(values, instance, value);
    else for (let slot = 0; slot < this.#slots.size; slot++) this.#finishSlot(slot);
    if (values.status === 0 && this.#pmErr < 0) values.fail(this.#pmErr);
    return values;
  }

  #addNumber(slot: number, value: number): void {
    if (Number.isNaN(value)) return;
    if (this.#counts[slot]!++ === 0) {
      this.#sums[slot] = value;
      this.#least[slot] = value;
      this.#greatest[slot] = value;
      return;
    }
    this.#sums[slot]! += value;
    if (value < this.#least[slot]!) this.#least[slot] = value;
    if (value > this.#greatest[slot]!) this.#greatest[slot] = value;
  }

  #finishSlot(slot: number): void {
    const count = this.#counts[slot]!;
    if (count === 0) return;
    const [least, greatest] = [this.#least[slot]!, this.#greatest[slot]!];
    // Rounding, or a sum that overflows, must not take the mean out of what it is the mean of.
    const mean = Math.min(Math.max(this.#sums[slot]! / count, least), greatest);
    const value = this.#kind === 'min' ? least : this.#kind === 'max' ? greatest : mean;
    this.#values.addNumber(this.#instances[slot]!, value);
  }

  /** The slot of an instance that likely is in the same place as ever. */
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
    const numbers = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(size);
      grown.set(old);
      return grown;
    };
    const integers = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const grown = new Int32Array(size);
      grown.set(old);
      return grown;
    };
    this.#instances = integers(this.#instances);
    this.#counts = integers(this.#counts);
    this.#sums = numbers(this.#sums);
    this.#least = numbers(this.#least);
    this.#greatest = numbers(this.#greatest);
  }
}
