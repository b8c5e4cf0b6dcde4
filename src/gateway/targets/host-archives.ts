import { LRUCache } from 'lru-cache';
import { PUSHED, RECORDINGS } from '../../access/index.js';
import { globMatcher } from '../../kit/index.js';
import { addSeconds, compareTimestamps, PmError, type Timestamp } from '../../pmapi/index.js';
import type { LabelledArchive } from '../../sources/archive/node/index.js';
import type { ArchivePart } from '../../sources/timeline/index.js';
import type { HostArchive, HostArchiveDirectory } from '../../http/index.js';
import type { Archives } from './archives.js';
import type { SourceResolver } from './source-resolver.js';

interface Known extends HostArchive {
  readonly labelled: LabelledArchive;
}

/** Names that hosts reported which are kept: clients may ask for any number. */
const REPORTED_KEPT = 1000;
/** How many archives' ends are looked for at the same time. */
const LOOKED_AT_ONCE = 16;
/** An archive may have grown by so much since its files were looked at. */
const GROWN_SEC = 300;

/** Which archives below the roots belong to which host: by their labels, and by what `hosts.named` says. */
export class HostArchives implements HostArchiveDirectory {
  readonly #archives: Pick<Archives, 'labels' | 'endOf' | 'openFound'>;
  readonly #resolver: () => Pick<SourceResolver, 'identify'>;
  /** By hostspec: a host that is down does not say it. */
  readonly #reported = new LRUCache<string, string>({ max: REPORTED_KEPT });

  constructor(
    archives: Pick<Archives, 'labels' | 'endOf' | 'openFound'>,
    resolver: () => Pick<SourceResolver, 'identify'>,
  ) {
    this.#archives = archives;
    this.#resolver = resolver;
  }

  async list(
    hostspec: string,
    reported: string | undefined,
    signal?: AbortSignal,
  ): ReturnType<HostArchiveDirectory['list']> {
    const identity = this.#resolver().identify(hostspec);
    if (!identity) return { archives: [], broken: [] };
    if (reported !== undefined) this.#reported.set(hostspec, reported.toLowerCase());
    const own = this.#reported.get(hostspec);
    const names = own === undefined || own === 'localhost' ? identity.names : [...identity.names, own];
    const globs = identity.archives.map(globMatcher);
    const isNamed = (name: string): boolean => globs.some((matches) => matches(name));
    const isLabelled = ({ name, hostName }: LabelledArchive): boolean =>
      names.some((each) => isSameHost(each, hostName.toLowerCase())) &&
      // The labels of other machines say localhost, too, and clients that push must not pass for this machine.
      !(identity.isLocal && originOf(name) === 'push');
    const { archives, broken } = await this.#archives.labels(signal);
    return {
      archives: archives
        .filter((archive) => isNamed(archive.name) || isLabelled(archive))
        .map((labelled): Known => {
          const { name, timezone, start } = labelled;
          return { name, timezone, start, origin: originOf(name), labelled };
        }),
      broken: broken.filter(({ name }) => isNamed(name)),
    };
  }

  /** The end is looked for only of archives that began before the window and were written to since. */
  async overlapping(
    archives: readonly HostArchive[],
    from: Timestamp,
    to: Timestamp,
    signal?: AbortSignal,
  ): Promise<readonly HostArchive[]> {
    const begun = archives.filter(({ start }) => compareTimestamps(start, to) <= 0);
    const isFound = begun.map(({ start }) => compareTimestamps(start, from) >= 0);
    const earlier = [...begun.entries()].filter(([i]) => !isFound[i]).values();
    const work = async (): Promise<void> => {
      for (const [i, archive] of earlier) {
        signal?.throwIfAborted();
        isFound[i] = await this.#reaches(archive, from, signal);
      }
    };
    await Promise.all(Array.from({ length: LOOKED_AT_ONCE }, work));
    return begun.filter((_, i) => isFound[i]);
  }

  async open(archive: HostArchive, signal?: AbortSignal): Promise<ArchivePart> {
    const { name, origin } = archive;
    const source = await this.#archives.openFound(labelledOf(archive), signal);
    try {
      const { start, end } = await source.info();
      return { name, origin, source, start: start!, end: end!, setBacks: setBacksOf(archive) };
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  async #reaches(archive: HostArchive, from: Timestamp, signal: AbortSignal | undefined): Promise<boolean> {
    const labelled = labelledOf(archive);
    if (labelled.latest && compareTimestamps(addSeconds(labelled.latest, GROWN_SEC), from) < 0) return false;
    try {
      const end = await this.#archives.endOf(labelled, signal);
      return compareTimestamps(addSeconds(end, GROWN_SEC), from) >= 0;
    } catch (error) {
      if (!(error instanceof PmError)) throw error;
      // Opening it reports what is wrong.
      return true;
    }
  }
}

function labelledOf(archive: HostArchive): LabelledArchive {
  return (archive as Known).labelled;
}

/** Whether two names, in lower case, are of one host: one of them may lack the domain. */
function isSameHost(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short !== '' && !short.includes('.') && long.startsWith(`${short}.`) && /[a-z]/.test(short);
}

/** As the recorder names its archives: 20261122-223035-1. */
function setBacksOf({ name, origin }: HostArchive): number | undefined {
  return origin === 'recorder' ? Number(/-\d{6}-(\d+)$/.exec(name)?.[1] ?? 0) : undefined;
}

function originOf(name: string): ArchivePart['origin'] {
  const [directory] = name.split('/');
  return directory === RECORDINGS ? 'recorder' : directory === PUSHED ? 'push' : 'archive';
}
