import type { ByteScanner } from './byte-scanner.js';
import type { ProcFiles } from './proc-files.js';
import { RememberedNames } from './remembered-names.js';
import { NumberGrid, SampleOfFile } from './sample.js';

const COLON = 58;
const EQUALS = 61;
const UNWANTED = -1;

/** Reads a whole file, from the scanner's start, into the row of a grid that has absent cells. */
type Parse = (scanner: ByteScanner, grid: NumberGrid, row: number) => void;

/** A file's format: how the wanted keys, which are the grid's columns, are found in it. */
export type Format = (keys: readonly string[]) => Parse;

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
