import type { ListedArchive } from '../http/index.js';
import { getOrMake, systemTimers, type Timers } from '../kit/index.js';
import { GatewayError, PM_ERR, PmError } from '../pmapi/index.js';
import { SharedWorks, type SourceFactory, type SourceSpec } from '../sources/index.js';
import {
  Archive,
  ArchiveMemory,
  archiveOfFile,
  ArchiveSource,
  DEFAULT_ARCHIVE_LIMITS,
  endOfArchive,
  filesOf,
  META_VOLUME,
  metricsIn,
  readLabelRecord,
  withMeta,
} from '../sources/archive/index.js';
import type { ArchiveFiles, ArchiveLimits, ByteFile } from '../sources/archive/index.js';
import { GivenFiles } from './given-files.js';
import { inflateInPage } from './inflate.js';

const PREFIX = 'local:';

interface Opened {
  readonly archive: Archive;
  /** Contexts that read it. */
  users: number;
  /** Keeps it from being closed soon. */
  keep: () => void;
}

/** The archives among some files: the sources of contexts in a page, as those below its roots are of a gateway. */
export class GivenArchives implements SourceFactory {
  readonly #files: GivenFiles;
  readonly #memory: ArchiveMemory;
  readonly #timers: Timers;
  readonly #opened = new Map<string, Opened>();
  readonly #opening = new SharedWorks<string, Opened>();

  constructor(files: readonly ByteFile[] = [], limits: Partial<ArchiveLimits> = {}, timers = systemTimers) {
    const all = { ...DEFAULT_ARCHIVE_LIMITS, ...limits };
    this.#files = new GivenFiles([], inflateInPage, all);
    this.#memory = new ArchiveMemory(all);
    this.#timers = timers;
    this.add(files);
  }

  /** Their names, by which they are opened: `local:web1/20261120`. */
  get names(): readonly string[] {
    return this.#files.bases.map((base) => PREFIX + base);
  }

  /** Adds the archives among some files; returns their names. Of two with one name, the later has a number behind it: `local:20261120-2`. */
  add(files: readonly ByteFile[]): readonly string[] {
    const byBase = new Map<string, ByteFile[]>();
    for (const file of files) getOrMake(byBase, archiveOfFile(file.name)!, () => []).push(file);
    return [...byBase].map(([base, own]) => {
      // A comma separates archives.
      const plain = base.replaceAll(',', '_');
      for (let number = 1; ; number++) {
        const free = number === 1 ? plain : `${plain}-${number}`;
        const named = own.map((file) => ({ ...file, name: free + file.name.slice(base.length) }));
        const isOther = named.some(({ name, size }) => this.#files.sizeOf(name) !== size);
        if (isOther && this.#files.bases.includes(free)) continue;
        this.#files.add(named);
        return PREFIX + free;
      }
    });
  }

  /** Opens an archive, or several, separated by commas, as one. Throws UNKNOWN_ARCHIVE, a PmError, and the signal's reason. */
  async open(spec: SourceSpec, signal?: AbortSignal): Promise<ArchiveSource> {
    if (spec.kind !== 'archive') throw new PmError(PM_ERR.NOCONTEXT, 'there are only archives here');
    const { archive: names } = spec;
    const known = new Set(this.names);
    const unknown = names.split(',').find((name) => !known.has(name));
    if (unknown !== undefined) {
      const message = `${unknown} is not open in this page: open its files again`;
      throw new GatewayError('UNKNOWN_ARCHIVE', message, { parameter: 'archive' });
    }
    const opened =
      this.#opened.get(names) ?? (await this.#opening.join(names, (stop) => this.#open(names, stop), signal));
    opened.users++;
    opened.keep();
    return new ArchiveSource(opened.archive, () => {
      if (--opened.users === 0) this.#closeSoon(names, opened);
    });
  }

  /** An archive as a listing has it: its label, and its end, for which it is not opened. Throws a PmError, and the signal's reason. */
  async describe(name: string, signal?: AbortSignal): Promise<ListedArchive> {
    const place = { files: this.#files, memory: this.#memory };
    const files = await this.#find(name);
    const label = await withMeta(place, files.meta, (meta) => readLabelRecord(meta, META_VOLUME), signal);
    const { hostName, timezone, start, version } = label;
    const metrics = await metricsIn(place, files, signal);
    const end = await endOfArchive(place, files, label, signal);
    const sizeBytes = filesOf(files).reduce((sum, { path }) => sum + this.#files.sizeOf(path)!, 0);
    return { name, hostName, timezone, start, end, version, metrics, sizeBytes };
  }

  async #open(names: string, signal: AbortSignal): Promise<Opened> {
    const files = await Promise.all(names.split(',').map((name) => this.#find(name)));
    const archive = await Archive.open(files, this.#memory, this.#files, signal);
    const opened = { archive, users: 0, keep: () => undefined };
    this.#opened.set(names, opened);
    this.#closeSoon(names, opened);
    return opened;
  }

  /** Closes what no context reads, unless one begins to. */
  #closeSoon(names: string, opened: Opened): void {
    opened.keep = this.#timers.after(this.#memory.limits.idleMs, () => {
      this.#opened.delete(names);
      void opened.archive.close();
    });
  }

  #find(name: string): Promise<ArchiveFiles> {
    return this.#files.find(name.slice(PREFIX.length));
  }
}
