import {
  compareTimestamps,
  counterRise,
  formatUnits,
  GatewayError,
  isArithmeticType,
  linearScale,
  makeUnits,
  MetricType,
  parseUnits,
  PmError,
  rateUnits,
  secondsBetween,
  Semantics,
} from '../../../pmapi/index.js';
import type { Timestamp } from '../../../pmapi/index.js';
import { addTo, sortInSteps, type InSteps } from '../../../kit/index.js';
import type { Call } from '../language/index.js';
import { eachSample, NO_INSTANCE, numberOf, timeOf } from './series-values.js';
import type { SeriesMetadata, SeriesSample, SeriesValue, SeriesValues } from './series-values.js';

interface Point {
  readonly instance: string;
  readonly value: SeriesValue;
  readonly time: Timestamp;
}

/** Choose from points: each is the work of at most some steps. */
type Choose = (points: readonly Point[]) => InSteps<readonly Point[]>;

/** Functions that choose points; the number is a count or a percentage. */
const CHOICES: Readonly<Record<string, (count: number) => Choose>> = {
  max: () => extreme(1),
  min: () => extreme(-1),
  topk: greatest,
  nth_percentile: percentile,
};

const SUMMARIES: Readonly<Record<string, (values: readonly number[]) => number>> = { sum, avg: mean, stdev: deviation };

/** Functions that leave integers integers. */
const ROUNDED: Readonly<Record<string, (value: number) => number>> = {
  abs: Math.abs,
  floor: Math.floor,
  // As C's round(): halves away from zero.
  round: (value) => Math.sign(value) * Math.round(Math.abs(value)),
};

/** The result of a function for one series, in steps. Throws BAD_PARAMETER for operands that it cannot take. */
export function* applyFunction(call: Call, operand: SeriesValues): InSteps<SeriesValues> {
  if (call.name === 'rate') return yield* rate(operand);
  if (call.name === 'rescale') return yield* rescale(operand, call.units);
  // Without `_sample` over time, for each instance.
  const [, name = '', sample] = /^(.*?)(_sample|_inst)?$/.exec(call.name)!;
  const isOverTime = sample !== '_sample';
  const choose = CHOICES[name]?.('count' in call ? call.count : 0);
  if (choose) return { ...operand, samples: yield* (isOverTime ? overTime : overInstances)(operand, choose) };
  const summary = SUMMARIES[name];
  if (summary) {
    const semantics = name === 'sum' ? operand.metadata.semantics : Semantics.INSTANT;
    return yield* summarize(operand, summary, isOverTime ? overTime : overAllInstances, semantics);
  }
  const rounded = ROUNDED[name];
  if (rounded) return yield* roundedTo(name, operand, rounded);
  const divisor = call.name === 'log' && call.base !== undefined ? Math.log(Number(call.base)) : 1;
  return yield* real(name, operand, name === 'sqrt' ? Math.sqrt : (value) => Math.log(value) / divisor);
}

/** Every value of a series times a number. */
export function* scaleBy(factor: string, operand: SeriesValues): InSteps<SeriesValues> {
  const by = Number(factor);
  return yield* real('*', operand, (value) => value * by);
}

/** Rates have so many decimals, as pmproxy's have: what is computed from rates is the same then. */
const RATE_DIGITS = 6;

/** A counter's increase per second, at the later sample's time; none after a decrease. A time stays a time, unlike in derived metrics. */
function* rate(operand: SeriesValues): InSteps<SeriesValues> {
  const { metadata, isNewestFirst, leastSec = 0 } = operand;
  if (metadata.semantics !== Semantics.COUNTER) {
    throw refusal("Can't rate convert values that are no counter");
  }
  requireNumbers('rate', metadata);
  const last = new Map<string, Point>();
  const samples: SeriesSample[] = [];
  yield* eachSample(isNewestFirst ? [...operand.samples].reverse() : operand.samples, (sample) => {
    const rates: Point[] = [];
    for (const [i, instance] of sample.instances.entries()) {
      const point = { instance, value: sample.values[i]!, time: timeOf(sample, i) };
      const before = last.get(instance);
      const elapsedSec = before ? secondsBetween(point.time, before.time) : 0;
      if (before && elapsedSec < leastSec) continue;
      last.set(instance, point);
      if (!before) continue;
      const value = counterRise(before.value as number | bigint, point.value as number | bigint) / elapsedSec;
      if (value >= 0 && Number.isFinite(value)) rates.push({ ...point, value: Number(value.toFixed(RATE_DIGITS)) });
    }
    if (rates.length > 0) samples.push(sampleFrom(rates));
  });
  if (isNewestFirst) samples.reverse();
  const units = rateUnits(metadata.units);
  return {
    ...operand,
    metadata: { ...metadata, type: MetricType.DOUBLE, semantics: Semantics.INSTANT, units, form: 'rate' },
    samples,
  };
}

function* rescale(operand: SeriesValues, text: string): InSteps<SeriesValues> {
  const { units } = parseUnits(text);
  const { units: from } = operand.metadata;
  requireNumbers('rescale', operand.metadata);
  const isNone = formatUnits(units) === '';
  try {
    if (isNone) throw new PmError(0);
    const { factor, offset } = linearScale(from, units);
    const values = yield* real('rescale', operand, (value) => value * factor + offset);
    return { ...values, metadata: { ...values.metadata, units: makeUnits(units) } };
  } catch (error) {
    if (!(error instanceof PmError)) throw error;
    throw refusal(`rescale: values in ${formatUnits(from) || 'no units'} cannot be converted to ${text || 'no units'}`);
  }
}

function* real(name: string, operand: SeriesValues, of: (value: number) => number): InSteps<SeriesValues> {
  requireNumbers(name, operand.metadata);
  return {
    ...operand,
    metadata: { ...operand.metadata, type: MetricType.DOUBLE, form: 'real' },
    samples: yield* eachValue(operand.samples, (value) => of(Number(value))),
  };
}

function* roundedTo(name: string, operand: SeriesValues, of: (value: number) => number): InSteps<SeriesValues> {
  requireNumbers(name, operand.metadata);
  const { metadata, samples } = operand;
  const ofOne = (value: SeriesValue): SeriesValue => {
    if (typeof value !== 'bigint') return of(Number(value));
    return name === 'abs' && value < 0n ? -value : value;
  };
  const form = metadata.form === 'rate' ? 'real' : metadata.form;
  return { ...operand, metadata: { ...metadata, form }, samples: yield* eachValue(samples, ofOne) };
}

function* eachValue(
  samples: readonly SeriesSample[],
  of: (value: SeriesValue) => SeriesValue,
): InSteps<readonly SeriesSample[]> {
  const results: SeriesSample[] = [];
  yield* eachSample(samples, (sample) => results.push({ ...sample, values: sample.values.map(of) }));
  return results;
}

function* summarize(
  operand: SeriesValues,
  of: (values: readonly number[]) => number,
  over: (operand: SeriesValues, choose: Choose) => InSteps<readonly SeriesSample[]>,
  semantics: Semantics,
): InSteps<SeriesValues> {
  const choose = atOnce((points) => [{ ...points[0]!, value: of(points.map(({ value }) => numberOf(value))) }]);
  return {
    ...operand,
    metadata: { ...operand.metadata, type: MetricType.DOUBLE, form: 'real', semantics },
    samples: yield* over(operand, choose),
  };
}

/** The points that are chosen from each instance's: the result has as many samples as the instance with the most. */
function* overTime({ samples }: SeriesValues, choose: Choose): InSteps<readonly SeriesSample[]> {
  const byInstance = new Map<string, Point[]>();
  yield* eachSample(samples, (sample) => {
    for (const point of pointsOf(sample)) addTo(byInstance, point.instance, point);
  });
  const rows: Point[][] = [];
  for (const points of byInstance.values()) {
    for (const [rank, point] of (yield* choose(points)).entries()) {
      (rows[rank] ??= []).push(point);
      if (rank % POINTS_AT_ONCE === 0) yield;
    }
  }
  const results: SeriesSample[] = [];
  for (const [i, row] of rows.entries()) {
    results.push(sampleFrom(row));
    if (i % POINTS_AT_ONCE === 0) yield;
  }
  return results;
}

const POINTS_AT_ONCE = 512;

/** The points that are chosen from each sample's. */
function* overInstances({ samples }: SeriesValues, choose: Choose): InSteps<readonly SeriesSample[]> {
  const results: SeriesSample[] = [];
  for (const [i, sample] of samples.entries()) {
    results.push(sampleFrom(yield* choose(pointsOf(sample))));
    if (i % POINTS_AT_ONCE === 0) yield;
  }
  return results;
}

/** The same, where the result is of no instance. */
function overAllInstances(operand: SeriesValues, choose: Choose): InSteps<readonly SeriesSample[]> {
  return overInstances(operand, function* (points) {
    return (yield* choose(points)).map((point) => ({ ...point, instance: NO_INSTANCE }));
  });
}

function pointsOf(sample: SeriesSample): readonly Point[] {
  return sample.instances.map((instance, i) => ({ instance, value: sample.values[i]!, time: timeOf(sample, i) }));
}

function sampleFrom(points: readonly Point[]): SeriesSample {
  const times = points.map(({ time }) => time);
  const time = times[0]!;
  const isOne = times.every((each) => compareTimestamps(each, time) === 0);
  return {
    time,
    instances: points.map(({ instance }) => instance),
    values: points.map(({ value }) => value),
    ...(isOne ? {} : { times }),
  };
}

function atOnce(choose: (points: readonly Point[]) => readonly Point[]): Choose {
  return function* (points) {
    yield;
    return choose(points);
  };
}

/** The greatest (1) or the least (-1) point, the first of equals. */
function extreme(sign: 1 | -1): Choose {
  return atOnce((points) => [
    points.reduce((best, point) => (sign * compareValues(point.value, best.value) > 0 ? point : best)),
  ]);
}

function greatest(count: number): Choose {
  return function* (points) {
    return (yield* sortInSteps(points, (a, b) => compareValues(b.value, a.value))).slice(0, count);
  };
}

function percentile(percent: number): Choose {
  return function* (points) {
    const ascending = yield* sortInSteps(points, (a, b) => compareValues(a.value, b.value));
    return [ascending[Math.min(Math.floor((percent * points.length) / 100), points.length - 1)]!];
  };
}

/** By number, exact for integers of 64 bits; NaN counts as equal to everything. */
function compareValues(a: SeriesValue, b: SeriesValue): number {
  if (typeof a === 'string' || typeof b === 'string') return numberOf(a) - numberOf(b) || 0;
  return a < b ? -1 : a > b ? 1 : 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Of a population. */
function deviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

function requireNumbers(name: string, { type }: SeriesMetadata): void {
  if (!isArithmeticType(type)) throw refusal(`${name}: unsupported type`);
}

function refusal(message: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', message, { parameter: 'expr' });
}
