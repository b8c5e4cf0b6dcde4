import { INDOM_NULL, INSTANCE_NULL, type Instance, type Label, type ValueSet } from '../../pmapi/index.js';
import type { CatalogIndom, Reading } from './catalog/catalog.js';
import { LINUX_CATALOG } from './catalog/linux-catalog.js';
import { cluster, quick } from './cluster.js';
import type { ClusterEnvironment, ClusterFactory, IndomBinding, MetricBinding } from './cluster.js';
import { InstanceTable, addInteger, NumberGrid, SampleOfFile, type Sample } from './sample.js';
import type { ProcFiles, ByteScanner } from './proc-files.js';
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

const EQUALS = 61;
const UNWANTED = -1;

/** Reads a whole file, from the scanner's start, into the row of a grid that has absent cells. */
type Parse = (scanner: ByteScanner, grid: NumberGrid, row: number) => void;

/** A file's format: how the wanted keys, which are the grid's columns, are found in it. */
type Format = (keys: readonly string[]) => Parse;

export class FileSample extends SampleOfFile {
  readonly fields: NumberGrid;
  readonly #rows: number;
  readonly #parse: Parse;

  constructor(files: ProcFiles, path: string, keys: readonly string[], format: Format, rows = 1) {
    super(files, path);
    this.fields = new NumberGrid(keys.length);
    this.#rows = rows;
    this.#parse = format(keys);
  }

  readInto(grid: NumberGrid, row: number): void {
    const scanner = this.scan();
    if (scanner && !scanner.atEnd) this.#parse(scanner, grid, row);
  }

  protected override refresh(): void {
    this.fields.clear(this.#rows);
    this.readInto(this.fields, 0);
  }
}

interface KeyedFileOptions {
  /** The end of the key: a colon (`MemFree:  12 kB`) or a blank (`pgfault 12`). */
  readonly separator: 'colon' | 'blank';
  /** Words to skip before the key (`Node 0 MemTotal: …` has two). */
  readonly skipWords?: number;
}

/** Lines of a key and an integer, of which the wanted ones are parsed, by their places in the last pass. Of equal keys the last counts. */
export function keyed({ separator, skipWords = 0 }: KeyedFileOptions): Format {
  return (keys) => {
    const wanted = columnsByKey(keys);
    const columns = new RememberedNames((name) => wanted.get(name) ?? UNWANTED);
    return (scanner, grid, row) => {
      columns.begin();
      do {
        if (skipWords > 0) scanner.skipWords(skipWords);
        scanner.skipBlanks();
        const end = separator === 'colon' ? scanner.find(COLON) : scanner.wordEnd();
        if (end < 0) continue;
        const column = columns.next(scanner.bytes, scanner.pos, end);
        if (column === UNWANTED) continue;
        scanner.pos = separator === 'colon' ? end + 1 : end;
        if (scanner.integer()) grid.store(row, column, scanner);
      } while (scanner.nextLine());
      columns.finish();
    };
  };
}

/** Integers on the first line, as files of /proc/sys have them; keys are positions from 1 on. */
export const integers: Format = (keys) => {
  const columns = columnsByPosition(keys);
  return (scanner, grid, row) => {
    for (let i = 0; i < columns.length && scanner.integer(); i++) {
      if (columns[i] !== UNWANTED) grid.store(row, columns[i]!, scanner);
    }
  };
};

/** Decimal numbers on the first line: `1532.70 2870.91`; keys are positions from 1 on. */
export const decimals: Format = (keys) => {
  const columns = columnsByPosition(keys);
  return (scanner, grid, row) => {
    for (const column of columns) {
      const value = scanner.decimal();
      if (column !== UNWANTED) grid.set(row, column, value);
    }
  };
};

function columnsByPosition(keys: readonly string[]): readonly number[] {
  const last = Math.max(...keys.map(Number));
  return Array.from({ length: last }, (_, i) => keys.indexOf(String(i + 1)));
}

/**
 * Paired lines, the names of columns and below them their values, as /proc/net/snmp and /proc/net/netstat have them; keys are
 * `Section:Column`:
 *
 *     Udp: InDatagrams NoPorts InErrors
 *     Udp: 29 0 0
 *
 * Kernels add columns in any place, so that only names count. As long as a line of names is the same bytes as before, it is
 * not parsed again.
 */
export const paired: Format = (keys) => {
  const wanted = columnsByKey(keys);
  const headings = new RememberedNames((line) => columnsOf(line, wanted));
  return (scanner, grid, row) => {
    headings.begin();
    while (!scanner.atEnd) {
      const start = scanner.pos;
      const colon = scanner.find(COLON);
      if (!scanner.nextLine()) break;
      if (colon < 0 || !scanner.startsWith(scanner.bytes.subarray(start, colon + 1))) continue;
      const columns = headings.next(scanner.bytes, start, scanner.pos);
      scanner.pos += colon + 1 - start;
      for (const column of columns) {
        if (!scanner.integer()) break;
        if (column !== UNWANTED) grid.store(row, column, scanner);
      }
      scanner.nextLine();
    }
    headings.finish();
  };
};

/** Where the values below a line of names go, up to the last one that goes anywhere. */
function columnsOf(line: string, wanted: ReadonlyMap<string, number>): readonly number[] {
  const [section, ...names] = line.trim().split(/[ \t]+/);
  const columns = names.map((name) => wanted.get(`${section ?? ''}${name}`) ?? UNWANTED);
  while (columns.at(-1) === UNWANTED) columns.pop();
  return columns;
}

/** Lines of a name and pairs of field and number, `TCP: inuse 2 orphan 0 tw 0 alloc 2 mem 116`; keys are `LINE:field`. */
export const namedPairs: Format = (keys) => {
  const columns = columnsByKey(keys);
  return (scanner, grid, row) => {
    while (!scanner.atEnd) {
      const line = scanner.word();
      for (let field = scanner.word(); field !== '' && scanner.integer(); field = scanner.word()) {
        const column = columns.get(line + field);
        if (column !== undefined) grid.store(row, column, scanner);
      }
      scanner.nextLine();
    }
  };
};

const HEX_WORD = /^[0-9a-f]{1,8}$/i;

/** /proc/net/softnet_stat: a line for each CPU, of hexadecimal columns without names, which are added up. */
export const softnet: Format = (keys) => {
  const positions = ['processed', 'dropped', 'time_squeeze'].map((name) => keys.indexOf(name));
  return (scanner, grid, row) => {
    do {
      const words = positions.map(() => scanner.word());
      if (!words.every((word) => HEX_WORD.test(word))) continue;
      for (const [i, column] of positions.entries()) {
        if (column !== UNWANTED) grid.set(row, column, (grid.number(row, column) || 0) + parseInt(words[i]!, 16));
      }
    } while (scanner.nextLine());
  };
};

/** `0.20 0.18 0.12 1/80 11206`: the averages are a row each, and the counts in the first row. @see proc_loadavg(5) */
export const loadAverages: Format = (keys) => (scanner, grid, row) => {
  for (let span = 0; span < 3; span++) grid.set(row + span, keys.indexOf('load'), scanner.decimal());
  for (const key of ['runnable', 'nprocs', 'lastpid']) {
    if (!scanner.integer()) return;
    grid.store(row, keys.indexOf(key), scanner);
    scanner.pos++; // the slash between the first two
  }
};

/** `some avg10=0.00 avg60=0.05 avg300=0.10 total=12345`, and `full` alike: a row for each span, totals (`some.total`) in the first. */
export const pressure: Format = (keys) => {
  const columns = columnsByKey(keys);
  return (scanner, grid, row) => {
    do {
      const kind = scanner.word();
      for (let span = 0; span <= 3; span++) {
        const equals = scanner.find(EQUALS);
        if (equals < 0) break;
        scanner.pos = equals + 1;
        const column = columns.get(span < 3 ? kind : `${kind}.total`);
        if (column === undefined) continue;
        if (span < 3) grid.set(row + span, column, scanner.decimal());
        else if (scanner.integer()) grid.store(row, column, scanner);
      }
    } while (scanner.nextLine());
  };
};

function columnsByKey(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map(keys.map((key, column) => [key, column]));
}

/** A file whose first line is a text. */
export class TextFile extends SampleOfFile {
  text: string | undefined;

  protected override refresh(): void {
    this.text = this.scan()?.rest();
  }
}
