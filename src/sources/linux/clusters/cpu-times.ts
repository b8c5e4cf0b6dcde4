import { InstanceTable } from '../instance-table.js';
import { CPU_INDOM } from '../catalog/linux-catalog.js';
import type { ByteScanner } from '../byte-scanner.js';
import { NumberGrid, Sample } from '../sample.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { RememberedNames } from '../remembered-names.js';
import type { NumaNodes } from './numa-nodes.js';

/** The columns of a `cpu` line, in ticks. @see proc_stat(5) */
export const TIME = {
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
 * counts (the `intr` line goes on with one number for each interrupt line).
 */
export class CpuTimes extends Sample {
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
