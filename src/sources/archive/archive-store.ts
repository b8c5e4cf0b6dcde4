import { stat } from 'node:fs/promises';
import { GatewayError } from '../../pmapi/index.js';
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

const RETRY_AFTER_SEC = 5;

interface OpenArchive {
  readonly opening: Promise<Archive>;
  /** How many archives are read as this one. */
  readonly members: number;
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
   * may name them is the caller's business: see resolveArchivePath. Throws a PmError, and OVERLOADED when too many others are in use.
   */
  async open(paths: readonly string[]): Promise<ArchiveSource> {
    // Not waited for: a disk that does not answer keeps nobody from archives on others.
    this.sweep().catch(() => undefined);
    const bases = await this.#expand(paths);
    const key = await identityOf(bases);
    let open = this.#archives.get(key);
    if (!open) {
      this.#requireRoom(bases.length);
      const opening = Archive.open(bases, this.memory, this.inflater);
      open = { opening, members: bases.length, users: 0, idleSinceMs: 0 };
      this.#archives.set(key, open);
    }
    const shared = open;
    shared.users++;
    try {
      return new ArchiveSource(await shared.opening, () => this.#release(shared));
    } catch (error) {
      if (this.#archives.get(key) === shared) this.#archives.delete(key);
      throw error;
    }
  }

  /**
   * What paths name now: another text when archives came or went, were compressed, or replaced by others of the same name. Throws a
   * PmError when they cannot be opened.
   */
  async identify(paths: readonly string[]): Promise<string> {
    return identityOf(await this.#expand(paths));
  }

  /** Close the archives that nobody has used for `limits.idleMs`, and those beyond `limits.idleArchives`. */
  async sweep(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const { idleArchives, idleMs } = this.memory.limits;
    const idle = [...this.#archives].filter(([, { users }]) => users === 0);
    idle.sort(([, a], [, b]) => b.idleSinceMs - a.idleSinceMs);
    const unwanted = idle.filter(([, { idleSinceMs }], i) => i >= idleArchives || nowMs - idleSinceMs >= idleMs);
    for (const [key] of unwanted) this.#archives.delete(key);
    await Promise.all(unwanted.map(async ([, { opening }]) => (await opening).close()));
    if (unwanted.length > 0 && this.#archives.size === 0) this.memory.clear();
  }

  /** Close everything and remove inflated copies. */
  async close(): Promise<void> {
    const open = [...this.#archives.values()];
    this.#archives.clear();
    await Promise.all(open.map(({ opening }) => opening.then((archive) => archive.close()).catch(() => undefined)));
    await this.inflater.close();
  }

  /** Contexts expire: who comes a little later may find room. */
  #requireRoom(members: number): void {
    let inUse = 0;
    for (const open of this.#archives.values()) if (open.users > 0) inUse += open.members;
    const { archivesInUse: most } = this.memory.limits;
    if (inUse + members <= most) return;
    const problem = `${inUse} archives are in use, ${members} more are asked for, and archives.max is ${most}`;
    if (members > most) throw new GatewayError('LIMIT_EXCEEDED', problem, { expected: `at most ${most} archives` });
    throw new GatewayError('OVERLOADED', `${problem}: try again later`, { retryAfterSec: RETRY_AFTER_SEC });
  }

  #expand(paths: readonly string[]): ReturnType<typeof expandArchiveNames> {
    return expandArchiveNames(paths, this.memory.limits.members);
  }

  #release(open: OpenArchive): void {
    open.users--;
    open.idleSinceMs = this.#clock.monotonicMs();
  }
}

/** Archives that were replaced on disk by others of the same name, or compressed, are other archives. */
async function identityOf(bases: readonly string[]): Promise<string> {
  const parts: string[] = [];
  for (const base of [...bases].sort()) {
    const { meta, volumes } = await findArchiveFiles(base);
    const found = await stat(meta.path);
    const version = meta.compression === undefined ? '' : `:${found.mtimeMs}:${found.size}`;
    const compressed = volumes.filter(({ file }) => file.compression !== undefined).map(({ number }) => number);
    parts.push(`${base}\0${found.dev}:${found.ino}${version}\0${compressed.join()}`);
  }
  return parts.join('\0\0');
}
