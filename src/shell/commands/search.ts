import type { SearchResult, SearchType } from '../../client/index.js';
import { EXIT, remark, warn, type ExitCode } from '../exit-codes.js';
import { writeList, type Cell } from '../output/table.js';
import { whereOf, type SourceFlags } from '../selection.js';
import type { Session } from '../session.js';

interface SearchFlags extends SourceFlags {
  readonly limit?: number;
  readonly type?: SearchType;
}

/** `pmgate search`: metrics, instance domains and instances by words, best first. Exits with 1 if nothing was found, as grep does. */
export async function searchCommand(session: Session, words: readonly string[], flags: SearchFlags): Promise<ExitCode> {
  const { client, signal } = session;
  const { limit, type } = flags;
  const answer = await client.search(words.join(' '), {
    ...whereOf(flags, session),
    limit,
    type: type && [type],
    signal,
  });
  const { results, total } = answer;
  await writeList(session, {
    items: results,
    whole: answer,
    columns: ['name', 'type', { title: 'help', isElastic: true }],
    row: (result) => [nameCell(result), result.type ?? '', result.oneline ?? ''],
    csvHead: ['name', 'type', 'indom', 'host', 'score', 'help'],
    csvRow: ({ name, type: kind, indom, hostspec, score, oneline }) => [name, kind, indom, hostspec, score, oneline],
  });
  if (total !== results.length) await remark(session, `${results.length} of ${total} results; use --limit for more`);
  if (session.format === 'table' && total === 0) await warn(session, 'no results');
  return total === 0 ? EXIT.FAILED : EXIT.OK;
}

/** The name with its matches marked. */
function nameCell({ name = '', highlights }: SearchResult): Cell {
  const spans = (highlights.name ?? []).flatMap(([from, to]) =>
    from === undefined || to === undefined ? [] : [[from, to] as const],
  );
  return { text: name, spans };
}
