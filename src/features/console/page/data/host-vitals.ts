import type { HostsAnswer } from '../../../../client/index.js';
import type { Quantity } from '../chart/axis-units.js';
import { median } from './median.js';
import { LOOPBACK, PROCESSOR_TIMES } from './vital-lanes.js';

/** A quantity that hosts are compared by. */
export interface Vital {
  readonly title: string;
  readonly quantity: Quantity;
  /** The metrics that a chart of it shows. */
  readonly metrics: readonly string[];
  /** The value of one host. */
  readonly of: (values: HostValues) => number | undefined;
  /** Smaller differences are ignored. */
  readonly floor: number;
}

/** The values of a host by metric: by instance, `null` for a metric without instances. */
export type HostValues = ReadonlyMap<string, ReadonlyMap<number | null, number>>;

const PER_CENT = { kind: 'percent', factor: 1 } as const;
const PLAIN = { kind: 'count', factor: 1, perSecond: false } as const;
const TRAFFIC = { kind: 'bytes', factor: 1, perSecond: true } as const;
const LAST_MINUTE = 1;

/** The vitals, in order. */
export const VITALS: readonly Vital[] = [
  {
    title: 'processors busy',
    quantity: PER_CENT,
    metrics: PROCESSOR_TIMES,
    // While it waits for a disk, a processor has nothing to do.
    of: (values) =>
      mapped(one(values, 'kernel.cpu.util.idle'), (idle) =>
        Math.max(100 - idle - (one(values, 'kernel.cpu.util.wait') ?? 0), 0),
      ),
    floor: 5,
  },
  {
    title: 'load',
    quantity: PLAIN,
    metrics: ['kernel.all.load'],
    of: (values) => values.get('kernel.all.load')?.get(LAST_MINUTE),
    floor: 0.5,
  },
  {
    title: 'memory used',
    quantity: PER_CENT,
    metrics: ['mem.util.available', 'mem.physmem'],
    of: (values) => {
      const [free, all] = [one(values, 'mem.util.available'), one(values, 'mem.physmem')];
      return free === undefined || all === undefined || all === 0 ? undefined : 100 * (1 - free / all);
    },
    floor: 5,
  },
  {
    title: 'busiest disk',
    quantity: PER_CENT,
    metrics: ['disk.dev.util'],
    of: (values) => most(values.get('disk.dev.util')),
    floor: 5,
  },
  {
    title: 'network traffic',
    quantity: TRAFFIC,
    metrics: ['network.interface.in.bytes', 'network.interface.out.bytes'],
    of: (values) =>
      mapped(
        sum(values.get('network.interface.in.bytes')),
        (received) => received + (sum(values.get('network.interface.out.bytes')) ?? 0),
      ),
    floor: 10_240,
  },
];

/** The metrics that are fetched for the vitals, counters as rates. */
export const VITAL_METRICS: readonly string[] = [
  'kernel.cpu.util.idle',
  'kernel.cpu.util.wait',
  'kernel.all.load',
  'mem.util.available',
  'mem.physmem',
  'disk.dev.util',
  'network.interface.in.bytes',
  'network.interface.out.bytes',
];

/** A host: its vitals, each with its deviation from the usual value, or the reason why it has none. */
export interface HostRow {
  readonly hostspec: string;
  readonly cells: readonly { readonly value: number | undefined; readonly odd: number }[];
  /** The greatest deviation. */
  readonly odd: number;
  readonly error: string | undefined;
}

/** Sorted by the greatest deviation of a vital: its distance from the median of all hosts in median absolute deviations. */
export function hostRows(hosts: HostsAnswer['hosts']): readonly HostRow[] {
  const all = hosts.map((host) => {
    const values = new Map(
      (host.values ?? []).map(({ name, instances }) => [
        name,
        new Map(
          instances.flatMap(({ instance, name: own, value }) =>
            typeof value === 'number' && own !== LOOPBACK ? [[instance, value] as const] : [],
          ),
        ),
      ]),
    );
    return { host, cells: VITALS.map((vital) => vital.of(values)) };
  });
  const distances = VITALS.map((vital, i) =>
    distancesOf(
      all.map(({ cells }) => cells[i]),
      vital.floor,
    ),
  );
  const rows = all.map(({ host: { hostspec, error }, cells }, row) => {
    const odds = cells.map((_, i) => distances[i]![row]!);
    return {
      hostspec,
      cells: cells.map((value, i) => ({ value, odd: odds[i]! })),
      odd: Math.max(...odds),
      error: error?.message,
    };
  });
  return rows.sort((a, b) => Number(b.error !== undefined) - Number(a.error !== undefined) || b.odd - a.odd);
}

/** With fewer hosts there is no usual value. */
const FEWEST = 3;
/** A median absolute deviation times this estimates a standard deviation. */
const MAD_SCALE = 1.4826;

function distancesOf(values: readonly (number | undefined)[], floor: number): readonly number[] {
  const known = values.filter((value) => value !== undefined);
  if (known.length < FEWEST) return values.map(() => 0);
  const middle = median(known);
  const spread = Math.max(MAD_SCALE * median(known.map((value) => Math.abs(value - middle))), floor);
  return values.map((value) => (value === undefined ? 0 : Math.abs(value - middle) / spread));
}

function one(values: HostValues, metric: string): number | undefined {
  return values.get(metric)?.get(null);
}

function sum(values: ReadonlyMap<number | null, number> | undefined): number | undefined {
  return values && values.size > 0 ? [...values.values()].reduce((total, value) => total + value, 0) : undefined;
}

function most(values: ReadonlyMap<number | null, number> | undefined): number | undefined {
  return values && values.size > 0 ? Math.max(...values.values()) : undefined;
}

function mapped(value: number | undefined, of: (value: number) => number): number | undefined {
  return value === undefined ? undefined : of(value);
}
