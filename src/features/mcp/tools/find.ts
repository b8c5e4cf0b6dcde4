import type { components } from '../../../client/index.js';
import { notesOf } from '../report.js';
import { bounded, named, quoted, unitsText, boundedOr, rounded, timeText, windowText } from '../text.js';
import { COUNT, HOST, hostOf, numberOf, textOf, WORDS, TIME, type Tool } from './tool.js';
import { Host } from '../gateway.js';

type Schemas = components['schemas'];

const MOST_WORDS = 12;

/** Metrics by words: names, units and the line that explains each. */
export const find: Tool = {
  name: 'pcp_find',
  description: 'Metrics by everyday words: names, units, one line each.',
  properties: { words: WORDS, host: HOST, limit: COUNT },
  required: ['words'],
  async run(given, gateway) {
    const host = hostOf(given, gateway);
    const words = textOf(given, 'words') ?? '';
    const query = { q: words, type: 'metric', limit: numberOf(given, 'limit', 8) };
    const { results, total, warnings } = (await host.ask('/search', query)) as Schemas['Search'];
    const found = results.map(({ name = '', indom, oneline }) => ({ name, indom, oneline }));
    const names = found.map(({ name }) => name);
    const described =
      names.length === 0
        ? []
        : ((await host.ask('/pmapi/metric', { names: names.join(',') })) as Schemas['Metrics']).metrics;
    return {
      head: `${total} metrics of ${quoted(host.name)} for ${quoted(words)}`,
      items: found.map(({ name, indom, oneline }) => {
        const metric = described.find((one) => one.name === name);
        const units = metric && 'units' in metric ? metric.units : undefined;
        const sem = metric && 'sem' in metric ? metric.sem : undefined;
        const isCounter = sem === 'counter' ? ', counter: shown as a rate' : '';
        const instances = indom === undefined ? '' : ', with instances';
        return {
          line: `${named(name)}${unitsText(units)}${isCounter}${instances}: ${quoted(oneline ?? 'no help text', 120)}`,
          data: { name: bounded(name, 120), units, sem },
        };
      }),
      total,
      isLimited: given.limit !== undefined,
      notes: notesOf(warnings),
      narrower: (shown) => ({
        tool: 'pcp_find',
        arguments: {
          ...given,
          words: wordsOf(names[shown] ?? names[0] ?? words),
          limit: Math.max(1, shown - 1),
        },
      }),
      address: host.address('find', { q: words }),
    };
  },
};

/** A name as a search: of a long one, as many words as a search may have. */
function wordsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u);
  return words.length <= MOST_WORDS ? name : words.slice(0, MOST_WORDS).join(' ');
}

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
