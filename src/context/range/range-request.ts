import {
  addInterval,
  badParameter,
  compareTimestamps,
  inParameter,
  intervalToSeconds,
  limitExceeded,
  makeTimeZone,
  parseInParameter,
  parseInterval,
  parseTimeWindow,
  parseUnits,
  SourceTextError,
  timestampFromNanoseconds,
  timestampToNanoseconds as nanoseconds,
} from '../../pmapi/index.js';
import type { Interval, ParsedUnits, TimeReferences, Timestamp, TimeWindow, TimeZone } from '../../pmapi/index.js';

export interface RangeLimits {
  readonly values: number;
  readonly points: number;
  /** Bytes of one set of columns while collected. */
  readonly columnBytes: number;
}

/** Bounds for a gateway with a few hundred megabytes to spare. */
export const DEFAULT_RANGE_LIMITS: RangeLimits = Object.freeze({
  values: 20_000_000,
  points: 100_000,
  columnBytes: 64 * 1024 * 1024,
});

/** Kinds of decimation; an envelope is a bucket's average, minimum and maximum. */
export const DECIMATIONS = ['min', 'max', 'average', 'last', 'envelope'] as const;
export type DecimationKind = (typeof DECIMATIONS)[number];

/** Number of buckets, and what is kept of each. */
export interface Decimation {
  readonly points: number;
  readonly kind: DecimationKind;
}

/** The parameters that make a fetch a range, as texts. */
export interface RangeParameters {
  /** -S of PCP's tools, epoch seconds or ISO 8601. The first moment; by default the bounds' start. */
  readonly start?: string | undefined;
  /** -T: the last moment; by default the bounds' end. */
  readonly finish?: string | undefined;
  /** -t: interpolates at every step of this length. Without it, recorded samples are given as they are. */
  readonly interval?: string | undefined;
  /** -s: maximum number of samples. With `finish` and no `interval`, spread evenly over the window. */
  readonly samples?: number | undefined;
  /** -O: the first sample within the window. */
  readonly offset?: string | undefined;
  /** -A: moves the start to the next multiple of this interval. */
  readonly align?: string | undefined;
  /** -Z: the time zone of times without one. */
  readonly zone?: string | undefined;
  readonly points?: number | undefined;
  /** One of {@link DECIMATIONS}, average by default. */
  readonly decimation?: string | undefined;
  readonly rate?: boolean | undefined;
  readonly units?: string | undefined;
}

/** The references of a range's texts. */
export type RangeBounds = Omit<TimeReferences, 'bareNumber'>;

export interface RangeRequest {
  /** The window; empty when `finish` is before `start`. */
  readonly start: Timestamp;
  readonly finish: Timestamp;
  readonly origin: Timestamp;
  /** The step of interpolation; undefined: every recorded sample. */
  readonly interval: Interval | undefined;
  readonly samples: number;
  readonly decimation: Decimation | undefined;
  readonly rate: boolean;
  readonly units: ParsedUnits | undefined;
  readonly zone: TimeZone;
}

/** Whether any parameter makes a fetch a range. `rate` and `units` alone do not. */
export function asksForRange(parameters: RangeParameters): boolean {
  const { start, finish, interval, samples, offset, align, points } = parameters;
  return [start, finish, interval, samples, offset, align, points].some((parameter) => parameter !== undefined);
}

/** Parses a range. A window outside of the bounds is empty. Throws BAD_PARAMETER, CONVERSION, LIMIT_EXCEEDED with the parameter. */
export function parseRange(
  parameters: RangeParameters,
  bounds: RangeBounds,
  limits: RangeLimits = DEFAULT_RANGE_LIMITS,
): RangeRequest {
  const zone = parameters.zone === undefined ? bounds.zone : parseZone(parameters.zone);
  const samples = wholeNumber('samples', parameters.samples) ?? Infinity;
  const window = parseWindow(parameters, { ...bounds, zone });
  const finish = window.end ?? bounds.end;
  refuseReversed(parameters, window.start, finish, bounds);
  const origin = compareTimestamps(window.origin, finish) > 0 ? window.start : window.origin;
  return {
    start: window.start,
    finish,
    origin,
    interval: parseStep(parameters, origin, finish, samples),
    samples,
    decimation: parseDecimation(parameters, limits),
    rate: parameters.rate ?? false,
    units: parameters.units === undefined ? undefined : parseRangeUnits(parameters.units),
    zone,
  };
}

/** The number of interpolated samples; undefined for recorded ones, unknown before reading. */
export function countMoments({ origin, finish, interval, samples }: RangeRequest): number | undefined {
  if (!interval) return undefined;
  if (compareTimestamps(origin, finish) > 0) return 0;
  const span = nanoseconds(finish) - nanoseconds(origin);
  return Math.min(samples, Number(span / nanoseconds(interval)) + 1);
}

/** The moments of an interpolated range, exact to the nanosecond. */
export function* moments({ origin, finish, interval, samples }: RangeRequest): Generator<Timestamp, void> {
  if (!interval) return;
  let at = origin;
  for (let i = 0; i < samples && compareTimestamps(at, finish) <= 0; i++) {
    yield at;
    at = addInterval(at, interval);
  }
}

/** Throws LIMIT_EXCEEDED, with what would fit, for too many interpolated values. `series`: metrics × instances. */
export function checkRangeCost(
  request: RangeRequest,
  series: number,
  limits: RangeLimits = DEFAULT_RANGE_LIMITS,
): void {
  const samples = countMoments(request);
  if (samples === undefined || samples * series <= limits.values) return;
  const fitting = Math.floor(limits.values / series);
  const seconds = intervalToSeconds(request.interval!) * (samples / Math.max(fitting, 1));
  const fits =
    fitting < 1
      ? 'request fewer metrics or instances'
      : `${fitting} samples would fit: an interval of ${Math.ceil(seconds)} sec, or a shorter window`;
  const cost = `${samples} samples of ${series} metrics and instances are ${samples * series} values`;
  throw limitExceeded(`${cost}; archives.rangeValues allows ${limits.values}; ${fits}`, fits, 'interval');
}

/** Ranges are refused unread if their estimate exceeds the limit by this factor. */
const ESTIMATE_SLACK = 2;
/** Minimum bytes of a value in columns: the number, and a flag. */
const COLUMN_VALUE_BYTES = 9;

/** Throws LIMIT_EXCEEDED far beyond the limits, unread. `isCollected`: values are held to the end, as columns. */
export function checkRangeEstimate(
  estimate: number,
  isCollected: boolean,
  limits: RangeLimits = DEFAULT_RANGE_LIMITS,
): void {
  const about = `about ${Number(estimate.toPrecision(2))} values`;
  if (estimate > ESTIMATE_SLACK * limits.values) {
    const fits = 'shorten the window, set an interval, or request fewer metrics';
    const message = `the range has ${about}; archives.rangeValues allows ${limits.values}; ${fits}`;
    throw limitExceeded(message, fits, 'finish');
  }
  if (!isCollected || estimate * COLUMN_VALUE_BYTES <= ESTIMATE_SLACK * limits.columnBytes) return;
  const fits = 'set points or a longer interval, request fewer metrics, or use rows, which are streamed';
  const message = `the columns of ${about} take more than ${limits.columnBytes} bytes; ${fits}`;
  throw limitExceeded(message, fits, 'points');
}

/** Parses `zone`. Throws BAD_PARAMETER with its name. */
export function parseZone(text: string): TimeZone {
  return parseInParameter('zone', text, makeTimeZone);
}

function parseWindow(parameters: RangeParameters, bounds: RangeBounds): TimeWindow {
  const { start, finish, align, offset } = parameters;
  try {
    return parseTimeWindow({ start, finish, align, origin: offset }, bounds);
  } catch (error) {
    if (!(error instanceof SourceTextError)) throw error;
    // The window's origin is what clients know as the offset.
    const { parameter = 'start' } = error.details;
    throw inParameter(parameter === 'origin' ? 'offset' : parameter, error);
  }
}

/** Throws for a finish before the start: a mistake, unlike a window outside of the bounds. */
function refuseReversed(parameters: RangeParameters, start: Timestamp, finish: Timestamp, bounds: RangeBounds): void {
  if (compareTimestamps(finish, start) >= 0 || parameters.finish === undefined) return;
  if (compareTimestamps(finish, bounds.start) < 0 || compareTimestamps(start, bounds.end) > 0) return;
  const message = `finish ${JSON.stringify(parameters.finish)} is before the start`;
  throw badParameter('finish', message, 'a time at or after the start');
}

function parseStep(
  { interval, finish }: RangeParameters,
  origin: Timestamp,
  last: Timestamp,
  samples: number,
): Interval | undefined {
  if (interval !== undefined) return parseInParameter('interval', interval, parsePositiveInterval);
  if (finish === undefined || samples === Infinity) return undefined;
  const spanNsec = nanoseconds(last) - nanoseconds(origin);
  const stepNsec = samples > 1 ? spanNsec / BigInt(samples - 1) : spanNsec;
  return stepNsec > 0n ? timestampFromNanoseconds(stepNsec) : { sec: 0, nsec: 1 };
}

function parsePositiveInterval(text: string): Interval {
  const interval = parseInterval(text);
  if (interval.sec > 0 || interval.nsec > 0) return interval;
  throw new SourceTextError('BAD_PARAMETER', 'the interval must be greater than 0', {
    source: text,
    offset: 0,
    expected: 'an interval, for example 10, 500msec or 1min 30sec',
  });
}

function parseDecimation({ points, decimation }: RangeParameters, limits: RangeLimits): Decimation | undefined {
  const kind = decimation === undefined ? 'average' : DECIMATIONS.find((name) => name === decimation);
  const expected = `one of ${DECIMATIONS.join(', ')}`;
  if (!kind) {
    const message = `unknown decimation ${JSON.stringify(decimation)}: expected ${expected}`;
    throw badParameter('decimation', message, expected);
  }
  const wanted = wholeNumber('points', points);
  if (wanted === undefined) {
    if (decimation === undefined) return undefined;
    const message = 'decimation requires points, the number of samples to decimate to';
    throw badParameter('points', message, WHOLE_NUMBER);
  }
  if (wanted > limits.points) {
    const message = `points is ${wanted}; archives.rangePoints allows ${limits.points}`;
    throw limitExceeded(message, `at most ${limits.points}`, 'points');
  }
  return { points: wanted, kind };
}

function wholeNumber(parameter: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value;
  throw badParameter(parameter, `${parameter} is ${value}: expected ${WHOLE_NUMBER}`, WHOLE_NUMBER);
}

const WHOLE_NUMBER = 'a whole number, 1 or more';

/** Parses `units`. Throws SourceTextError CONVERSION with its name. */
export function parseRangeUnits(text: string): ParsedUnits {
  return parseInParameter('units', text, parseUnits);
}
