import type { ArchiveEntry } from '../../client/index.js';
import type { ExitCode } from '../exit-codes.js';
import { isoMoment } from '../metric-directory.js';
import { readableValue } from '../output/numbers.js';
import { tableTime } from '../output/sample-table.js';
import { writeList } from '../output/write-list.js';
import type { Session } from '../session.js';
import { exitCodeOf } from '../exit-codes.js';

/** `pmgate archives`: the archives below the gateway's roots. */
export async function archivesCommand(session: Session): Promise<ExitCode> {
  const { client, signal, terminal, errorColours } = session;
  const archives = await client.archives({ signal });
  await writeList(session, {
    items: archives,
    whole: { archives },
    columns: [
      { title: 'archive' },
      { title: 'host' },
      { title: 'start' },
      { title: 'finish' },
      { title: 'metrics', align: 'right' },
      { title: 'size', align: 'right' },
      { title: 'error', isElastic: true },
    ],
    row: (archive) => [
      archive.name,
      archive.hostspec ?? '',
      momentCell(archive.start),
      momentCell(archive.end),
      archive.metrics === undefined ? '' : String(archive.metrics),
      sizeCell(archive),
      archive.error?.message ?? '',
    ],
    csvHead: ['archive', 'host', 'start', 'finish', 'timezone', 'version', 'metrics', 'size', 'error'],
    csvRow: (archive) => [
      archive.name,
      archive.hostspec,
      archive.start === undefined ? '' : isoMoment(archive.start),
      archive.end === undefined ? '' : isoMoment(archive.end),
      archive.timezone,
      archive.version,
      archive.metrics,
      archive.size,
      archive.error?.message,
    ],
  });
  if (archives.length === 0 && session.format === 'table') {
    await terminal.stderr.write(
      `${errorColours.yellow('pmgate:')} the gateway has no archives (archives.roots lists their directories)\n`,
    );
  }
  const broken = archives.filter(({ error }) => error !== undefined).length;
  return exitCodeOf(archives.length - broken, broken);
}

function momentCell(moment: number | undefined): string {
  return moment === undefined ? '' : tableTime(isoMoment(moment));
}

function sizeCell({ size }: ArchiveEntry): string {
  if (size === undefined) return '';
  const { text, units } = readableValue(size, 'byte');
  return `${text} ${units}`;
}
