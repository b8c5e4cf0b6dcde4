import { INDOM_NULL, INSTANCE_NULL, type Instance, type Label, type ValueSet } from '../../pmapi/index.js';
import type { CatalogIndom, Reading } from './catalog/catalog.js';
import { LINUX_CATALOG } from './catalog/linux-catalog.js';
import { cluster, quick } from './cluster.js';
import type { ClusterEnvironment, ClusterFactory, IndomBinding, MetricBinding } from './cluster.js';
import { FileSample, integers, type Format } from './file-samples.js';
import { InstanceTable } from './instance-table.js';
import type { ProcFiles } from './proc-files.js';
import { addInteger, NumberGrid, SampleOfFile, type Sample } from './sample.js';
import type { InstanceCache } from './instance-caches.js';
import { RememberedNames } from './remembered-names.js';

/** A grid of numbers whose columns are what readings in metrics.txt name. */
export interface Table {
  readonly file: string;
  readonly columns: readonly string[];
  readonly samples: readonly Sample[];
  readonly grid: NumberGrid;
  /** The row of the single value, or of the first instance. */
  readonly first?: number;
  /** For metrics of this instance domain, a row each; absent: for metrics without instances. */
  readonly instances?: InstanceTable;
  /** Replaces the value of row {@link first}. */
  readonly total?: (set: ValueSet, cells: Cells) => void;
}

/** What {@link Table.total} adds up: a column, or the sum of two. */
export interface Cells {
  readonly column: number;
  /** -1: none. */
  readonly other: number;
  readonly divisor: number;
}

/** The factors of a reading on a machine, in lowest terms. */
export function scaleOf(
  { multiplier, divisor }: Reading,
  { hz, pageSize }: MachineConstants,
): { multiplier: number; divisor: number } {
  const [above, below] = [multiplier === 'PAGE' ? pageSize : multiplier, divisor === 'HZ' ? hz : divisor];
  const common = greatestCommonDivisor(above, below);
  return { multiplier: above / common, divisor: below / common };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

type MachineConstants = Pick<ClusterEnvironment, 'hz' | 'pageSize'>;

/** The bindings of all metrics whose readings are in the tables. */
export function tableBindings(
  machine: MachineConstants,
  tables: readonly Table[],
): readonly (readonly [name: string, binding: MetricBinding])[] {
  return LINUX_CATALOG.metrics.flatMap(({ name, descriptor, reading }) => {
    const table = tables.find(
      ({ file, columns, instances }) =>
        file === reading?.file &&
        (instances?.indom ?? INDOM_NULL) === descriptor.indom &&
        columns.includes(reading.column),
    );
    return table === undefined ? [] : [[name, bindingOf(table, reading!, machine)] as const];
  });
}

function bindingOf(table: Table, reading: Reading, machine: MachineConstants): MetricBinding {
  const { columns, samples, instances, first = 0, total } = table;
  const column = columns.indexOf(reading.column);
  const other = columns.indexOf(reading.other ?? '');
  if (reading.other !== undefined && other < 0) throw new Error(`${reading.file} has no column ${reading.other}`);
  const { multiplier, divisor } = scaleOf(reading, machine);
  if (total) return quick(samples, (set) => total(set, { column, other, divisor }));
  const emit = emitter(table, reading, { column, other, multiplier, divisor });
  return instances === undefined
    ? quick(samples, (set) => emit(set, INSTANCE_NULL, first))
    : quick(samples, (set, profile) => instances.fill(set, profile, (into, id, row) => emit(into, id, first + row)));
}

function emitter(
  { grid }: Table,
  { operator }: Reading,
  { column, other, multiplier, divisor }: Cells & { readonly multiplier: number },
): (set: ValueSet, id: number, row: number) => void {
  switch (operator) {
    case undefined:
      return (set, id, row) => grid.emit(set, id, row, column, multiplier, divisor);
    case '|':
      return (set, id, row) => grid.emit(set, id, row, grid.has(row, column) ? column : other, multiplier, divisor);
    case '*':
      return (set, id, row) => {
        if (!grid.has(row, column) || !grid.has(row, other)) return;
        const product = grid.integer(row, column) * grid.integer(row, other);
        addInteger(set, id, (product * BigInt(multiplier)) / BigInt(divisor));
      };
    default: {
      const sign = operator === '+' ? 1 : -1;
      return (set, id, row) => grid.emitSum(set, id, row, column, other, sign, multiplier, divisor);
    }
  }
}

/** A table of the columns that readings of a file name. With `instances`, a row each, and single values in the first row. */
export function fileTables(
  files: ProcFiles,
  file: string,
  format: Format = integers,
  instances?: InstanceTable,
): readonly Table[] {
  const columns = LINUX_CATALOG.columnsOf(file);
  const sample = new FileSample(files, file, columns, format, instances?.count);
  const table = { file, columns, samples: [sample], grid: sample.fields };
  return instances === undefined ? [table] : [table, { ...table, instances }];
}

/** A cluster of files that are a table each; with `spans`, instances that are always the same, of a row for each of them. */
export function tableCluster(
  name: string,
  formats: Readonly<Record<string, Format>>,
  spans?: { readonly catalog: CatalogIndom; readonly instances: readonly Instance[] },
): ClusterFactory {
  return (environment) => {
    const rows = spans && new InstanceTable(spans.catalog.indom);
    for (const { id } of spans?.instances ?? []) rows!.add(id);
    const tables = Object.entries(formats).flatMap(([file, format]) =>
      fileTables(environment.files, file, format, rows),
    );
    const indoms = spans ? [{ catalog: spans.catalog, samples: [], list: () => spans.instances }] : [];
    return cluster(name, tableBindings(environment, tables), indoms);
  };
}

const COLON = 58;

interface RowsFormat {
  readonly file: string;
  readonly columns: readonly string[];
  readonly headingLines: number;
  /** The end of a row's name: a colon, behind blanks that may come first, or a blank. */
  readonly nameEnd: 'colon' | 'blank';
  /** Words between the name and the first integer. */
  readonly skipWords?: number;
  readonly nameOf?: (name: string) => string;
}

/** A file with a row for each instance, that begins with its name: /proc/net/dev, /proc/swaps. */
export class RowsFile extends SampleOfFile {
  readonly table: InstanceTable;
  readonly fields: NumberGrid;
  /** Instance names, in the order of {@link table}. */
  names: readonly string[] = [];
  readonly #format: RowsFormat;
  readonly #indom: CatalogIndom;
  readonly #cache: InstanceCache;
  readonly #rows: RememberedNames<number>;
  readonly #instancesChanged: () => void;

  constructor({ files, caches, instancesChanged }: ClusterEnvironment, indom: CatalogIndom, format: RowsFormat) {
    super(files, format.file);
    const { nameOf = (name: string) => name } = format;
    this.#format = format;
    this.#indom = indom;
    this.#cache = caches.of(indom);
    this.#rows = new RememberedNames((name) => this.#cache.numberOf(nameOf(name)));
    this.#instancesChanged = instancesChanged;
    this.table = new InstanceTable(indom.indom);
    this.fields = new NumberGrid(format.columns.length);
  }

  get asTable(): Table {
    const { file, columns } = this.#format;
    return { file, columns, samples: [this], grid: this.fields, instances: this.table };
  }

  asIndom(labels?: (instance: Instance) => readonly Label[]): IndomBinding {
    const list = (): readonly Instance[] => this.table.list((id) => this.#cache.nameOf(id));
    return { catalog: this.#indom, samples: [this], list, ...(labels && { labels }) };
  }

  protected override refresh(): void {
    const { table, fields } = this;
    const { headingLines, nameEnd, skipWords = 0 } = this.#format;
    table.clear();
    fields.clear();
    this.#rows.begin();
    const scanner = this.scan();
    if (scanner) {
      for (let i = 0; i < headingLines; i++) scanner.nextLine();
      while (!scanner.atEnd) {
        if (nameEnd === 'colon') scanner.skipBlanks();
        const end = nameEnd === 'colon' ? scanner.find(COLON) : scanner.wordEnd();
        if (end > scanner.pos) {
          table.add(this.#rows.next(scanner.bytes, scanner.pos, end));
          scanner.pos = nameEnd === 'colon' ? end + 1 : end;
          scanner.skipWords(skipWords);
          fields.storeLine(fields.addRow(), 0, fields.columns, scanner);
        }
        scanner.nextLine();
      }
    }
    if (!this.#rows.finish()) return;
    this.#cache.present(table);
    this.names = table.list((id) => this.#cache.nameOf(id)).map(({ name }) => name);
    this.#instancesChanged();
  }
}
