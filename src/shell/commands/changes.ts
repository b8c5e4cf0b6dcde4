import type { ChangeFinding } from '../../client/index.js';
import { formatIsoTime, makeTimestamp, makeTimeZone, type Timestamp } from '../../pmapi/index.js';
import { EXIT, exitCodeOf, remark, writeWarnings, type ExitCode } from '../exit-codes.js';
import { tableTime } from '../output/sample-table.js';
import { writeList } from '../output/table.js';
import { splitNames, whereOf, type TextFlags } from '../selection.js';
import type { Session } from '../session.js';

interface ChangesFlags extends TextFlags<'host' | 'archive' | 'after' | 'before'> {
  readonly against?: readonly string[];
  readonly limit?: number;
}

/** `pmgate changes`: what differs between two windows, the most remarkable first. No differences are not a failure, but nothing to compare is. */
export async function changesCommand(
  session: Session,
  metrics: readonly string[],
  flags: ChangesFlags,
): Promise<ExitCode> {
  const { client, signal, zone } = session;
  const { after, before, against, limit } = flags;
  const prefix = splitNames(metrics);
  const timeZone = makeTimeZone(zone);
  const answer = await client.changes({
    ...whereOf(flags, session),
    ...(prefix.length === 0 ? {} : { prefix }),
    after,
    before,
    against: against?.join(';'),
    limit,
    zone,
    signal,
  });
  const { findings, compared, total, note, warnings = [] } = answer;
  const isNothing = compared === 0 && total === 0;
  await writeList(session, {
    items: findings,
    whole: answer,
    columns: [{ title: 'score', align: 'right' }, 'since', 'finding'],
    row: ({ score, since, sentence }) => [
      score.toFixed(1),
      since === undefined ? '' : tableTime(formatIsoTime(momentOf(since), timeZone, 0)),
      sentence,
    ],
    csvHead: ['score', 'kind', 'name', 'instance', 'before', 'after', 'units', 'alike', 'sentence'],
    csvRow: csvRowOf,
  });
  if (!isNothing) {
    const shown = findings.length < total ? `; the first ${findings.length} are listed (--limit)` : '';
    const all = compared === 1 ? '1 metric or instance' : `${compared} metrics and instances`;
    const text = `${total === 0 ? 'nothing' : total} changed among ${all}${shown}`;
    await remark(session, note === undefined ? text : `${text}\n${note}`);
  }
  await writeWarnings(session, warnings);
  if (isNothing) return EXIT.NOTHING;
  return warnings.length === 0 ? EXIT.OK : exitCodeOf(1, warnings.length);
}

/** Seconds of a JSON response, exact to the microsecond. */
function momentOf(seconds: number): Timestamp {
  const whole = Math.floor(seconds);
  return makeTimestamp(whole, Math.round((seconds - whole) * 1e6) * 1000);
}

function csvRowOf(finding: ChangeFinding): (string | number | undefined)[] {
  const { score, kind, name, instance, units, alikeCount, sentence, before, after, stateBefore, stateAfter } = finding;
  const [was, is] = [before?.median ?? stateBefore, after?.median ?? stateAfter];
  return [score, kind, name, instance, was, is, units, alikeCount, sentence];
}
