import { once } from '../kit/index.js';
import { PmError } from '../pmapi/index.js';
import { collectFiles, ENOENT, ESTALE, lastPart, takePiece } from '../sources/archive/index.js';
import type {
  ArchiveFile,
  ArchiveFiles,
  ArchiveLimits,
  ByteFile,
  Compression,
  FileSystem,
  Pieces,
} from '../sources/archive/index.js';

/** Inflates a file to at most `mostBytes`. Throws PM_ERR_TOOBIG beyond them, and the signal's reason. */
export type Inflate = (
  file: ByteFile,
  compression: Compression,
  mostBytes: number,
  signal?: AbortSignal,
) => Promise<ByteFile>;

/** Files that were given, by name: those that a user opens in a page. They neither grow nor go. */
export class GivenFiles implements FileSystem {
  readonly #files = new Map<string, ByteFile>();
  readonly #pieces: Pieces = new Map();
  readonly #inflate: Inflate;
  readonly #limits: ArchiveLimits;
  #inflatedBytes = 0;

  constructor(files: readonly ByteFile[], inflate: Inflate, limits: ArchiveLimits) {
    this.#inflate = inflate;
    this.#limits = limits;
    this.add(files);
  }

  /** Adds files, in place of those of the same names. */
  add(files: readonly ByteFile[]): void {
    for (const file of files) {
      this.#files.set(file.name, file);
      takePiece(this.#pieces, file.name, file.name);
    }
  }

  /** Bytes of a file; undefined if it is not there. */
  sizeOf(name: string): number | undefined {
    return this.#files.get(name)?.size;
  }

  /** The base names of the archives among them: of whatever has metadata. */
  get bases(): readonly string[] {
    return [...this.#pieces].filter(([, files]) => files.has('meta')).map(([base]) => base);
  }

  async open({ path, compression }: ArchiveFile, mostBytes = Infinity, signal?: AbortSignal): Promise<ByteFile> {
    const file = this.#files.get(path);
    if (!file) throw new PmError(ENOENT, lastPart(path));
    if (compression === undefined) return file;
    const { inflatedFileBytes, inflatedTotalBytes } = this.#limits;
    const most = Math.min(mostBytes, inflatedFileBytes, inflatedTotalBytes - this.#inflatedBytes);
    const copy = await this.#inflate(file, compression, most, signal);
    this.#inflatedBytes += copy.size;
    const close = once(() => {
      this.#inflatedBytes -= copy.size;
      return copy.close();
    });
    return { ...copy, close };
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is a rejection
  async find(base: string): Promise<ArchiveFiles> {
    return { ...collectFiles(base, this.#pieces.get(base)), listed: 0 };
  }

  changed(): Promise<number> {
    return Promise.resolve(0);
  }
}

/** A file that a user opens in a page; bytes are read when they are wanted. */
export function blobFile(name: string, blob: Blob): ByteFile {
  return {
    name,
    size: blob.size,
    read: async (offset, length) => {
      const bytes = blob.slice(offset, offset + length).arrayBuffer();
      return new Uint8Array(
        await bytes.catch((cause: unknown) => {
          // The file on disk has changed since it was opened.
          throw new PmError(ESTALE, name, { cause });
        }),
      );
    },
    close: () => Promise.resolve(),
  };
}
