import type { ByteScanner } from './byte-scanner.js';
import { NumberGrid, Sample } from './sample.js';
import type { ProcFile, ProcFiles } from './proc-files.js';
import { RememberedNames } from './remembered-names.js';

const COLON = 58;
const UNWANTED = -1;

/** The format of the lines of a keyed file. */
export interface KeyedFileOptions {
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
