import type { ColumnsAnswer, FetchAnswer } from '../../../../client/index.js';
import { PER_CENT, quantityOf, type Quantity } from '../chart/axis-units.js';
import { groupsOf } from './process-facts.js';
import { PROCESSOR_TIMES } from './vital-lanes.js';

/** The values of metrics by name, each of one of its samples. */
export type Sampled = ReadonlyMap<string, { readonly at: number; readonly units: string; readonly values: Values }>;
type Values = readonly { readonly instance: number | null; readonly name?: string; readonly value: unknown }[];

/** What a cell is: a text; a moment after the machine began; a number in the units of its metric; of a processor, per cent or a share. */
type Form = 'text' | 'moment' | 'number' | 'percent' | 'share';

/** Those who use resources, and the columns of a table of them: each is of the first of its metrics that has values. */
export interface UserKind {
  readonly title: string;
  readonly columns: readonly (readonly [title: string, form: Form, ...metrics: readonly string[]])[];
  /** Whom a value is of, as addresses have it. */
  readonly whoOf: (value: Values[number]) => string;
}

const [CGROUPS, UPTIME, CPUS] = ['proc.psinfo.cgroups', 'kernel.all.uptime', 'hinv.ncpu'] as const;
const [IO, BLKIO] = ['cgroup.io.stat', 'cgroup.blkio.all.throttle.io_service_bytes'] as const;

/** Processes, by their numbers. */
export const PROCESSES: UserKind = {
  title: 'Processes',
  columns: [
    ['user', 'text', 'proc.id.uid_nm'],
    ['group', 'text', CGROUPS],
    ['processor', 'percent', 'proc.cpu.util'],
    ['memory', 'number', 'proc.psinfo.rss'],
    ['read', 'number', 'proc.io.read_bytes'],
    ['written', 'number', 'proc.io.write_bytes'],
    ['threads', 'number', 'proc.psinfo.threads'],
    ['began', 'moment', 'proc.psinfo.start_time'],
  ],
  // Where one recording follows another, instances may have other numbers than their processes.
  whoOf: ({ instance, name = '' }) => String(Number(/^\d+/.exec(name)?.[0] ?? instance)),
};

/** Control groups of version 2 or 1, by their paths. */
export const GROUPS: UserKind = {
  title: 'Control groups',
  columns: [
    ['container', 'text', 'cgroup.memory.id.container', 'cgroup.cpuacct.id.container'],
    ['processor', 'share', 'cgroup.cpu.stat.usage', 'cgroup.cpuacct.usage'],
    ['memory', 'number', 'cgroup.memory.current', 'cgroup.memory.usage'],
    ['read', 'number', `${IO}.rbytes`, `${BLKIO}.read`],
    ['written', 'number', `${IO}.wbytes`, `${BLKIO}.write`],
    ['processes', 'number', 'cgroup.pmgate.pids.current'],
  ],
  // Some are of a disk of the group.
  whoOf: ({ name = '' }) => name.replace(/::[^/]+$/, ''),
};

/** The metrics of both, counters as rates, and of the machine. */
export const USER_METRICS: readonly string[] = [
  ...[PROCESSES, GROUPS].flatMap(({ columns }) => columns.flatMap(([, , ...metrics]) => metrics)),
  ...[UPTIME, CPUS, ...PROCESSOR_TIMES],
];

type Cell = string | number;

/** A table of who uses resources; numbers are in the base units of their quantity, moments in seconds since the epoch. */
export interface UserTable {
  readonly columns: readonly UserColumn[];
  readonly rows: readonly {
    readonly who: string;
    /** Of a process as its instance is called: `004711 node`. */
    readonly name: string;
    readonly cells: readonly (Cell | undefined)[];
  }[];
}

/** A column; numbers have a quantity, and all are of a metric. */
export interface UserColumn {
  readonly title: string;
  readonly form: Form;
  readonly quantity: Quantity | undefined;
  readonly metric: string;
}

/** The values of a fetch. */
export function sampledOf({ timestamp: at, values }: FetchAnswer): Sampled {
  return new Map(values.map(({ name, units = '', instances }) => [name, { at, units, values: instances }]));
}

/** The last sample of each metric in a range. */
export function lastSampled({ times, metrics }: ColumnsAnswer): Sampled {
  return new Map(
    metrics.flatMap(({ name, units, series }) => {
      const row = times.findLastIndex((_, i) => series.some(({ values }) => values[i] !== null));
      const values = series.map((each) => ({ ...each, value: each.values[row] }));
      return row === -1 ? [] : [[name, { at: times[row]!, units, values }] as const];
    }),
  );
}

/** All of a kind of which a number was sampled; columns without values are left out. */
export function userTable(sampled: Sampled, kind: UserKind): UserTable {
  const { columns, whoOf } = kind;
  const names = new Map<string, string>();
  const filled = columns.flatMap(([title, form, ...metrics]) => {
    const metric = metrics.find((name) => (sampled.get(name)?.values.length ?? 0) > 0) ?? '';
    const { units = '', values = [] } = sampled.get(metric) ?? {};
    const quantity = quantityOf({ units });
    const toCell = cellOf(sampled, form, quantity.factor);
    const cells = new Map<string, Cell>();
    for (const each of values) {
      const [who, cell] = [whoOf(each), toCell(each.value)];
      // Threads of the kernel have no memory; version 1 counts that of the kernel for all groups but the root.
      if (cell === undefined || (cell === 0 && metric === 'proc.psinfo.rss')) continue;
      if (who === '/' && metric === 'cgroup.memory.usage') continue;
      const before = cells.get(who);
      cells.set(who, typeof before === 'number' && typeof cell === 'number' ? before + cell : cell);
      if (each.name !== undefined) names.set(who, each.name);
    }
    const isProcessor = form === 'percent' || form === 'share';
    const shown = isProcessor ? PER_CENT : form === 'number' ? quantity : undefined;
    return cells.size === 0 ? [] : [{ title, form, metric, quantity: shown, cells }];
  });
  const all = new Set(filled.flatMap(({ quantity, cells }) => (quantity ? [...cells.keys()] : [])));
  const rows = [...all].map((who) => {
    return {
      who,
      name: (kind === PROCESSES ? names.get(who) : undefined) ?? who,
      cells: filled.map(({ cells }) => cells.get(who)),
    };
  });
  return { columns: filled, rows };
}

function cellOf(sampled: Sampled, form: Form, factor: number): (value: unknown) => Cell | undefined {
  const processors = processorsIn(sampled);
  const uptime = sampled.get(UPTIME);
  const booted = uptime ? uptime.at - Number(uptime.values[0]?.value) : NaN;
  return (value) => {
    if (form === 'text') return textOf(value);
    if (typeof value !== 'number') return undefined;
    if (form === 'number') return value * factor;
    if (form === 'moment') return Number.isNaN(booted) ? undefined : booted + value * factor;
    const share = (value * (form === 'share' ? 100 : 1)) / (processors ?? 1);
    // Clocks are not read at one instant: of the machine, it may be a little more.
    return processors === undefined ? share : Math.min(share, 100);
  };
}

/** A text; of the groups of a process the innermost. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.includes(':/') ? groupsOf(value).reduce((a, b) => (b.length > a.length ? b : a), '') : value;
  return text === '' ? undefined : text;
}

/** How many processors there are; undefined: not sampled, and shares are of one of them. */
export function processorsIn(sampled: Sampled): number | undefined {
  const value = sampled.get(CPUS)?.values[0]?.value;
  return typeof value === 'number' && value > 0 ? value : undefined;
}

/** What the processors do that nothing in a table of processes did, in per cent of the machine; undefined: nothing, or not known. */
export function othersIn(sampled: Sampled, { columns, rows }: UserTable): number | undefined {
  const place = columns.findIndex(({ form }) => form === 'percent');
  const busy = PROCESSOR_TIMES.filter((name) => !name.endsWith('.wait')).map((name) => sampled.get(name));
  if (place === -1 || busy.some((each) => each === undefined) || processorsIn(sampled) === undefined) return undefined;
  const sum = (values: readonly unknown[]): number =>
    values.reduce<number>((all, value) => all + (Number(value) || 0), 0);
  const rest = sum(busy.map((each) => each!.values[0]?.value)) - sum(rows.map(({ cells }) => cells[place]));
  return rest >= 0.1 ? rest : undefined;
}
