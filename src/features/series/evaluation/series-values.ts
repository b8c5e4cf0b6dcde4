import type { InSteps } from '../../../kit/index.js';
import type { MetricDescriptor, Timestamp } from '../../../pmapi/index.js';

/** A value: 64-bit integers beyond 2^53 are bigints; strings, and what has no number, are texts. */
export type SeriesValue = number | bigint | string;

/** How values become texts: integers as they are, real numbers as `%e`, rates as `%f`. */
export type ValueForm = 'integer' | 'real' | 'rate' | 'text';

/** Two series of equal `indom` have the same kind of instances; INDOM_NULL for a series without instances. */
export interface SeriesMetadata extends Omit<MetricDescriptor, 'pmid'> {
  readonly form: ValueForm;
}

/** One sample of a series: `values[i]` is of the instance `instances[i]`, an identifier, or '' for a series without instances. */
export interface SeriesSample {
  /** To the microsecond. */
  readonly time: Timestamp;
  readonly instances: readonly string[];
  readonly values: readonly SeriesValue[];
  /** When each of the values was taken, where that is not the sample's time. */
  readonly times?: readonly Timestamp[];
}

/** The values of one series in a window, in the order of the answer. */
export interface SeriesValues {
  /** The identifier of the series, or of the first operand of an expression. */
  readonly series: string;
  readonly source: string;
  readonly metadata: SeriesMetadata;
  readonly samples: readonly SeriesSample[];
  /** Whether samples go back in time. */
  readonly isNewestFirst: boolean;
  /** Samples that are less than this apart make no rate; 0 by default. */
  readonly leastSec?: number;
}

export const NO_INSTANCE = '';

export function timeOf({ time, times }: SeriesSample, i: number): Timestamp {
  return times?.[i] ?? time;
}

/** A value for arithmetic: texts count as 0, as pmproxy has it. */
export function numberOf(value: SeriesValue): number {
  return typeof value === 'string' ? 0 : Number(value);
}

const STEP_VALUES = 512;

export function* eachSample(
  samples: readonly SeriesSample[],
  each: (sample: SeriesSample, i: number) => unknown,
): InSteps<void> {
  let left = STEP_VALUES;
  for (const [i, sample] of samples.entries()) {
    each(sample, i);
    left -= 1 + sample.values.length;
    if (left > 0) continue;
    left = STEP_VALUES;
    yield;
  }
}
