import { collectColumns } from '../context/range/index.js';
import type {
  ColumnSeries,
  GrowingSeries,
  RangeColumns,
  RangeMetric,
  RangeParameters,
} from '../context/range/index.js';
import type { Context, FetchPlan, OpenRange, RangeSettings } from '../context/index.js';
import { eventLoopTurns } from '../kit/index.js';
import {
  formatIndom,
  formatUnits,
  INDOM_NULL,
  isArithmeticType,
  MetricType,
  PmError,
  secondsBetween,
  Semantics,
} from '../pmapi/index.js';
import type { Timestamp } from '../pmapi/index.js';
import type { MeasuredMetric, MeasuredSeries, MeasuredWindow } from './measured-window.js';

/** Into how many parts the window after is divided; the one before has parts of the same length. */
export const PARTS = 24;

/** A window that was measured. */
export interface Measurement {
  readonly window: MeasuredWindow;
  /** What was found damaged while reading; undefined: nothing. */
  readonly damage: OpenRange['damage']['summary'];
}

/** Where a window begins and ends. */
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
  const columns = await collectColumns(range.samples, { limits: settings.limits });
  const { start, finish } = range.request;
  const rows = partsOfRows(columns, start, finish, parts);
  const metrics = plan.entries.map(({ descriptor }, i) => describe(columns.metrics[i]!, descriptor.semantics));
  const series: MeasuredSeries[] = [];
  for (const [i, metric] of columns.metrics.entries()) {
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    settings.signal?.throwIfAborted();
    if (!isComparable(metric)) continue;
    const names = await instanceNames(range, metric.descriptor.indom);
    for (const one of columns.seriesOf(i)) series.push(measure(one, metrics[i]!, names, rows, parts));
  }
  return { window: { start, finish, parts, metrics, series }, damage: range.damage.summary };
}

/** Numbers and texts can be compared; aggregates and event records cannot. */
function isComparable({ descriptor }: RangeMetric): boolean {
  return isArithmeticType(descriptor.type) || descriptor.type === MetricType.STRING;
}

function describe({ name, descriptor }: RangeMetric, semantics: number): MeasuredMetric {
  return {
    name,
    indom: descriptor.indom === INDOM_NULL ? undefined : formatIndom(descriptor.indom),
    units: formatUnits(descriptor.units),
    isDiscrete: semantics === Semantics.DISCRETE,
  };
}

/** The part that each row belongs to: a row's time is the start of its part. */
function partsOfRows(columns: RangeColumns, start: Timestamp, finish: Timestamp, parts: number): Int32Array {
  const widthSec = secondsBetween(finish, start) / parts;
  const places = new Int32Array(columns.length);
  for (let row = 0; row < columns.length; row++) {
    const place = widthSec > 0 ? Math.round(secondsBetween(columns.timeAt(row), start) / widthSec) : 0;
    places[row] = Math.min(Math.max(place, 0), parts - 1);
  }
  return places;
}

async function instanceNames(range: OpenRange, indom: number): Promise<ReadonlyMap<number, string>> {
  if (indom === INDOM_NULL) return new Map();
  try {
    const { instances } = await range.instancesEver(indom);
    return new Map(instances.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof PmError) return new Map();
    throw error;
  }
}

function measure(
  { instance, values }: ColumnSeries,
  metric: MeasuredMetric,
  names: ReadonlyMap<number, string>,
  rows: Int32Array,
  parts: number,
): MeasuredSeries {
  const name = metric.indom === undefined ? undefined : (names.get(instance) ?? `inst ${instance}`);
  if (values.column.type === MetricType.STRING) return { metric, instance: name, texts: textsOf(values, rows, parts) };
  return { metric, instance: name, numbers: numbersOf(values, rows, parts) };
}

function numbersOf(values: GrowingSeries, rows: Int32Array, parts: number): Float64Array {
  const numbers = new Float64Array(parts).fill(NaN);
  for (const [row, part] of rows.entries()) {
    if (!values.isMissing(row)) numbers[part] = Number(values.at(row));
  }
  return numbers;
}

function textsOf(values: GrowingSeries, rows: Int32Array, parts: number): readonly (string | undefined)[] {
  const texts = new Array<string | undefined>(parts).fill(undefined);
  for (const [row, part] of rows.entries()) {
    const value = values.at(row);
    if (typeof value === 'string') texts[part] = value;
  }
  return texts;
}
