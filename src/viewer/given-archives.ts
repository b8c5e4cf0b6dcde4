import { PM_ERR, PmError } from '../pmapi/index.js';
import { SharedWorks, type SourceFactory, type SourceSpec } from '../sources/index.js';
import { Archive, ArchiveMemory, ArchiveSource, DEFAULT_ARCHIVE_LIMITS } from '../sources/archive/index.js';
import type { ArchiveLimits, ByteFile } from '../sources/archive/index.js';
import { GivenFiles } from './given-files.js';
import { inflateInPage } from './inflate.js';

/** The archives among some files: the sources of contexts in a page, as those below its roots are of a gateway. */
export class GivenArchives implements SourceFactory {
  readonly #files: GivenFiles;
  readonly #memory: ArchiveMemory;
  readonly #opened = new Map<string, Archive>();
  readonly #opening = new SharedWorks<string, Archive>();

  constructor(files: readonly ByteFile[], limits: Partial<ArchiveLimits> = {}) {
    const all = { ...DEFAULT_ARCHIVE_LIMITS, ...limits };
    this.#files = new GivenFiles(files, inflateInPage, all);
    this.#memory = new ArchiveMemory(all);
  }

  /** Their names, by which they are opened. */
  get names(): readonly string[] {
    return this.#files.bases;
  }

  /** Opens an archive, or several, separated by commas, as one. Throws a PmError, and the signal's reason. */
  async open(spec: SourceSpec, signal?: AbortSignal): Promise<ArchiveSource> {
    if (spec.kind !== 'archive') throw new PmError(PM_ERR.NOCONTEXT, 'there are only archives here');
    const { archive: names } = spec;
    const archive =
      this.#opened.get(names) ?? (await this.#opening.join(names, (stop) => this.#open(names, stop), signal));
    return new ArchiveSource(archive, () => undefined);
  }

  async #open(names: string, signal: AbortSignal): Promise<Archive> {
    const files = await Promise.all(names.split(',').map((name) => this.#files.find(name)));
    const archive = await Archive.open(files, this.#memory, this.#files, signal);
    this.#opened.set(names, archive);
    return archive;
  }
}
