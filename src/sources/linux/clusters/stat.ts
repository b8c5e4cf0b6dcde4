import { INSTANCE_NULL, makeLabel } from '../../../pmapi/index.js';
import type { ValueSet } from '../../../pmapi/index.js';
import type { ByteScanner } from '../byte-scanner.js';
import { CPU_INDOM, LINUX_CATALOG, NODE_INDOM } from '../catalog/linux-catalog.js';
import { cell } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { InstanceTable } from '../instance-table.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { RememberedNames } from '../remembered-names.js';
import { NumberGrid, Sample, addNumber } from '../sample.js';
import { NumaNodes } from './numa.js';

/** The columns of a `cpu` line, in ticks. @see proc_stat(5) */
const TIME = {
  user: 0,
  nice: 1,
  system: 2,
  idle: 3,
  iowait: 4,
  irq: 5,
  softirq: 6,
  steal: 7,
  guest: 8,
  guestNice: 9,
  count: 10,
} as const;

const TOTALS = ['intr', 'ctxt', 'btime', 'processes', 'procs_running', 'procs_blocked'] as const;
const ALL = -1;
const OTHER = -2;
const CPU_LINE = /^cpu(\d{1,6})?$/;
/** iowait is an estimate that the kernel itself steps back; a smaller drop than this is held (PCP does the same). */
const IOWAIT_DROP_TICKS = 100;

/** What a line of /proc/stat holds: a CPU's times (its number, or ALL), or a total (its column). */
interface Line {
  readonly cpu: number;
  readonly total: number;
}

/**
 * /proc/stat: one row of times for all CPUs, one for each CPU that is online, and the totals, of which only the first number
 * counts (the `intr` line continues with one number for each interrupt line).
 */
class CpuTimes extends Sample {
  static readonly ALL_ROW = 0;
  static readonly FIRST_CPU_ROW = 1;

  readonly times = new NumberGrid(TIME.count);
  readonly totals = new NumberGrid(TOTALS.length);
  /** Row `r` of the instances is row `FIRST_CPU_ROW + r` of {@link times}. */
  readonly cpus = new InstanceTable(CPU_INDOM.indom);
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #nodes: NumaNodes;
  readonly #instancesChanged: () => void;
  readonly #lines = new RememberedNames<Line>(describeLine);
  readonly #iowaitSeen = new Map<number, number>();

  constructor(files: ProcFiles, nodes: NumaNodes, instancesChanged: () => void) {
    super();
    this.#files = files;
    this.#file = files.file('proc/stat');
    this.#nodes = nodes;
    this.#instancesChanged = instancesChanged;
  }

  /** The column of {@link totals} for a line's key. */
  total(key: (typeof TOTALS)[number]): number {
    return TOTALS.indexOf(key);
  }

  protected override refresh(): void {
    this.times.clear(CpuTimes.FIRST_CPU_ROW);
    this.totals.clear(1);
    this.cpus.clear();
    const scanner = this.#files.scan(this.#file);
    this.#lines.begin();
    if (scanner && !scanner.atEnd) {
      do this.#line(scanner);
      while (scanner.nextLine());
    }
    const changed = this.#lines.finish();
    this.#nodes.ensure(changed);
    if (changed) this.#instancesChanged();
  }

  #line(scanner: ByteScanner): void {
    const end = scanner.wordEnd();
    const { cpu, total } = this.#lines.next(scanner.bytes, scanner.pos, end);
    scanner.pos = end;
    if (total >= 0) {
      if (scanner.integer()) this.totals.store(0, total, scanner);
      return;
    }
    if (cpu === OTHER) return;
    const row = cpu === ALL ? CpuTimes.ALL_ROW : this.times.addRow();
    if (cpu !== ALL) this.cpus.add(cpu);
    this.times.storeLine(row, 0, TIME.count, scanner);
    this.#holdIowait(cpu, row);
  }

  #holdIowait(cpu: number, row: number): void {
    const now = this.times.number(row, TIME.iowait);
    const seen = this.#iowaitSeen.get(cpu) ?? 0;
    if (now < seen && seen - now < IOWAIT_DROP_TICKS) this.times.set(row, TIME.iowait, seen);
    else if (now !== seen) this.#iowaitSeen.set(cpu, now);
  }
}

function describeLine(name: string): Line {
  const cpu = CPU_LINE.exec(name);
  if (cpu) return { cpu: cpu[1] === undefined ? ALL : Number(cpu[1]), total: -1 };
  return { cpu: OTHER, total: TOTALS.indexOf(name as (typeof TOTALS)[number]) };
}

/** CPU times added up over the CPUs of each NUMA node; the times of the CPUs must be fresh before it. */
class NodeTimes extends Sample {
  /** One row for each node, in the order of the nodes' table. Sums of ticks stay far below 2^53. */
  readonly times = new NumberGrid(TIME.count);
  readonly #cpuTimes: CpuTimes;
  readonly #nodes: NumaNodes;

  constructor(cpuTimes: CpuTimes, nodes: NumaNodes) {
    super();
    this.#cpuTimes = cpuTimes;
    this.#nodes = nodes;
  }

  protected override refresh(): void {
    const { cpus, times: each } = this.#cpuTimes;
    this.times.clear(this.#nodes.table.count);
    if (cpus.count === 0) return; // /proc/stat could not be read: no value, since counters would seem to fall to 0
    for (let node = 0; node < this.times.rows; node++) {
      for (let column = 0; column < TIME.count; column++) this.times.set(node, column, 0); // a node may have no CPU
    }
    for (let i = 0; i < cpus.count; i++) {
      const node = this.#nodes.rowOf(cpus.ids[i]!);
      for (let column = 0; column < TIME.count; column++) {
        const ticks = each.number(CpuTimes.FIRST_CPU_ROW + i, column);
        if (!Number.isNaN(ticks)) this.times.set(node, column, this.times.number(node, column) + ticks);
      }
    }
  }
}

/** How a state of a CPU is made from the columns of its line: one, or the sum or difference of two. */
type State = readonly [name: string, column: number, other?: number, sign?: 1 | -1];

const STATES: readonly State[] = [
  ['user', TIME.user],
  ['nice', TIME.nice],
  ['sys', TIME.system],
  ['idle', TIME.idle],
  ['wait.total', TIME.iowait],
  ['intr', TIME.irq, TIME.softirq, 1],
  ['irq.hard', TIME.irq],
  ['irq.soft', TIME.softirq],
  ['steal', TIME.steal],
  ['guest', TIME.guest],
  ['guest_nice', TIME.guestNice],
  ['vuser', TIME.user, TIME.guest, -1],
  ['vnice', TIME.nice, TIME.guestNice, -1],
];

/** kernel.*.cpu.*, the counters of /proc/stat and which CPUs and nodes there are. @see proc_stat(5) */
export function statCluster(environment: ClusterEnvironment): LocalCluster {
  const { files, hz } = environment;
  const nodes = new NumaNodes(environment);
  const stat = new CpuTimes(files, nodes, environment.instancesChanged);
  const nodeTimes = new NodeTimes(stat, nodes);
  const samples = [stat];
  const nodeSamples = [stat, nodeTimes];
  const milliseconds = 1000 / gcd(1000, hz);
  const perTicks = hz / gcd(1000, hz);
  const emitter =
    (grid: NumberGrid, firstRow: number, [, column, other, sign]: State) =>
    (set: ValueSet, id: number, row: number): void => {
      if (other === undefined) grid.emit(set, id, firstRow + row, column, milliseconds, perTicks);
      else grid.emitSum(set, id, firstRow + row, column, other, sign, milliseconds, perTicks);
    };
  const table = new Map<string, MetricBinding>([
    ['kernel.all.intr', cell(samples, stat.totals, stat.total('intr'))],
    ['kernel.all.pswitch', cell(samples, stat.totals, stat.total('ctxt'))],
    ['kernel.all.sysfork', cell(samples, stat.totals, stat.total('processes'))],
    ['kernel.all.running', cell(samples, stat.totals, stat.total('procs_running'))],
    ['kernel.all.blocked', cell(samples, stat.totals, stat.total('procs_blocked'))],
    ['kernel.all.boottime', cell(samples, stat.totals, stat.total('btime'))],
    ['kernel.all.hz', { kind: 'quick', samples: [], fill: (set) => set.setNumber(hz) }],
    [
      'hinv.ncpu',
      {
        kind: 'quick',
        samples,
        fill(set) {
          if (stat.cpus.count > 0) set.setNumber(stat.cpus.count);
        },
      },
    ],
    [
      'hinv.nnode',
      {
        kind: 'quick',
        samples: [],
        fill(set) {
          nodes.ensure(false);
          set.setNumber(nodes.numbers.length);
        },
      },
    ],
    [
      'hinv.cpu.online',
      {
        kind: 'quick',
        samples,
        fill: (set, profile) =>
          stat.cpus.fill(set, profile, (into, cpu) => {
            const text = files.text(`sys/devices/system/cpu/cpu${cpu}/online`);
            addNumber(into, cpu, text === undefined ? 1 : Number(text));
          }),
      },
    ],
    [
      'hinv.map.cpu_num',
      {
        kind: 'quick',
        samples,
        fill: (set, profile) => stat.cpus.fill(set, profile, (into, cpu) => addNumber(into, cpu, cpu)),
      },
    ],
    [
      'hinv.map.cpu_node',
      {
        kind: 'quick',
        samples,
        fill: (set, profile) =>
          stat.cpus.fill(set, profile, (into, cpu) => addNumber(into, cpu, nodes.numbers[nodes.rowOf(cpu)] ?? 0)),
      },
    ],
  ]);
  for (const state of STATES) {
    const [name] = state;
    const all = emitter(stat.times, CpuTimes.ALL_ROW, state);
    const each = emitter(stat.times, CpuTimes.FIRST_CPU_ROW, state);
    table.set(`kernel.all.cpu.${name}`, { kind: 'quick', samples, fill: (set) => all(set, INSTANCE_NULL, 0) });
    table.set(`kernel.percpu.cpu.${name}`, {
      kind: 'quick',
      samples,
      fill: (set, profile) => stat.cpus.fill(set, profile, each),
    });
    const perNode = `kernel.pernode.cpu.${name}`;
    if (!LINUX_CATALOG.has(perNode)) continue;
    const node = emitter(nodeTimes.times, 0, state);
    table.set(perNode, {
      kind: 'quick',
      samples: nodeSamples,
      fill: (set, profile) => nodes.table.fill(set, profile, node),
    });
  }
  return {
    name: 'stat',
    metrics: LINUX_CATALOG.bind(table),
    indoms: [
      {
        catalog: CPU_INDOM,
        samples,
        list: () => stat.cpus.list((cpu) => `cpu${cpu}`),
        labels: ({ id }) => [makeLabel('cpu', id)],
      },
      {
        catalog: NODE_INDOM,
        samples,
        list: () => nodes.table.list((id) => nodes.nameOf(id)),
        labels: ({ id }) => [makeLabel('numa_node', id)],
      },
    ],
  };
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
