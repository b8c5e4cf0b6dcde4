import type { Timestamp, ValueSet } from '../pmapi/index.js';
import { plainName } from './plain-name.js';
import { ProcessLedger } from './process-ledger.js';
import type { ProcessIdentity, ProcessReading, ProcessUse } from './process-ledger.js';

/** The resources whose use /proc tells by process. */
export type BlamedResource = 'processor' | 'memory' | 'disk' | 'file descriptors' | 'processes';

/** Who used a resource, and how much of it. */
export interface Culprit {
  readonly kind: 'process' | 'others';
  readonly name: string;
  readonly pid?: number;
  /** In milliseconds since the boot. */
  readonly startMs?: number;
  readonly user?: string;
  /** The control group, as the kernel writes it. */
  readonly group?: string;
  readonly container?: string;
  /** In the unit of {@link Culprits}. */
  readonly use: number;
  /** How much of `use` is of children that have ended. */
  readonly ofChildren?: number;
  /** From 0 to 1; the shares of all add up to 1. */
  readonly share: number;
}

/** The culprits of a resource over a window; none, with a reason, where nothing tells. */
export interface Culprits {
  readonly resource: BlamedResource;
  readonly unit: string;
  /** The greatest first, the others last. */
  readonly who: readonly Culprit[];
  /** The seconds that were looked at. */
  readonly seconds: number;
  /** Why no one can be named. */
  readonly unknown?: string;
}

/** A moment with the value sets of {@link PROCESS_METRICS}, in order; undefined where a metric is not available. */
export interface ProcessSample {
  readonly at: Timestamp;
  readonly sets: readonly (ValueSet | undefined)[];
}

/** The metrics that tell who did it. @see proc(5) */
export const PROCESS_METRICS = [
  'proc.psinfo.pid',
  'proc.psinfo.start_time',
  'proc.psinfo.cmd',
  'proc.psinfo.ppid',
  'proc.id.uid_nm',
  'proc.psinfo.cgroups',
  'proc.id.container',
  'kernel.all.uptime',
  'proc.psinfo.utime',
  'proc.psinfo.stime',
  'proc.psinfo.cutime',
  'proc.psinfo.cstime',
  'proc.psinfo.rss',
  'proc.io.read_bytes',
  'proc.io.write_bytes',
  'proc.fd.count',
  'kernel.all.cpu.idle',
  'kernel.all.cpu.wait.total',
  'hinv.ncpu',
] as const;

type ProcessMetric = (typeof PROCESS_METRICS)[number];

/** How many processes are named unless the caller says otherwise. */
export const MOST_CULPRITS = 5;

/** How the use of a resource is read. */
interface Reckoning {
  readonly unit: string;
  readonly own: readonly ProcessMetric[];
  readonly children: readonly ProcessMetric[];
  readonly isCounter: boolean;
  /** From what is read to the unit; per second of a counter. */
  readonly factor: number;
}

const RECKONINGS: Readonly<Record<BlamedResource, Reckoning>> = {
  processor: {
    unit: '% of a processor',
    own: ['proc.psinfo.utime', 'proc.psinfo.stime'],
    children: ['proc.psinfo.cutime', 'proc.psinfo.cstime'],
    isCounter: true,
    factor: 0.1,
  },
  memory: { unit: 'MiB', own: ['proc.psinfo.rss'], children: [], isCounter: false, factor: 1 / 1024 },
  disk: {
    unit: 'MiB/s',
    own: ['proc.io.read_bytes', 'proc.io.write_bytes'],
    children: [],
    isCounter: true,
    factor: 2 ** -20,
  },
  'file descriptors': { unit: 'descriptors', own: ['proc.fd.count'], children: [], isCounter: false, factor: 1 },
  processes: { unit: 'new processes/s', own: [], children: [], isCounter: true, factor: 1 },
};

/** The smallest share that is worth a name. */
const LEAST_SHARE = 0.01;

/**
 * Who used a resource over the moments of some samples: counters by what they rose, levels (memory, descriptors) by their last reading.
 * Throws what reading the samples throws.
 * @param most how many processes are named; all others are one more
 */
export async function findCulprits(
  resource: BlamedResource,
  samples: AsyncIterable<ProcessSample> | Iterable<ProcessSample>,
  most = MOST_CULPRITS,
): Promise<Culprits> {
  const reckoning = RECKONINGS[resource];
  const { unit, isCounter } = reckoning;
  const ledger = new ProcessLedger(isCounter);
  const births = new Births();
  const busy = new BusyTime();
  const reader = new ProcessReader(reckoning);
  for await (const sample of samples) {
    busy.note(sample);
    const readings = reader.read(sample);
    if (readings.length === 0) continue;
    ledger.enter(sample.at, readings);
    if (resource === 'processes') births.note(readings);
  }
  const { seconds } = ledger;
  const nobody = (unknown: string): Culprits => ({ resource, unit, who: [], seconds, unknown });
  if (!reader.hasProcesses) return nobody('processes are not recorded, or may not be seen');
  if (isCounter && seconds <= 0) return nobody('there is only one sample of processes in this time');
  const uses = resource === 'processes' ? births.uses() : ledger.uses();
  const scale = isCounter ? reckoning.factor / seconds : reckoning.factor;
  const total = resource === 'processor' ? busy.milliseconds(seconds) : undefined;
  const who = ranked(uses, isCounter, scale, most, total === undefined ? undefined : total * scale);
  return who.length === 0 ? nobody('no process that may be seen used it') : { resource, unit, who, seconds };
}

function ranked(
  uses: readonly ProcessUse[],
  isCounter: boolean,
  scale: number,
  most: number,
  total: number | undefined,
): readonly Culprit[] {
  const used = uses
    .map(({ identity, rise, ofChildren, last }) => ({
      identity,
      use: (isCounter ? rise + ofChildren : last) * scale,
      ofChildren: ofChildren * scale,
    }))
    .filter(({ use }) => use > 0)
    .sort((a, b) => b.use - a.use);
  const sum = used.reduce((all, { use }) => all + use, 0);
  // Processes that came and went between two samples are in the total only.
  const whole = Math.max(total ?? sum, sum);
  const named = used.slice(0, most).filter(({ use }) => use >= LEAST_SHARE * whole);
  const rest = named.reduce((left, { use }) => left - use, whole);
  const who: Culprit[] = named.map(({ identity, use, ofChildren }) => ({
    kind: 'process',
    ...memberOf(identity),
    use,
    ...(ofChildren > 0 ? { ofChildren } : {}),
    share: use / whole,
  }));
  if (who.length > 0)
    who.push({ kind: 'others', name: 'others', use: Math.max(rest, 0), share: Math.max(rest / whole, 0) });
  return who;
}

function memberOf({
  pid,
  startMs,
  name,
  user,
  group,
  container,
}: ProcessIdentity): Omit<Culprit, 'kind' | 'use' | 'share'> {
  return {
    name,
    pid,
    ...(startMs === undefined ? {} : { startMs }),
    ...(user === undefined ? {} : { user }),
    ...(group === undefined ? {} : { group }),
    ...(container === undefined ? {} : { container }),
  };
}

/** Reads the processes of samples; what seldom changes may be recorded seldom. */
class ProcessReader {
  readonly #reckoning: Reckoning;
  /** By metric and instance: the last text or number. */
  readonly #known = new Map<ProcessMetric, Map<number, string | number>>();
  /** The moment of the boot, in seconds, by the last uptime. */
  #bootSec: number | undefined;
  hasProcesses = false;

  constructor(reckoning: Reckoning) {
    this.#reckoning = reckoning;
  }

  read({ at, sets }: ProcessSample): readonly ProcessReading[] {
    const now = new Map(PROCESS_METRICS.map((name, i) => [name, valuesOf(sets[i])]));
    for (const [name, values] of now) {
      if (!IDENTITY.has(name)) continue;
      const known = this.#known.get(name) ?? new Map<number, string | number>();
      for (const [instance, value] of values) known.set(instance, value);
      this.#known.set(name, known);
    }
    const { own, children } = this.#reckoning;
    const main = now.get(own[0] ?? 'proc.psinfo.ppid')!;
    if (main.size > 0) this.hasProcesses = true;
    const uptime = asNumber([...now.get('kernel.all.uptime')!.values()][0]);
    if (uptime !== undefined) this.#bootSec = at.sec + at.nsec / 1e9 - uptime;
    const uptimeSec = this.#bootSec === undefined ? undefined : at.sec + at.nsec / 1e9 - this.#bootSec;
    const sumOf = (names: readonly ProcessMetric[], instance: number): number | undefined => {
      let sum: number | undefined;
      for (const name of names) {
        const value = asNumber(now.get(name)!.get(instance));
        if (value !== undefined) sum = (sum ?? 0) + value;
      }
      return sum;
    };
    return [...main.keys()].map((instance) => ({
      identity: this.#identity(instance),
      uptimeSec,
      own: own.length === 0 ? 0 : sumOf(own, instance),
      children: sumOf(children, instance) ?? 0,
    }));
  }

  #identity(instance: number): ProcessIdentity {
    const of = (name: ProcessMetric): string | number | undefined => this.#known.get(name)?.get(instance);
    const textOf = (name: ProcessMetric): string | undefined => {
      const text = of(name);
      return typeof text === 'string' && text !== '' ? plainName(text) : undefined;
    };
    return {
      pid: asNumber(of('proc.psinfo.pid')) ?? instance,
      startMs: asNumber(of('proc.psinfo.start_time')),
      name: textOf('proc.psinfo.cmd') ?? `pid ${instance}`,
      parent: asNumber(of('proc.psinfo.ppid')),
      user: textOf('proc.id.uid_nm'),
      group: textOf('proc.psinfo.cgroups'),
      container: textOf('proc.id.container'),
    };
  }
}

/** What belongs to the identity of a process. */
const IDENTITY: ReadonlySet<ProcessMetric> = new Set(PROCESS_METRICS.slice(0, 7));

function valuesOf(set: ValueSet | undefined): ReadonlyMap<number, string | number> {
  const values = new Map<number, string | number>();
  if (!set) return values;
  const { status, instances, column } = set;
  for (let i = 0; i < status; i++) values.set(instances[i]!, column.texts[i] ?? column.numbers[i]!);
  return values;
}

function asNumber(value: string | number | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** How long processors worked, by the machine's own counters. */
class BusyTime {
  readonly #firsts = new Map<ProcessMetric, { readonly at: Timestamp; readonly value: number }>();
  readonly #lasts = new Map<ProcessMetric, { readonly at: Timestamp; readonly value: number }>();

  note({ at, sets }: ProcessSample): void {
    for (const name of ['kernel.all.cpu.idle', 'kernel.all.cpu.wait.total', 'hinv.ncpu'] as const) {
      const value = asNumber([...valuesOf(sets[PROCESS_METRICS.indexOf(name)]).values()][0]);
      if (value === undefined) continue;
      if (!this.#firsts.has(name)) this.#firsts.set(name, { at, value });
      this.#lasts.set(name, { at, value });
    }
  }

  /** Of all processors, in some seconds at the mean rate; undefined where it was not recorded. */
  milliseconds(seconds: number): number | undefined {
    const processors = this.#lasts.get('hinv.ncpu')?.value;
    const idle = this.#rate('kernel.all.cpu.idle');
    if (processors === undefined || idle === undefined) return undefined;
    const waiting = this.#rate('kernel.all.cpu.wait.total') ?? 0;
    return Math.max(processors * 1000 - idle - waiting, 0) * seconds;
  }

  #rate(name: ProcessMetric): number | undefined {
    const [first, last] = [this.#firsts.get(name), this.#lasts.get(name)];
    const seconds = first && last ? last.at.sec - first.at.sec + (last.at.nsec - first.at.nsec) / 1e9 : 0;
    return seconds > 0 ? Math.max(last!.value - first!.value, 0) / seconds : undefined;
  }
}

/** Processes that began, charged to their parents. */
class Births {
  #seen: ReadonlySet<string> | undefined;
  readonly #ofParents = new Map<number, number>();
  readonly #parents = new Map<number, ProcessIdentity>();

  note(readings: readonly ProcessReading[]): void {
    const seen = new Set<string>();
    for (const { identity } of readings) {
      const key = `${identity.pid} ${identity.startMs ?? ''}`;
      seen.add(key);
      this.#parents.set(identity.pid, identity);
      if (!this.#seen || this.#seen.has(key) || identity.parent === undefined) continue;
      this.#ofParents.set(identity.parent, (this.#ofParents.get(identity.parent) ?? 0) + 1);
    }
    this.#seen = seen;
  }

  uses(): readonly ProcessUse[] {
    return [...this.#ofParents].flatMap(([pid, rise]) => {
      const identity = this.#parents.get(pid);
      return identity ? [{ identity, rise, ofChildren: 0, last: rise }] : [];
    });
  }
}
