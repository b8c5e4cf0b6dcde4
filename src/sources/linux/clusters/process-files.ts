import { closeSync, openSync, read, readdirSync, readSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { attempt } from '../../../kit/index.js';
import { ByteScanner } from '../byte-scanner.js';

/** The files of a process that the kernel makes without waiting for anything. */
export type PromptFile = 'stat' | 'statm' | 'status' | 'schedstat' | 'wchan' | 'oom_score' | 'cgroup';

/** Files that a stuck process keeps its reader from: `cmdline` is read from its memory (mmap_lock), `io` waits for an execve(2). */
export type HeldFile = 'cmdline' | 'io';

export type ProcessFile = PromptFile | HeldFile;

const INITIAL_BYTES = 16 * 1024;
/** A status file lists all groups of the process, 65536 at most. */
const MAX_BYTES = 1024 * 1024;
/** Listing more processes than these takes over a millisecond: then the thread pool does it. */
const LISTED_AT_ONCE = 500;
/** A longer command line is cut off; `io` is shorter than what Node allocates from its pool. */
const HELD_FILE_BYTES: Readonly<Record<HeldFile, number>> = { cmdline: 4096, io: 1024 };
/** How long a list of all processes says which of some are there. */
const LISTED_MS = 1000;
const PID = /^[1-9]\d{0,9}$/;

/** Reads files of processes, opened for this once. One buffer serves all reads: use what {@link scan} gives before the next call. */
export class ProcessFiles {
  readonly #folder: string;
  readonly #scanner = new ByteScanner();
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #last: ReadonlySet<number> = new Set();
  #listedMs = -Infinity;
  /** Whether the size of a process's folder `fd` is the number of its descriptors, as in kernels since 6.2. */
  readonly #tellsDescriptors: boolean;

  /** `folder` is /proc but in tests. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#tellsDescriptors =
      folder === '/proc' && (statSync('/proc/self/fd', { throwIfNoEntry: false })?.size ?? 0) > 0;
  }

  /**
   * The ids of all processes, in ascending order; or, if all of `some` were there less than a second ago, those, which may have ended.
   * @param nowMs a monotonic time
   */
  async list(nowMs: number, some?: ReadonlySet<number>): Promise<readonly number[]> {
    const isKnown = some && nowMs - this.#listedMs < LISTED_MS && [...some].every((pid) => this.#last.has(pid));
    if (isKnown) return [...some].sort((a, b) => a - b);
    const isShort = this.#last.size > 0 && this.#last.size < LISTED_AT_ONCE;
    const names = isShort ? readdirSync(this.#folder) : await readdir(this.#folder);
    const pids: number[] = [];
    for (const name of names) if (PID.test(name)) pids.push(Number(name));
    pids.sort((a, b) => a - b);
    this.#last = new Set(pids);
    this.#listedMs = nowMs;
    return pids;
  }

  /** Read a file and put the scanner at its start; undefined when the process is gone or the file is not for us. */
  scan(pid: number, file: PromptFile): ByteScanner | undefined {
    const fd = attempt(() => openSync(`${this.#folder}/${pid}/${file}`, 'r'));
    if (fd === undefined) return undefined;
    // It throws if the process ended meanwhile (ESRCH), or where the kernel checks permission at the read (EACCES).
    const length = attempt(() => this.#read(fd));
    closeSync(fd);
    if (length === undefined) return undefined;
    this.#scanner.start(this.#buffer, length);
    return this.#scanner;
  }

  /** Its beginning, read in the thread pool. Rejects when the process is gone or the file is not for us. */
  read(pid: number, file: HeldFile): Promise<Uint8Array> {
    const fd = openSync(`${this.#folder}/${pid}/${file}`, 'r');
    return new Promise((resolve, reject) => {
      const buffer = Buffer.allocUnsafe(HELD_FILE_BYTES[file]);
      read(fd, buffer, 0, buffer.length, null, (error, length) => {
        closeSync(fd);
        if (error) reject(error);
        else resolve(buffer.subarray(0, length));
      });
    });
  }

  /** Number of open file descriptors; undefined when the process is gone or not ours. */
  descriptorCount(pid: number): number | undefined {
    const folder = `${this.#folder}/${pid}/fd`;
    // To list a hundred thousand takes 100 ms, in which nothing else is done.
    return attempt(() => (this.#tellsDescriptors ? statSync(folder).size : readdirSync(folder).length));
  }

  /** The kernel makes each of these files in one go, so that a read which does not fill the buffer has all of it. */
  #read(fd: number): number {
    let length = 0;
    for (;;) {
      const space = this.#buffer.length - length;
      const got = readSync(fd, this.#buffer, length, space, null);
      length += got;
      if (got < space || this.#buffer.length >= MAX_BYTES) return length;
      const grown = Buffer.allocUnsafe(this.#buffer.length * 2);
      this.#buffer.copy(grown);
      this.#buffer = grown;
    }
  }
}
