import { grown } from '../../../kit/index.js';
import { makeLabel, type Instance, type Label } from '../../../pmapi/index.js';
import type { ByteScanner } from '../byte-scanner.js';
import {
  CPU_INDOM,
  INTERRUPT_INDOM,
  PERCPU_INTERRUPT_INDOM,
  PERCPU_SOFTIRQ_INDOM,
  SOFTIRQ_INDOM,
} from '../catalog/linux-catalog.js';
import { cluster, perInstance, quick } from '../cluster.js';
import type { ClusterEnvironment, IndomBinding, LocalCluster, MetricBinding } from '../cluster.js';
import type { InstanceCache } from '../instance-caches.js';
import { InstanceTable } from '../instance-table.js';
import { RememberedNames } from '../remembered-names.js';
import { SampleOfFile, addNumber } from '../sample.js';

/** Counts of errors, of which there is one for the whole system. */
const NOT_PER_CPU = ['ERR', 'MIS'];

/** kernel.all.interrupts, kernel.percpu.interrupts and kernel.percpu.intr, from /proc/interrupts. */
export function interruptsCluster(environment: ClusterEnvironment): LocalCluster {
  const rows = environment.caches.of(INTERRUPT_INDOM);
  const cells = environment.caches.of(PERCPU_INTERRUPT_INDOM);
  const counts = new PerCpuCounts(environment, { path: 'proc/interrupts', leaveOut: NOT_PER_CPU, rows, cells });
  const samples = [counts];
  const indoms: IndomBinding[] = [
    {
      catalog: INTERRUPT_INDOM,
      samples,
      list: () => counts.rows.list((id) => rows.nameOf(id)),
      labels: ({ name }) => [makeLabel('irq', name), makeLabel('irqtext', counts.textOf(name))],
    },
    {
      catalog: PERCPU_INTERRUPT_INDOM,
      samples,
      list: () => counts.cells().list((id) => cells.nameOf(id)),
      labels(instance) {
        const irq = instance.name.slice(0, instance.name.lastIndexOf('::cpu'));
        return [...cellLabels(instance, 'irq'), makeLabel('irqtext', counts.textOf(irq))];
      },
    },
  ];
  const perCpu = quick(samples, (set, profile) => {
    for (const [column, cpu] of counts.cpus.entries()) {
      if (profile.includes(CPU_INDOM.indom, cpu)) addNumber(set, cpu, counts.columnSum(column));
    }
  });
  return cluster(
    'interrupts',
    [
      ['kernel.all.interrupts.total', totals(counts)],
      ['kernel.percpu.interrupts', each(counts)],
      ['kernel.percpu.intr', perCpu],
    ],
    indoms,
  );
}

/** kernel.all.softirqs and kernel.percpu.softirqs, from /proc/softirqs. */
export function softirqsCluster(environment: ClusterEnvironment): LocalCluster {
  const rows = environment.caches.of(SOFTIRQ_INDOM);
  const cells = environment.caches.of(PERCPU_SOFTIRQ_INDOM);
  const counts = new PerCpuCounts(environment, { path: 'proc/softirqs', rows, cells });
  const samples = [counts];
  const indoms: IndomBinding[] = [
    { catalog: SOFTIRQ_INDOM, samples, list: () => counts.rows.list((id) => rows.nameOf(id)) },
    {
      catalog: PERCPU_SOFTIRQ_INDOM,
      samples,
      list: () => counts.cells().list((id) => cells.nameOf(id)),
      labels: (instance) => cellLabels(instance, 'softirq'),
    },
  ];
  return cluster(
    'softirqs',
    [
      ['kernel.all.softirqs.total', totals(counts)],
      ['kernel.percpu.softirqs', each(counts)],
    ],
    indoms,
  );
}

function totals(counts: PerCpuCounts): MetricBinding {
  return perInstance([counts], counts.rows, (set, id, row) => addNumber(set, id, counts.rowSum(row)));
}

function each(counts: PerCpuCounts): MetricBinding {
  return quick([counts], (set, profile) =>
    counts.cells().fill(set, profile, (into, id, cell) => addNumber(into, id, counts.cellCount(cell))),
  );
}

const COLON = 58;
const CPU_HEADING = /^CPU(\d{1,6})$/;

interface PerCpuCountsOptions {
  readonly path: string;
  /** Rows that have one count for the whole system. */
  readonly leaveOut?: readonly string[];
  readonly rows: InstanceCache;
  readonly cells: InstanceCache;
}

/** A heading of CPUs, then rows of a name, a count for each CPU (32 bits in the kernel) and perhaps a text. */
class PerCpuCounts extends SampleOfFile {
  /** Row `r` of the table is row `r` of the file, without those left out. */
  readonly rows: InstanceTable;
  /** Numbers of the CPUs that are online, in the order of the columns. */
  readonly cpus: number[] = [];
  readonly #options: PerCpuCountsOptions;
  readonly #instancesChanged: () => void;
  readonly #headings = new RememberedNames<number | undefined>((heading) => cpuOf(heading));
  readonly #names: RememberedNames<Instance | undefined>;
  readonly #found: Instance[] = [];
  /** What stands behind the counts of each row, runs of blanks made one: an interrupt's number may pass to another device. */
  readonly #rowTexts = new RememberedNames((text) => text.trim().replace(/\s+/g, ' '));
  readonly #foundTexts: string[] = [];
  #counts = new Float64Array(64);
  #cells: InstanceTable | undefined;
  #texts: ReadonlyMap<string, string> | undefined;

  constructor({ files, instancesChanged }: ClusterEnvironment, options: PerCpuCountsOptions) {
    super(files, options.path);
    this.#options = options;
    this.rows = new InstanceTable(options.rows.indom);
    this.#instancesChanged = instancesChanged;
    const { leaveOut = [], rows } = options;
    this.#names = new RememberedNames((name) =>
      leaveOut.includes(name) ? undefined : { name, id: rows.numberOf(name) },
    );
  }

  count(row: number, column: number): number {
    return this.#counts[row * this.cpus.length + column]!;
  }

  rowSum(row: number): number {
    let sum = 0;
    for (let column = 0; column < this.cpus.length; column++) sum += this.count(row, column);
    return sum;
  }

  columnSum(column: number): number {
    let sum = 0;
    for (let row = 0; row < this.rows.count; row++) sum += this.count(row, column);
    return sum;
  }

  /** Cell `i` is row `i / cpus` on CPU `i % cpus`. There can be a hundred thousand: they get numbers when they are first asked for. */
  cells(): InstanceTable {
    if (this.#cells) return this.#cells;
    const table = new InstanceTable(this.#options.cells.indom);
    for (const { name } of this.#found) {
      for (const cpu of this.cpus) table.add(this.#options.cells.numberOf(`${name}::cpu${cpu}`));
    }
    this.#options.cells.present(table);
    return (this.#cells = table);
  }

  cellCount(i: number): number {
    return this.#counts[i]!;
  }

  textOf(name: string): string {
    this.#texts ??= new Map(this.#found.map(({ name }, row) => [name, this.#foundTexts[row] ?? '']));
    return this.#texts.get(name) ?? '';
  }

  protected override refresh(): void {
    this.rows.clear();
    this.#found.length = 0;
    this.#foundTexts.length = 0;
    this.#names.begin();
    this.#rowTexts.begin();
    const scanner = this.scan();
    const cpusChanged = this.#heading(scanner);
    if (scanner) while (scanner.nextLine()) this.#line(scanner);
    const rowsChanged = this.#names.finish();
    const textsChanged = this.#rowTexts.finish();
    if (!cpusChanged && !rowsChanged && !textsChanged) return;
    this.#options.rows.present(this.rows);
    this.#cells = undefined;
    this.#texts = undefined;
    this.#instancesChanged();
  }

  #heading(scanner: ByteScanner | undefined): boolean {
    this.cpus.length = 0;
    this.#headings.begin();
    while (scanner && !scanner.atLineEnd) {
      const end = scanner.wordEnd();
      const cpu = this.#headings.next(scanner.bytes, scanner.pos, end);
      if (cpu !== undefined) this.cpus.push(cpu);
      scanner.pos = end;
    }
    return this.#headings.finish();
  }

  #line(scanner: ByteScanner): void {
    scanner.skipBlanks();
    const end = scanner.find(COLON);
    if (end < 0) return;
    const row = this.#names.next(scanner.bytes, scanner.pos, end);
    if (!row) return;
    scanner.pos = end + 1;
    const first = this.rows.add(row.id) * this.cpus.length;
    this.#found.push(row);
    const length = first + this.cpus.length;
    if (length > this.#counts.length) this.#counts = grown(this.#counts, Math.max(length, this.#counts.length * 2));
    for (let column = 0; column < this.cpus.length; column++) {
      this.#counts[first + column] = scanner.integer() ? scanner.value : 0;
    }
    this.#foundTexts.push(this.#rowTexts.next(scanner.bytes, scanner.pos, scanner.lineEnd()));
  }
}

/** The labels of a cell's instance, made from its name (`24::cpu0`): its CPU, and `key` for its row. */
function cellLabels({ name }: Instance, key: string): readonly Label[] {
  const at = name.lastIndexOf('::cpu');
  return [makeLabel('cpu', Number(name.slice(at + '::cpu'.length))), makeLabel(key, name.slice(0, at))];
}

function cpuOf(heading: string): number | undefined {
  const digits = CPU_HEADING.exec(heading)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
