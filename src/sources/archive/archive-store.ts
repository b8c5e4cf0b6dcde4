import { stat } from 'node:fs/promises';
import type { Clock } from '../../pmapi/index.js';
import { Archive } from './archive.js';
import { expandArchiveNames, findArchiveFiles } from './archive-files.js';
import { ArchiveMemory } from './archive-memory.js';
import { ArchiveSource } from './archive-source.js';
import { Inflater } from './decompress.js';
import { DEFAULT_ARCHIVE_LIMITS } from './limits.js';
import type { ArchiveLimits } from './limits.js';
import type { FileOpener } from './open-files.js';
import { openRegularFile } from './regular-file.js';

interface OpenArchive {
  readonly opening: Promise<Archive>;
  users: number;
  idleSinceMs: number;
}

/** What an {@link ArchiveStore} is made of. */
export interface ArchiveStoreOptions {
  readonly clock: Clock;
  readonly limits?: Partial<ArchiveLimits>;
  /** Where inflated copies go; the system's directory for temporary files by default. */
  readonly tempDirectory?: string;
  /** Opens the archives' files; the file system by default. See {@link openerWithin}. */
  readonly opener?: FileOpener;
}

/**
 * All open archives: contexts on the same files share one, which stays open for a while when the last has gone. Somebody
 * has to call {@link sweep} now and then.
 */
export class ArchiveStore {
  readonly memory: ArchiveMemory;
  readonly inflater: Inflater;
  readonly #clock: Clock;
  readonly #archives = new Map<string, OpenArchive>();

  constructor(options: ArchiveStoreOptions) {
    const limits = { ...DEFAULT_ARCHIVE_LIMITS, ...options.limits };
    this.#clock = options.clock;
    const { opener = openRegularFile } = options;
    const inflater = new Inflater(limits, options.tempDirectory, opener);
    this.inflater = inflater;
    // Inflated copies are our own, and lie elsewhere.
    this.memory = new ArchiveMemory(limits, (path) => (inflater.owns(path) ? openRegularFile(path) : opener(path)));
  }

  /** How many archives are open, those that nobody uses included. */
  get openCount(): number {
    return this.#archives.size;
  }

  /**
   * A source on the archives that paths name: base names, names of any of an archive's files, directories. Whether a client
   * may name them is the caller's business: see resolveArchivePath. Throws a PmError.
   */
  async open(paths: readonly string[]): Promise<ArchiveSource> {
    const bases = await expandArchiveNames(paths, this.memory.limits.members);
    const key = await identityOf(bases);
    let open = this.#archives.get(key);
    if (!open) {
      open = { opening: Archive.open(bases, this.memory, this.inflater), users: 0, idleSinceMs: 0 };
      this.#archives.set(key, open);
    }
    const shared = open;
    shared.users++;
    try {
      return new ArchiveSource(await shared.opening, () => this.#release(shared));
    } catch (error) {
      this.#archives.delete(key);
      throw error;
    }
  }

  /** Close the archives that nobody has used for `limits.idleMs`. */
  async sweep(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const idle = [...this.#archives].filter(
      ([, open]) => open.users === 0 && nowMs - open.idleSinceMs >= this.memory.limits.idleMs,
    );
    for (const [key] of idle) this.#archives.delete(key);
    await Promise.all(idle.map(async ([, open]) => (await open.opening).close()));
  }

  /** Close everything and remove inflated copies. */
  async close(): Promise<void> {
    const open = [...this.#archives.values()];
    this.#archives.clear();
    await Promise.all(open.map(({ opening }) => opening.then((archive) => archive.close()).catch(() => undefined)));
    await this.inflater.close();
  }

  #release(open: OpenArchive): void {
    open.users--;
    open.idleSinceMs = this.#clock.monotonicMs();
  }
}

/** Archives that were replaced on disk by others of the same name are other archives. */
async function identityOf(bases: readonly string[]): Promise<string> {
  const parts: string[] = [];
  for (const base of [...bases].sort()) {
    const { meta } = await findArchiveFiles(base);
    const found = await stat(meta.path);
    const version = meta.compression === undefined ? '' : `:${found.mtimeMs}:${found.size}`;
    parts.push(`${base}\0${found.dev}:${found.ino}${version}`);
  }
  return parts.join('\0\0');
}
