import {
  compareTimestamps,
  earlier,
  END_OF_TIME,
  GatewayError,
  onPmError,
  timestampToSeconds,
} from '../../pmapi/index.js';
import type { Clock, Timestamp } from '../../pmapi/index.js';
import type { Config } from '../../config/index.js';
import type { ArchiveDirectory, ArchiveFilter, ListedArchive } from '../../http/index.js';
import { getOrMake, inTurns } from '../../kit/index.js';
import { SharedWork, type SampleStore, type SampleStores } from '../../sources/index.js';
import {
  ArchiveCatalogue,
  ArchiveStore,
  Directories,
  findArchives,
  openerWithin,
  resolveArchivePath,
  type ArchiveMetadata,
  type BrokenArchive,
  type FoundArchive,
  type LabelledArchive,
  type LocatedArchives,
} from '../../sources/archive/node/index.js';
import type { ArchiveLimits, ArchiveSource } from '../../sources/archive/index.js';

/** What a client asks for: one archive or several separated by commas. */
export interface ArchiveSpec {
  readonly archive: string;
}

/** An archive below the roots; its metadata and its samples change with its metadata file and its last volume. */
export interface ArchiveState extends FoundArchive, SampleStore {}

/** What a spec led to when it was opened, and whether that was so when it was last looked. */
interface Seen {
  readonly identity: string;
  hasChanged: boolean;
  isLooking: boolean;
  lookedAtMs: number;
}

export interface ArchiveLabelList {
  readonly archives: readonly LabelledArchive[];
  readonly broken: readonly BrokenArchive[];
}

/** How long a list of labels is taken to be true, at least; and in multiples of the time that it took to make. */
const LABELS_FRESH_MS = 1000;
const LABELS_FRESH_RATIO = 20;
/** A list that took longer is renewed behind the answer. */
const LABELS_AT_ONCE_MS = 100;
/** Listings of so many archives use the labels of the last one, too; others look at all files each time. */
const MANY_ARCHIVES = 1000;
/** How many archives are summarized at the same time. */
const SUMMARIZED_AT_ONCE = 4;

/** How often it is looked at most whether a spec still leads where it did. */
const LOOK_MS = 5000;

/** The archives below the configured roots: opens them by name and lists them. `sweep` must be called now and then. */
export class Archives implements SampleStores<ArchiveState> {
  readonly #store: ArchiveStore;
  readonly #catalogue: ArchiveCatalogue;
  readonly #clock: Clock;
  readonly #seen = new WeakMap<ArchiveSpec, Seen>();
  readonly #located = new WeakMap<ArchiveState, Promise<LocatedArchives>>();
  /** The root of what the gateway records, if it does; behind the others. */
  readonly #recorded: readonly string[];
  #roots: readonly string[];
  #labelled:
    (ArchiveLabelList & { readonly atMs: number; readonly tookMs: number; readonly roots: string }) | undefined;
  #labelling: SharedWork<ArchiveLabelList> | undefined;

  /** @param recordedRoot the root of the archives that the gateway itself records; undefined when it does not */
  constructor(clock: Clock, config: Config['archives'], recordedRoot?: string) {
    this.#recorded = recordedRoot === undefined ? [] : [recordedRoot];
    this.#roots = [...config.roots, ...this.#recorded];
    this.#clock = clock;
    this.#store = new ArchiveStore({
      clock,
      limits: limitsOf(config),
      opener: openerWithin(() => this.#roots),
      ...(config.tempDirectory === null ? {} : { tempDirectory: config.tempDirectory }),
    });
    this.#catalogue = new ArchiveCatalogue(this.#store);
  }

  /** Serve other roots; what is open stays so. */
  reload({ roots }: Config['archives']): void {
    this.#roots = [...roots, ...this.#recorded];
  }

  /** Opens what a client names. Throws UNKNOWN_ARCHIVE for what is not below the roots, a PmError for a broken archive. */
  async open(spec: ArchiveSpec, signal?: AbortSignal): Promise<ArchiveSource> {
    if (this.#roots.length === 0) {
      const message = 'no archives are served: archives.roots is empty';
      throw new GatewayError('UNKNOWN_ARCHIVE', message, { parameter: 'archive' });
    }
    const located = await this.#locate(spec);
    const source = await this.#store.open(located, signal);
    this.#seen.set(spec, {
      identity: located.identity,
      hasChanged: false,
      isLooking: false,
      lookedAtMs: this.#clock.monotonicMs(),
    });
    return source;
  }

  /** Whether a spec leads to other archives than when it was opened: looked up in the background, while there are requests. */
  hasChanged(spec: ArchiveSpec): boolean {
    const seen = this.#seen.get(spec);
    if (!seen) return false;
    const isDue = this.#clock.monotonicMs() - seen.lookedAtMs >= LOOK_MS;
    if (isDue && !seen.isLooking && !seen.hasChanged) void this.#look(spec, seen);
    return seen.hasChanged;
  }

  async #look(spec: ArchiveSpec, seen: Seen): Promise<void> {
    seen.isLooking = true;
    try {
      const { identity } = await this.#locate(spec);
      seen.hasChanged = identity !== seen.identity;
    } catch {
      // The error is reported when the archive is opened.
      seen.hasChanged = true;
    }
    seen.lookedAtMs = this.#clock.monotonicMs();
    seen.isLooking = false;
  }

  async #locate({ archive }: ArchiveSpec): Promise<LocatedArchives> {
    const directories = new Directories();
    return this.#store.locate(await resolveArchivePath(this.#roots, archive, directories), directories);
  }

  /** Archives that match, in no order, and those that cannot be opened. Of thousands, the list may be some seconds old. */
  async list(filter: ArchiveFilter, signal?: AbortSignal): ReturnType<ArchiveDirectory['list']> {
    const isMany = (this.#labelled?.archives.length ?? 0) >= MANY_ARCHIVES;
    const { archives, broken } = await (isMany ? this.labels(signal) : this.#freshLabels(signal));
    const unreadable: { name: string; error: Error }[] = broken.filter(({ name }) => filter.isSeen(name));
    const wanted = archives.filter((archive) => mayMatch(archive, filter));
    const found: ListedArchive[] = [];
    const { start = -Infinity, limit = Infinity } = filter;
    // Those that were written to last come first, so that the others need not be looked at.
    const order =
      limit < wanted.length ? wanted.toSorted((a, b) => compareTimestamps(latestOf(b), latestOf(a))) : wanted;
    const rest = order.values();
    /** Archives that end before it are not among the last ones. */
    let floor: Timestamp | undefined;
    const work = async (): Promise<void> => {
      for await (const archive of inTurns(rest)) {
        signal?.throwIfAborted();
        if (found.length >= limit) floor ??= found.map(({ end }) => end).reduce(earlier);
        if (floor && compareTimestamps(latestOf(archive), floor) < 0) return;
        try {
          const summary = { ...archive, ...(await this.#catalogue.summarize(archive, signal)) };
          if (timestampToSeconds(summary.end) >= start) found.push(summary);
        } catch (error) {
          signal?.throwIfAborted();
          unreadable.push({ name: archive.name, error: error as Error });
        }
      }
    };
    await Promise.all(Array.from({ length: SUMMARIZED_AT_ONCE }, work));
    if (found.length > limit) found.sort((a, b) => compareTimestamps(b.end, a.end)).length = limit;
    return { archives: found, broken: unreadable };
  }

  /** What the roots hold now, by the state of metadata files and last volumes: nothing is opened. */
  async find(signal?: AbortSignal): Promise<readonly ArchiveState[]> {
    const found = await findArchives(this.#roots, new Directories(), signal);
    const stateOf = async (path: string): Promise<string | undefined> => {
      // One that went meanwhile is not there.
      const state = await this.#store.files.stat(path).catch(() => undefined);
      return state && `${path}:${state.size}:${state.mtimeMs}`;
    };
    const states = found.map(async ({ name, files }) => {
      const [key, extent] = await Promise.all([stateOf(files.meta.path), stateOf(files.volumes.at(-1)!.file.path)]);
      return key === undefined || extent === undefined
        ? undefined
        : { name, spec: { kind: 'archive', archive: name } as const, files, key, extent };
    });
    return (await Promise.all(states)).filter((state) => state !== undefined);
  }

  /** Hand the metadata of an archive that was found to `use`. Throws a PmError for one that cannot be read. */
  readMetadata<T>(
    { files }: ArchiveState,
    use: (metadata: ArchiveMetadata) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#store.readMetadata(files, use, signal);
  }

  /** Open an archive that was found; its files are looked at once for each time that it was found. Throws a PmError. */
  async openStore(archive: ArchiveState, signal?: AbortSignal): Promise<ArchiveSource> {
    const located = getOrMake(this.#located, archive, () => this.#store.locate([archive.files.base]));
    return this.#store.open(await located, signal);
  }

  /** The labels of what the roots hold, as of a second ago; those of many archives are renewed behind the answer. */
  async labels(signal?: AbortSignal): Promise<ArchiveLabelList> {
    signal?.throwIfAborted();
    const known = this.#labelled?.roots === this.#roots.join('\0') ? this.#labelled : undefined;
    const ageMs = known ? this.#clock.monotonicMs() - known.atMs : Infinity;
    if (known && ageMs < Math.max(LABELS_FRESH_MS, known.tookMs * LABELS_FRESH_RATIO)) return known;
    const fresh = this.#freshLabels(known ? undefined : signal);
    if (!known || known.tookMs < LABELS_AT_ONCE_MS) return fresh;
    fresh.catch(() => undefined);
    return known;
  }

  /** The labels of what the roots hold now; callers at the same time share one search, which stops when all of them have left. */
  async #freshLabels(signal: AbortSignal | undefined): Promise<ArchiveLabelList> {
    signal?.throwIfAborted();
    if (!this.#labelling || this.#labelling.isGivenUp) {
      const labelling = new SharedWork((stop) => this.#readLabels(stop));
      const end = (): void => {
        if (this.#labelling === labelling) this.#labelling = undefined;
      };
      labelling.result.then(end, end);
      this.#labelling = labelling;
    }
    return this.#labelling.join(signal);
  }

  async #readLabels(signal: AbortSignal): Promise<ArchiveLabelList> {
    const startMs = this.#clock.monotonicMs();
    const roots = this.#roots;
    const found = await this.#catalogue.list(roots, signal);
    const atMs = this.#clock.monotonicMs();
    this.#labelled = { ...found, atMs, tookMs: atMs - startMs, roots: roots.join('\0') };
    return found;
  }

  /** The stamp of the last record of an archive that was found. Throws a PmError. */
  endOf(archive: LabelledArchive, signal?: AbortSignal): Promise<Timestamp> {
    return this.#catalogue.endOf(archive, signal);
  }

  /** Open an archive that was found. Throws a PmError. */
  async openFound({ files }: LabelledArchive, signal?: AbortSignal): Promise<ArchiveSource> {
    const renamed = onPmError(() => this.#store.locate([files.base]));
    return this.#store.open(await this.#store.identify([files]).catch(renamed), signal);
  }

  sweep(): Promise<void> {
    return this.#store.sweep();
  }

  close(): Promise<void> {
    this.#labelling?.giveUp(new GatewayError('UNAVAILABLE', 'the gateway is shutting down'));
    return this.#store.close();
  }
}

/** The budget for caches, split as the reader makes best use of it: blocks 1, indexes 2, columns 8 parts. */
function limitsOf({ max, cacheBytes, inflatedBytes, idleSec }: Config['archives']): Partial<ArchiveLimits> {
  const part = Math.floor(cacheBytes / 11);
  return {
    blockCacheBytes: part,
    planCacheBytes: part * 2,
    columnCacheBytes: part * 8,
    inflatedTotalBytes: inflatedBytes,
    inflatedFileBytes: Math.floor(inflatedBytes / 4),
    idleMs: idleSec * 1000,
    archivesInUse: max,
  };
}

function mayMatch(
  archive: LabelledArchive,
  { isSeen, hostName, start = -Infinity, finish = Infinity }: ArchiveFilter,
): boolean {
  return (
    isSeen(archive.name) &&
    (hostName === undefined || archive.hostName === hostName) &&
    timestampToSeconds(archive.start) <= finish &&
    timestampToSeconds(latestOf(archive)) >= start
  );
}

/** Nothing in an archive is later, as far as is known. */
function latestOf({ latest }: LabelledArchive): Timestamp {
  return latest ?? END_OF_TIME;
}
