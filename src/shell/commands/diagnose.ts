import { EXIT, remark, writeWarnings, type ExitCode } from '../exit-codes.js';
import { writeList } from '../output/table.js';
import { timeOf, whereOf, type TextFlags } from '../selection.js';
import type { Session } from '../session.js';

const FACTS = ['resource', 'state', 'rule', 'instance', 'value', 'before', 'unit', 'since', 'sentence'] as const;

type DiagnoseFlags = TextFlags<'host' | 'archive' | 'at' | 'start' | 'finish'>;

/** `pmgate diagnose`: what is wrong with each resource, since when, and who it is. Exit code 0 if nothing is, 1 if something is. */
export async function diagnoseCommand(session: Session, flags: DiagnoseFlags): Promise<ExitCode> {
  const { client, signal, zone } = session;
  const answer = await client.diagnose({
    ...whereOf(flags, session),
    at: timeOf(flags.at),
    start: timeOf(flags.start),
    finish: timeOf(flags.finish),
    zone,
    signal,
  });
  const { resources, notJudged, state, warnings = [] } = answer;
  await writeList(session, {
    items: resources,
    whole: answer,
    columns: ['resource', 'state', { title: 'finding', isElastic: true }],
    row: ({ resource, state, sentence, also }) => [resource, state, [sentence, ...also].join(' ')],
    csvHead: FACTS,
    csvRow: (one) => FACTS.map((fact) => one[fact]),
  });
  if (notJudged.length > 0) {
    const text = notJudged.map(({ rule, reason }) => `  ${rule}: ${reason}`).join('\n');
    await remark(session, `${notJudged.length} rules could not be judged:\n${text}`);
  }
  await writeWarnings(session, warnings);
  return state === 'usual' && resources.length > 0 ? EXIT.OK : EXIT.FAILED;
}
