import { INSTANCE_NULL, ValueSet, isArithmeticType, type Column, type RestOfValues } from '../../pmapi/index.js';
import { columnOfNothing, type Batch, type BatchColumn, type NumberBlock } from '../../sources/index.js';
import type { RangeMetric, RangeSamples } from '../range/index.js';
import type { RestKind } from './selection.js';
import type { SeriesFilter } from './series-filter.js';

/** Selects values of samples, after {@link SeriesFilter.prepareAll}; keeps the `top` greatest, and combines the `rest`. */
export function selectSamples(
  samples: RangeSamples,
  filter: SeriesFilter | undefined,
  top: number | undefined,
  rest?: RestKind,
): RangeSamples {
  const columns = samples.metrics.map((_, m) => {
    // An envelope has each metric several times.
    return new SelectedColumn(filter && ((instance) => filter.includes(m % filter.width, instance)), top, rest);
  });
  return { metrics: samples.metrics, counts: samples.counts, batches: () => selected(samples, columns) };
}

async function* selected(samples: RangeSamples, columns: readonly SelectedColumn[]): AsyncGenerator<Batch, void> {
  for await (const batch of samples.batches()) {
    if (batch.isMark) {
      yield batch;
      continue;
    }
    columns.forEach((column, m) => {
      column.show(batch.columns[m]!);
    });
    const { length, isMark, secs, nsecs } = batch;
    yield { length, isMark, secs, nsecs, columns };
  }
}

class SelectedColumn implements BatchColumn {
  readonly #isWanted: ((instance: number) => boolean) | undefined;
  readonly #top: number | undefined;
  readonly #rest: RestKind | undefined;
  readonly #picked = new ValueSet();
  readonly #greatest = new ValueSet();
  #column = columnOfNothing();

  constructor(
    isWanted: ((instance: number) => boolean) | undefined,
    top: number | undefined,
    rest: RestKind | undefined,
  ) {
    this.#isWanted = isWanted;
    this.#top = top;
    this.#rest = rest;
  }

  show(column: BatchColumn): void {
    this.#column = column;
  }

  get block(): NumberBlock | undefined {
    const { block } = this.#column;
    const isWanted = this.#isWanted;
    if (!block || this.#top !== undefined || !isWanted) return this.#top === undefined ? block : undefined;
    const { instances, places } = block;
    const picked = Int32Array.from(instances.keys()).filter((k) => isWanted(instances[k]!));
    return { ...block, instances: picked.map((k) => instances[k]!), places: picked.map((k) => places[k]!) };
  }

  holds(row: number): boolean {
    return this.#column.holds(row);
  }

  status(row: number): number {
    return this.at(row).status;
  }

  at(row: number): ValueSet {
    let set = this.#column.at(row);
    if (this.#isWanted) set = pickInstances(set, this.#picked, this.#isWanted);
    return this.#top === undefined ? set : pickTop(set, this.#greatest, this.#top, this.#rest);
  }
}

interface Mean {
  sum: number;
  count: number;
}

/** The instances of each metric with the greatest mean over a range; all for non-numeric metrics. */
export class GreatestSeries {
  readonly #metrics: readonly RangeMetric[];
  readonly #means: readonly Map<number, Mean>[];

  constructor(metrics: readonly RangeMetric[]) {
    this.#metrics = metrics;
    this.#means = metrics.map(() => new Map());
  }

  add({ length, columns }: Batch): void {
    columns.forEach((column, m) => {
      for (let row = 0; row < length; row++) this.#addSet(m, column.at(row));
    });
  }

  #addSet(m: number, { status, instances, column }: ValueSet): void {
    if (!isArithmeticType(column.type)) return;
    const means = this.#means[m]!;
    for (let i = 0; i < status; i++) {
      const value = column.numbers[i]!;
      let mean = means.get(instances[i]!);
      if (!mean) means.set(instances[i]!, (mean = { sum: 0, count: 0 }));
      if (Number.isNaN(value)) continue;
      mean.sum += value;
      mean.count++;
    }
  }

  /** The greatest of each metric, in order; undefined for all. */
  top(count: number): readonly (readonly number[] | undefined)[] {
    return this.#metrics.map(({ descriptor }, m) =>
      isArithmeticType(descriptor.type) ? greatestByMean(this.#means[m]!, count) : undefined,
    );
  }
}

/** The instances with the greatest means, in order (stable); those without a number last. */
export function greatestByMean(means: ReadonlyMap<number, Readonly<Mean>>, count: number): readonly number[] {
  return [...means]
    .map(([instance, { sum, count: n }]) => ({ instance, mean: sum / n }))
    .sort((a, b) => compareDescending(a.mean, b.mean))
    .slice(0, count)
    .map(({ instance }) => instance);
}

/** The selected instances' values: `from` itself if there are no others, else `into`. Errors are unchanged. */
export function pickInstances(from: ValueSet, into: ValueSet, isWanted: (instance: number) => boolean): ValueSet {
  const { instances, status } = from;
  let first = 0;
  while (first < status && isWanted(instances[first]!)) first++;
  if (first >= status) return from;
  into.reset(from.pmid, from.type);
  for (let i = 0; i < first; i++) into.addFrom(from, i);
  for (let i = first + 1; i < status; i++) if (isWanted(instances[i]!)) into.addFrom(from, i);
  return into;
}

/** The `count` largest values, in order (stable), NaN last; the others in `into.rest`. Others than numbers are unchanged. */
export function pickTop(from: ValueSet, into: ValueSet, count: number, rest?: RestKind): ValueSet {
  const { column, status } = from;
  if (status <= 0 || from.instances[0] === INSTANCE_NULL || !isArithmeticType(column.type)) return from;
  const order = Array.from({ length: status }, (_, i) => i).sort((a, b) => descending(column, a, b));
  into.reset(from.pmid, from.type);
  for (let k = 0; k < Math.min(count, status); k++) into.addFrom(from, order[k]!);
  if (rest && status > count)
    into.rest = restOf(
      order.slice(count).map((i) => column.numbers[i]!),
      rest,
    );
  return into;
}

/** The sum or the mean of values that are not NaN. */
export function restOf(values: readonly number[], kind: RestKind): RestOfValues {
  const numbers = values.filter((value) => !Number.isNaN(value));
  const sum = numbers.reduce((total, value) => total + value, 0);
  return { count: values.length, value: kind === 'sum' ? sum : sum / numbers.length };
}

/** Negative if value `a` is greater than value `b`. Sorting keeps the order of equal ones. */
function descending(column: Column, a: number, b: number): number {
  if (column.wide) {
    const [x, y] = [column.integerAt(a), column.integerAt(b)];
    return x > y ? -1 : x < y ? 1 : 0;
  }
  return compareDescending(column.numbers[a]!, column.numbers[b]!);
}

/** For sorting numbers, largest first; NaN comes last. */
function compareDescending(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return x > y ? -1 : x < y ? 1 : 0;
}
