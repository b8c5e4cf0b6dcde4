import type { ArchiveEntry } from '../../../../client/index.js';
import { addTo, attempt } from '../../../../kit/index.js';
import { wordsIn } from './find-metrics.js';

/** An archive that can be read; its size is in bytes. */
export type ListedArchive = { readonly host: string } & Required<
  Pick<ArchiveEntry, 'name' | 'start' | 'end' | 'timezone' | 'metrics' | 'size'>
>;

/** The archives of a host, latest first, and the time that they span. */
export type ArchiveGroup = ReturnType<typeof groupArchives>['groups'][number];

/** The archives that match all words (in name, host or days, such as `2025-07`), by host; and unreadable ones. */
export function groupArchives(entries: readonly ArchiveEntry[], text: string) {
  const words = wordsIn(text);
  const matching = entries.filter((entry) => matches(entry, words));
  const hosts = new Map<string, ListedArchive[]>();
  for (const archive of matching.flatMap(readable)) addTo(hosts, archive.host, archive);
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
    // Days are compared as texts: `2025-07` is within 2025-06-30 to 2025-08-01.
    const isDays = /^\d{4}(-\d\d){0,2}$/.test(word) && start !== undefined && end !== undefined;
    return isDays && dayOf(start).slice(0, word.length) <= word && dayOf(end) >= word;
  });
}

/** The day of a moment, UTC; '' if no calendar has it. */
function dayOf(sec: number): string {
  return attempt(() => new Date(sec * 1000).toISOString().slice(0, 10)) ?? '';
}
