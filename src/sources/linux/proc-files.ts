import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../pmapi/index.js';
import { ByteScanner } from './byte-scanner.js';

const READ_STEP_BYTES = 64 * 1024;
/** For a larger request the kernel allocates and clears as much again for a file of /proc/sys. */
const SYSCTL_STEP_BYTES = 4 * 1024;
/** Nothing in /proc or /sys that is read whole comes near; what is longer is cut off there. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;
const RETRY_ABSENT_MS = 1000;
const STALE_DESCRIPTOR = new Set(['ENODEV', 'ESRCH', 'EBADF', 'ESTALE']);
const CLOSED = -1;

/** One file that is read again and again: its descriptor stays open between reads. Made by {@link ProcFiles.file}. */
export class ProcFile {
  /** @internal */ fd = CLOSED;
  /** @internal */ retryAtMs = 0;
  /** @internal */ readonly stepBytes: number;

  /** @internal */
  constructor(
    readonly path: string,
    isSysctl: boolean,
  ) {
    this.stepBytes = isSysctl ? SYSCTL_STEP_BYTES : READ_STEP_BYTES;
  }
}

/**
 * Synchronous access to /proc and /sys below a root folder. Reading through the thread pool costs five times as much here,
 * and these files answer from memory. One buffer and one scanner serve all reads: use what {@link scan} gives before the
 * next call.
 */
export class ProcFiles {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #files = new Map<string, ProcFile>();
  readonly #scanner = new ByteScanner();
  #buffer = Buffer.allocUnsafe(READ_STEP_BYTES * 2);

  /** `root` is '/' but in tests, which give a folder that holds `proc/`, `sys/` and `etc/`. */
  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  /** The root folder joined with a path such as `proc/stat`. */
  resolve(relativePath: string): string {
    return path.join(this.#root, relativePath);
  }

  /** A file for {@link scan}, by its path below the root (`proc/stat`); opened at the first read. */
  file(relativePath: string): ProcFile {
    let file = this.#files.get(relativePath);
    if (!file) {
      file = new ProcFile(this.resolve(relativePath), relativePath.startsWith('proc/sys/'));
      this.#files.set(relativePath, file);
    }
    return file;
  }

  /**
   * Read the whole file and put the scanner at its start; undefined when it is absent or unreadable (asked again after a
   * second at the earliest). The scanner and its bytes belong to ProcFiles and are good until the next call.
   */
  scan(file: ProcFile): ByteScanner | undefined {
    if (file.fd === CLOSED && !this.#open(file)) return undefined;
    let length = this.#read(file);
    if (length < 0 && this.#open(file)) length = this.#read(file);
    if (length < 0) return undefined;
    this.#scanner.start(this.#buffer, length);
    return this.#scanner;
  }

  /** A small file's text (UTF-8) without blanks at the end, opened for this once; undefined when absent or unreadable. */
  text(relativePath: string): string | undefined {
    try {
      return readFileSync(this.resolve(relativePath), 'utf8').trimEnd();
    } catch {
      return undefined;
    }
  }

  /** The names in a folder, in the folder's own order; none when it is absent. */
  list(relativePath: string): readonly string[] {
    try {
      return readdirSync(this.resolve(relativePath));
    } catch {
      return [];
    }
  }

  /** When a file or folder was last changed, as a text to compare; undefined when it is absent. */
  changeTime(relativePath: string): string | undefined {
    try {
      return statSync(this.resolve(relativePath), { bigint: true }).ctimeNs.toString();
    } catch {
      return undefined;
    }
  }

  /** Whether a path exists (links are followed). */
  exists(relativePath: string): boolean {
    try {
      return statSync(this.resolve(relativePath), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false;
    }
  }

  /** What a symbolic link points to, or undefined. */
  link(relativePath: string): string | undefined {
    try {
      return readlinkSync(this.resolve(relativePath));
    } catch {
      return undefined;
    }
  }

  /** A path of the monitored system with all links resolved, as a path of that system; itself when it does not exist. */
  realPath(absolutePath: string): string {
    try {
      const real = realpathSync(this.resolve(absolutePath));
      return path.join('/', path.relative(realpathSync(this.#root), real));
    } catch {
      return absolutePath;
    }
  }

  /** Stop keeping a file open, for files that come and go with devices. */
  forget(file: ProcFile): void {
    this.#close(file);
    for (const [key, value] of this.#files) if (value === file) this.#files.delete(key);
  }

  /** Close all descriptors. */
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

  /** Read to the end into the buffer. The length, or -1 with the descriptor closed. */
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
        file.fd = CLOSED; // it is not ours any more: closing it could hit another file
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
