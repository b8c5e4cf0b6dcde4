import type { HostsAnswer } from '../../../../client/index.js';
import { BYTES_PER_SECOND, columnTexts, COUNT, PER_CENT, scaleOf, valueText } from '../chart/axis-units.js';
import type { Quantity } from '../chart/axis-units.js';
import type { Span } from '../state/time-window.js';
import { median, quantile, spreadOf } from './median.js';
import { LOOPBACK, PROCESSOR_TIMES } from './vital-lanes.js';

/** A quantity that hosts are compared by. */
export interface Vital {
  readonly title: string;
  readonly quantity: Quantity;
  readonly metrics: readonly string[];
  /** Those that its value is computed from, if they are others; counters as rates. */
  readonly needs?: readonly string[];
  /** What the value is computed from, in words. */
  readonly from: string;
  readonly of: (values: HostValues) => number | undefined;
  /** Smaller differences are ignored. */
  readonly floor: number;
}

/** The values of a host by metric: by instance, `null` for a metric without instances. */
export type HostValues = ReadonlyMap<string, ReadonlyMap<number | null, number>>;

const MILLISECONDS = { kind: 'other', factor: 1, text: 'ms' } as const;

/** The vitals, in order. */
export const VITALS: readonly Vital[] = [
  {
    ...{ title: 'processors', quantity: PER_CENT, floor: 5, metrics: PROCESSOR_TIMES },
    needs: ['kernel.cpu.util.idle', 'kernel.cpu.util.wait'],
    from: '100 - kernel.cpu.util.idle - kernel.cpu.util.wait',
    // While it waits for a disk, a processor has nothing to do.
    of: (values) => {
      const [idle, wait = 0] = [one(values, 'kernel.cpu.util.idle'), one(values, 'kernel.cpu.util.wait')];
      return idle === undefined ? undefined : Math.max(100 - idle - wait, 0);
    },
  },
  {
    ...{ title: 'load', quantity: COUNT, floor: 0.5, metrics: ['kernel.all.load'] },
    from: 'kernel.all.load[1 minute]',
    of: (values) => values.get('kernel.all.load')?.get(1),
  },
  {
    ...{ title: 'memory', quantity: PER_CENT, floor: 5, metrics: ['mem.util.available', 'mem.physmem'] },
    from: '100 * (1 - mem.util.available / mem.physmem)',
    of: (values) => {
      const [free, all] = [one(values, 'mem.util.available'), one(values, 'mem.physmem')];
      return free === undefined || all === undefined || all === 0 ? undefined : 100 * (1 - free / all);
    },
  },
  { title: 'disk busy', quantity: PER_CENT, floor: 5, ...mostOf('disk.dev.util') },
  { title: 'disk wait', quantity: MILLISECONDS, floor: 2, ...mostOf('disk.dev.await') },
  { title: 'received', quantity: BYTES_PER_SECOND, floor: 10_240, ...sumOf('network.interface.in.bytes') },
  { title: 'sent', quantity: BYTES_PER_SECOND, floor: 10_240, ...sumOf('network.interface.out.bytes') },
  {
    ...{ title: 'network errors', quantity: { ...COUNT, perSecond: true }, floor: 0.1 },
    ...sumOf('network.interface.in.errors', 'network.interface.out.errors'),
  },
];

/** The metrics that are fetched for the vitals, counters as rates. */
export const VITAL_METRICS: readonly string[] = [...new Set(VITALS.flatMap(({ metrics, needs = metrics }) => needs))];

/** From so many deviations on, a value is far from those of the other hosts. */
const ODD = 3;
/** From so many on, a cell has the next shade. */
export const SHADES = [2, ODD, 5, 8];

/** A host: its vitals, each with its deviation from the usual value, or the reason why it has none. */
export interface HostRow {
  readonly hostspec: string;
  readonly cells: readonly { readonly value: number | undefined; readonly odd: number }[];
  readonly odd: number;
  /** What is far from the others, the farthest first; vitals by their places. */
  readonly unlike: readonly number[];
  /** The farthest in words: `disk wait 48 ms, half of the others 2.1–3.4 ms`; '' if nothing is. */
  readonly sentence: string;
  readonly error: string | undefined;
}

/**
 * The hosts, those that answer first, by the greatest deviation of a vital: its distance from the median of all hosts in median absolute
 * deviations.
 */
export function hostRows(hosts: HostsAnswer['hosts']): readonly HostRow[] {
  const all = hosts.map(({ values = [] }) => {
    const own = new Map(values.map(({ name, instances }) => [name, numbersOf(instances)]));
    return VITALS.map((vital) => vital.of(own));
  });
  const columns = VITALS.map((_, i) => all.map((cells) => cells[i]));
  const distances = VITALS.map(({ floor }, i) => distancesOf(columns[i]!, floor));
  const rows = hosts.map(({ hostspec, error }, row) => {
    const odds = distances.map((each) => each[row]!);
    const unlike = [...VITALS.keys()].filter((i) => odds[i]! >= ODD).sort((a, b) => odds[b]! - odds[a]!);
    return {
      ...{ hostspec, unlike, odd: Math.max(...odds), error: error?.message },
      cells: all[row]!.map((value, i) => ({ value, odd: odds[i]! })),
      sentence: unlike[0] === undefined ? '' : sentenceOf(VITALS[unlike[0]]!, row, columns[unlike[0]]!),
    };
  });
  // Those that are like the others keep their places.
  const weight = ({ odd, error }: HostRow): number => (error !== undefined ? -1 : odd < SHADES[0]! ? 0 : odd);
  return rows.sort((a, b) => weight(b) - weight(a) || a.hostspec.localeCompare(b.hostspec, 'en', { numeric: true }));
}

function sentenceOf({ title, quantity }: Vital, row: number, values: readonly (number | undefined)[]): string {
  const known = values.filter((value, i): value is number => value !== undefined && i !== row);
  const others = [quantile(known, 0.25), quantile(known, 0.75)];
  const { divisor, unit } = scaleOf(quantity, others[1]!);
  const range = [...new Set(columnTexts(others.map((value) => value / divisor)))].join('–');
  return `${title} ${valueText(quantity, values[row]!)}, half of the others ${range} ${unit}`.trimEnd();
}

/** The values of a metric by instance: numbers only, and no traffic of a machine with itself. */
export function numbersOf(
  instances: readonly { readonly instance: number | null; readonly name?: string; readonly value: unknown }[],
): ReadonlyMap<number | null, number> {
  return new Map(
    instances.flatMap(({ instance, name, value }) =>
      typeof value === 'number' && name !== LOOPBACK ? [[instance, value] as const] : [],
    ),
  );
}

/** A value of a host in time. */
export interface VitalHistory {
  /** Seconds since the epoch. */
  readonly times: readonly number[];
  /** The values at these times: undefined where there was none just then, null where recording was interrupted. */
  readonly values: readonly (number | null | undefined)[];
}

/** So many parts of a time are read. */
export const PARTS = 90;
/** So many parts in a row without values are a gap: recordings of a minute's distance have two. */
const GAP_PARTS = 6;

/** What hosts usually have, over time: the middle half of their values, and their median; null in a gap. */
export function bandOf(histories: readonly VitalHistory[], { start, end }: Span) {
  const parts: number[][] = Array.from({ length: PARTS }, () => []);
  for (const { times, values } of histories) {
    times.forEach((at, i) => {
      const value = values[i];
      const part = Math.min(Math.floor(((at - start) / (end - start)) * PARTS), PARTS - 1);
      if (typeof value === 'number') parts[part]?.push(value);
    });
  }
  let empty = 0;
  const rows = parts.flatMap((values, i) => {
    empty = values.length < FEWEST ? empty + 1 : 0;
    return empty === 0 || empty === GAP_PARTS ? [{ at: start + ((i + 0.5) * (end - start)) / PARTS, values }] : [];
  });
  const of = (share: number): readonly (number | null)[] =>
    rows.map(({ values }) => (values.length < FEWEST ? null : quantile(values, share)));
  return { times: rows.map(({ at }) => at), low: of(0.25), middle: of(0.5), high: of(0.75) };
}

/** With fewer hosts there is no usual value. */
const FEWEST = 3;

function distancesOf(values: readonly (number | undefined)[], floor: number): readonly number[] {
  const known = values.filter((value) => value !== undefined);
  if (known.length < FEWEST) return values.map(() => 0);
  const middle = median(known);
  const spread = Math.max(spreadOf(known), floor);
  return values.map((value) => (value === undefined ? 0 : Math.abs(value - middle) / spread));
}

function one(values: HostValues, metric: string): number | undefined {
  return values.get(metric)?.get(null);
}

/** The greatest of the values of all instances. */
function mostOf(metric: string): Pick<Vital, 'metrics' | 'from' | 'of'> {
  return {
    metrics: [metric],
    from: `the instance with most ${metric}`,
    of: (values) => {
      const all = [...(values.get(metric)?.values() ?? [])];
      return all.length === 0 ? undefined : Math.max(...all);
    },
  };
}

/** The sum of the values of all instances, of the first metric at least. */
function sumOf(...metrics: readonly string[]): Pick<Vital, 'metrics' | 'from' | 'of'> {
  return {
    metrics,
    from: `sum of ${metrics.join(' + ')}, without lo`,
    of: (values) => {
      if (!values.get(metrics[0]!)?.size) return undefined;
      const all = metrics.flatMap((metric) => [...(values.get(metric)?.values() ?? [])]);
      return all.reduce((total, value) => total + value, 0);
    },
  };
}
