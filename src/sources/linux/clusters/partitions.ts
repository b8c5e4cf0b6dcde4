import type { ProcFile, ProcFiles } from '../proc-files.js';
import { Sample } from '../sample.js';

const DEVICE_NUMBER_WORDS = 2;

/** /proc/partitions: the sizes of block devices, in Kbyte. */
export class Partitions extends Sample {
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #sizes = new Map<string, number>();

  constructor(files: ProcFiles) {
    super();
    this.#files = files;
    this.#file = files.file('proc/partitions');
  }

  /** The size of a device by its kernel name. */
  sizeKbyte(name: string): number | undefined {
    return this.#sizes.get(name);
  }

  protected override refresh(): void {
    this.#sizes.clear();
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    while (scanner.nextLine()) {
      scanner.skipWords(DEVICE_NUMBER_WORDS);
      if (scanner.integer()) {
        const kbytes = scanner.value;
        this.#sizes.set(scanner.word(), kbytes);
      }
    }
  }
}
