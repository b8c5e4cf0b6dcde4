import pLimit from 'p-limit';
import { once } from '../kit/index.js';
import { PM_ERR, PmError } from '../pmapi/index.js';
import { SharedWorks } from '../sources/index.js';
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

interface Copy {
  readonly file: ByteFile;
  /** How often it is open. */
  users: number;
}

/** The part of all inflated bytes that is kept for those who open the same files again. */
const KEPT_PART = 1 / 64;

/** Files that were given, by name: those that a user opens in a page. They neither grow nor go. */
export class GivenFiles implements FileSystem {
  readonly #files = new Map<string, ByteFile>();
  readonly #pieces: Pieces = new Map();
  readonly #inflate: Inflate;
  readonly #limits: ArchiveLimits;
  /** Inflated copies by name: listing an archive and showing it need the same. */
  readonly #copies = new Map<string, Copy>();
  readonly #copying = new SharedWorks<string, Copy>();
  /** One is inflated after the other: they have the bytes that are left. */
  readonly #inTurn = pLimit(1);

  constructor(files: readonly ByteFile[], inflate: Inflate, limits: ArchiveLimits) {
    this.#inflate = inflate;
    this.#limits = limits;
    this.add(files);
  }

  /** Adds files, in place of those of the same names. */
  add(files: readonly ByteFile[]): void {
    for (const file of files) {
      this.#files.set(file.name, file);
      this.#copies.delete(file.name);
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
    const inflate = (stop: AbortSignal): Promise<Copy> => this.#copy(file, compression, mostBytes, stop);
    const copy = this.#copies.get(path) ?? (await this.#copying.join(path, inflate, signal));
    if (copy.file.size > mostBytes)
      throw new PmError(PM_ERR.TOOBIG, `${lastPart(path)}: inflates to more than ${mostBytes} bytes`);
    copy.users++;
    const close = once(() => {
      copy.users--;
      return Promise.resolve();
    });
    return { ...copy.file, close };
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is a rejection
  async find(base: string): Promise<ArchiveFiles> {
    return { ...collectFiles(base, this.#pieces.get(base)), listed: 0 };
  }

  changed(): Promise<number> {
    return Promise.resolve(0);
  }

  #copy(file: ByteFile, compression: Compression, mostBytes: number, stop: AbortSignal): Promise<Copy> {
    const { inflatedFileBytes, inflatedTotalBytes } = this.#limits;
    const bytes = (isUsed: boolean): number =>
      [...this.#copies.values()].reduce((sum, copy) => (copy.users > 0 === isUsed ? sum + copy.file.size : sum), 0);
    for (const [name, { users }] of this.#copies) {
      if (bytes(false) <= inflatedTotalBytes * KEPT_PART) break;
      if (users === 0) this.#copies.delete(name);
    }
    return this.#inTurn(async () => {
      const most = Math.min(mostBytes, inflatedFileBytes, inflatedTotalBytes - bytes(true) - bytes(false));
      const copy = { file: await this.#inflate(file, compression, most, stop), users: 0 };
      this.#copies.set(file.name, copy);
      return copy;
    });
  }
}

/** Reads of fewer bytes are not taken for steps through a file. */
const STEP_BYTES = 64 * 1024;

/** A file that a user opens in a page; bytes are read when they are wanted: one step after the other from a stream. */
export function blobFile(name: string, blob: Blob): ByteFile {
  let stream: StepStream | undefined;
  let lastEnd = -1;
  return {
    name,
    size: blob.size,
    read: async (offset, length, take) => {
      const end = Math.min(offset + length, blob.size);
      if (length >= STEP_BYTES) {
        if (offset === lastEnd && offset !== stream?.at) {
          stream?.close();
          stream = new StepStream(blob, offset);
        }
        lastEnd = end;
        const bytes = offset === stream?.at ? await stream.read(end, take?.() as Uint8Array<ArrayBuffer>) : undefined;
        if (bytes) return bytes;
      }
      const bytes = blob.slice(offset, end).arrayBuffer();
      return new Uint8Array(
        await bytes.catch((cause: unknown) => {
          // The file on disk has changed since it was opened.
          throw new PmError(ESTALE, name, { cause });
        }),
      );
    },
    close: () => Promise.resolve(stream?.close()),
  };
}

/** Goes through a file: browsers that can fill memory that is there at a tenth of what a read into fresh memory costs. */
class StepStream {
  /** Where the next step begins. */
  at: number;
  readonly #reader: Promise<ReadableStreamBYOBReader>;
  #last: Promise<Uint8Array | undefined> = Promise.resolve(undefined);

  constructor(blob: Blob, at: number) {
    this.at = at;
    this.#reader = new Promise((take) => take(blob.slice(at).stream().getReader({ mode: 'byob' })));
  }

  /** The bytes up to `end`; undefined where that fails: a read of its own knows why. @param into is used up */
  read(end: number, into = new Uint8Array(end - this.at)): Promise<Uint8Array | undefined> {
    const length = end - this.at;
    this.at = end;
    const fill = async (): Promise<Uint8Array | undefined> => {
      let bytes = into;
      for (let filled = 0; filled < length;) {
        const { done, value } = await (await this.#reader).read(bytes.subarray(filled, length));
        if (done) return undefined;
        filled += value.length;
        bytes = new Uint8Array(value.buffer);
      }
      return bytes;
    };
    return (this.#last = this.#last.then(fill).catch(() => undefined));
  }

  close(): void {
    void this.#reader.then((reader) => reader.cancel()).catch(() => undefined);
  }
}
