import { opendirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import type { Clock } from '../../pmapi/index.js';
import type { MmvLimits } from './limits.js';
import { MmvFile, statOf } from './mmv-file.js';
import type { FileSurroundings } from './mmv-file.js';

/**
 * A directory that changed shortly before it was read may have changed again with the same timestamp: the kernel's clock for
 * files ticks every few milliseconds.
 */
const UNCERTAIN_MS = 50;
const DOT = 0x2e;
const SLASH = Buffer.from('/');

/** A file that is not served, in whole or in part, and why. */
export interface MmvProblem {
  readonly file: string;
  readonly reason: string;
}

/** The options of a directory. */
export interface MmvDirectoryOptions extends FileSurroundings {
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** The files of a directory, as of the last check. Nothing watches it: callers check when they need to know. */
export class MmvDirectory {
  readonly #options: MmvDirectoryOptions;
  #files: readonly MmvFile[] = [];
  /** All names found when the directory was last read. */
  #names: readonly Buffer[] = [];
  /** The directory's status then; undefined if it does not exist. */
  #read: Stats | undefined;
  #isCertain = false;
  #isClosed = false;
  #problems: readonly MmvProblem[] = [];

  constructor(options: MmvDirectoryOptions) {
    this.#options = options;
  }

  /** Whether the directory exists. */
  get exists(): boolean {
    return this.#read !== undefined;
  }

  /** In byte order of their names. */
  get files(): readonly MmvFile[] {
    return this.#files;
  }

  /** Files that exceed the limits. */
  get problems(): readonly MmvProblem[] {
    return this.#problems;
  }

  /** Checks whether files appeared or disappeared: one stat if none did. Returns whether anything changed. */
  lookAtDirectory(): boolean {
    if (this.#isClosed) return false;
    const found = statOf(this.#options.path);
    const directory = found?.isDirectory() === true ? found : undefined;
    const isSame = this.#read && directory ? isUnchanged(this.#read, directory) : this.#read === directory;
    if (isSame && (this.#isCertain || !directory)) return false;
    const { sec, nsec } = this.#options.clock.now();
    const ageMs = sec * 1000 + nsec / 1e6 - (directory?.mtimeMs ?? 0);
    this.#isCertain = Math.abs(ageMs) > UNCERTAIN_MS;
    const hadDirectory = this.exists;
    this.#read = directory;
    this.#names = directory ? this.#readNames() : [];
    return this.#replace() || this.exists !== hadDirectory;
  }

  /** Checks whether files have changed, by reading their headers. Returns whether any did. */
  lookAtFiles(): boolean {
    if (!this.#files.some((file) => file.hasChanged())) return false;
    this.#replace();
    return true;
  }

  /** Closes all files, for good. */
  close(): void {
    this.#isClosed = true;
    for (const file of this.#files) file.close();
    this.#files = [];
    this.#read = undefined;
  }

  /** Opens the files of all names, keeping unchanged ones. Returns whether any changed. */
  #replace(): boolean {
    const before = new Map(this.#files.map((file) => [keyOf(file.name), file]));
    const budget = new Budget(this.#options.limits);
    const files: MmvFile[] = [];
    const problems: MmvProblem[] = [];
    for (const name of this.#names) {
      if (files.length >= this.#options.limits.files) {
        problems.push({ file: name.toString('utf8'), reason: `there are more than ${files.length} files` });
        break;
      }
      const known = before.get(keyOf(name));
      const file = this.#fileAt(name, known);
      if (!file) continue;
      if (file === known) before.delete(keyOf(name));
      const reason = budget.refusalOf(file);
      if (reason === undefined) files.push(file);
      else {
        file.close();
        problems.push({ file: file.title, reason });
      }
    }
    for (const file of before.values()) file.close();
    const isSame = files.length === this.#files.length && files.every((file, i) => file === this.#files[i]);
    const areProblemsSame = JSON.stringify(problems) === JSON.stringify(this.#problems);
    this.#files = files;
    this.#problems = problems;
    return !isSame || !areProblemsSame;
  }

  /** The file of a name: the known one if it is unchanged. */
  #fileAt(name: Buffer, known: MmvFile | undefined): MmvFile | undefined {
    const path = Buffer.concat([Buffer.from(this.#options.path), SLASH, name]);
    const found = known && statOf(path);
    if (known && found && known.isAt(found) && !known.hasChanged()) return known;
    return MmvFile.open(path, name, this.#options, known);
  }

  /** The names in the directory that may be MMV files, in byte order. */
  #readNames(): readonly Buffer[] {
    const names: Buffer[] = [];
    try {
      // The type of `opendirSync` does not know that names can be requested as bytes.
      const directory = opendirSync(this.#options.path, { encoding: 'buffer' as BufferEncoding });
      try {
        for (let i = 0; i < this.#options.limits.entries; i++) {
          const entry = directory.readSync();
          if (!entry) break;
          const name = entry.name as unknown as Buffer;
          if (name[0] !== DOT) names.push(name);
        }
      } finally {
        directory.closeSync();
      }
    } catch {
      // It is gone again, or unreadable.
    }
    return names.sort((a, b) => a.compare(b));
  }
}

/** The total cost of files. */
class Budget {
  readonly #limits: MmvLimits;
  #bytes = 0;
  #layoutBytes = 0;

  constructor(limits: MmvLimits) {
    this.#limits = limits;
  }

  /** Why there is no room for another file; undefined if there is, and it is then counted. */
  refusalOf(file: MmvFile): string | undefined {
    if (file.now.state === 'refused') return undefined;
    const { totalBytes, totalLayoutBytes } = this.#limits;
    const bytes = this.#bytes + file.size;
    const layoutBytes = this.#layoutBytes + (file.layout?.bytes ?? 0);
    if (bytes > totalBytes) return `all files together have more than ${totalBytes} bytes`;
    if (layoutBytes > totalLayoutBytes) return 'the metrics, instances and texts of all files take too much memory';
    this.#bytes = bytes;
    this.#layoutBytes = layoutBytes;
    return undefined;
  }
}

function keyOf(name: Buffer): string {
  return name.toString('latin1');
}

/** Whether a directory is the same one, and no entry was added, removed or renamed since, nor its mode changed. */
function isUnchanged(before: Stats, now: Stats): boolean {
  return (
    before.mtimeMs === now.mtimeMs && before.ctimeMs === now.ctimeMs && before.ino === now.ino && before.dev === now.dev
  );
}
