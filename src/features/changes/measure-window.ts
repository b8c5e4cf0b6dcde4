import { DEFAULT_RANGE_LIMITS, type RangeMetric, type RangeParameters } from '../../context/range/index.js';
import type { Context, FetchPlan, OpenRange, RangeSettings } from '../../context/index.js';
import { baseFactor, instanceNames } from '../../culprits/index.js';
import { eventLoopTurns, getOrMake } from '../../kit/index.js';
import {
  formatIndom,
  formatUnits,
  GatewayError,
  INDOM_NULL,
  isArithmeticType,
  makeTimestamp,
  MetricType,
  secondsBetween,
  Semantics,
} from '../../pmapi/index.js';
import type { ValueSet } from '../../pmapi/index.js';
import { noValues, type MeasuredMetric, type MeasuredSeries, type MeasuredWindow } from './measured-window.js';

/** Into how many parts the window after is divided; the one before has parts of the same length. */
export const PARTS = 24;

export interface Measurement {
  readonly window: MeasuredWindow;
  /** What was found damaged while reading; undefined: nothing. */
  readonly damage: OpenRange['damage']['summary'];
}

/** The approximate memory of a series besides its values. */
const SERIES_BYTES = 300;

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
  const { columnBytes = DEFAULT_RANGE_LIMITS.columnBytes } = settings.limits ?? {};
  const most = Math.floor(columnBytes / (SERIES_BYTES + 8 * parts));
  const found = answered.map(() => new Map<number, ReturnType<typeof noValues>>());
  let count = 0;
  const add = (i: number, part: number, { status, instances, column }: ValueSet): void => {
    const { type } = answered[i]!.descriptor;
    // Aggregates and event records cannot be compared.
    if (type !== MetricType.STRING && !isArithmeticType(type)) return;
    const make = (): ReturnType<typeof noValues> => {
      if (++count > most) throw tooManySeries(most, parts);
      return noValues(type === MetricType.STRING, parts);
    };
    for (let k = 0; k < status; k++) {
      const { numbers, texts } = getOrMake(found[i]!, instances[k]!, make);
      if (numbers) numbers[part] = column.numbers[k]!;
      else texts[part] = column.texts[k];
    }
  };
  const { start, finish } = range.request;
  const widthSec = secondsBetween(finish, start) / parts;
  for await (const { isMark, secs, nsecs, columns } of range.samples.batches()) {
    for (let row = 0; row < secs.length && !isMark; row++) {
      // The time of a decimated row is the start of the part.
      const elapsedSec = secondsBetween(makeTimestamp(secs[row]!, nsecs[row]!), start);
      const part = widthSec > 0 ? Math.round(elapsedSec / widthSec) : 0;
      columns.forEach((column, i) => {
        add(i, Math.min(Math.max(part, 0), parts - 1), column.at(row));
      });
    }
  }
  const series: MeasuredSeries[] = [];
  for (const [i, metric] of answered.entries()) {
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    settings.signal?.throwIfAborted();
    const names = await instanceNames(range, metric.descriptor.indom);
    for (const [id, values] of found[i]!) series.push({ metric: metrics[i]!, instance: names(id), ...values });
  }
  return { window: { start, finish, parts, metrics, series }, damage: range.damage.summary };
}

function describe({ name, descriptor }: RangeMetric, recorded: RangeMetric['descriptor']): MeasuredMetric {
  const { dimSpace, dimTime, dimCount } = recorded.units;
  const isCounter = recorded.semantics === Semantics.COUNTER;
  const isTime = dimSpace === 0 && dimTime === 1 && dimCount === 0;
  return {
    name,
    indom: descriptor.indom === INDOM_NULL ? undefined : formatIndom(descriptor.indom),
    units: formatUnits(descriptor.units),
    isShare: isCounter && isTime,
    unitSec: isTime && !isCounter ? baseFactor({ descriptor: recorded }) : undefined,
    isDiscrete: recorded.semantics === Semantics.DISCRETE,
  };
}

function tooManySeries(most: number, parts: number): GatewayError {
  const fits = `${most} metrics and instances fit: name the metrics, or a node of the namespace`;
  const message = `the window has more than ${most} metrics and instances in ${parts} parts; ${fits}`;
  return new GatewayError('LIMIT_EXCEEDED', message, { parameter: 'names', expected: fits });
}
