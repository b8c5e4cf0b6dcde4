import type { ProcFile, ProcFiles } from '../proc-files.js';
import { NumberGrid, Sample } from '../sample.js';

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
