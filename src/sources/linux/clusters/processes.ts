import { getOrMake } from '../../../kit/index.js';
import { INSTANCE_NULL, PM_ERR, PmError, makeLabel, type Instance, type ValueSet } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import { LINUX_CATALOG, PROCESS_INDOM } from '../catalog/linux-catalog.js';
import { cluster, quick, slow } from '../cluster.js';
import type {
  ClusterEnvironment,
  IndomBinding,
  LocalCluster,
  MetricBinding,
  SlowSource,
  SlowValues,
} from '../cluster.js';
import { addNumber } from '../sample.js';
import { scaleOf } from '../table.js';
import { ProcessFiles, RUN_QUEUE_STATES, readProcesses } from './process-reader.js';
import { parseUserNames, processColumn } from './process-parsers.js';
import type { ProcessPart, ProcessQuery, ProcessSnapshot, ProcessTexts, RunQueueState } from './process-reader.js';

const INSTANCE_NAME_DIGITS = 6;
/** For how long a name is taken as known, at least and at most: in this time, a number comes to another process only if all others were used. */
const [NAMED_MS, NAMED_AGAIN_MS] = [1000, 60_000];
/** Of what was listed longer ago, nothing is known. */
const FOLLOWED_MS = 10_000;

/** A metric of single processes, the number of those in a state, or of all. */
type Item = ProcessMetric | RunQueueState | 'count';

/** One pass over /proc answers all metrics of a fetch, and reads nothing that they do not need. */
class ProcessSource implements SlowSource<Item> {
  readonly #files: ProcessFiles;
  readonly #environment: ClusterEnvironment;
  readonly #passes = new Map<string, Promise<ProcessSnapshot>>();
  readonly #names = new Map<number, { readonly name: string; readonly sinceMs: number; readonly dueMs: number }>();
  #listing: Promise<readonly Instance[]> | undefined;
  #listedMs = 0;
  #ttyNames: TtyNames | undefined;
  #userNames: ReadonlyMap<number, string> | undefined;

  constructor(environment: ClusterEnvironment) {
    this.#environment = environment;
    this.#files = new ProcessFiles(environment.files.resolve('proc'));
  }

  async sample(items: readonly Item[], profile: InstanceProfile): Promise<SlowValues<Item>> {
    const parts = new Set(items.flatMap((item) => (typeof item === 'object' ? [item.part] : [])));
    const countsStates = items.some((item) => typeof item === 'string' && item !== 'count');
    this.#userNames = undefined; // users come and go: read again when a name is requested
    const { indom } = PROCESS_INDOM;
    const includes = (pid: number): boolean => profile.includes(indom, pid);
    const some = items.some((item) => typeof item === 'string') ? undefined : profile.only(indom);
    const snapshot = await (profile.includesAll(indom)
      ? this.#passOver({ parts, countsStates, includes: () => true })
      : this.#read({ parts, countsStates, includes, some }));
    // Of others than the profile's, there are rows only where states were counted.
    const isChosen = countsStates && !profile.includesAll(indom);
    return { fill: (item, set) => fill(item, snapshot, set, isChosen ? includes : undefined) };
  }

  /** Shared by fetches of the same metrics while it is in progress. */
  #passOver(query: ProcessQuery): Promise<ProcessSnapshot> {
    const key = [...query.parts, query.countsStates].sort().join();
    return getOrMake(this.#passes, key, () => this.#read(query).finally(() => this.#passes.delete(key)));
  }

  #read(query: ProcessQuery): Promise<ProcessSnapshot> {
    const { clock, uncertain } = this.#environment;
    return readProcesses({ files: this.#files, clock, uncertain }, query);
  }

  /** All processes, listed once for those who ask meanwhile. */
  instances(): Promise<readonly Instance[]> {
    return (this.#listing ??= this.#list().finally(() => (this.#listing = undefined)));
  }

  /** A name is read again after as long as it has been the same, as a process may execute another program. */
  async #list(): Promise<readonly Instance[]> {
    const nowMs = this.#environment.clock.monotonicMs();
    const pids = new Set(await this.#files.list(nowMs));
    for (const pid of this.#names.keys())
      if (!pids.has(pid) || nowMs > this.#listedMs + FOLLOWED_MS) this.#names.delete(pid);
    this.#listedMs = nowMs;
    const due = new Set([...pids].filter((pid) => (this.#names.get(pid)?.dueMs ?? 0) <= nowMs));
    const includes = (pid: number): boolean => due.has(pid);
    const read = await this.#read({ parts: new Set(['cmdline']), countsStates: false, includes, some: due });
    for (const [row, pid] of read.pids.entries()) {
      const { psargs, cmd } = read.texts[row]!;
      // The name in stat is read where the command line is empty (kernel threads) or does not come (processes that are stuck).
      const command = cmd === undefined ? psargs?.split(' ', 1)[0] : `(${cmd})`;
      const name = `${String(pid).padStart(INSTANCE_NAME_DIGITS, '0')} ${command ?? '<exiting>'}`;
      const before = this.#names.get(pid);
      const sinceMs = before?.name === name ? before.sinceMs : nowMs;
      const dueMs = nowMs + Math.min(Math.max(nowMs - sinceMs, NAMED_MS), NAMED_AGAIN_MS);
      this.#names.set(pid, { name, sinceMs, dueMs });
    }
    return [...this.#names].map(([id, { name }]) => ({ id, name })).sort((a, b) => a.id - b.id);
  }

  close(): void {
    this.#files.close();
  }

  ttyName(device: number): string {
    this.#ttyNames ??= new TtyNames(this.#environment.files.text('proc/tty/drivers') ?? '');
    return this.#ttyNames.nameOf(device);
  }

  userName(uid: number): string {
    this.#userNames ??= parseUserNames(this.#environment.files.text('etc/passwd') ?? '');
    return this.#userNames.get(uid) ?? '';
  }
}

function fill(item: Item, snapshot: ProcessSnapshot, set: ValueSet, includes?: (pid: number) => boolean): void {
  if (item === 'count') addNumber(set, INSTANCE_NULL, snapshot.processCount);
  else if (typeof item === 'string') addNumber(set, INSTANCE_NULL, snapshot.runQueue.get(item) ?? 0);
  else {
    for (const [row, pid] of snapshot.pids.entries()) {
      if (!includes || includes(pid)) item.emit(snapshot, row, set);
    }
  }
}

/** proc.*. With `processes` off, single ones are PM_ERR_PERMISSION, as pmcd has it for unknown clients; the sums stay. */
export function processCluster(environment: ClusterEnvironment): LocalCluster {
  const source = new ProcessSource(environment);
  const perProcess = processMetrics({
    ...environment,
    ttyName: (device) => source.ttyName(device),
    userName: (uid) => source.userName(uid),
  });
  const refused = quick([], (set) => set.fail(PM_ERR.PERMISSION));
  const table = new Map<string, MetricBinding>([['proc.nprocs', slow<Item>(source, 'count')]]);
  for (const state of RUN_QUEUE_STATES) table.set(`proc.runq.${state}`, slow<Item>(source, state));
  for (const [name, metric] of perProcess) {
    table.set(name, environment.processes ? slow<Item>(source, metric) : refused);
  }
  const indom: IndomBinding = {
    catalog: PROCESS_INDOM,
    samples: [],
    list: () => (environment.processes ? source.instances() : Promise.reject(new PmError(PM_ERR.PERMISSION))),
    labels: ({ id }) => [makeLabel('pid', id)],
  };
  return { ...cluster('processes', table, [indom]), close: () => source.close() };
}

interface TtyDriver {
  readonly prefix: string;
  readonly major: number;
  readonly first: number;
  readonly last: number;
  /** Whether it serves one device, whose name is the prefix itself. */
  readonly isSingle: boolean;
}

const LINE = /^\S+\s+\/dev\/(\S+)\s+(\d+)\s+(\d+)(?:-(\d+))?\s+(\S+)/;
/** Virtual consoles are called by their minor number; other drivers count from 0. */
const CONSOLE_MAJOR = 4;

/** Names of terminals by device number, as /proc/tty/drivers tells them. @see proc_tty(5) */
export class TtyNames {
  readonly #drivers: readonly TtyDriver[];

  /** `text` is /proc/tty/drivers; lines that are not understood are left out. */
  constructor(text: string) {
    this.#drivers = text.split('\n').flatMap((line) => {
      const [, prefix, major, first, last, type] = LINE.exec(line) ?? [];
      if (prefix === undefined || major === undefined || first === undefined) return [];
      const minors = { first: Number(first), last: Number(last ?? first) };
      return [{ prefix, major: Number(major), ...minors, isSingle: type?.startsWith('system') === true }];
    });
  }

  /** The name below /dev of a terminal as numbered in /proc/PID/stat; '?' for none. */
  nameOf(device: number): string {
    if (device === 0) return '?';
    // The kernel packs a device number as minor bits 8-19, major, minor bits 0-7.
    const major = (device >>> 8) & 0xfff;
    const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
    const driver = this.#drivers.find(
      ({ major: served, first, last }) => served === major && first <= minor && minor <= last,
    );
    if (!driver) return '?';
    const { prefix, first, isSingle } = driver;
    if (isSingle) return prefix;
    if (prefix === 'pts') return `pts/${minor}`;
    if (major === CONSOLE_MAJOR && prefix === 'tty') return `tty${minor}`;
    return `${prefix}${minor - first}`;
  }
}

interface ProcessMetric {
  readonly part: ProcessPart;
  emit(snapshot: ProcessSnapshot, row: number, set: ValueSet): void;
}

interface ProcessMetricEnvironment extends Pick<ClusterEnvironment, 'hz' | 'pageSize'> {
  ttyName(device: number): string;
  userName(uid: number): string;
}

/** All per-process metrics by name: numbers of readings, and texts. PCP's agent shows some beside their names: ours are right. */
function processMetrics(environment: ProcessMetricEnvironment): ReadonlyMap<string, ProcessMetric> {
  const text = (part: ProcessPart, key: keyof ProcessTexts): ProcessMetric => ({
    part,
    emit(snapshot, row, set) {
      const value = snapshot.texts[row]![key];
      if (value !== undefined) set.addText(snapshot.pids[row]!, value);
    },
  });
  const nameOf = (part: ProcessPart, column: number, name: (value: number) => string): ProcessMetric => ({
    part,
    emit(snapshot, row, set) {
      const value = snapshot.numbers.number(row, column);
      if (!Number.isNaN(value)) set.addText(snapshot.pids[row]!, name(value));
    },
  });
  const pid: ProcessMetric = {
    part: 'stat',
    emit(snapshot, row, set) {
      if (snapshot.texts[row]!.sname !== undefined) addNumber(set, snapshot.pids[row]!, snapshot.pids[row]!);
    },
  };
  // PCP: its agent reads a field too many behind the processor, and shows priority, rt_priority, policy and guest_time a field off;
  // proc.id.gid is the real user id there (seen in 6.0.3).
  const numbers = LINUX_CATALOG.metrics.flatMap(({ name, reading }) => {
    const file = reading && /^proc\/PID\/(\w+)$/.exec(reading.file)?.[1];
    if (!file) return [];
    const column = processColumn(`${file}:${reading.column}`);
    const { multiplier, divisor } = scaleOf(reading, environment);
    const emit: ProcessMetric['emit'] = ({ numbers: grid, pids }, row, set) =>
      grid.emit(set, pids[row]!, row, column, multiplier, divisor);
    return [[name, { part: file as ProcessPart, emit }] as const];
  });
  return new Map([
    ...numbers,
    ['proc.psinfo.pid', pid],
    ['proc.psinfo.cmd', text('stat', 'cmd')],
    ['proc.psinfo.sname', text('stat', 'sname')],
    ['proc.psinfo.ttyname', nameOf('stat', processColumn('stat:7'), (device) => environment.ttyName(device))],
    ['proc.psinfo.wchan_s', text('wchan', 'wchan')],
    ['proc.psinfo.psargs', text('cmdline', 'psargs')],
    ['proc.psinfo.cgroups', text('cgroup', 'cgroups')],
    ['proc.id.container', text('cgroup', 'container')],
    ['proc.id.uid_nm', nameOf('status', processColumn('status:Uid'), (uid) => environment.userName(uid))],
  ]);
}
