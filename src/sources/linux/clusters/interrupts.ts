import { grown } from '../../../kit/index.js';
import { makeLabel, type Instance, type Label } from '../../../pmapi/index.js';
import type { ByteScanner } from '../proc-files.js';
import type { CatalogIndom } from '../catalog/catalog.js';
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
import { InstanceTable, SampleOfFile, addNumber } from '../sample.js';
import { RememberedNames } from '../remembered-names.js';

/** Counts of errors, of which there is one for the whole system. */
const NOT_PER_CPU = ['ERR', 'MIS'];

/** kernel.all.interrupts, kernel.percpu.interrupts and kernel.percpu.intr, from /proc/interrupts. */
export function interruptsCluster(environment: ClusterEnvironment): LocalCluster {
  const file = { name: 'interrupts', leaveOut: NOT_PER_CPU, indom: INTERRUPT_INDOM, cellIndom: PERCPU_INTERRUPT_INDOM };
  const counts = new PerCpuCounts(environment, file);
  const perCpu = quick([counts], (set, profile) => {
    for (const [column, cpu] of counts.cpus.entries()) {
      if (profile.includes(CPU_INDOM.indom, cpu)) addNumber(set, cpu, counts.columnSum(column));
    }
  });
  const labelsOf = (irq: string): readonly Label[] => [makeLabel('irq', irq), makeLabel('irqtext', counts.textOf(irq))];
  const [rows, cells] = counts.indoms(labelsOf);
  const indoms = [{ ...rows, labels: ({ name }: Instance) => labelsOf(name) }, cells];
  return cluster('interrupts', [...counts.metrics(), ['kernel.percpu.intr', perCpu]], indoms);
}

/** kernel.all.softirqs and kernel.percpu.softirqs, from /proc/softirqs. */
export function softirqsCluster(environment: ClusterEnvironment): LocalCluster {
  const counts = new PerCpuCounts(environment, {
    name: 'softirqs',
    leaveOut: [],
    indom: SOFTIRQ_INDOM,
    cellIndom: PERCPU_SOFTIRQ_INDOM,
  });
  return cluster(
    'softirqs',
    counts.metrics(),
    counts.indoms((name) => [makeLabel('softirq', name)]),
  );
}

const COLON = 58;
const CPU_HEADING = /^CPU(\d{1,6})$/;

interface CountsFile {
  readonly name: string;
  /** Rows that have one count for the whole system. */
  readonly leaveOut: readonly string[];
  readonly indom: CatalogIndom;
  /** Of a count on a CPU. */
  readonly cellIndom: CatalogIndom;
}

/** A heading of CPUs, then rows of a name, a count for each CPU (32 bits in the kernel) and perhaps a text. */
class PerCpuCounts extends SampleOfFile {
  /** Row `r` of the table is row `r` of the file, without those left out. */
  readonly rows: InstanceTable;
  /** Numbers of the CPUs that are online, in the order of the columns. */
  readonly cpus: number[] = [];
  readonly #file: CountsFile;
  readonly #rowCache: InstanceCache;
  readonly #cellCache: InstanceCache;
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

  constructor({ files, caches, instancesChanged }: ClusterEnvironment, file: CountsFile) {
    super(files, `proc/${file.name}`);
    this.#file = file;
    this.#rowCache = caches.of(file.indom);
    this.#cellCache = caches.of(file.cellIndom);
    this.rows = new InstanceTable(file.indom.indom);
    this.#instancesChanged = instancesChanged;
    this.#names = new RememberedNames((name) =>
      file.leaveOut.includes(name) ? undefined : { name, id: this.#rowCache.numberOf(name) },
    );
  }

  metrics(): readonly (readonly [name: string, MetricBinding])[] {
    const { name } = this.#file;
    const totals = perInstance([this], this.rows, (set, id, row) => addNumber(set, id, this.#rowSum(row)));
    const each = quick([this], (set, profile) =>
      this.#cellTable().fill(set, profile, (into, id, cell) => addNumber(into, id, this.#counts[cell]!)),
    );
    return [
      [`kernel.all.${name}.total`, totals],
      [`kernel.percpu.${name}`, each],
    ];
  }

  /** The domains of rows, and of cells (`24::cpu0`), which have the labels of their row besides their CPU. */
  indoms(labelsOf: (row: string) => readonly Label[]): readonly [rows: IndomBinding, cells: IndomBinding] {
    const { indom, cellIndom } = this.#file;
    const labels = ({ name }: Instance): readonly Label[] => {
      const at = name.lastIndexOf('::cpu');
      return [makeLabel('cpu', Number(name.slice(at + '::cpu'.length))), ...labelsOf(name.slice(0, at))];
    };
    const cells = (): readonly Instance[] => this.#cellTable().list((id) => this.#cellCache.nameOf(id));
    return [
      { catalog: indom, samples: [this], list: () => this.rows.list((id) => this.#rowCache.nameOf(id)) },
      { catalog: cellIndom, samples: [this], list: cells, labels },
    ];
  }

  #count(row: number, column: number): number {
    return this.#counts[row * this.cpus.length + column]!;
  }

  #rowSum(row: number): number {
    let sum = 0;
    for (let column = 0; column < this.cpus.length; column++) sum += this.#count(row, column);
    return sum;
  }

  columnSum(column: number): number {
    let sum = 0;
    for (let row = 0; row < this.rows.count; row++) sum += this.#count(row, column);
    return sum;
  }

  /** Cell `i` is row `i / cpus` on CPU `i % cpus`. There can be a hundred thousand: they get numbers when they are first asked for. */
  #cellTable(): InstanceTable {
    if (this.#cells) return this.#cells;
    const table = new InstanceTable(this.#file.cellIndom.indom);
    for (const { name } of this.#found) {
      for (const cpu of this.cpus) table.add(this.#cellCache.numberOf(`${name}::cpu${cpu}`));
    }
    this.#cellCache.present(table);
    return (this.#cells = table);
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
    this.#rowCache.present(this.rows);
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

function cpuOf(heading: string): number | undefined {
  const digits = CPU_HEADING.exec(heading)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
