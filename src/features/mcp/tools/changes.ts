import type { components } from '../../../client/index.js';
import { Host } from '../gateway.js';
import { notesOf } from '../report.js';
import { boundedOr, quoted, rounded, timeText, windowText } from '../text.js';
import type { Tool } from './tool.js';
import { COUNT, HOST, hostOf, numberOf, textOf, TIME, WORDS } from './tool.js';

/** What differs in a window of time from before, or from another host. */
export const changes: Tool = {
  name: 'pcp_changes',
  description:
    'What changed in a window (default: the last 5 minutes) compared with before it, or with another host; most remarkable first.',
  properties: {
    host: HOST,
    start: TIME,
    finish: TIME,
    before: { ...WORDS, description: 'START,END; default: just before, 4 times as long' },
    against: { ...WORDS, description: 'another host instead of before' },
    prefix: { ...WORDS, description: 'only metrics below it: disk, proc' },
    limit: COUNT,
  },
  async run(given, gateway) {
    const host = hostOf(given, gateway);
    const [start, finish, against, only] = ['start', 'finish', 'against', 'prefix'].map((name) => textOf(given, name));
    const asked = {
      after: start === undefined && finish === undefined ? undefined : `${start ?? ''},${finish ?? ''}`,
      before: textOf(given, 'before'),
      against,
      prefix: only,
      limit: numberOf(given, 'limit', 10),
    };
    const other = against === undefined ? undefined : new Host(gateway, against);
    const {
      findings,
      compared: count,
      total,
      after,
      note,
      before,
      warnings,
    } = (await host.ask('/changes', asked, async () => ({
      against: await other?.takeArchives(),
    }))) as components['schemas']['Changes'];
    const { start: from, finish: to } = after;
    const compared = other
      ? { on: [host, other].map((one) => one.shown(from, to)) }
      : { a: windowText(before.start, before.finish) };
    return {
      head: `${quoted(host.name)}, ${windowText(from, to)}: ${total} findings among ${count} series`,
      items: findings.map(({ name, instance, sentence, score, since }) => ({
        line: `${since === undefined ? '' : `${timeText(since)} `}${quoted(sentence, 220)} (score ${rounded(score)})`,
        data: { name: boundedOr(name, 120), instance: boundedOr(instance), score: rounded(score), since },
      })),
      total,
      isLimited: given.limit !== undefined,
      notes: [...(note === undefined ? [] : [note]), ...notesOf(warnings)],
      // What was not shown, as far as it is known, else the best of it.
      narrower: (shown) => {
        const prefix = findings[shown]?.name ?? only ?? findings[0]?.name;
        const limit = Math.min(shown, numberOf(given, 'limit', 10));
        return { tool: 'pcp_changes', arguments: { ...given, prefix, limit } };
      },
      address: host.address('changes', { b: windowText(from, to), ...compared, q: only }, from, to),
    };
  },
};
