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

const READ_STEP_BYTES = 64 * 1024;
/** For a larger request the kernel allocates and clears as much again for a file of /proc/sys. */
const SYSCTL_STEP_BYTES = 4 * 1024;
/**
 * A shorter first read has the whole file. The kernel ends a read where the next line does not fit into a page (seq_file): the lines of one file are
 * of about the same length, except where it has paths.
 */
const SURELY_WHOLE_BYTES = 2000;
/** No file in /proc or /sys that is read as a whole comes near; longer ones are truncated. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;
const RETRY_ABSENT_MS = 1000;
const STALE_DESCRIPTOR = new Set(['ENODEV', 'ESRCH', 'EBADF', 'ESTALE']);
const CLOSED = -1;

/** A file that is read repeatedly: its descriptor stays open between reads. Made by {@link ProcFiles.file}. */
export interface ProcFile {
  readonly path: string | Buffer;
  readonly stepBytes: number;
  /** Whether a line may be as long as a page. */
  readonly hasLongLines: boolean;
  fd: number;
  retryAtMs: number;
}

function unopened(path: string | Buffer, stepBytes = READ_STEP_BYTES, hasLongLines = false): ProcFile {
  return { path, stepBytes, hasLongLines, fd: CLOSED, retryAtMs: 0 };
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
    const hasLongLines = /\/(mounts|swaps)$/.test(relativePath);
    return getOrMake(this.#files, relativePath, () => unopened(this.resolve(relativePath), stepBytes, hasLongLines));
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
        length += got;
        if (got === 0 || (length < SURELY_WHOLE_BYTES && !file.hasLongLines)) break;
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

const NEWLINE = 10;
const TAB = 9;
const BLANK = 32;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
/** 15 decimal digits always fit a double exactly. */
const EXACT_DIGITS = 15;
/** No 64-bit integer has more digits; longer ones become the largest or the smallest one, as with strtoull(3). */
const MAX_DIGITS = 20;
const LARGEST = 2n ** 64n - 1n;
const SMALLEST = -(2n ** 63n);

const NO_BYTES = new Uint8Array(0);

/** A cursor over text files of the kernel, in bytes. Only {@link nextLine} moves it beyond the end of the line. */
export class ByteScanner {
  bytes: Uint8Array = NO_BYTES;
  pos = 0;
  end = 0;
  /** The result of {@link integer}; exact unless {@link wide} is set. */
  value = 0;
  /** The result of {@link integer}, if it has more than 15 digits and exceeds ±2^53. */
  wide: bigint | undefined = undefined;

  start(bytes: Uint8Array, length: number): void {
    this.bytes = bytes;
    this.pos = 0;
    this.end = Math.min(length, bytes.length);
  }

  get atEnd(): boolean {
    return this.pos >= this.end;
  }

  get atLineEnd(): boolean {
    this.skipBlanks();
    return this.pos >= this.end || this.bytes[this.pos] === NEWLINE;
  }

  lineEnd(): number {
    const found = this.bytes.indexOf(NEWLINE, this.pos);
    return found < 0 || found >= this.end ? this.end : found;
  }

  nextLine(): boolean {
    this.pos = Math.min(this.lineEnd() + 1, this.end);
    return this.pos < this.end;
  }

  skipBlanks(): void {
    const { bytes, end } = this;
    let pos = this.pos;
    while (pos < end && (bytes[pos] === BLANK || bytes[pos] === TAB)) pos++;
    this.pos = pos;
  }

  skipWords(count: number): void {
    for (let i = 0; i < count; i++) {
      this.skipBlanks();
      this.pos = this.wordEnd();
    }
  }

  /** The end of the word at `pos`: a blank or the end of the line. */
  wordEnd(): number {
    const { bytes, end } = this;
    let pos = this.pos;
    while (pos < end && bytes[pos]! !== NEWLINE && bytes[pos]! !== BLANK && bytes[pos]! !== TAB) pos++;
    return pos;
  }

  /** The next position of `byte` on this line, or -1. */
  find(byte: number): number {
    const { bytes, end } = this;
    for (let pos = this.pos; pos < end && bytes[pos] !== NEWLINE; pos++) if (bytes[pos] === byte) return pos;
    return -1;
  }

  startsWith(key: Uint8Array): boolean {
    const { bytes, pos } = this;
    if (pos + key.length > this.end) return false;
    for (let i = 0; i < key.length; i++) if (bytes[pos + i] !== key[i]) return false;
    return true;
  }

  /** Reads an integer behind blanks into {@link value} and {@link wide}. False, having moved only past blanks, if there is none. */
  integer(): boolean {
    this.skipBlanks();
    const { bytes, end } = this;
    let pos = this.pos;
    const isNegative = pos < end && bytes[pos] === MINUS;
    if (isNegative) pos++;
    const first = pos;
    let value = 0;
    while (pos < end) {
      const digit = bytes[pos]! - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      pos++;
    }
    if (pos === first) return false;
    this.value = isNegative ? -value : value;
    this.wide = undefined;
    if (pos - first > MAX_DIGITS) {
      this.wide = isNegative ? SMALLEST : LARGEST;
      this.value = Number(this.wide);
    } else if (pos - first > EXACT_DIGITS) {
      this.wide = this.#wideOf(this.pos, pos);
    }
    this.pos = pos;
    return true;
  }

  /** Reads a decimal number such as `0.25` after blanks; NaN, having moved only past blanks, if there is none. */
  decimal(): number {
    this.skipBlanks();
    const { bytes, end } = this;
    const first = this.pos;
    let pos = first;
    while (pos < end) {
      const byte = bytes[pos]!;
      if ((byte < ZERO || byte > NINE) && byte !== DOT && byte !== MINUS) break;
      pos++;
    }
    if (pos === first) return NaN;
    const number = Number(this.text(first, pos));
    if (!Number.isFinite(number)) return NaN;
    this.pos = pos;
    return number;
  }

  word(): string {
    this.skipBlanks();
    const first = this.pos;
    this.pos = this.wordEnd();
    return this.text(first, this.pos);
  }

  /** Reads the rest of the line, without blanks at both ends. */
  rest(): string {
    const lineEnd = this.lineEnd();
    const text = this.text(this.pos, lineEnd).trim();
    this.pos = lineEnd;
    return text;
  }

  text(start: number, end: number): string {
    return decodeText(this.bytes, start, end);
  }

  #wideOf(start: number, end: number): bigint | undefined {
    const wide = BigInt(this.text(start, end));
    return Number.isSafeInteger(Number(wide)) ? undefined : wide;
  }
}

/** Bytes as a unique name: of names that are not UTF-8, as interfaces may have, bytes beyond ASCII are `\xff`. */
export function decodeName(bytes: Uint8Array, start: number, end: number): string {
  const name = decodeText(bytes, start, end);
  if (!name.includes('\ufffd')) return name;
  const latin1 = Buffer.from(bytes.subarray(start, end)).toString('latin1');
  return latin1.replace(/[\x80-\xff]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
}

/** Bytes from `start` to `end` as UTF-8 text; fast for short ASCII, which is nearly everything in /proc. */
export function decodeText(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte >= 128) return Buffer.from(bytes.subarray(start, end)).toString('utf8');
    text += String.fromCharCode(byte);
  }
  return text;
}
