import { getOrMake } from '../../../kit/index.js';
import { INSTANCE_NULL, PM_ERR, PmError, makeLabel, type Instance, type ValueSet } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import { PROCESS_INDOM } from '../catalog/linux-catalog.js';
import { cluster, quick } from '../cluster.js';
import type {
  ClusterEnvironment,
  IndomBinding,
  LocalCluster,
  MetricBinding,
  SlowSource,
  SlowValues,
} from '../cluster.js';
import { addNumber } from '../sample.js';
import { ProcessFiles } from './process-files.js';
import { processMetrics, type ProcessMetric } from './process-metrics.js';
import { parseUserNames } from './process-parsers.js';
import { RUN_QUEUE_STATES, readProcesses } from './process-reader.js';
import type { ProcessPart, ProcessQuery, ProcessSnapshot, RunQueueState } from './process-reader.js';

const INSTANCE_NAME_DIGITS = 6;

type Answer =
  | { readonly kind: 'process'; readonly metric: ProcessMetric }
  | { readonly kind: 'state'; readonly state: RunQueueState }
  | { readonly kind: 'count' };

/** One pass over /proc answers all metrics of a fetch, and reads nothing that they do not need. */
class ProcessSource implements SlowSource {
  readonly #files: ProcessFiles;
  readonly #environment: ClusterEnvironment;
  readonly #answers: Answer[] = [];
  readonly #passes = new Map<string, Promise<ProcessSnapshot>>();
  #ttyNames: TtyNames | undefined;
  #userNames: ReadonlyMap<number, string> | undefined;

  constructor(environment: ClusterEnvironment) {
    this.#environment = environment;
    this.#files = new ProcessFiles(environment.files.resolve('proc'));
  }

  binding(answer: Answer): MetricBinding {
    return { kind: 'slow', source: this, item: this.#answers.push(answer) - 1 };
  }

  async sample(items: readonly number[], profile: InstanceProfile): Promise<SlowValues> {
    const parts = new Set<ProcessPart>();
    let [countsStates, countsAll] = [false, false];
    for (const item of items) {
      const answer = this.#answers[item]!;
      if (answer.kind === 'process') parts.add(answer.metric.part);
      else if (answer.kind === 'state') countsStates = true;
      else countsAll = true;
    }
    this.#userNames = undefined; // users come and go: read again when a name is requested
    const { indom } = PROCESS_INDOM;
    const includes = (pid: number): boolean => profile.includes(indom, pid);
    const some = countsStates || countsAll ? undefined : profile.only(indom);
    const snapshot = await (profile.includesAll(indom)
      ? this.#passOver({ parts, countsStates, includes: () => true })
      : this.#read({ parts, countsStates, includes, some }));
    return { fill: (item, set, wanted) => fill(this.#answers[item]!, snapshot, set, wanted) };
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

  async instances(): Promise<readonly Instance[]> {
    const snapshot = await this.#passOver({ parts: new Set(['cmdline']), countsStates: false, includes: () => true });
    return snapshot.pids.map((id, row) => {
      const { psargs, cmd } = snapshot.texts[row]!;
      // The name in stat is read where the command line is empty (kernel threads) or does not come (processes that are stuck).
      const command = cmd === undefined ? psargs?.split(' ', 1)[0] : `(${cmd})`;
      return { id, name: `${String(id).padStart(INSTANCE_NAME_DIGITS, '0')} ${command ?? '<exiting>'}` };
    });
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

function fill(answer: Answer, snapshot: ProcessSnapshot, set: ValueSet, profile: InstanceProfile): void {
  switch (answer.kind) {
    case 'count':
      addNumber(set, INSTANCE_NULL, snapshot.processCount);
      return;
    case 'state':
      addNumber(set, INSTANCE_NULL, snapshot.runQueue.get(answer.state) ?? 0);
      return;
    case 'process':
      for (const [row, pid] of snapshot.pids.entries()) {
        if (profile.includes(PROCESS_INDOM.indom, pid)) answer.metric.emit(snapshot, row, set);
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
  const table = new Map<string, MetricBinding>([['proc.nprocs', source.binding({ kind: 'count' })]]);
  for (const state of RUN_QUEUE_STATES) table.set(`proc.runq.${state}`, source.binding({ kind: 'state', state }));
  for (const [name, metric] of perProcess) {
    table.set(name, environment.processes ? source.binding({ kind: 'process', metric }) : refused);
  }
  const indom: IndomBinding = {
    catalog: PROCESS_INDOM,
    samples: [],
    list: () => (environment.processes ? source.instances() : Promise.reject(new PmError(PM_ERR.PERMISSION))),
    labels: ({ id }) => [makeLabel('pid', id)],
  };
  return cluster('processes', table, [indom]);
}

interface TtyDriver {
  /** Below /dev: `tty`, `ttyS`, `pts`. */
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
      return [
        {
          prefix,
          major: Number(major),
          first: Number(first),
          last: Number(last ?? first),
          isSingle: type?.startsWith('system') === true,
        },
      ];
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
