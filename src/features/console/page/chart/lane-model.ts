import type { Metric } from '../../../../client/index.js';
import { lowerBound } from '../../../../kit/index.js';
import { instanceText, type Cell, type Series, type SeriesTable } from '../data/series-table.js';
import type { Lane, LaneForm } from '../state/url-state.js';
import type { Span } from '../state/time-window.js';
import { quantityOf, sameQuantity, scaleOf, valueText, type Quantity, type Scale } from './axis-units.js';
import { isChosen, ranked, summaryOf, type Summary } from './ranking.js';

/** What is needed to draw a metric. */
export interface MetricFacts extends Partial<Pick<Metric, 'units' | 'indom' | 'text-oneline' | 'display'>> {
  readonly name: string;
  readonly type: string;
  readonly sem: string;
}

/** A series with its statistics in the window. */
export interface LaneSeries {
  readonly series: Series;
  /** `sda`, or `disk.dev.read sda` where the lane has several metrics. */
  readonly label: string;
  readonly summary: Summary;
  /** The same series, earlier; undefined where there is none. */
  readonly past: { readonly series: Series; readonly summary: Summary } | undefined;
}

/** Earlier samples, which are drawn beneath those of the window. */
export interface Past {
  readonly table: SeriesTable;
  readonly shiftSec: number;
}

/** Everything that a lane shows of its window. Numbers are unconverted: multiplied by `quantity.factor` they are in the base unit. */
export interface LaneModel {
  readonly form: LaneForm;
  /** Those that are drawn, greatest mean first. */
  readonly drawn: readonly LaneSeries[];
  /** How many match the lane's glob, drawn or not. */
  readonly matching: number;
  readonly total: number;
  readonly quantity: Quantity;
  readonly scale: Scale;
  /** The bounds of the axis, in the base unit. */
  readonly least: number;
  readonly greatest: number;
  readonly from: number;
  readonly to: number;
  /** Each value lasts until the next one. */
  readonly isStepped: boolean;
  /** It is the only lane: it has the room of several. */
  readonly isAlone?: boolean;
  /** Since when something is far from the usual. */
  readonly since?: number | undefined;
  /** The earlier samples, with their rows; undefined if none are wanted. */
  readonly past: (Past & { readonly from: number; readonly to: number }) | undefined;
}

/** The maximum number of rows of texts or shades. */
const MOST_ROWS = 64;

/** The metrics of a lane in groups that can share an axis; texts, and metrics without metadata yet, form groups of their own. */
export function laneGroups(
  metrics: readonly string[],
  quantityOfMetric: (name: string) => Quantity | 'text',
): string[][] {
  const groups: { quantity: Quantity | 'text'; names: string[] }[] = [];
  for (const name of metrics) {
    const quantity = quantityOfMetric(name);
    const group = groups.find((each) =>
      quantity === 'text' || each.quantity === 'text'
        ? quantity === each.quantity
        : sameQuantity(each.quantity, quantity),
    );
    if (group) group.names.push(name);
    else groups.push({ quantity, names: [name] });
  }
  return groups.map(({ names }) => names);
}

/** The quantity of a metric's values in a table. */
export function quantityIn(table: SeriesTable, facts: MetricFacts | undefined, name: string, isRaw: boolean): Quantity {
  const ownUnits = facts?.units ?? '';
  const isRate = !isRaw && facts?.sem === 'counter';
  const units = table.units.get(name) ?? (isRate ? `${ownUnits} / sec` : ownUnits);
  return quantityOf({ units, ownUnits, isRate, oneline: facts?.['text-oneline'], unitHint: facts?.display?.unit });
}

interface LaneWanted {
  readonly lane: Lane;
  readonly names: readonly string[];
  readonly window: Span;
  readonly facts: ReadonlyMap<string, MetricFacts>;
  readonly past?: Past | undefined;
}

/** What a lane shows of some metrics, which share an axis. */
export function laneModel(table: SeriesTable, wanted: LaneWanted): LaneModel {
  const { lane, names, window, facts, past } = wanted;
  const { from, to } = table.rows(window.start, window.end);
  const own = table.series.filter(({ metric }) => names.includes(metric));
  const { instances } = lane;
  const matching = own.filter(
    (each) => instances === undefined || each.instance === null || isChosen(instances, instanceText(each)),
  );
  // Who chose one instance knows which: metrics tell its lines apart.
  const isOne = instances !== undefined && matching.every((each) => isSameInstance(each, matching[0]!));
  const all = matching.map((series) => {
    return { series, label: labelOf(series, names, isOne), summary: summaryOf(series, table.times, from, to) };
  });
  const earlier = past && { ...past, ...past.table.rows(window.start - past.shiftSec, window.end - past.shiftSec) };
  const hasPast = earlier && hasRowIn(earlier, window);
  const pastOf = (series: Series): LaneSeries['past'] => {
    if (!hasPast) return undefined;
    // By name: numbers of instances may change when a machine starts again.
    const isSame = (each: Series): boolean => each.metric === series.metric && isSameInstance(each, series);
    const found = earlier.table.series.find(isSame);
    const summary = found && summaryOf(found, earlier.table.times, earlier.from, earlier.to);
    return summary?.last === undefined ? undefined : { series: found!, summary };
  };
  const isText = names.some((name) => facts.get(name)?.type.toLowerCase() === 'string');
  // Parts of several sources make no whole.
  const isLine =
    lane.form === 'state' || (lane.form === 'stack' && own.some(({ source }) => source !== own[0]?.source));
  const form = isText && lane.form !== 'table' ? 'state' : ((isLine ? 'line' : lane.form) ?? 'line');
  const order = isText ? all : ranked(all);
  const drawn = order
    .filter(({ summary }) => summary.last !== undefined)
    .slice(0, form === 'line' || form === 'stack' ? lane.top : MOST_ROWS)
    .map((each) => ({ ...each, past: pastOf(each.series) }));
  const first = names[0]!;
  const quantity = quantityIn(table, facts.get(first), first, lane.isRaw);
  const isRate = !lane.isRaw && facts.get(first)?.sem === 'counter';
  const numbers = drawn.flatMap(({ summary, past: before }) => (before ? [summary, before.summary] : [summary]));
  // Of a stack, the sum is drawn.
  if (form === 'stack' && numbers[0]) numbers.push({ ...numbers[0], greatest: greatestSum(drawn, from, to) });
  const display = isRate ? undefined : facts.get(first)?.display;
  const bounds = boundsOf(numbers, quantity.factor, lane.fits, display);
  // Parts of a whole: what is missing from it can be seen.
  const whole = (display?.max ?? 0) * quantity.factor;
  if (form === 'stack' && !lane.fits && whole * ALMOST >= bounds.greatest) bounds.greatest = whole;
  return {
    ...{ form, drawn, quantity, from, to, ...bounds, past: earlier },
    ...{ matching: matching.length, total: own.length, isStepped: facts.get(first)?.sem === 'discrete' },
    scale: scaleOf(quantity, Math.max(Math.abs(bounds.least), Math.abs(bounds.greatest))),
  };
}

/** The clocks of parts are not read at one instant: their sum may be so much more than the whole, and the margin above it. */
const ALMOST = 1.1;

function greatestSum(drawn: readonly Pick<LaneSeries, 'series'>[], from: number, to: number): number {
  let most = 0;
  for (let row = from; row < to; row++) {
    const cells = drawn.map(({ series }) => series.cells[row]);
    const sum = cells.reduce<number>((part, cell) => part + (typeof cell === 'number' ? cell : 0), 0);
    most = Math.max(most, sum);
  }
  return most;
}

/** Whether earlier samples are of the window's time: rows have one more on either side, and a table may still be that of another time. */
function hasRowIn({ table: { times }, shiftSec, from }: NonNullable<LaneModel['past']>, { start, end }: Span): boolean {
  return [times[from], times[from + 1]].some(
    (at) => at !== undefined && at + shiftSec >= start && at + shiftSec <= end,
  );
}

function isSameInstance(a: Series, b: Series): boolean {
  if (a.source !== b.source) return false;
  return a.name === '' || b.name === '' ? a.instance === b.instance : a.name === b.name;
}

function labelOf(series: Series, names: readonly string[], isOne: boolean): string {
  const own = `${series.source ?? ''} ${instanceText(series)}`.trim();
  if (names.length === 1) return own === '' ? series.metric : own;
  const short = series.metric.slice(commonPrefix(names).length);
  return own === '' || isOne ? short : `${short} ${own}`;
}

/** The common prefix of all names, including a dot: `disk.dev.` of `disk.dev.read` and `disk.dev.write`. */
export function commonPrefix(names: readonly string[]): string {
  const first = names[0] ?? '';
  let length = names.length > 1 ? first.length : 0;
  for (const name of names) while (!name.startsWith(first.slice(0, length))) length--;
  return first.slice(0, first.lastIndexOf('.', length - 1) + 1);
}

/** A heading for metrics: `disk.dev: read + write`. */
export function titleOf(names: readonly string[]): string {
  const prefix = commonPrefix(names);
  if (prefix === '') return names.join(' + ');
  return `${prefix.slice(0, -1)}: ${names.map((name) => name.slice(prefix.length)).join(' + ')}`;
}

/** From zero, unless values are negative or the axis should fit them; with a margin, but not beyond what values can be. */
function boundsOf(
  summaries: readonly Summary[],
  factor: number,
  fits: boolean,
  { min = -Infinity, max = Infinity }: NonNullable<MetricFacts['display']> = {},
): { least: number; greatest: number } {
  const numbers = summaries.filter(({ count }) => count > 0);
  let least = Math.min(...numbers.map((summary) => summary.least)) * factor;
  let greatest = Math.max(...numbers.map((summary) => summary.greatest)) * factor;
  if (!Number.isFinite(least) || !Number.isFinite(greatest)) return { least: 0, greatest: 1 };
  if (!fits) least = Math.min(least, 0);
  if (!fits) greatest = Math.max(greatest, 0);
  if (least === greatest) greatest = least + (least === 0 ? 1 : Math.abs(least) * 0.1);
  const room = (greatest - least) * 0.06;
  return {
    least: least < 0 || fits ? within(least, least - room, min * factor) : least,
    greatest: within(greatest, greatest + room, max * factor),
  };
}

/** `wider` than a value, but not beyond a limit that the value keeps. */
function within(value: number, wider: number, limit: number): number {
  const isBetween = (value - limit) * (wider - limit) < 0 || value === limit;
  return isBetween ? limit : wider;
}

/** The value of an earlier series at a moment of the window, or its last one; undefined where nothing was sampled. */
export function pastCell({ drawn, past }: LaneModel, index: number, at: number | undefined): Cell {
  const earlier = drawn[index]?.past;
  if (!past || !earlier) return undefined;
  return at === undefined ? earlier.summary.last : cellNear(past.table, earlier.series, at - past.shiftSec);
}

/** The drawn values at a moment, greatest first. @param places the palette index of each drawn series */
export function valuesAt(
  { drawn, quantity }: LaneModel,
  table: Pick<SeriesTable, 'times'>,
  at: number,
  places: readonly number[],
): readonly { readonly label: string; readonly text: string; readonly place: number }[] {
  return drawn
    .flatMap(({ series, label }, i) => {
      const cell = cellNear(table, series, at) ?? undefined;
      if (cell === undefined) return [];
      const text = typeof cell === 'number' ? valueText(quantity, cell * quantity.factor) : cell;
      return [{ label, text, place: places[i] ?? 0, weight: typeof cell === 'number' ? cell : 0 }];
    })
    .sort((a, b) => b.weight - a.weight);
}

/** Beside a gap, a sample stands for its surroundings up to this multiple of its distance from the next one. */
const NEAR = 1.5;
/** The same of a sample that has no other beside it, in seconds. */
const ALONE_SEC = 1;

/**
 * The value of a series at a moment: of two samples with a line between them, the nearer one; before the first and after the last sample of a
 * stretch, none but close to it.
 */
export function cellNear({ times }: Pick<SeriesTable, 'times'>, { cells }: Pick<Series, 'cells'>, at: number): Cell {
  const sampled = (row: number, step: 1 | -1): number => {
    while (row >= 0 && row < times.length && cells[row] === undefined) row += step;
    return row;
  };
  const after = sampled(lowerBound(times, at), 1);
  const before = sampled(after - 1, -1);
  const [low, high] = [cells[before] ?? undefined, cells[after] ?? undefined];
  if (low !== undefined && high !== undefined) return at - times[before]! < times[after]! - at ? low : high;
  const [row, next] = low === undefined ? [after, sampled(after + 1, 1)] : [before, sampled(before - 1, -1)];
  const room = (cells[next] ?? undefined) === undefined ? ALONE_SEC : Math.abs(times[next]! - times[row]!) * NEAR;
  return Math.abs(times[row]! - at) <= room ? cells[row] : undefined;
}
