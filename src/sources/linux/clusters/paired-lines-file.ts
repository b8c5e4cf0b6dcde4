import type { ByteScanner } from '../byte-scanner.js';
import { NumberGrid, Sample } from '../sample.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { RememberedNames } from '../remembered-names.js';

const COLON = 58;
const UNWANTED = -1;

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
