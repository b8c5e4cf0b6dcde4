import type { LaneModel } from '../chart/lane-model.js';
import { BYTES, BYTES_PER_SECOND, COUNT, PER_CENT, scaleOf, valueText, type Quantity } from '../chart/axis-units.js';
import { summaryOf } from '../chart/ranking.js';
import type { Span } from '../state/time-window.js';
import type { Cell, Series, SeriesTable } from './series-table.js';
import { LOOPBACK, PROCESSOR_TIMES } from './vital-lanes.js';

/** A device, and how much it does over time. */
interface Device {
  readonly instance: number | null;
  readonly name: string;
  readonly cells: readonly Cell[];
}

/** A part of what a card draws. */
interface Part {
  readonly label: string;
  readonly cells: readonly Cell[];
  /** What it is computed from. */
  readonly of: string;
  /** What is left of the whole, or not a part of it: it is told, and not drawn. */
  readonly isRest?: boolean;
}

/** What a card of the first screen shows of a resource; cells are aligned with the rows of the table. */
export interface Reading {
  /** Its most used device: `sda`, `eth0`. */
  readonly device?: string;
  /** How much of it is used, over time, and what that is computed from. */
  readonly value: readonly Cell[];
  readonly of: string;
  readonly parts: readonly Part[];
  /** What the parts are parts of. */
  readonly whole?: number;
  readonly devices?: readonly Device[];
  /** What else is to be said of it, `of 24 GiB`, and what that is computed from. */
  readonly besides?: { readonly text: string; readonly of?: string };
}

/** A resource of a machine. */
export interface Resource {
  readonly title: string;
  readonly metrics: readonly string[];
  /** What its value needs besides. */
  readonly needs?: readonly string[];
  readonly valueQuantity: Quantity;
  readonly quantity: Quantity;
  readonly isStack: boolean;
  readonly places: readonly number[];
  /** What processes are ranked by; undefined: nothing. */
  readonly ranking?: string;
  /** undefined: it has no values. */
  readonly read: (table: Table) => Reading | undefined;
}

type Table = Pick<SeriesTable, 'times' | 'series'>;

const KBYTES = { ...BYTES, factor: 1024 };
const KBYTES_PER_SECOND = { ...BYTES_PER_SECOND, factor: 1024 };
/** Less of the processors' time, in per cent, is not seen in a chart. */
const SEEN = 0.5;
/** The most used device is that of so many last samples, so that it is not another one each second. */
const RECENT = 60;
const [DISK_READ, DISK_WRITTEN] = ['disk.dev.read_bytes', 'disk.dev.write_bytes'] as const;
const [NET_IN, NET_OUT] = ['network.interface.in.bytes', 'network.interface.out.bytes'] as const;

/** The resources, in the order of the screen. Load stands for processors where these were not recorded. */
export const RESOURCES: readonly Resource[] = [
  {
    ...{ title: 'Processor', metrics: PROCESSOR_TIMES, valueQuantity: PER_CENT, quantity: PER_CENT, isStack: true },
    places: [0, 1, 2, 3],
    ranking: 'proc.cpu.util',
    read: (table) => {
      const part = (label: string, ...kinds: readonly string[]): Part => {
        const names = kinds.map((kind) => `kernel.cpu.util.${kind}`);
        return { label, cells: added(names.map((name) => one(table, name))), of: names.join(' + ') };
      };
      // While it waits for a disk, a processor has nothing to do.
      const all = [
        part('user', 'user'),
        part('system', 'sys', 'intr'),
        part('nice', 'nice'),
        part('stolen', 'steal'),
      ].filter(({ cells }) => hasNumbers(cells));
      const parts = all.filter(({ label, cells }) => label === 'user' || cells.some((cell) => Number(cell) >= SEEN));
      // Their clocks are not read at one instant: the sum may be a little more.
      const value = added(all.map(({ cells }) => cells)).map((cell) => (isNumber(cell) ? Math.min(cell, 100) : cell));
      return reading({ value, of: all.map(({ of }) => of).join(' + '), parts, whole: 100 });
    },
  },
  {
    ...{ title: 'Memory', valueQuantity: KBYTES, quantity: KBYTES, isStack: true },
    // What is freed on demand is paler.
    places: [0, 4],
    metrics: ['mem.util.available', 'mem.util.free', 'mem.util.cached'],
    needs: ['mem.physmem'],
    ranking: 'proc.psinfo.rss',
    read: (table) => {
      // Seldom recorded, and the same all the time.
      const whole = one(table, 'mem.physmem').findLast(isNumber);
      if (whole === undefined) return undefined;
      const [available, free] = [one(table, 'mem.util.available'), one(table, 'mem.util.free')];
      const used = available.map((cell) => (isNumber(cell) ? whole - cell : cell));
      const cache = zipped(available, free, (a, b) => Math.max(a - b, 0));
      const of = 'mem.physmem - mem.util.available';
      const parts = [
        { label: 'used', cells: used, of },
        { label: 'cache', cells: cache, of: 'mem.util.available - mem.util.free' },
        { label: 'free', cells: free, of: 'mem.util.free', isRest: true },
      ];
      const besides = { text: `of ${valueText(KBYTES, whole * KBYTES.factor)}`, of: 'mem.physmem' };
      return reading({ value: used, of, parts, whole, besides });
    },
  },
  {
    ...{ title: 'Disk', valueQuantity: PER_CENT, quantity: KBYTES_PER_SECOND, isStack: false },
    places: [0, 1],
    metrics: [DISK_READ, DISK_WRITTEN],
    needs: ['disk.dev.util'],
    ranking: 'proc.io.throughput',
    read: (table) => {
      const [busiest] = devicesOf(table, ['disk.dev.util']);
      if (!busiest) return undefined;
      const part = partOf(table, busiest);
      const { cells: value, of } = part('busy', 'disk.dev.util');
      return reading({
        ...{ device: busiest.name, value, of, besides: { text: 'busy' } },
        parts: [part('read', DISK_READ), part('written', DISK_WRITTEN)],
      });
    },
  },
  {
    ...{ title: 'Network', valueQuantity: BYTES_PER_SECOND, quantity: BYTES_PER_SECOND, isStack: false },
    places: [0, 1],
    metrics: [NET_IN, NET_OUT],
    read: (table) => {
      const devices = devicesOf(table, [NET_IN, NET_OUT]);
      const [busiest] = devices;
      if (!busiest) return undefined;
      const part = partOf(table, busiest);
      const parts = [part('in', NET_IN), part('out', NET_OUT)];
      const of = parts.map((each) => each.of).join(' + ');
      const cells = table.series.find(({ name, metric }) => name === LOOPBACK && metric === NET_IN)?.cells ?? [];
      const rest = { label: `not counted: ${LOOPBACK}`, cells, of: `${NET_IN}[${LOOPBACK}]`, isRest: true };
      const all = cells.some((cell) => Number(cell) > 0) ? [...parts, rest] : parts;
      return reading({ device: busiest.name, value: busiest.cells, of, parts: all, devices });
    },
  },
  {
    ...{ title: 'Load', metrics: ['kernel.all.load'], valueQuantity: COUNT, quantity: COUNT, isStack: false },
    places: [0, 1, 4],
    read: (table) => {
      if (hasNumbers(one(table, 'kernel.cpu.util.user'))) return undefined;
      const all = table.series.filter(({ metric }) => metric === 'kernel.all.load');
      const parts = all.map(({ name, cells }) => ({ label: name, cells, of: `kernel.all.load[${name}]` }));
      const value = all.find(({ instance }) => instance === 1)?.cells ?? [];
      return reading({ value, of: 'kernel.all.load[1 minute]', parts });
    },
  },
];

/** The metrics of all resources, counters as rates. */
export const RESOURCE_METRICS: readonly string[] = [
  ...new Set([...RESOURCES.flatMap(({ metrics, needs = [] }) => [...metrics, ...needs]), 'hinv.ncpu']),
];

/** How many processors there are; undefined: not sampled. */
export function processorsOf(table: Pick<SeriesTable, 'series'>): number | undefined {
  return one(table, 'hinv.ncpu').findLast(isNumber);
}

/** A reading in the form that lanes are drawn from. */
export function readingModel(
  { isStack, quantity }: Resource,
  { parts, whole }: Reading,
  table: Pick<SeriesTable, 'rows' | 'times'>,
  { start, end }: Span,
): LaneModel {
  const { from, to } = table.rows(start, end);
  const drawn = parts.flatMap(({ label, cells, of, isRest }) => {
    if (isRest === true) return [];
    const series: Series = { metric: /^[^ []+/.exec(of)![0], instance: null, name: label, cells: cells as Cell[] };
    return { series, label, summary: summaryOf(series, table.times, from, to), past: undefined };
  });
  const most = Math.max(0, ...drawn.map(({ summary }) => summary.greatest)) * quantity.factor;
  const top = whole === undefined ? most * 1.06 || 1 : whole * quantity.factor;
  return {
    ...{ form: isStack ? 'stack' : 'line', drawn, matching: drawn.length, total: drawn.length, quantity, from, to },
    ...{ scale: scaleOf(quantity, top), least: 0, greatest: top, isStepped: false, past: undefined },
  };
}

function reading(read: Reading): Reading | undefined {
  return hasNumbers(read.value) || read.parts.some(({ cells }) => hasNumbers(cells)) ? read : undefined;
}

function hasNumbers(cells: readonly Cell[]): boolean {
  return cells.some(isNumber);
}

function isNumber(cell: Cell): cell is number {
  return typeof cell === 'number';
}

function one({ series }: Pick<SeriesTable, 'series'>, metric: string, instance: number | null = null): readonly Cell[] {
  return series.find((each) => each.metric === metric && each.instance === instance)?.cells ?? [];
}

/** Parts of a device. */
function partOf(table: Table, { instance, name }: Device): (label: string, metric: string) => Part {
  return (label, metric) => ({ label, cells: one(table, metric, instance), of: `${metric}[${name}]` });
}

/** The devices that have all of the metrics, with their sums, the most used first. */
function devicesOf(table: Table, metrics: readonly string[]): readonly Device[] {
  const own = table.series.filter(({ metric, name }) => metric === metrics[0] && name !== LOOPBACK);
  return own
    .map(({ instance, name }) => {
      const columns = metrics.map((metric) => one(table, metric, instance));
      const cells = columns.every(hasNumbers) ? added(columns) : [];
      const recent = cells.slice(-RECENT).filter(isNumber);
      const mean = recent.reduce((sum, cell) => sum + cell, 0) / recent.length;
      return { instance, name, cells, mean };
    })
    .filter(({ mean }) => !Number.isNaN(mean))
    .sort((a, b) => b.mean - a.mean || a.name.localeCompare(b.name));
}

/** Columns added row by row, without those that have no numbers; where one of the others has none, there is no sum. */
function added(columns: readonly (readonly Cell[])[]): readonly Cell[] {
  const [first = [], ...others] = columns.filter(hasNumbers);
  return others.reduce((sum, cells) => zipped(sum, cells, (a, b) => a + b), first);
}

function zipped(left: readonly Cell[], right: readonly Cell[], of: (a: number, b: number) => number): readonly Cell[] {
  return left.map((cell, row) => {
    const other = right[row];
    return isNumber(cell) && isNumber(other) ? of(cell, other) : cell === null || other === null ? null : undefined;
  });
}
