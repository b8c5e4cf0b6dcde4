import { END_OF_TIME, formatTimestamp, GatewayError, onPmError, PM_ERR, PmError } from '../../../pmapi/index.js';
import type { Clock } from '../../../pmapi/index.js';
import type { StoreMetadata } from '../../sample-stores.js';
import { SharedWork } from '../../shared-work.js';
import { ArchiveMemory, DEFAULT_ARCHIVE_LIMITS, type ArchiveLimits } from '../archive-memory.js';
import { ArchiveSource } from '../archive-source.js';
import { Archive } from '../archive.js';
import type { ArchiveFile, ArchiveFiles } from '../files/archive-files.js';
import { withFile } from '../ends.js';
import type { BlockFile } from '../files/block-file.js';
import { META_VOLUME, readLabelRecord, type LabelRecord } from '../metadata/label-record.js';
import { Metadata } from '../metadata/metadata.js';
import { Directories, expandArchiveNames, type FileOpener } from './open-files.js';
import { LocalFileSystem } from './local-file-system.js';

const RETRY_AFTER_SEC = 5;

/** Archives that are read as one, found on disk. */
export interface LocatedArchives {
  readonly files: readonly ArchiveFiles[];
  /** Changes when archives come or go, are compressed or replaced. */
  readonly identity: string;
}

interface OpenArchive {
  readonly opening: SharedWork<Archive>;
  readonly members: number;
  users: number;
  idleSinceMs: number;
}

export interface ArchiveStoreOptions {
  readonly clock: Clock;
  readonly limits?: Partial<ArchiveLimits>;
  /** The directory of inflated copies; the system's temporary directory by default. */
  readonly tempDirectory?: string;
  /** Opens the archives' files; the file system by default. See {@link openerWithin}. */
  readonly opener?: FileOpener;
}

/** An archive's `.meta` file, read without its volumes. */
export interface ArchiveMetadata extends StoreMetadata {
  readonly label: LabelRecord;
}

/** All open archives, shared by contexts on the same files; unused ones stay open until {@link sweep}, which is called periodically. */
export class ArchiveStore {
  readonly memory: ArchiveMemory;
  readonly files: LocalFileSystem;
  readonly #clock: Clock;
  readonly #archives = new Map<string, OpenArchive>();

  constructor(options: ArchiveStoreOptions) {
    const limits = { ...DEFAULT_ARCHIVE_LIMITS, ...options.limits };
    this.#clock = options.clock;
    this.files = new LocalFileSystem(limits, options.tempDirectory, options.opener);
    this.memory = new ArchiveMemory(limits);
  }

  /** Open archives, unused ones included. */
  get openCount(): number {
    return this.#archives.size;
  }

  /** Locates archives by path; permission is checked by resolveArchivePath. Throws a PmError if there is none. */
  async locate(paths: readonly string[], directories = new Directories()): Promise<LocatedArchives> {
    return this.identify(await expandArchiveNames(paths, this.memory.limits.members, directories));
  }

  /** Archives whose files are known. Throws a PmError if the metadata of one has been renamed. */
  async identify(files: readonly ArchiveFiles[]): Promise<LocatedArchives> {
    return { files, identity: (await Promise.all(files.map((each) => this.#identityOf(each)))).sort().join('\0\0') };
  }

  /** Opens a source on archives. Throws a PmError, OVERLOADED when too many are in use, and the signal's reason. */
  async open(archives: LocatedArchives | readonly string[], signal?: AbortSignal): Promise<ArchiveSource> {
    // Not waited for: an unresponsive disk must not block archives on others.
    this.sweep().catch(() => undefined);
    const { files, identity } = 'identity' in archives ? archives : await this.locate(archives);
    signal?.throwIfAborted();
    let shared = this.#archives.get(identity);
    if (!shared || shared.opening.isGivenUp) {
      this.#requireRoom(files.length);
      const opening = new SharedWork((stop) => Archive.open(files, this.memory, this.files, stop));
      shared = { opening, members: files.length, users: 0, idleSinceMs: 0 };
      this.#archives.set(identity, shared);
    }
    const own = shared;
    own.users++;
    try {
      const archive = await own.opening.join(signal);
      return new ArchiveSource(archive, () => this.#release(own));
    } catch (error) {
      this.#release(own);
      const isOfUse = signal?.aborted === true && !own.opening.isGivenUp;
      // It may have been done a moment before.
      if (own.opening.isGivenUp) void closeOpened(own.opening);
      if (!isOfUse && this.#archives.get(identity) === own) this.#archives.delete(identity);
      throw error;
    }
  }

  /** Applies `use` to an archive's metadata without opening its volumes. Throws a PmError, and the signal's reason. */
  readMetadata<T>(
    { meta }: ArchiveFiles,
    use: (metadata: ArchiveMetadata) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { limits } = this.memory;
    const read = async (file: BlockFile): Promise<T> => {
      const label = await readLabelRecord(file, META_VOLUME);
      const metadata = await Metadata.read([{ file, version: label.version }], label.hostName, limits, signal);
      return use({
        label,
        metrics: () => metadata.pmns.entries(),
        descriptor: (pmid) => metadata.descriptor(pmid),
        instancesEver: async (indom) => {
          const { instances } = await metadata.instancesEver(indom).catch(onPmError(() => ({ instances: [] })));
          return instances;
        },
        lastLabels: (target) => metadata.labelsAt(target, END_OF_TIME),
      });
    };
    return this.withFile(meta, limits.metadataBytes, read, signal);
  }

  /** Applies `use` to a file, inflated to at most `most` bytes. Throws a PmError, and the signal's reason. */
  withFile<T>(file: ArchiveFile, most: number, use: (file: BlockFile) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return withFile(this, file, most, use, signal);
  }

  /** Applies `use` to a file as it is; undefined if it cannot be read. */
  look<T>(path: string, use: (file: BlockFile) => Promise<T>): Promise<T | undefined> {
    return this.withFile({ path, compression: undefined }, Infinity, use).catch(onPmError(() => undefined));
  }

  /** Closes the archives unused for `limits.idleMs`, and those beyond `limits.idleArchives`. */
  async sweep(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const { idleArchives, idleMs } = this.memory.limits;
    const idle = [...this.#archives].filter(([, { users }]) => users === 0);
    idle.sort(([, a], [, b]) => b.idleSinceMs - a.idleSinceMs);
    const unwanted = idle.filter(([, { idleSinceMs }], i) => i >= idleArchives || nowMs - idleSinceMs >= idleMs);
    for (const [key] of unwanted) this.#archives.delete(key);
    await Promise.all(unwanted.map(([, { opening }]) => closeOpened(opening)));
    if (unwanted.length > 0 && this.#archives.size === 0) this.memory.clear();
  }

  /** Cancels opening, and closes everything. */
  async close(): Promise<void> {
    const open = [...this.#archives.values()];
    this.#archives.clear();
    for (const { opening } of open) opening.giveUp(new PmError(PM_ERR.NOCONTEXT));
    this.files.inflater.giveUp();
    await Promise.all(open.map(({ opening }) => closeOpened(opening).catch(() => undefined)));
  }

  /** An archive that was replaced, overwritten or compressed under the same name is another archive. */
  async #identityOf({ base, meta, volumes }: ArchiveFiles): Promise<string> {
    const found = await this.files.stat(meta.path);
    const version = meta.compression === undefined ? await this.#labelOf(meta) : `${found.mtimeMs}:${found.size}`;
    const compressed = volumes.filter(({ file }) => file.compression !== undefined).map(({ number }) => number);
    return `${base}\0${found.dev}:${found.ino}:${version}\0${compressed.join()}`;
  }

  async #labelOf({ path }: ArchiveFile): Promise<string> {
    const label = await this.look(path, (file) => readLabelRecord(file, META_VOLUME));
    return label ? `${label.pid}:${formatTimestamp(label.start)}` : '';
  }

  /** A later request may find room, because contexts expire. */
  #requireRoom(members: number): void {
    let inUse = 0;
    for (const open of this.#archives.values()) if (open.users > 0) inUse += open.members;
    const { archivesInUse: most } = this.memory.limits;
    if (inUse + members <= most) return;
    const problem = `too many archives in use: ${inUse} and ${members} more exceed archives.max, which is ${most}`;
    if (members > most) throw new GatewayError('LIMIT_EXCEEDED', problem, { expected: `at most ${most} archives` });
    throw new GatewayError('OVERLOADED', `${problem}: try again later`, { retryAfterSec: RETRY_AFTER_SEC });
  }

  #release(open: OpenArchive): void {
    open.users--;
    open.idleSinceMs = this.#clock.monotonicMs();
  }
}

async function closeOpened(opening: SharedWork<Archive>): Promise<void> {
  const archive = await opening.result.catch(() => undefined);
  await archive?.close();
}
