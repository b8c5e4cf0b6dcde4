import { DEFAULT_RANGE_LIMITS } from '../../context/range/index.js';
import type { RangeMetric, RangeParameters } from '../../context/range/index.js';
import type { Context, FetchPlan, OpenRange, RangeSettings } from '../../context/index.js';
import { eventLoopTurns } from '../../kit/index.js';
import {
  formatIndom,
  formatUnits,
  GatewayError,
  INDOM_NULL,
  isArithmeticType,
  makeTimestamp,
  MetricType,
  onPmError,
  secondsBetween,
  Semantics,
} from '../../pmapi/index.js';
import type { ValueSet } from '../../pmapi/index.js';
import type { MeasuredMetric, MeasuredSeries, MeasuredWindow } from './measured-window.js';

/** Into how many parts the window after is divided; the one before has parts of the same length. */
export const PARTS = 24;

export interface Measurement {
  readonly window: MeasuredWindow;
  /** What was found damaged while reading; undefined: nothing. */
  readonly damage: OpenRange['damage']['summary'];
}

export type WindowTexts = Pick<RangeParameters, 'start' | 'finish' | 'zone'>;

/**
 * Read the metrics of a plan over a window: the mean of each part, counters as rates, and the last of texts. Reads all of the window
 * and keeps a number per part of each series, within `settings.limits.columnBytes`.
 * Throws as Fetching.range() and its samples do: BAD_PARAMETER, LIMIT_EXCEEDED, WRONG_CONTEXT, BAD_ARCHIVE, the signal's reason.
 */
export async function measureWindow(
  context: Context,
  plan: FetchPlan,
  texts: WindowTexts,
  parts: number,
  settings: RangeSettings,
): Promise<Measurement> {
  const averaged = { ...texts, points: parts, decimation: 'average', rate: true };
  const range = await context.fetching.range(plan, averaged, settings);
  const { metrics: answered } = range.samples;
  const metrics = plan.entries.map(({ descriptor }, i) => describe(answered[i]!, descriptor));
  const found = new PartValues(answered, parts, settings.limits?.columnBytes ?? DEFAULT_RANGE_LIMITS.columnBytes);
  const { start, finish } = range.request;
  const widthSec = secondsBetween(finish, start) / parts;
  for await (const { isMark, secs, nsecs, columns } of range.samples.batches()) {
    if (isMark) continue;
    // A decimated batch is one row, and its time is the start of the part.
    const elapsedSec = secondsBetween(makeTimestamp(secs[0]!, nsecs[0]!), start);
    const part = widthSec > 0 ? Math.round(elapsedSec / widthSec) : 0;
    columns.forEach((column, i) => {
      found.add(i, Math.min(Math.max(part, 0), parts - 1), column.at(0));
    });
  }
  const series: MeasuredSeries[] = [];
  for (const [i, metric] of answered.entries()) {
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    settings.signal?.throwIfAborted();
    const names = await instanceNames(range, metric.descriptor.indom);
    for (const { instance, numbers, texts } of found.of(i)) {
      series.push({ metric: metrics[i]!, instance: names(instance), ...(numbers ? { numbers } : { texts: texts! }) });
    }
  }
  return { window: { start, finish, parts, metrics, series }, damage: range.damage.summary };
}

/** The seconds of each scale of time, from nanoseconds to hours. */
const UNIT_SEC = [1e-9, 1e-6, 1e-3, 1, 60, 3600] as const;

/** Numbers and texts can be compared; aggregates and event records cannot. */
function isComparable({ descriptor }: RangeMetric): boolean {
  return isArithmeticType(descriptor.type) || descriptor.type === MetricType.STRING;
}

function describe({ name, descriptor }: RangeMetric, recorded: RangeMetric['descriptor']): MeasuredMetric {
  const { dimSpace, dimTime, dimCount, scaleTime } = recorded.units;
  const isCounter = recorded.semantics === Semantics.COUNTER;
  const isTime = dimSpace === 0 && dimTime === 1 && dimCount === 0;
  return {
    name,
    indom: descriptor.indom === INDOM_NULL ? undefined : formatIndom(descriptor.indom),
    units: formatUnits(descriptor.units),
    isShare: isCounter && isTime,
    unitSec: isTime && !isCounter ? UNIT_SEC[scaleTime] : undefined,
    isDiscrete: recorded.semantics === Semantics.DISCRETE,
  };
}

/** The name of an instance; undefined for that of a singular metric. */
async function instanceNames(range: OpenRange, indom: number): Promise<(instance: number) => string | undefined> {
  if (indom === INDOM_NULL) return () => undefined;
  const domain = await range.instancesEver(indom).catch(onPmError(() => ({ instances: [] })));
  const names = new Map(domain.instances.map(({ id, name }) => [id, name]));
  return (instance) => names.get(instance) ?? `inst ${instance}`;
}

/** The approximate memory of a series besides its values. */
const SERIES_BYTES = 300;

/** The values of one metric and instance, by part: one of the two. */
interface PartSeries {
  readonly instance: number;
  readonly numbers?: Float64Array;
  readonly texts?: (string | undefined)[];
}

/** The values of the parts of a window, by metric and instance. */
class PartValues {
  readonly #metrics: readonly RangeMetric[];
  /** By metric, in order of appearance, and by instance. */
  readonly #inOrder: readonly PartSeries[][];
  readonly #byInstance: readonly Map<number, PartSeries>[];
  readonly #parts: number;
  readonly #mostSeries: number;
  #count = 0;

  /** @param mostBytes the memory limit of all values */
  constructor(metrics: readonly RangeMetric[], parts: number, mostBytes: number) {
    this.#metrics = metrics;
    this.#inOrder = metrics.map(() => []);
    this.#byInstance = metrics.map(() => new Map());
    this.#parts = parts;
    this.#mostSeries = Math.floor(mostBytes / (SERIES_BYTES + 8 * parts));
  }

  /** The series of a metric, in order of appearance. */
  of(metric: number): readonly PartSeries[] {
    return this.#inOrder[metric]!;
  }

  /** Adds the values of a metric in one part. Throws LIMIT_EXCEEDED beyond the memory limit. */
  add(metric: number, part: number, { status, instances, column }: ValueSet): void {
    if (status <= 0 || !isComparable(this.#metrics[metric]!)) return;
    const likely = this.#inOrder[metric]!;
    for (let i = 0; i < status; i++) {
      const instance = instances[i]!;
      // The instances of a part are usually those of the previous one.
      const seen = likely[i]?.instance === instance ? likely[i] : this.#byInstance[metric]!.get(instance);
      const { numbers, texts } = seen ?? this.#addSeries(metric, instance);
      if (numbers) numbers[part] = column.numbers[i]!;
      else if (texts) texts[part] = column.texts[i];
    }
  }

  #addSeries(metric: number, instance: number): PartSeries {
    if (++this.#count > this.#mostSeries) throw tooManySeries(this.#mostSeries, this.#parts);
    const isText = this.#metrics[metric]!.descriptor.type === MetricType.STRING;
    const values: PartSeries = isText
      ? { instance, texts: new Array<string | undefined>(this.#parts).fill(undefined) }
      : { instance, numbers: new Float64Array(this.#parts).fill(NaN) };
    this.#inOrder[metric]!.push(values);
    this.#byInstance[metric]!.set(instance, values);
    return values;
  }
}

function tooManySeries(most: number, parts: number): GatewayError {
  const fits = `${most} metrics and instances fit: name the metrics, or a node of the namespace`;
  return new GatewayError(
    'LIMIT_EXCEEDED',
    `the window has more than ${most} metrics and instances in ${parts} parts; ${fits}`,
    {
      parameter: 'names',
      expected: fits,
    },
  );
}
