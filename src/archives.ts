import { GatewayError } from './pmapi/index.js';
import type { Clock } from './pmapi/index.js';
import type { Config } from './config/index.js';
import { ArchiveStore, listArchives, openerWithin, resolveArchivePath } from './sources/archive/index.js';
import type { ArchiveLimits, ArchiveSource } from './sources/archive/index.js';

/** What the roots hold: archives, and those that cannot be opened with the reason. */
export type ArchiveCatalogue = Awaited<ReturnType<typeof listArchives>>;

/** The archives below the configured roots: opens them by name and lists them. Somebody has to call `sweep` now and then. */
export class Archives {
  readonly #store: ArchiveStore;
  #roots: readonly string[];
  #listing: Listing | undefined;

  constructor(clock: Clock, config: Config['archives']) {
    this.#roots = config.roots;
    this.#store = new ArchiveStore({
      clock,
      limits: limitsOf(config),
      opener: openerWithin(() => this.#roots),
      ...(config.tempDirectory === null ? {} : { tempDirectory: config.tempDirectory }),
    });
  }

  /** Serve other roots; what is open stays so. */
  reload({ roots }: Config['archives']): void {
    this.#roots = roots;
  }

  /**
   * Open what a client names: one archive or several separated by commas. Throws UNKNOWN_ARCHIVE for whatever is not below the
   * roots, and a PmError for an archive that cannot be opened.
   */
  async open(name: string): Promise<ArchiveSource> {
    if (this.#roots.length === 0) {
      throw new GatewayError('UNKNOWN_ARCHIVE', 'no archives are served: archives.roots is empty', {
        parameter: 'archive',
      });
    }
    return this.#store.open(await resolveArchivePath(this.#roots, name));
  }

  /**
   * What the roots hold now; clients that ask meanwhile share one search, which stops when all of them have left.
   * @param signal aborted when the client leaves: its call then ends at once by throwing the signal's reason
   */
  async list(signal?: AbortSignal): Promise<ArchiveCatalogue> {
    signal?.throwIfAborted();
    const listing = (this.#listing ??= this.#startListing());
    listing.clients++;
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        reject(signal?.reason as Error);
        if (--listing.clients === 0) this.#stop(listing);
      };
    });
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([listing.found, left]);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #startListing(): Listing {
    const stop = new AbortController();
    const found = listArchives(this.#roots, this.#store, stop.signal);
    const listing: Listing = { found, stop, clients: 0 };
    const end = (): void => {
      if (this.#listing === listing) this.#listing = undefined;
    };
    found.then(end, end);
    return listing;
  }

  #stop(listing: Listing): void {
    listing.stop.abort();
    if (this.#listing === listing) this.#listing = undefined;
  }

  /** Close archives that nobody has used for a while. */
  sweep(): Promise<void> {
    return this.#store.sweep();
  }

  /** Close everything and remove inflated copies. */
  close(): Promise<void> {
    return this.#store.close();
  }
}

/** A search of the roots, and how many wait for it. */
interface Listing {
  readonly found: Promise<ArchiveCatalogue>;
  readonly stop: AbortController;
  clients: number;
}

/** The budget for caches, split as the reader makes best use of it: blocks 1, indexes 2, columns 8 parts. */
function limitsOf({ cacheBytes, inflatedBytes, idleSec }: Config['archives']): Partial<ArchiveLimits> {
  const part = Math.floor(cacheBytes / 11);
  return {
    blockCacheBytes: part,
    planCacheBytes: part * 2,
    columnCacheBytes: part * 8,
    inflatedTotalBytes: inflatedBytes,
    inflatedFileBytes: Math.floor(inflatedBytes / 4),
    idleMs: idleSec * 1000,
  };
}
