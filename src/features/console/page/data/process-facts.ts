import { quantityOf } from '../chart/axis-units.js';
import type { Cell, SeriesTable } from './series-table.js';

/** What says who a process is; a source, a recording or a role may not have all of it. */
export const IDENTITY_METRICS: readonly string[] = [
  ...['proc.psinfo.psargs', 'proc.psinfo.cmd', 'proc.psinfo.ppid', 'proc.psinfo.start_time', 'proc.psinfo.cgroups'],
  ...['proc.id.uid_nm', 'proc.id.container', 'kernel.all.uptime'],
];

type Table = Pick<SeriesTable, 'times' | 'series' | 'units'>;

/** After so many usual distances of samples without a process, it is gone. */
const MISSED = 2.5;

/**
 * Who the process is that a table has samples of, and of no other; undefined: not sampled, or hidden. A recording without command lines has
 * the name in parentheses. `count` processes had the number one after another.
 */
export function processFacts({ times, series, units }: Table) {
  /** Of several that had the number, those that were there. */
  const cellsOf = (metric: string): readonly Cell[] => {
    const all = series.filter((each) => each.metric === metric);
    return times.map((_, row) => all.map(({ cells }) => cells[row]).findLast(isKnown));
  };
  const last = (metric: string): Cell => cellsOf(metric).findLast(isKnown);
  const text = (metric: string): string | undefined => {
    const cell = last(metric);
    return typeof cell === 'string' && cell !== '' ? cell : undefined;
  };
  const [starts, uptimes] = [cellsOf('proc.psinfo.start_time'), cellsOf('kernel.all.uptime')];
  const uptimeRow = uptimes.findLastIndex(isKnown);
  const start = starts.findLast((cell) => typeof cell === 'number');
  const { kind, factor } = quantityOf({ units: units.get('proc.psinfo.start_time') ?? '' });
  const hasBegun = start !== undefined && uptimeRow >= 0 && kind === 'seconds';
  const own = series.filter(({ metric }) => metric.startsWith('proc.'));
  const seen = times.flatMap((at, row) => (own.some(({ cells }) => isKnown(cells[row])) ? [at] : []));
  const [lastSeen, distance] = [seen.at(-1), (seen.at(-1) ?? 0) - (seen.at(-2) ?? 0)];
  const parent = last('proc.psinfo.ppid');
  return {
    ...{ name: text('proc.psinfo.cmd'), commandLine: text('proc.psinfo.psargs'), user: text('proc.id.uid_nm') },
    parent: typeof parent === 'number' && parent > 0 ? parent : undefined,
    groups: groupsOf(text('proc.psinfo.cgroups') ?? ''),
    container: text('proc.id.container'),
    began: hasBegun ? times[uptimeRow]! - (uptimes[uptimeRow] as number) + start * factor : undefined,
    count: new Set(starts.filter(isKnown)).size,
    lastSeen,
    isGone: lastSeen !== undefined && seen.length > 1 && times.at(-1)! - lastSeen > MISSED * distance,
  };
}

/** The paths of `memory:/a/b;cpu:/;0::/a`, each once, without the root. */
export function groupsOf(text: string): readonly string[] {
  const paths = text.split(';').map((part) => part.slice(part.lastIndexOf(':') + 1));
  return [...new Set(paths.filter((path) => path !== '' && path !== '/'))];
}

function isKnown(cell: Cell): boolean {
  return cell !== undefined && cell !== null;
}
