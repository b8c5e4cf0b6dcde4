import {
  addInterval,
  compareTimestamps,
  GatewayError,
  inParameter,
  intervalToSeconds,
  makeTimeZone,
  makeTimestamp,
  parseInParameter,
  parseInterval,
  parseTimeWindow,
  parseUnits,
  SourceTextError,
} from '../../pmapi/index.js';
import type { Interval, ParsedUnits, Timestamp, TimeWindow, TimeZone } from '../../pmapi/index.js';

/** What one range may ask for. */
export interface RangeLimits {
  /** Values that one range may read: samples × metrics × instances. */
  readonly values: number;
  /** Samples that a range may be decimated to. */
  readonly points: number;
  /** Bytes that one set of columns may take while it is collected. */
  readonly columnBytes: number;
}

/** Bounds for a gateway with a few hundred megabytes to spare. */
export const DEFAULT_RANGE_LIMITS: RangeLimits = Object.freeze({
  values: 20_000_000,
  points: 100_000,
  columnBytes: 64 * 1024 * 1024,
});

/** What decimation may keep of a bucket; an envelope is its average, minimum and maximum. */
export const DECIMATIONS = ['min', 'max', 'average', 'last', 'envelope'] as const;
/** One of {@link DECIMATIONS}. */
export type DecimationKind = (typeof DECIMATIONS)[number];

/** How a range is decimated: into how many buckets, and what is kept of each. */
export interface Decimation {
  readonly points: number;
  readonly kind: DecimationKind;
}

/** A range as a client writes it: the parameters of a fetch that make it one. */
export interface RangeParameters {
  /** -S of PCP's tools, epoch seconds or ISO 8601. The first moment; by default the bounds' start. */
  readonly start?: string | undefined;
  /** -T: the last moment; by default the bounds' end. */
  readonly finish?: string | undefined;
  /** -t: values are interpolated at every step of this length. Without it, what was recorded is given as it is. */
  readonly interval?: string | undefined;
  /** -s: the most samples. With `finish` and without `interval`, so many moments are spread evenly over the window. */
  readonly samples?: number | undefined;
  /** -O: where within the window the first sample is. */
  readonly offset?: string | undefined;
  /** -A: the start moves on to the next multiple of this interval. */
  readonly align?: string | undefined;
  /** -Z: the time zone of times that name none. */
  readonly zone?: string | undefined;
  /** Decimate to at most so many samples. */
  readonly points?: number | undefined;
  /** What decimation keeps of a bucket: one of {@link DECIMATIONS}, average by default. */
  readonly decimation?: string | undefined;
  /** Whether counters become rates. */
  readonly rate?: boolean | undefined;
  /** Units that all metrics of the range are rescaled to. */
  readonly units?: string | undefined;
}

/** What the texts of a range relate to. */
export interface RangeBounds {
  /** The first moment of an archive, or of the remembered samples of a live source. */
  readonly start: Timestamp;
  /** The last moment of it. */
  readonly end: Timestamp;
  readonly now: Timestamp;
  /** The zone of times that name none, unless the request does. */
  readonly zone: TimeZone;
}

/** A range worked out. */
export interface RangeRequest {
  /** The window: nothing is read before `start` or after `finish`. Empty when `finish` is before `start`. */
  readonly start: Timestamp;
  readonly finish: Timestamp;
  /** The first moment to sample. */
  readonly origin: Timestamp;
  /** The step between interpolated samples; undefined: every recorded sample. */
  readonly interval: Interval | undefined;
  /** The most samples to read, Infinity for no bound of the client's. */
  readonly samples: number;
  readonly decimation: Decimation | undefined;
  readonly rate: boolean;
  readonly units: ParsedUnits | undefined;
  /** The zone of the client's times, for writing times as text. */
  readonly zone: TimeZone;
}

/** Whether any parameter makes a fetch a range. `rate` and `units` alone do not. */
export function asksForRange(parameters: RangeParameters): boolean {
  const { start, finish, interval, samples, offset, align, points } = parameters;
  return [start, finish, interval, samples, offset, align, points].some((parameter) => parameter !== undefined);
}

/**
 * Work out a range from its parameters. A window that lies outside of the bounds is an empty range, not an error.
 * @throws GatewayError BAD_PARAMETER (CONVERSION for `units`) whose details name the parameter; LIMIT_EXCEEDED for `points`
 * @see pmParseTimeWindow(3), pmval(1)
 */
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

/** How many samples an interpolated range has; undefined for one of recorded samples, whose number is unknown before reading. */
export function countMoments({ origin, finish, interval, samples }: RangeRequest): number | undefined {
  if (!interval) return undefined;
  if (compareTimestamps(origin, finish) > 0) return 0;
  const span = nanoseconds(finish) - nanoseconds(origin);
  return Math.min(samples, Number(span / nanoseconds(interval)) + 1);
}

/** The moments of an interpolated range, in order and exact to the nanosecond. */
export function* moments({ origin, finish, interval, samples }: RangeRequest): Generator<Timestamp, void> {
  if (!interval) return;
  let at = origin;
  for (let i = 0; i < samples && compareTimestamps(at, finish) <= 0; i++) {
    yield at;
    at = addInterval(at, interval);
  }
}

/**
 * Refuse an interpolated range that would read more values than the limit allows, and say what would fit. Ranges of
 * recorded samples are bounded while they are read.
 * @param series metrics × instances: how many values a sample has at most
 * @throws GatewayError LIMIT_EXCEEDED
 */
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
  throw new GatewayError(
    'LIMIT_EXCEEDED',
    `${samples} samples of ${series} metrics and instances are ${samples * series} values; archives.rangeValues allows ${limits.values}; ${fits}`,
    { parameter: 'interval', expected: fits },
  );
}

/** What a range is refused for that would be read before it is found too large: an estimate may be wrong by so much. */
const ESTIMATE_SLACK = 2;
/** What a value takes in columns, at least: the number, and whether there is one. */
const COLUMN_VALUE_BYTES = 9;

/**
 * Refuse a range that holds far more than may be read, or than fits into columns, before any of it is read; what is near the limits is
 * found while it is read.
 * @param estimate about how many values the samples of the range have, all together
 * @param isCollected whether the values are held until all of them are there: columns, without decimation
 * @throws GatewayError LIMIT_EXCEEDED
 */
export function checkRangeEstimate(
  estimate: number,
  isCollected: boolean,
  limits: RangeLimits = DEFAULT_RANGE_LIMITS,
): void {
  const about = `about ${Number(estimate.toPrecision(2))} values`;
  if (estimate > ESTIMATE_SLACK * limits.values) {
    const fits = 'shorten the window, set an interval, or request fewer metrics';
    throw new GatewayError(
      'LIMIT_EXCEEDED',
      `the range has ${about}; archives.rangeValues allows ${limits.values}; ${fits}`,
      {
        parameter: 'finish',
        expected: fits,
      },
    );
  }
  if (!isCollected || estimate * COLUMN_VALUE_BYTES <= ESTIMATE_SLACK * limits.columnBytes) return;
  const fits = 'set points or a longer interval, request fewer metrics, or use rows, which are streamed';
  throw new GatewayError(
    'LIMIT_EXCEEDED',
    `the columns of ${about} take more than ${limits.columnBytes} bytes; ${fits}`,
    { parameter: 'points', expected: fits },
  );
}

/** Read the parameter `zone`. Throws BAD_PARAMETER, which names it. */
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

/** What the client wrote puts the finish before the start: a mistake, where a window outside of the bounds is just empty. */
function refuseReversed(parameters: RangeParameters, start: Timestamp, finish: Timestamp, bounds: RangeBounds): void {
  if (compareTimestamps(finish, start) >= 0 || parameters.finish === undefined) return;
  if (compareTimestamps(finish, bounds.start) < 0 || compareTimestamps(start, bounds.end) > 0) return;
  throw new GatewayError('BAD_PARAMETER', `finish ${JSON.stringify(parameters.finish)} is before the start`, {
    parameter: 'finish',
    expected: 'a time at or after the start',
  });
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
  return stepNsec > 0n ? fromNanoseconds(stepNsec) : { sec: 0, nsec: 1 };
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
    throw new GatewayError('BAD_PARAMETER', message, { parameter: 'decimation', expected });
  }
  const wanted = wholeNumber('points', points);
  if (wanted === undefined) {
    if (decimation === undefined) return undefined;
    throw new GatewayError('BAD_PARAMETER', 'decimation requires points, the number of samples to decimate to', {
      parameter: 'points',
      expected: 'a whole number, 1 or more',
    });
  }
  if (wanted > limits.points) {
    throw new GatewayError('LIMIT_EXCEEDED', `points is ${wanted}; archives.rangePoints allows ${limits.points}`, {
      parameter: 'points',
      expected: `at most ${limits.points}`,
    });
  }
  return { points: wanted, kind: kind satisfies DecimationKind };
}

function wholeNumber(parameter: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value;
  throw new GatewayError('BAD_PARAMETER', `${parameter} is ${value}: expected a whole number, 1 or more`, {
    parameter,
    expected: 'a whole number, 1 or more',
  });
}

/** Read the parameter `units`. Throws SourceTextError CONVERSION, which names it. */
export function parseRangeUnits(text: string): ParsedUnits {
  return parseInParameter('units', text, parseUnits);
}

const BILLION = 1_000_000_000n;

function nanoseconds(t: Timestamp): bigint {
  return BigInt(t.sec) * BILLION + BigInt(t.nsec);
}

function fromNanoseconds(nsec: bigint): Timestamp {
  return makeTimestamp(Number(nsec / BILLION), Number(nsec % BILLION));
}
