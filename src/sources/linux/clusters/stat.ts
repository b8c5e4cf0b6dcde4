import { makeLabel, type ValueSet } from '../../../pmapi/index.js';
import type { ByteScanner } from '../proc-files.js';
import { CPU_INDOM, NODE_INDOM } from '../catalog/linux-catalog.js';
import { cluster, perInstance, quick } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { InstanceTable, NumberGrid, Sample, SampleOfFile, addNumber } from '../sample.js';
import { RememberedNames } from '../remembered-names.js';
import { tableBindings } from '../table.js';
import { NumaNodes } from './numa.js';

/** The columns of a `cpu` line, in ticks. @see proc_stat(5) */
const TIMES = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'guest', 'guest_nice'];
const IOWAIT = TIMES.indexOf('iowait');

const TOTALS = ['intr', 'ctxt', 'btime', 'processes', 'procs_running', 'procs_blocked'];
const ALL = -1;
const OTHER = -2;
const CPU_LINE = /^cpu(\d{1,6})?$/;
/** iowait is an estimate that the kernel itself steps back; a smaller drop than this is held (PCP does the same). */
const IOWAIT_DROP_TICKS = 100;

/** A CPU's times (its number, or ALL), or a total (its column). */
interface Line {
  readonly cpu: number;
  readonly total: number;
}

/** A row of times for all CPUs, one for each CPU that is online, and the totals: of each line (as `intr`) the first number. */
class CpuTimes extends SampleOfFile {
  static readonly ALL_ROW = 0;
  static readonly FIRST_CPU_ROW = 1;

  readonly times = new NumberGrid(TIMES.length);
  readonly totals = new NumberGrid(TOTALS.length);
  /** Row `r` of the instances is row `FIRST_CPU_ROW + r` of {@link times}. */
  readonly cpus = new InstanceTable(CPU_INDOM.indom);
  readonly #nodes: NumaNodes;
  readonly #instancesChanged: () => void;
  readonly #lines = new RememberedNames<Line>(describeLine);
  readonly #iowaitSeen = new Map<number, number>();

  constructor({ files, instancesChanged }: ClusterEnvironment, nodes: NumaNodes) {
    super(files, 'proc/stat');
    this.#nodes = nodes;
    this.#instancesChanged = instancesChanged;
  }

  protected override refresh(): void {
    this.times.clear(CpuTimes.FIRST_CPU_ROW);
    this.totals.clear(1);
    this.cpus.clear();
    this.#lines.begin();
    this.eachLine((scanner) => this.#line(scanner));
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
    this.times.storeLine(row, 0, TIMES.length, scanner);
    this.#holdIowait(cpu, row);
  }

  #holdIowait(cpu: number, row: number): void {
    const now = this.times.number(row, IOWAIT);
    const seen = this.#iowaitSeen.get(cpu) ?? 0;
    if (now < seen && seen - now < IOWAIT_DROP_TICKS) this.times.set(row, IOWAIT, seen);
    else if (now !== seen) this.#iowaitSeen.set(cpu, now);
  }
}

function describeLine(name: string): Line {
  const cpu = CPU_LINE.exec(name);
  if (cpu) return { cpu: cpu[1] === undefined ? ALL : Number(cpu[1]), total: -1 };
  return { cpu: OTHER, total: TOTALS.indexOf(name) };
}

/** CPU times added up over the CPUs of each NUMA node; the times of the CPUs must be fresh before it. */
class NodeTimes extends Sample {
  /** One row for each node, in the order of the nodes' table. Sums of ticks stay far below 2^53. */
  readonly times = new NumberGrid(TIMES.length);
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
      for (let column = 0; column < TIMES.length; column++) this.times.set(node, column, 0); // a node may have no CPU
    }
    for (let i = 0; i < cpus.count; i++) {
      const node = this.#nodes.rowOf(cpus.ids[i]!);
      for (let column = 0; column < TIMES.length; column++) {
        const ticks = each.number(CpuTimes.FIRST_CPU_ROW + i, column);
        if (!Number.isNaN(ticks)) this.times.set(node, column, this.times.number(node, column) + ticks);
      }
    }
  }
}

/** kernel.*.cpu.*, the counters of /proc/stat and which CPUs and nodes there are. @see proc_stat(5) */
export function statCluster(environment: ClusterEnvironment): LocalCluster {
  const { files, hz } = environment;
  const nodes = new NumaNodes(environment);
  const stat = new CpuTimes(environment, nodes);
  const nodeTimes = new NodeTimes(stat, nodes);
  const samples = [stat];
  const file = 'proc/stat';
  const times = { file, columns: TIMES, samples, grid: stat.times };
  const each = (emit: (set: ValueSet, cpu: number) => void): MetricBinding => perInstance(samples, stat.cpus, emit);
  return cluster(
    'stat',
    [
      ...tableBindings(environment, [
        { file, columns: TOTALS, samples, grid: stat.totals },
        { ...times, first: CpuTimes.ALL_ROW },
        { ...times, first: CpuTimes.FIRST_CPU_ROW, instances: stat.cpus },
        { ...times, samples: [stat, nodeTimes], grid: nodeTimes.times, instances: nodes.table },
      ]),
      ['kernel.all.hz', quick([], (set) => set.setNumber(hz))],
      [
        'hinv.ncpu',
        quick(samples, (set) => {
          if (stat.cpus.count > 0) set.setNumber(stat.cpus.count);
        }),
      ],
      [
        'hinv.nnode',
        quick([], (set) => {
          nodes.ensure(false);
          set.setNumber(nodes.numbers.length);
        }),
      ],
      [
        'hinv.cpu.online',
        each((set, cpu) => addNumber(set, cpu, Number(files.text(`sys/devices/system/cpu/cpu${cpu}/online`) ?? 1))),
      ],
      ['hinv.map.cpu_num', each((set, cpu) => addNumber(set, cpu, cpu))],
      ['hinv.map.cpu_node', each((set, cpu) => addNumber(set, cpu, nodes.numbers[nodes.rowOf(cpu)] ?? 0))],
    ],
    [
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
  );
}
