import type { ListedArchive } from '../http/index.js';
import { GatewayError, PM_ERR, PmError } from '../pmapi/index.js';
import { SharedWorks, type SourceFactory, type SourceSpec } from '../sources/index.js';
import {
  Archive,
  ArchiveMemory,
  ArchiveSource,
  DEFAULT_ARCHIVE_LIMITS,
  endOfArchive,
  filesOf,
  META_VOLUME,
  metricsIn,
  readLabelRecord,
  withMeta,
} from '../sources/archive/index.js';
import type { ArchiveLimits, ByteFile } from '../sources/archive/index.js';
import { GivenFiles } from './given-files.js';
import { inflateInPage } from './inflate.js';

/** The archives among some files: the sources of contexts in a page, as those below its roots are of a gateway. */
export class GivenArchives implements SourceFactory {
  readonly #files: GivenFiles;
  readonly #memory: ArchiveMemory;
  readonly #opened = new Map<string, Archive>();
  readonly #opening = new SharedWorks<string, Archive>();
  readonly #bases: ReadonlyMap<string, string>;
  readonly #sizes: ReadonlyMap<string, number>;

  constructor(files: readonly ByteFile[], limits: Partial<ArchiveLimits> = {}) {
    const all = { ...DEFAULT_ARCHIVE_LIMITS, ...limits };
    this.#files = new GivenFiles(files, inflateInPage, all);
    this.#memory = new ArchiveMemory(all);
    this.#sizes = new Map(files.map(({ name, size }) => [name, size]));
    // A comma separates archives.
    this.#bases = new Map(this.#files.bases.map((base) => [`local:${base.replaceAll(',', '_')}`, base]));
  }

  /** Their names, by which they are opened: `local:web1/20261120`. */
  get names(): readonly string[] {
    return [...this.#bases.keys()];
  }

  /** Opens an archive, or several, separated by commas, as one. Throws UNKNOWN_ARCHIVE, a PmError, and the signal's reason. */
  async open(spec: SourceSpec, signal?: AbortSignal): Promise<ArchiveSource> {
    if (spec.kind !== 'archive') throw new PmError(PM_ERR.NOCONTEXT, 'there are only archives here');
    const { archive: names } = spec;
    const unknown = names.split(',').find((name) => !this.#bases.has(name));
    if (unknown !== undefined) {
      const message = `${unknown} is not open in this page: open its files again`;
      throw new GatewayError('UNKNOWN_ARCHIVE', message, { parameter: 'archive' });
    }
    const archive =
      this.#opened.get(names) ?? (await this.#opening.join(names, (stop) => this.#open(names, stop), signal));
    return new ArchiveSource(archive, () => undefined);
  }

  /** An archive as a listing has it: its label, and its end, for which it is not opened. Throws a PmError, and the signal's reason. */
  async describe(name: string, signal?: AbortSignal): Promise<ListedArchive> {
    const place = { files: this.#files, memory: this.#memory };
    const files = await this.#files.find(this.#bases.get(name)!);
    const label = await withMeta(place, files.meta, (meta) => readLabelRecord(meta, META_VOLUME), signal);
    const { hostName, timezone, start, version } = label;
    const metrics = await metricsIn(place, files, signal);
    const end = await endOfArchive(place, files, label, signal);
    const sizeBytes = filesOf(files).reduce((sum, { path }) => sum + this.#sizes.get(path)!, 0);
    return { name, hostName, timezone, start, end, version, metrics, sizeBytes };
  }

  async #open(names: string, signal: AbortSignal): Promise<Archive> {
    const files = await Promise.all(names.split(',').map((name) => this.#files.find(this.#bases.get(name)!)));
    const archive = await Archive.open(files, this.#memory, this.#files, signal);
    this.#opened.set(names, archive);
    return archive;
  }
}
