import type { ArchiveEntry, TimelineSegment } from '../../client/index.js';
import { exitCodeOf, remark, warn, writeWarnings, type ExitCode } from '../exit-codes.js';
import { isoMoment } from '../metric-directory.js';
import { readableValue } from '../output/numbers.js';
import { tableTime } from '../output/sample-table.js';
import { writeList } from '../output/table.js';
import { splitNames, timeOf, type TextFlags } from '../selection.js';
import type { Session } from '../session.js';

export async function archivesCommand(session: Session): Promise<ExitCode> {
  const { client, signal } = session;
  const archives = await client.archives({ signal });
  await writeList(session, {
    items: archives,
    whole: { archives },
    columns: [
      'archive',
      'host',
      'start',
      'finish',
      { title: 'metrics', align: 'right' },
      { title: 'size', align: 'right' },
      { title: 'error', isElastic: true },
    ],
    row: rowOf,
    csvHead: ['archive', 'host', 'start', 'finish', 'timezone', 'version', 'metrics', 'size', 'error'],
    csvRow: csvRowOf,
  });
  if (archives.length === 0 && session.format === 'table') {
    await warn(session, 'the gateway has no archives (archives.roots lists their directories)');
  }
  const broken = archives.filter(({ error }) => error !== undefined).length;
  return exitCodeOf(archives.length - broken, broken);
}

function rowOf({ name, hostspec = '', start, end, metrics, size, error }: ArchiveEntry): readonly string[] {
  const [from, to] = [start, end].map((moment) => (moment === undefined ? '' : tableTime(isoMoment(moment))));
  return [name, hostspec, from!, to!, String(metrics ?? ''), sizeCell(size), error?.message ?? ''];
}

function csvRowOf({ name, hostspec, start, end, timezone, version, metrics, size, error }: ArchiveEntry) {
  const [from, to] = [start, end].map((moment) => (moment === undefined ? '' : isoMoment(moment)));
  return [name, hostspec, from, to, timezone, version, metrics, size, error?.message];
}

function sizeCell(size: number | undefined): string {
  if (size === undefined) return '';
  const { text, units } = readableValue(size, 'byte');
  return `${text} ${units}`;
}

type Row = Pick<TimelineSegment, 'from' | 'to' | 'resolution' | 'archive'> & { readonly what: string };

/** `pmgate timeline`: a host's recorded and remembered spans, and gaps. */
export async function timelineCommand(
  session: Session,
  hostspec: string | undefined,
  metrics: readonly string[],
  { start, finish }: TextFlags<'start' | 'finish'>,
): Promise<ExitCode> {
  const { client, signal, zone } = session;
  const names = splitNames(metrics);
  const answer = await client.timeline({
    ...(hostspec === undefined ? {} : { hostspec }),
    ...(names.length === 0 ? {} : { names }),
    start: timeOf(start),
    finish: timeOf(finish),
    zone,
    signal,
  });
  const { segments, gaps, warnings = [] } = answer;
  const rows: Row[] = [
    ...segments.map(({ origin, ...segment }) => ({ ...segment, what: origin })),
    ...gaps.map((gap) => ({ ...gap, what: 'gap' })),
  ];
  await writeList(session, {
    items: rows.sort((a, b) => a.from - b.from),
    whole: answer,
    columns: ['from', 'to', { title: 'every', align: 'right' }, 'what', { title: 'archive', isElastic: true }],
    row: ({ from, to, resolution, what, archive = '' }) => [
      tableTime(isoMoment(from)),
      tableTime(isoMoment(to)),
      resolution === undefined ? '' : `${resolution} s`,
      what,
      archive,
    ],
    csvHead: ['from', 'to', 'resolution', 'what', 'archive'],
    csvRow: ({ from, to, resolution, what, archive }) => [isoMoment(from), isoMoment(to), resolution, what, archive],
  });
  if (rows.length === 0) await remark(session, `nothing is recorded of ${answer.hostspec} in this time`);
  await writeWarnings(session, warnings);
  return exitCodeOf(segments.length, warnings.length);
}
