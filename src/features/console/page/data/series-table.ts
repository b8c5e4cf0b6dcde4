import type { ColumnsAnswer, StreamSample } from '../../../../client/index.js';
import { lowerBound } from '../../../../kit/index.js';
import { median } from './median.js';

/**
 * Samples of metrics as columns over one array of times. A cell is a number or text; undefined if the metric was not sampled at that
 * time, which is not a gap; null if there is nothing to draw: the instance was absent, or recording was interrupted.
 */
export type Cell = number | string | null | undefined;

/** The values of one metric and instance. */
export interface Series {
  readonly metric: string;
  /** null for a metric without instances. */
  readonly instance: number | null;
  /** The instance's name; '' while unknown, and for a metric without instances. */
  name: string;
  /** Whose it is, in a table of several sources. */
  readonly source?: string;
  readonly cells: Cell[];
  /** The minimum and maximum of each part of time, if parts have several samples. */
  least?: Cell[];
  greatest?: Cell[];
}

type Column = ColumnsAnswer['metrics'][number];
type ColumnSeries = Omit<Column['series'][number], 'values'> & { readonly values: readonly unknown[] };

/** A range of the gateway, in columns. */
export interface RangeColumns {
  readonly times: readonly number[];
  readonly metrics: readonly (Pick<Column, 'name' | 'units'> &
    Partial<Pick<Column, 'sem'>> & { readonly series: readonly ColumnSeries[] })[];
  /** The rows where recording was interrupted. */
  readonly marks?: readonly { readonly row: number }[];
}

/** A sample of a stream. */
export interface Sample extends Pick<StreamSample, 'timestamp'> {
  readonly values: readonly Pick<StreamSample['values'][number], 'name' | 'instances'>[];
}

/** A time without samples, in seconds since the epoch. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Samples further apart than this multiple of the interval have a gap between them. */
const MISSED = 2.5;
/** How many distances the usual distance of recorded samples is the median of. */
const DISTANCES = 9;
/** A metric has a gap of its own after so many of its usual distances, known from so many, and seconds: the gateway marks gaps of all. */
const [OWN_MISSED, LEAST_DISTANCES, LEAST_OWN_SEC] = [5, 4, 5];

/** When a metric that is not discrete was sampled. */
interface OwnTimes {
  last: number;
  /** The last few distances that were no gaps, unless one followed another. */
  distances: number[];
  isGap: boolean;
  readonly gaps: Gap[];
}

/** Samples of some metrics, in order of time. */
export class SeriesTable {
  readonly times: number[] = [];
  readonly series: Series[] = [];
  /** The units of unconverted values, by metric. */
  readonly units = new Map<string, string>();
  readonly #byKey = new Map<string, Series>();
  /** Which rows are marks: nothing was recorded there. */
  readonly #marks: boolean[] = [];
  readonly #names: Map<string, string>;
  readonly #own = new Map<string, OwnTimes>();
  /** Seconds between the samples of a range, until the first one after it: those of a recording are further apart than live ones. */
  #rangeSec = 0;
  /** Those of a table of several sources. */
  #gaps: Gap[] | undefined;

  /** @param names of instances of the same source, also of those that are gone; it learns others */
  constructor(names = new Map<string, string>()) {
    this.#names = names;
  }

  /** Take a range, which comes before every sample. */
  fill({ times, metrics, marks = [] }: RangeColumns): void {
    for (const { name, units } of metrics) this.units.set(name, units);
    const marked = new Set(marks.map(({ row }) => row));
    times.forEach((at, row) => {
      this.#openRow(at, marked.has(row));
    });
    for (const { name, sem, series } of metrics) {
      if (sem !== 'discrete') this.#own.set(name, { last: Infinity, distances: [], isGap: false, gaps: [] });
      const isSampled = times.map((_, row) => series.some(({ values }) => values[row] !== null));
      for (const { instance, name: instanceName = '', values, min, max } of series) {
        const own = this.#seriesOf(name, instance, instanceName);
        const { cells } = own;
        if (min) own.least = min.map(cellOf);
        if (max) own.greatest = max.map(cellOf);
        values.forEach((value, row) => {
          if (this.#marks[row] !== true && isSampled[row] === true) cells[row] = cellOf(value);
        });
      }
      isSampled.forEach((is, row) => is && this.#endLines(name, row));
    }
    this.#rangeSec = this.#usualDistance();
  }

  /**
   * Adds a sample. One that is not later than the last is already there; one that is later than expected follows a gap.
   * @param intervalSec the expected distance of samples
   */
  push({ timestamp, values }: Sample, intervalSec: number): void {
    const last = this.times.at(-1);
    if (last !== undefined && timestamp <= last) return;
    if (last !== undefined && this.#isGap(timestamp - last, intervalSec)) this.#openRow((last + timestamp) / 2, true);
    this.#rangeSec = 0;
    this.#openRow(timestamp, false);
    const row = this.times.length - 1;
    for (const { name, instances } of values) {
      for (const { instance, name: instanceName = '', value } of instances) {
        this.#seriesOf(name, instance, instanceName).cells[row] = cellOf(value);
      }
      if (instances.length === 0) continue;
      this.#endLines(name, row);
      for (const series of this.series) {
        if (series.metric === name && series.cells[row] === undefined) series.cells[row] = null;
      }
    }
  }

  /** Adds a time of which the gateway has no samples; not a gap if they are expected to be that far apart. */
  missed({ from, to }: Gap, intervalSec: number): void {
    // Before the next sample, which is at its end.
    if (this.#isGap(to - from, intervalSec)) this.#openRow((from + to) / 2, true);
  }

  /** Drop older samples, and series without newer ones. */
  trim(before: number): void {
    const cut = this.times.findIndex((at) => at >= before);
    // A few rows at a time: each removal moves all others.
    if (cut < 60) return;
    this.times.splice(0, cut);
    this.#marks.splice(0, cut);
    for (const { cells, least, greatest } of this.series)
      for (const each of [cells, least, greatest]) each?.splice(0, cut);
    for (let i = this.series.length - 1; i >= 0; i--) {
      const series = this.series[i]!;
      if (series.cells.some((cell) => cell !== undefined && cell !== null)) continue;
      this.series.splice(i, 1);
      this.#byKey.delete(keyOf(series.metric, series.instance));
    }
  }

  /** The rows of a window, with one more on either side, so that lines cross its edges. */
  rows(start: number, end: number): { readonly from: number; readonly to: number } {
    const from = Math.max(lowerBound(this.times, start) - 1, 0);
    return { from, to: Math.min(lowerBound(this.times, end) + 1, this.times.length) };
  }

  /**
   * The samples of several sources over the times of all, those of some of them earlier by `late` seconds. A metric that a source has in other units is left out: its numbers would have
   * the scale of the others. Where one source has a gap its lines end; a gap of all is one of the table.
   */
  static join(
    parts: readonly { readonly source: string; readonly table: SeriesTable; readonly late?: number }[],
  ): SeriesTable {
    const joined = new SeriesTable();
    const timesOf = parts.map(({ table, late = 0 }) => table.times.map((at) => at - late));
    for (const at of [...new Set(timesOf.flat())].sort((a, b) => a - b)) joined.times.push(at);
    const rowOf = new Map(joined.times.map((at, row) => [at, row]));
    for (const [i, { source, table }] of parts.entries()) {
      for (const [metric, units] of table.units) if (!joined.units.has(metric)) joined.units.set(metric, units);
      const rows = timesOf[i]!.map((at) => rowOf.get(at)!);
      const spread = (cells: readonly Cell[]): Cell[] => {
        const all = Array.from<Cell>({ length: rowOf.size });
        cells.forEach((cell, row) => (all[rows[row]!] = cell));
        return all;
      };
      for (const { least, greatest, ...series } of table.series) {
        if (table.units.get(series.metric) !== joined.units.get(series.metric)) continue;
        joined.series.push({
          ...{ ...series, source, cells: spread(series.cells) },
          ...(least ? { least: spread(least) } : {}),
          ...(greatest ? { greatest: spread(greatest) } : {}),
        });
      }
    }
    joined.#gaps = parts
      .map(({ table, late = 0 }) => table.gaps().map(({ from, to }) => ({ from: from - late, to: to - late })))
      .reduce(commonGaps);
    return joined;
  }

  /** Where nothing was recorded, or nothing of some metrics: from the last sample before to the first after. */
  gaps(metrics: readonly string[] = []): Gap[] {
    if (this.#gaps) return this.#gaps;
    const own = metrics.map((name) => this.#own.get(name)?.gaps ?? []);
    const ofSome = own.length === 0 ? [] : own.reduce(commonGaps);
    const gaps: Gap[] = [];
    for (let row = 0; row < this.times.length; row++) {
      if (this.#marks[row] !== true) continue;
      let end = row;
      while (end + 1 < this.times.length && this.#marks[end + 1] === true) end++;
      gaps.push({ from: this.times[row - 1] ?? this.times[row]!, to: this.times[end + 1] ?? this.times[end]! });
      row = end;
    }
    const isIn = (one: Gap): boolean => ofSome.some(({ from, to }) => from <= one.from && to >= one.to);
    return [...gaps.filter((one) => one.to > one.from && !isIn(one)), ...ofSome];
  }

  #isGap(lengthSec: number, intervalSec: number): boolean {
    return lengthSec > MISSED * Math.max(intervalSec, this.#rangeSec);
  }

  /** Ends a metric's lines before a row with its first sample for far longer than usual, if there are samples of others between. */
  #endLines(metric: string, row: number): void {
    const own = this.#own.get(metric);
    if (!own) return;
    const [at, from] = [this.times[row]!, own.last];
    const isGap =
      own.distances.length >= LEAST_DISTANCES &&
      at - from > Math.max(LEAST_OWN_SEC, OWN_MISSED * median(own.distances));
    if (at > from && (!isGap || own.isGap)) own.distances = [at - from, ...own.distances].slice(0, DISTANCES);
    [own.last, own.isGap] = [at, isGap];
    if (!isGap || this.times[row - 1]! <= from) return;
    own.gaps.push({ from, to: at });
    for (const { metric: of, cells } of this.series) if (of === metric) cells[row - 1] = null;
  }

  #usualDistance(): number {
    const distances = this.times
      .map((at, row) => (this.#marks[row] === true || this.#marks[row - 1] === true ? NaN : at - this.times[row - 1]!))
      .filter((distance) => !Number.isNaN(distance))
      .slice(-DISTANCES)
      .sort((a, b) => a - b);
    return distances[distances.length >> 1] ?? 0;
  }

  #openRow(at: number, isMark: boolean): void {
    this.times.push(at);
    this.#marks.push(isMark);
    for (const { cells } of this.series) cells.push(isMark ? null : undefined);
  }

  #seriesOf(metric: string, number: number | null, name: string): Series {
    const instance = instanceOf(metric, number, name);
    const key = keyOf(metric, instance);
    if (name !== '') this.#names.set(key, name);
    let series = this.#byKey.get(key);
    if (series && name !== '') series.name = name;
    if (!series) {
      // The time before it appeared is a gap of this series.
      const cells = this.#marks.map((isMark): Cell => (isMark ? null : undefined));
      series = { metric, instance, name: name === '' ? (this.#names.get(key) ?? '') : name, cells };
      this.#byKey.set(key, series);
      this.series.push(series);
    }
    return series;
  }
}

/** An instance's name, or its number while that is unknown: the gateway forgets the names of processes that have ended. */
export function instanceText({ metric, instance, name }: Pick<Series, 'metric' | 'instance' | 'name'>): string {
  return instance === null || name !== '' ? name : `${metric.startsWith('proc.') ? 'ended process ' : '#'}${instance}`;
}

function commonGaps(some: readonly Gap[], others: readonly Gap[]): Gap[] {
  return some
    .flatMap(({ from, to }) =>
      others.map((other) => ({ from: Math.max(from, other.from), to: Math.min(to, other.to) })),
    )
    .filter(({ from, to }) => to > from);
}

/** A process is the one in its name: where another recording or live values follow, its instance may have another number. */
function instanceOf(metric: string, instance: number | null, name: string): number | null {
  const [pid] = (metric.startsWith('proc.') && /^\d+(?= )/.exec(name)) || [instance];
  return pid === null ? null : Number(pid);
}

function keyOf(metric: string, instance: number | null): string {
  return instance === null ? metric : `${metric}[${instance}]`;
}

function cellOf(value: unknown): Cell {
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}
