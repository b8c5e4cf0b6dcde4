import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { attempt, getOrMake } from '../../kit/index.js';
import type { Clock } from '../../pmapi/index.js';
import { ByteScanner } from './byte-scanner.js';

const READ_STEP_BYTES = 64 * 1024;
/** For a larger request the kernel allocates and clears as much again for a file of /proc/sys. */
const SYSCTL_STEP_BYTES = 4 * 1024;
/** No file in /proc or /sys that is read as a whole comes near; longer ones are truncated. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;
const RETRY_ABSENT_MS = 1000;
const STALE_DESCRIPTOR = new Set(['ENODEV', 'ESRCH', 'EBADF', 'ESTALE']);
const CLOSED = -1;

/** A file that is read repeatedly: its descriptor stays open between reads. Made by {@link ProcFiles.file}. */
export interface ProcFile {
  readonly path: string | Buffer;
  readonly stepBytes: number;
  fd: number;
  retryAtMs: number;
}

function unopened(path: string | Buffer, stepBytes = READ_STEP_BYTES): ProcFile {
  return { path, stepBytes, fd: CLOSED, retryAtMs: 0 };
}

/** Synchronous: the thread pool costs five times as much. One buffer serves all reads: use what {@link scan} gives before the next call. */
export class ProcFiles {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #files = new Map<string, ProcFile>();
  readonly #scanner = new ByteScanner();
  #buffer = Buffer.allocUnsafe(READ_STEP_BYTES * 2);

  /** `root` is '/' except in tests, which use a directory with `proc/`, `sys/` and `etc/`. */
  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  resolve(relativePath: string): string {
    return path.join(this.#root, relativePath);
  }

  /** A file for {@link scan}, by its path below the root (`proc/stat`); opened at the first read. */
  file(relativePath: string): ProcFile {
    const stepBytes = relativePath.startsWith('proc/sys/') ? SYSCTL_STEP_BYTES : READ_STEP_BYTES;
    return getOrMake(this.#files, relativePath, () => unopened(this.resolve(relativePath), stepBytes));
  }

  /** The whole file; undefined if it is unreadable (retried after a second at the earliest). Valid until the next call. */
  scan(file: ProcFile): ByteScanner | undefined {
    if (file.fd === CLOSED && !this.#open(file)) return undefined;
    let length = this.#read(file);
    if (length < 0 && this.#open(file)) length = this.#read(file);
    if (length < 0) return undefined;
    this.#scanner.start(this.#buffer, length);
    return this.#scanner;
  }

  /** Reads a file once, as {@link scan} does, without keeping it open: one of many that come and go. */
  scanOnce(absolutePath: string | Buffer): ByteScanner | undefined {
    const file = unopened(absolutePath);
    const scanner = this.scan(file);
    this.#close(file);
    return scanner;
  }

  /** A small file's text (UTF-8) without trailing blanks, opened once; undefined if absent or unreadable. */
  text(relativePath: string): string | undefined {
    return attempt(() => readFileSync(this.resolve(relativePath), 'utf8').trimEnd());
  }

  /** The names in a directory, in its own order; empty if it is absent. */
  list(relativePath: string): readonly string[] {
    return attempt(() => readdirSync(this.resolve(relativePath))) ?? [];
  }

  /** When a file or directory was last changed, as a text for comparison; undefined if it is absent. */
  changeTime(relativePath: string): string | undefined {
    return attempt(() => statSync(this.resolve(relativePath), { bigint: true }).ctimeNs.toString());
  }

  exists(relativePath: string): boolean {
    return existsSync(this.resolve(relativePath));
  }

  link(relativePath: string): string | undefined {
    return attempt(() => readlinkSync(this.resolve(relativePath)));
  }

  /** A path of the monitored system with all links resolved, as a path of that system; unchanged if it does not exist. */
  realPath(absolutePath: string): string {
    const real = attempt(() => path.relative(realpathSync(this.#root), realpathSync(this.resolve(absolutePath))));
    return real === undefined ? absolutePath : path.join('/', real);
  }

  /** Closes a file, for files that come and go with devices. */
  forget(file: ProcFile): void {
    this.#close(file);
    for (const [key, value] of this.#files) if (value === file) this.#files.delete(key);
  }

  close(): void {
    for (const file of this.#files.values()) this.#close(file);
    this.#files.clear();
  }

  #open(file: ProcFile): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < file.retryAtMs) return false;
    try {
      file.fd = openSync(file.path, 'r');
      file.retryAtMs = 0;
      return true;
    } catch {
      file.retryAtMs = nowMs + RETRY_ABSENT_MS;
      return false;
    }
  }

  #close(file: ProcFile): void {
    if (file.fd !== CLOSED) closeSync(file.fd);
    file.fd = CLOSED;
  }

  /** Reads to the end into the buffer. Returns the length, or -1 with the descriptor closed. */
  #read(file: ProcFile): number {
    let length = 0;
    try {
      while (length < FILE_MAX_BYTES) {
        if (this.#buffer.length < length + file.stepBytes) this.#grow();
        const got = readSync(file.fd, this.#buffer, length, file.stepBytes, length);
        if (got === 0) break;
        length += got;
      }
      return length;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (code === 'EBADF')
        file.fd = CLOSED; // already closed: closing it again could hit another file
      else this.#close(file);
      if (!STALE_DESCRIPTOR.has(code)) file.retryAtMs = this.#clock.monotonicMs() + RETRY_ABSENT_MS;
      return -1;
    }
  }

  #grow(): void {
    const grown = Buffer.allocUnsafe(this.#buffer.length * 2);
    this.#buffer.copy(grown);
    this.#buffer = grown;
  }
}
