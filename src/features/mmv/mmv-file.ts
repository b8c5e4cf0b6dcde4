import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { attempt } from '../../kit/index.js';
import { HostBytes } from './host-bytes.js';
import { HEADER_BYTES, readHeader, decodeLayout, MmvRefusal, type MmvLayout } from './mmv-layout.js';

/** The cost of opening a file, in bytes that could have been read meanwhile. */
export const FILE_COST_BYTES = 32 * 1024;

const MIB = 1024 * 1024;

/** Limits of a directory of MMV files: anyone who may write to it decides about its content. They are maximums, not reservations. */
export const MMV_LIMITS = Object.freeze({
  /** Entries of the directory that are read. */
  entries: 2000,
  /** Files that are served; each keeps a file descriptor. */
  files: 1000,
  /** Bytes of one file, and of all together. */
  fileBytes: 16 * MIB,
  totalBytes: 256 * MIB,
  /** Bytes of memory for what is kept of one file, and of all together. */
  layoutBytes: 4 * MIB,
  totalLayoutBytes: 32 * MIB,
  /** Bytes of files that one check reads, each file counting as at least {@link FILE_COST_BYTES}; the rest is for the next checks. */
  checkBytes: 16 * MIB,
});
export type MmvLimits = Readonly<Record<keyof typeof MMV_LIMITS, number>>;

/** Opening a FIFO would wait for a writer, and a terminal could become ours. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export interface FileSurroundings {
  readonly limits: MmvLimits;
  readonly isAlive: (process: number) => boolean;
}

/** The state of a file at the last check. */
export type FileState =
  /** Its values can be read. */
  | { readonly state: 'complete'; readonly layout: MmvLayout }
  /** It is being written: its previous metrics, if any, have no values for now. */
  | { readonly state: 'writing'; readonly layout: MmvLayout | undefined }
  /** Its process has ended. */
  | { readonly state: 'left' }
  | { readonly state: 'refused'; readonly reason: string };

/** One file as opened; {@link hasChanged} tells when to reopen it. Never mapped: truncation only ends a read early. */
export class MmvFile {
  /** The name in the directory, which need not be UTF-8; for people: {@link title}. */
  readonly name: Buffer;
  readonly now: FileState;
  readonly #path: Buffer;
  readonly #isAlive: FileSurroundings['isAlive'];
  #stat: Stats;
  /** The header that determined {@link now}. */
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #process: number | undefined;
  #isSuspended = false;
  #fd: number | undefined;

  /** @param found the status of its path @param before the previous file of this name */
  constructor(path: Buffer, name: Buffer, found: Stats, around: FileSurroundings, before: MmvFile | undefined) {
    this.#path = path;
    this.name = name;
    this.#stat = found;
    this.#isAlive = around.isAlive;
    try {
      this.now = this.#read(around, before?.layout);
    } catch (error) {
      this.now = { state: 'refused', reason: reasonOf(error) };
    }
    if (this.now.state === 'refused') this.close();
  }

  get title(): string {
    return this.name.toString('utf8');
  }

  get layout(): MmvLayout | undefined {
    return 'layout' in this.now ? this.now.layout : undefined;
  }

  /** Whether it must be reopened. @param found the status of its path, if known */
  hasChanged(found = this.#fd === undefined ? statOf(this.#path) : undefined): boolean {
    if (this.#isSuspended) return true;
    if (this.#fd === undefined) {
      return found === undefined || versionOf(found) !== versionOf(this.#stat);
    }
    try {
      const { nlink, size } = fstatSync(this.#fd);
      if (nlink === 0 || size !== this.size || !this.#isHeaderSame()) return true;
    } catch {
      return true;
    }
    return this.#process !== undefined && this.#isAlive(this.#process) !== (this.now.state !== 'left');
  }

  get size(): number {
    return this.#stat.size;
  }

  isAt({ dev, ino }: Stats): boolean {
    return dev === this.#stat.dev && ino === this.#stat.ino;
  }

  /** Reads bytes of a file; returns how many, 0 once it is closed. */
  read(into: Buffer, offset: number): number {
    return this.#fd === undefined ? 0 : readFully(this.#fd, into, offset);
  }

  /** Whether the file has not changed since it was opened: what was read before this call belongs to its layout. */
  isUnchanged(): boolean {
    return this.now.state === 'complete' && this.#fd !== undefined && this.#isHeaderSame();
  }

  /** Gives up its values, because it has changed, until it is opened again. */
  suspend(): void {
    this.#isSuspended = true;
    this.close();
  }

  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  #read({ limits, isAlive }: FileSurroundings, before: MmvLayout | undefined): FileState {
    this.#fd = openSync(this.#path, FLAGS);
    // The status of what was opened: the path may lead to another file by now.
    this.#stat = fstatSync(this.#fd);
    if (!this.#stat.isFile()) throw new MmvRefusal('it is not a regular file');
    const { size } = this;
    if (size > limits.fileBytes) throw new MmvRefusal(`it has ${size} bytes, more than ${limits.fileBytes}`);
    readFully(this.#fd, this.#header, 0);
    const found = readHeader(new HostBytes(this.#header), size);
    if (found.state === 'writing') return { state: 'writing', layout: before };
    if (found.state === 'refused') return found;
    const { header } = found;
    this.#process = header.process;
    if (header.process !== undefined && !isAlive(header.process)) return { state: 'left' };
    const bytes = Buffer.allocUnsafe(size);
    const length = readFully(this.#fd, bytes, 0);
    const layout = decodeLayout(new HostBytes(bytes.subarray(0, length)), header, limits.layoutBytes);
    return this.#isHeaderSame() ? { state: 'complete', layout } : { state: 'writing', layout: before };
  }

  #isHeaderSame(): boolean {
    const length = readFully(this.#fd!, SCRATCH, 0);
    return SCRATCH.compare(this.#header, 0, length, 0, length) === 0 && length === Math.min(this.size, HEADER_BYTES);
  }
}

const SCRATCH = Buffer.alloc(HEADER_BYTES);

/** The status of a path, following links; undefined if it does not exist or cannot be reached. */
export function statOf(path: Buffer | string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }));
}

/** Reads until the buffer is full, the file ends or the disk fails. */
function readFully(fd: number, into: Buffer, position: number): number {
  let length = 0;
  try {
    while (length < into.length) {
      const read = readSync(fd, into, length, into.length - length, position + length);
      if (read === 0) break;
      length += read;
    }
  } catch {
    // Unreadable bytes count as absent.
  }
  return length;
}

/** Differs if a file was written to with write(2), or became readable; writing through a mapping may go unnoticed. */
export function versionOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof MmvRefusal) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return `it cannot be read: ${code ?? message}`;
}
