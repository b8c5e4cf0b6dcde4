import type { components } from '../../../client/index.js';
import { notesOf } from '../report.js';
import { bounded, named, quoted, unitsText } from '../text.js';
import type { Tool } from './tool.js';
import { COUNT, HOST, hostOf, numberOf, textOf, WORDS } from './tool.js';

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
