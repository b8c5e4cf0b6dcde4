import { opendirSync, type Stats } from 'node:fs';
import type { Clock } from '../../pmapi/index.js';
import { FILE_COST_BYTES, MmvFile, statOf, versionOf, type FileSurroundings, type MmvLimits } from './mmv-file.js';

/** A directory that changed just before it was read may have changed again with the same timestamp: file clocks tick in ms. */
const UNCERTAIN_MS = 50;
const DOT = 0x2e;
const SLASH = Buffer.from('/');

/** A file that is not served, in whole or in part, and why. */
export interface MmvProblem {
  readonly file: string;
  readonly reason: string;
}

export interface MmvDirectoryOptions extends FileSurroundings {
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** The files of a directory, as of the last check, which callers request. */
export class MmvDirectory {
  readonly #options: MmvDirectoryOptions;
  /** In byte order of their names. */
  files: readonly MmvFile[] = [];
  /** All names found when the directory was last read. */
  #names: readonly Buffer[] = [];
  /** The directory's status then; undefined if it does not exist. */
  #read: Stats | undefined;
  #isCertain = false;
  #isClosed = false;
  /** Some changed files were not read yet. */
  #isBehind = false;
  /** Files without room, by name: not read again until they change, or there is room. */
  #crowded: ReadonlyMap<string, CrowdedFile> = new Map();
  /** Files that exceed the limits. */
  problems: readonly MmvProblem[] = [];

  constructor(options: MmvDirectoryOptions) {
    this.#options = options;
  }

  get exists(): boolean {
    return this.#read !== undefined;
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
    return (this.#isBehind || this.files.some((file) => file.hasChanged())) && this.#replace();
  }

  close(): void {
    this.#isClosed = true;
    for (const file of this.files) file.close();
    this.files = [];
    this.#read = undefined;
  }

  #replace(): boolean {
    const { limits } = this.#options;
    const before = new Map(this.files.map((file) => [keyOf(file.name), file]));
    const budget = new Budget(limits);
    const files: MmvFile[] = [];
    const problems: MmvProblem[] = [];
    const crowded = new Map<string, CrowdedFile>();
    let bytesToRead = limits.checkBytes;
    let isDifferent = false;
    this.#isBehind = false;
    for (const name of this.#names) {
      if (budget.files >= limits.files) {
        problems.push({ file: name.toString('utf8'), reason: `there are more than ${limits.files} files` });
        break;
      }
      const key = keyOf(name);
      const path = Buffer.concat([Buffer.from(this.#options.path), SLASH, name]);
      const found = statOf(path);
      if (found?.isFile() !== true) continue;
      const known = before.get(key);
      let file = known;
      const version = versionOf(found);
      if (!known?.isAt(found) || known.hasChanged(found)) {
        const last = this.#crowded.get(key);
        const layoutBytes = last?.version === version ? last.layoutBytes : 0;
        const reason = budget.refusalOf(found.size, layoutBytes);
        if (reason !== undefined) {
          crowded.set(key, { version, layoutBytes });
          problems.push({ file: name.toString('utf8'), reason });
          continue;
        }
        if (bytesToRead <= 0) {
          this.#isBehind = true;
          known?.suspend();
        } else {
          isDifferent = true;
          file = new MmvFile(path, name, found, this.#options, known);
          bytesToRead -= Math.max(FILE_COST_BYTES, Math.min(file.size, limits.fileBytes));
        }
      }
      if (!file) continue;
      if (file === known) before.delete(key);
      const reason = budget.take(file);
      if (reason === undefined) files.push(file);
      else {
        file.close();
        crowded.set(key, { version, layoutBytes: file.layout?.bytes ?? 0 });
        problems.push({ file: file.title, reason });
      }
    }
    for (const file of before.values()) file.close();
    isDifferent ||= files.length !== this.files.length || files.some((file, i) => file !== this.files[i]);
    isDifferent ||= JSON.stringify(problems) !== JSON.stringify(this.problems);
    this.files = files;
    this.problems = problems;
    this.#crowded = crowded;
    return isDifferent;
  }

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

interface CrowdedFile {
  readonly version: string;
  /** Memory of its layout; 0 if unread. */
  readonly layoutBytes: number;
}

class Budget {
  readonly #limits: MmvLimits;
  #bytes = 0;
  #layoutBytes = 0;
  files = 0;

  constructor(limits: MmvLimits) {
    this.#limits = limits;
  }

  /** Why there is no room for another file; undefined if there is. */
  refusalOf(bytes: number, layoutBytes: number): string | undefined {
    const { fileBytes, totalBytes, totalLayoutBytes } = this.#limits;
    // One that is too large by itself is refused for that, and takes no room.
    if (bytes <= fileBytes && this.#bytes + bytes > totalBytes) {
      return `all files together have more than ${totalBytes} bytes`;
    }
    if (this.#layoutBytes + layoutBytes <= totalLayoutBytes) return undefined;
    return 'the metrics, instances and texts of all files take too much memory';
  }

  /** Counts a file, or returns why there is no room for it. */
  take(file: MmvFile): string | undefined {
    if (file.now.state === 'refused') return undefined;
    const layoutBytes = file.layout?.bytes ?? 0;
    const reason = this.refusalOf(file.size, layoutBytes);
    if (reason !== undefined) return reason;
    this.files++;
    this.#bytes += file.size;
    this.#layoutBytes += layoutBytes;
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
