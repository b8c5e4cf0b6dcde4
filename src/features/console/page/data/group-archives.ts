import type { ArchiveEntry } from '../../../../client/index.js';

/** An archive that can be read; its size is in bytes. */
export type ListedArchive = { readonly host: string } & Required<
  Pick<ArchiveEntry, 'name' | 'start' | 'end' | 'timezone' | 'metrics' | 'size'>
>;

/** The archives of a host, latest first, and the time that they span. */
export interface ArchiveGroup {
  readonly host: string;
  readonly start: number;
  readonly end: number;
  readonly archives: readonly ListedArchive[];
}

/** The archives that match all words (in name, host or days, such as `2025-07`), by host; and unreadable ones. */
export function groupArchives(
  entries: readonly ArchiveEntry[],
  text: string,
): { readonly groups: readonly ArchiveGroup[]; readonly broken: readonly ArchiveEntry[] } {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matching = entries.filter((entry) => matches(entry, words));
  const hosts = new Map<string, ListedArchive[]>();
  for (const archive of matching.flatMap(readable)) {
    const known = hosts.get(archive.host);
    if (known) known.push(archive);
    else hosts.set(archive.host, [archive]);
  }
  const groups = [...hosts].map(([host, archives]) => ({
    host,
    start: Math.min(...archives.map(({ start }) => start)),
    end: Math.max(...archives.map(({ end }) => end)),
    archives: archives.sort((a, b) => b.start - a.start),
  }));
  return {
    groups: groups.sort((a, b) => b.end - a.end),
    broken: matching.filter(({ error }) => error !== undefined),
  };
}

function readable({ start, end, ...rest }: ArchiveEntry): ListedArchive[] {
  const { name, hostspec: host = '', timezone = 'UTC', metrics = 0, size = 0 } = rest;
  return start === undefined || end === undefined ? [] : [{ name, host, start, end, timezone, metrics, size }];
}

function matches({ name, hostspec = '', start, end }: ArchiveEntry, words: readonly string[]): boolean {
  const text = `${name} ${hostspec}`.toLowerCase();
  return words.every((word) => {
    if (text.includes(word)) return true;
    const span = /^\d{4}(-\d\d){0,2}$/.test(word) ? periodOf(word) : undefined;
    return span !== undefined && start !== undefined && end !== undefined && start < span.end && end >= span.start;
  });
}

/** The time that a year, month or day covers, in seconds since the epoch, UTC. */
function periodOf(text: string): { readonly start: number; readonly end: number } | undefined {
  const [year = 0, month, day] = text.split('-').map(Number);
  const from = Date.UTC(year, (month ?? 1) - 1, day ?? 1);
  const to = Date.UTC(
    month === undefined ? year + 1 : year,
    month === undefined ? 0 : day === undefined ? month : month - 1,
    day === undefined ? 1 : day + 1,
  );
  return Number.isNaN(from) ? undefined : { start: from / 1000, end: to / 1000 };
}
