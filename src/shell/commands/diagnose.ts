import { PmgateError, type ChangesOptions } from '../../client/index.js';
import { EXIT, remark, writeWarnings, type ExitCode } from '../exit-codes.js';
import { writeList } from '../output/table.js';
import { timeOf, whereOf, type TextFlags } from '../selection.js';
import type { Session } from '../session.js';

const FACTS = ['resource', 'state', 'rule', 'instance', 'value', 'before', 'unit', 'since', 'sentence'] as const;

/** Findings of what else changed. */
const MOST_CHANGES = 5;

type DiagnoseFlags = TextFlags<'host' | 'archive' | 'at' | 'start' | 'finish'>;

/** `pmgate diagnose`: what is wrong with each resource, since when, and who it is. Exit code 0 if nothing is, 1 if something is or nothing could be judged. */
export async function diagnoseCommand(session: Session, flags: DiagnoseFlags): Promise<ExitCode> {
  const { client, signal, zone } = session;
  const where = whereOf(flags, session);
  const answer = await client.diagnose({
    ...where,
    at: timeOf(flags.at),
    start: timeOf(flags.start),
    finish: timeOf(flags.finish),
    zone,
    signal,
  });
  const { resources, notJudged, state, changes, warnings = [] } = answer;
  await writeList(session, {
    items: resources,
    whole: answer,
    columns: ['resource', 'state', 'finding'],
    row: ({ resource, state, sentence, also }) => [resource, state, [sentence, ...also].join(' ')],
    csvHead: FACTS,
    csvRow: (one) => FACTS.map((fact) => one[fact]),
  });
  if (notJudged.length > 0) {
    const text = notJudged.map(({ rule, reason }) => `  ${rule}: ${reason}`).join('\n');
    await remark(session, `${notJudged.length} rules could not be judged:\n${text}`);
  }
  const after = changes === undefined ? null : new URLSearchParams(changes.slice(changes.indexOf('?'))).get('after');
  if (after !== null) await remark(session, await whatElse(session, { ...where, after }));
  await writeWarnings(session, warnings);
  return state === 'usual' ? EXIT.OK : EXIT.FAILED;
}

/** What else changed in a window, the most remarkable first, or why that is not known. */
async function whatElse({ client, zone, signal }: Session, where: ChangesOptions): Promise<string> {
  const unknown = (message: string): string => `What else changed is not known: ${message}`;
  try {
    const { findings, compared, warnings } = await client.changes({ ...where, limit: MOST_CHANGES, zone, signal });
    if (compared === 0) return unknown(warnings?.[0]?.message ?? 'there are too few samples');
    const lines = findings.map(({ sentence }) => `\n  ${sentence}`);
    return lines.length === 0 ? 'Nothing else changed.' : `What else changed:${lines.join('')}`;
  } catch (error) {
    if (signal.aborted || !(error instanceof PmgateError)) throw error;
    return unknown(error.message);
  }
}
