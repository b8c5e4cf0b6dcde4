import type { TimelineSegment } from '../../client/index.js';
import type { ExitCode } from '../exit-codes.js';
import { isoMoment } from '../metric-directory.js';
import { tableTime } from '../output/sample-table.js';
import { writeList } from '../output/write-list.js';
import { splitNames, timeOf } from '../selection.js';
import type { Session } from '../session.js';
import { exitCodeOf, writeWarnings } from '../exit-codes.js';

/** The flags of `pmgate timeline`. */
export interface TimelineFlags {
  readonly start?: string;
  readonly finish?: string;
}

type Row = Pick<TimelineSegment, 'from' | 'to' | 'resolution' | 'archive'> & { readonly what: string };

/** `pmgate timeline`: what is recorded and remembered of a host, and the gaps between. */
export async function timelineCommand(
  session: Session,
  hostspec: string | undefined,
  metrics: readonly string[],
  { start, finish }: TimelineFlags,
): Promise<ExitCode> {
  const { client, signal, zone, terminal, errorColours } = session;
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
    columns: [
      { title: 'from' },
      { title: 'to' },
      { title: 'every', align: 'right' },
      { title: 'what' },
      { title: 'archive', isElastic: true },
    ],
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
  if (session.format === 'table' && rows.length === 0) {
    await terminal.stderr.write(`${errorColours.dim(`nothing is recorded of ${answer.hostspec} in this time`)}\n`);
  }
  await writeWarnings(session, warnings);
  return exitCodeOf(segments.length, warnings.length);
}
