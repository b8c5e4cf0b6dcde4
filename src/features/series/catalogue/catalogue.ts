import { LRUCache } from 'lru-cache';
import { GatewayError, PmError, type Clock, type Timestamp } from '../../../pmapi/index.js';
import { SharedWork, type SampleStore, type SampleStores, type StoreMetadata } from '../../../sources/index.js';
import { ArchiveSeries, catalogueArchive } from './archive-series.js';

/** How long the list of stores is taken to be as it was. */
const FRESH_MS = 1000;
/** Bytes that the catalogues of all archives may take, about. */
const CATALOGUE_BYTES = 128 * 1024 * 1024;
const READ_AT_ONCE = 4;

/** The catalogue of a store; undefined for one that cannot be read. */
interface Known {
  readonly key: string;
  readonly series: ArchiveSeries | undefined;
}

/** The series of all stores: one {@link ArchiveSeries} for each readable store, made on demand. */
export class Catalogue {
  readonly #stores: readonly SampleStores[];
  readonly #clock: Clock;
  readonly #known: LRUCache<string, Known>;
  /** When the last record of an archive was taken, by name. */
  readonly #ends = new Map<string, { readonly extent: string; readonly end: Timestamp }>();
  #extents: ReadonlyMap<string, string | undefined> = new Map();
  #listed: readonly ArchiveSeries[] = [];
  #listedAtMs = -Infinity;
  #listing: SharedWork<readonly ArchiveSeries[]> | undefined;

  constructor(stores: readonly SampleStores[], clock: Clock, bytes = CATALOGUE_BYTES) {
    this.#stores = stores;
    this.#clock = clock;
    this.#known = new LRUCache({
      maxSize: bytes,
      sizeCalculation: ({ key, series }, name) => (series?.bytes ?? 0) + 2 * (key.length + name.length) + 100,
    });
  }

  /** The series of all stores, in order of their start; shared by concurrent clients. Throws LIMIT_EXCEEDED, and the signal's reason. */
  async list(signal?: AbortSignal): Promise<readonly ArchiveSeries[]> {
    signal?.throwIfAborted();
    if (this.#clock.monotonicMs() - this.#listedAtMs < FRESH_MS) return this.#listed;
    if (!this.#listing || this.#listing.isGivenUp) {
      const listing = new SharedWork((stop) => this.#list(stop));
      const end = (): void => {
        if (this.#listing === listing) this.#listing = undefined;
      };
      listing.result.then(end, end);
      this.#listing = listing;
    }
    return this.#listing.join(signal);
  }

  /** When the last record of an archive was taken; undefined while it is not known, or the archive has grown since it was. */
  endOf(name: string): Timestamp | undefined {
    const known = this.#ends.get(name);
    return known && known.extent === this.#extents.get(name) ? known.end : undefined;
  }

  /** Remember when the last record of an archive was taken, for as long as it does not grow. */
  learnEnd(name: string, end: Timestamp): void {
    const extent = this.#extents.get(name);
    if (extent !== undefined) this.#ends.set(name, { extent, end });
  }

  async #list(signal: AbortSignal): Promise<readonly ArchiveSeries[]> {
    const lists = this.#stores.map(async (stores) => (await stores.find(signal)).map((store) => ({ stores, store })));
    const found = (await Promise.all(lists)).flat();
    const listed: (ArchiveSeries | undefined)[] = [];
    const queue = found.entries();
    const work = async (): Promise<void> => {
      for (const [i, { stores, store }] of queue) listed[i] = await this.#seriesOf(stores, store, signal);
    };
    await Promise.all(Array.from({ length: READ_AT_ONCE }, work));
    const readable = listed.filter((series) => series !== undefined);
    this.#requireRoom(readable);
    readable.sort((a, b) => a.start.sec - b.start.sec || a.start.nsec - b.start.nsec);
    this.#listed = readable;
    this.#extents = new Map(found.map(({ store: { name, extent } }) => [name, extent]));
    for (const name of this.#ends.keys()) if (!this.#extents.has(name)) this.#ends.delete(name);
    this.#listedAtMs = this.#clock.monotonicMs();
    return readable;
  }

  async #seriesOf(stores: SampleStores, store: SampleStore, signal: AbortSignal): Promise<ArchiveSeries | undefined> {
    signal.throwIfAborted();
    const { name, spec, key } = store;
    const known = this.#known.get(name);
    if (known?.key === key) return known.series;
    const catalogued = { name, spec, open: (stop?: AbortSignal) => stores.openStore(store, stop) };
    const use = (metadata: StoreMetadata): Promise<ArchiveSeries> => catalogueArchive(catalogued, metadata, signal);
    let series: ArchiveSeries | undefined;
    try {
      series = await stores.readMetadata(store, use, signal);
    } catch (error) {
      signal.throwIfAborted();
      const isUnreachable = spec.kind === 'host' && error instanceof GatewayError;
      if (!isUnreachable && !(error instanceof PmError)) throw error;
      // GET /archives says what is wrong with an archive. What was remembered of a host is there while the host is not.
      if (spec.kind === 'host') series = known?.series;
    }
    this.#known.set(name, { key, series });
    return series;
  }

  #requireRoom(archives: readonly ArchiveSeries[]): void {
    const bytes = archives.reduce((sum, archive) => sum + archive.bytes, 0);
    if (bytes <= this.#known.maxSize) return;
    const [taken, most] = [bytes, this.#known.maxSize].map((size) => Math.ceil(size / 2 ** 20));
    const what = `the series of ${archives.length} archives and hosts`;
    throw new GatewayError('LIMIT_EXCEEDED', `${what} take ${taken} MiB of memory, at most ${most} are allowed`);
  }
}
