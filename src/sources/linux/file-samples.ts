import type { ByteScanner } from './byte-scanner.js';
import type { ProcFile, ProcFiles } from './proc-files.js';
import { RememberedNames } from './remembered-names.js';
import { NumberGrid, Sample } from './sample.js';

const COLON = 58;
const UNWANTED = -1;

/** The format of the lines of a keyed file. */
interface KeyedFileOptions {
  /** The end of the key: a colon (`MemFree:  12 kB`) or a blank (`pgfault 12`). */
  readonly separator: 'colon' | 'blank';
  /** Words to skip before the key (`Node 0 MemTotal: …` has two). */
  readonly skipWords?: number;
}

/**
 * A file of lines with a key and an integer: /proc/meminfo, /proc/vmstat, a NUMA node's meminfo. Only the wanted keys are parsed;
 * the line of each key is remembered from the previous pass.
 */
export class KeyedFile extends Sample {
  /** One row, with a column for each key. Of lines with equal keys the last counts. */
  readonly fields: NumberGrid;
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #columns: RememberedNames<number>;
  readonly #options: KeyedFileOptions;

  constructor(files: ProcFiles, path: string, keys: readonly string[], options: KeyedFileOptions) {
    super();
    this.#files = files;
    this.#file = files.file(path);
    this.#options = options;
    this.fields = new NumberGrid(keys.length);
    const columns = new Map(keys.map((key, column) => [key, column]));
    this.#columns = new RememberedNames((name) => columns.get(name) ?? UNWANTED);
  }

  protected override refresh(): void {
    const { fields } = this;
    fields.clear(1);
    const scanner = this.#files.scan(this.#file);
    if (!scanner || scanner.atEnd) return;
    this.#columns.begin();
    do this.#line(scanner);
    while (scanner.nextLine());
    this.#columns.finish();
  }

  #line(scanner: ByteScanner): void {
    const { separator, skipWords = 0 } = this.#options;
    if (skipWords > 0) scanner.skipWords(skipWords);
    scanner.skipBlanks();
    const start = scanner.pos;
    const end = separator === 'colon' ? scanner.find(COLON) : scanner.wordEnd();
    if (end < 0) return;
    const column = this.#columns.next(scanner.bytes, start, end);
    if (column === UNWANTED) return;
    scanner.pos = separator === 'colon' ? end + 1 : end;
    if (scanner.integer()) this.fields.store(0, column, scanner);
  }
}

/** A file that holds a few integers on its first line, as those of /proc/sys do. */
export class NumberFile extends Sample {
  /** One row with a column for each number. */
  readonly fields: NumberGrid;
  readonly #files: ProcFiles;
  readonly #file: ProcFile;

  constructor(files: ProcFiles, path: string, count: number) {
    super();
    this.fields = new NumberGrid(count);
    this.#files = files;
    this.#file = files.file(path);
  }

  protected override refresh(): void {
    this.fields.clear(1);
    const scanner = this.#files.scan(this.#file);
    if (scanner) this.fields.storeLine(0, 0, this.fields.columns, scanner);
  }
}

/** A file whose first line is a text. */
export class TextFile extends Sample {
  text: string | undefined;
  readonly #files: ProcFiles;
  readonly #file: ProcFile;

  constructor(files: ProcFiles, path: string) {
    super();
    this.#files = files;
    this.#file = files.file(path);
  }

  protected override refresh(): void {
    this.text = this.#files.scan(this.#file)?.rest();
  }
}

/**
 * A file of paired lines, the names of columns and below them their values, as /proc/net/snmp and /proc/net/netstat are:
 *
 *     Udp: InDatagrams NoPorts InErrors
 *     Udp: 29 0 0
 *
 * Kernels add columns in any place, so that only names count. As long as a line of names is the same bytes as before, it is
 * not parsed again.
 */
export class PairedLinesFile extends Sample {
  /** One row, with a column for each wanted key. */
  readonly fields: NumberGrid;
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #headings: RememberedNames<readonly number[]>;

  /** `keys` are `Section:Column`. */
  constructor(files: ProcFiles, path: string, keys: readonly string[]) {
    super();
    this.#files = files;
    this.#file = files.file(path);
    this.fields = new NumberGrid(keys.length);
    const columns = new Map(keys.map((key, column) => [key, column]));
    this.#headings = new RememberedNames((line) => columnsOf(line, columns));
  }

  protected override refresh(): void {
    this.fields.clear(1);
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    this.#headings.begin();
    while (!scanner.atEnd) {
      const start = scanner.pos;
      const colon = scanner.find(COLON);
      if (!scanner.nextLine()) break;
      if (colon < 0 || !repeats(scanner, start, colon + 1)) continue;
      const columns = this.#headings.next(scanner.bytes, start, scanner.pos);
      scanner.pos += colon + 1 - start;
      this.#values(scanner, columns);
      scanner.nextLine();
    }
    this.#headings.finish();
  }

  #values(scanner: ByteScanner, columns: readonly number[]): void {
    for (const column of columns) {
      if (!scanner.integer()) return;
      if (column !== UNWANTED) this.fields.store(0, column, scanner);
    }
  }
}

/** Whether the bytes at the scanner are those from `start` to `end`: both lines of a pair begin with the section's name. */
function repeats(scanner: ByteScanner, start: number, end: number): boolean {
  return scanner.startsWith(scanner.bytes.subarray(start, end));
}

/** Where the values below a line of names go, up to the last one that goes anywhere. */
function columnsOf(line: string, wanted: ReadonlyMap<string, number>): readonly number[] {
  const [section, ...names] = line.trim().split(/[ \t]+/);
  const columns = names.map((name) => wanted.get(`${section ?? ''}${name}`) ?? UNWANTED);
  while (columns.at(-1) === UNWANTED) columns.pop();
  return columns;
}
