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
import { sortInSteps } from '../../../kit/index.js';
import type { InSteps } from '../../../kit/index.js';
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

/** The result of a function for one series, in steps. Throws BAD_PARAMETER for operands that it cannot take. */
export function* applyFunction(call: Call, operand: SeriesValues): InSteps<SeriesValues> {
  switch (call.name) {
    case 'rate':
      return yield* rate(operand);
    case 'max':
    case 'max_inst':
      return { ...operand, samples: yield* overTime(operand, extreme(1)) };
    case 'min':
    case 'min_inst':
      return { ...operand, samples: yield* overTime(operand, extreme(-1)) };
    case 'max_sample':
      return { ...operand, samples: yield* overInstances(operand, extreme(1)) };
    case 'min_sample':
      return { ...operand, samples: yield* overInstances(operand, extreme(-1)) };
    case 'topk_inst':
      return { ...operand, samples: yield* overTime(operand, greatest(call.count)) };
    case 'topk_sample':
      return { ...operand, samples: yield* overInstances(operand, greatest(call.count)) };
    case 'nth_percentile_inst':
      return { ...operand, samples: yield* overTime(operand, percentile(call.count)) };
    case 'nth_percentile_sample':
      return { ...operand, samples: yield* overInstances(operand, percentile(call.count)) };
    case 'sum':
    case 'sum_inst':
      return yield* summary(operand, sum, overTime, operand.metadata.semantics);
    case 'sum_sample':
      return yield* summary(operand, sum, overAllInstances, operand.metadata.semantics);
    case 'avg':
    case 'avg_inst':
      return yield* summary(operand, mean, overTime, Semantics.INSTANT);
    case 'avg_sample':
      return yield* summary(operand, mean, overAllInstances, Semantics.INSTANT);
    case 'stdev_inst':
      return yield* summary(operand, deviation, overTime, Semantics.INSTANT);
    case 'stdev_sample':
      return yield* summary(operand, deviation, overAllInstances, Semantics.INSTANT);
    case 'abs':
      return yield* roundedTo(call.name, operand, Math.abs, (value) => (value < 0n ? -value : value));
    case 'floor':
      return yield* roundedTo(call.name, operand, Math.floor, (value) => value);
    case 'round':
      return yield* roundedTo(call.name, operand, roundHalfAway, (value) => value);
    case 'sqrt':
      return yield* real(call.name, operand, Math.sqrt);
    case 'log': {
      const { base } = call;
      if (base === undefined) return yield* real(call.name, operand, Math.log);
      const divisor = Math.log(Number(base));
      return yield* real(call.name, operand, (value) => Math.log(value) / divisor);
    }
    case 'rescale':
      return yield* rescale(operand, call.units);
  }
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

/** A function of each number, whose results are real. */
function* real(name: string, operand: SeriesValues, of: (value: number) => number): InSteps<SeriesValues> {
  requireNumbers(name, operand.metadata);
  return {
    ...operand,
    metadata: { ...operand.metadata, type: MetricType.DOUBLE, form: 'real' },
    samples: yield* eachValue(operand.samples, (value) => of(Number(value))),
  };
}

/** A function of each number that leaves integers integers. */
function* roundedTo(
  name: string,
  operand: SeriesValues,
  of: (value: number) => number,
  ofWide: (value: bigint) => bigint,
): InSteps<SeriesValues> {
  requireNumbers(name, operand.metadata);
  const { metadata } = operand;
  return {
    ...operand,
    metadata: { ...metadata, form: metadata.form === 'rate' ? 'real' : metadata.form },
    samples: yield* eachValue(operand.samples, (value) =>
      typeof value === 'bigint' ? ofWide(value) : of(Number(value)),
    ),
  };
}

/** As C's round(): halves away from zero. */
function roundHalfAway(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

function* eachValue(
  samples: readonly SeriesSample[],
  of: (value: SeriesValue) => SeriesValue,
): InSteps<readonly SeriesSample[]> {
  const results: SeriesSample[] = [];
  yield* eachSample(samples, (sample) => results.push({ ...sample, values: sample.values.map(of) }));
  return results;
}

/** One real number of many. */
function* summary(
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
    for (const point of pointsOf(sample)) {
      const points = byInstance.get(point.instance);
      if (points) points.push(point);
      else byInstance.set(point.instance, [point]);
    }
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
