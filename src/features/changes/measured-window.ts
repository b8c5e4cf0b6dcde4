import { getOrMake } from '../../kit/index.js';
import type { Timestamp } from '../../pmapi/index.js';

export interface MeasuredMetric {
  readonly name: string;
  /** The instance domain as text; undefined for a singular metric. */
  readonly indom: string | undefined;
  /** The units of the values below, a counter's per second; empty for none. */
  readonly units: string;
  /** Whether the values are rates of a time, which have no units: shares of the time that passed. */
  readonly isShare: boolean;
  /** The seconds of a unit, if the values are times that are no counter's: uptimes and ages, which may grow with the clock. */
  readonly unitSec?: number | undefined;
  /** Whether its values rarely change, as texts do, so that each change counts. */
  readonly isDiscrete: boolean;
}

/** A value that is compared for equality: a text, or a number of a discrete metric. */
export type State = string | number;

/** One metric and instance in a window. */
export interface MeasuredSeries {
  readonly metric: MeasuredMetric;
  /** The external name of the instance; undefined for a singular metric. */
  readonly instance: string | undefined;
  /** The mean of each part of the window, of counters their rate; NaN for a part without values. Absent for texts. */
  readonly numbers?: Float64Array;
  /** The last value of each part. Present for texts only. */
  readonly texts?: readonly (string | undefined)[];
}

/** The values of metrics over a time window that is divided into parts of equal length. */
export interface MeasuredWindow {
  readonly start: Timestamp;
  readonly finish: Timestamp;
  readonly parts: number;
  readonly metrics: readonly MeasuredMetric[];
  readonly series: readonly MeasuredSeries[];
}

export function seriesKey({ metric, instance }: MeasuredSeries): string {
  // Names of metrics contain no blank.
  return instance === undefined ? metric.name : `${metric.name} ${instance}`;
}

export function countParts({ numbers, texts }: MeasuredSeries): number {
  let count = 0;
  if (numbers) for (const number of numbers) count += Number.isNaN(number) ? 0 : 1;
  else for (const text of texts ?? []) count += text === undefined ? 0 : 1;
  return count;
}

/** Several windows as one, with the times of the first: values of a series follow one another. Throws RangeError for an empty list. */
export function pool(windows: readonly MeasuredWindow[]): MeasuredWindow {
  const [first] = windows;
  if (!first) throw new RangeError('there is no window to pool');
  if (windows.length === 1) return first;
  const parts = windows.reduce((sum, window) => sum + window.parts, 0);
  const pooled = new Map<string, MeasuredSeries>();
  let at = 0;
  for (const window of windows) {
    for (const series of window.series) {
      const { metric, instance, texts } = series;
      const make = (): MeasuredSeries => ({ metric, instance, ...noValues(texts !== undefined, parts) });
      copyInto(getOrMake(pooled, seriesKey(series), make), series, at);
    }
    at += window.parts;
  }
  const series = [...pooled.values()];
  return { ...first, parts, series, metrics: [...new Set(series.map(({ metric }) => metric))] };
}

export function noValues(
  isText: boolean,
  parts: number,
): { numbers: Float64Array; texts?: never } | { numbers?: never; texts: (string | undefined)[] } {
  if (isText) return { texts: new Array<string | undefined>(parts).fill(undefined) };
  return { numbers: new Float64Array(parts).fill(NaN) };
}

function copyInto(pooled: MeasuredSeries, { numbers, texts }: MeasuredSeries, at: number): void {
  if (numbers && pooled.numbers) pooled.numbers.set(numbers, at);
  if (texts && pooled.texts) (pooled.texts as (string | undefined)[]).splice(at, texts.length, ...texts);
}
