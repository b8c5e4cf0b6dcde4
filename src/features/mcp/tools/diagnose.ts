import type { components } from '../../../client/index.js';
import type { Item, Report } from '../report.js';
import { notesOf } from '../report.js';
import { bounded, quoted, rounded, timeText, windowText } from '../text.js';
import type { Arguments, Tool } from './tool.js';
import { HOST, hostOf, textOf, TIME } from './tool.js';

type Diagnosis = components['schemas']['Diagnosis'];
type Resource = Diagnosis['resources'][number];

const ORDER = ['failing', 'saturated', 'busy'];
const MOST_CULPRITS = 3;
const MOST_METRICS = 2;

/** What is wrong with a host, resource by resource, and who causes it. */
export const diagnose: Tool = {
  name: 'pcp_diagnose',
  description:
    'What is wrong with a host: each resource (cpu, memory, disk, network …) usual, busy, saturated or failing, since when, and who causes it.',
  properties: { host: HOST, start: TIME, finish: TIME },
  async run(given, gateway): Promise<Report> {
    const host = hostOf(given, gateway);
    const asked = { start: textOf(given, 'start'), finish: textOf(given, 'finish') };
    const answer = (await host.ask('/diagnosis', asked)) as Diagnosis;
    const wrong = answer.resources.filter(({ state }) => state !== 'usual');
    const usual = answer.resources
      .filter(({ state }) => state === 'usual')
      .map(({ resource }) => bounded(resource, 40));
    // Of equal states, what began last comes first: it is what was asked for.
    const items: Item[] = wrong
      .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (b.since ?? 0) - (a.since ?? 0))
      .map((one) => itemOf(one, given.host));
    if (usual.length > 0) items.push({ line: `usual: ${usual.join(', ')}`, data: { usual } });
    const left = answer.notJudged.length;
    const unjudged =
      left === 0 ? [] : [`${left} rules could not be judged: their metrics are missing or have no samples.`];
    const { start: from, finish: to } = answer;
    return {
      head: `Diagnosis of ${quoted(host.name)}, ${windowText(from, to)}`,
      items,
      notes: [...notesOf(answer.warnings), ...unjudged],
      narrower: (shown) => ({ tool: 'pcp_changes', arguments: { ...given, limit: shown } }),
      address: host.address('', { t: windowText(from, to) }, from, to),
    };
  },
};

/** A resource with trouble, who it is, and the call that says why: at the last sample of the culprit, who may be gone since. */
function itemOf({ resource, state, since, until, sentence, who = [] }: Resource, host: Arguments['host']): Item {
  const name = bounded(resource, 40);
  const first = who.find(({ kind }) => kind !== 'others');
  // Not rounded down: the sample would be after it.
  const at = first?.lastSeen === undefined ? undefined : timeText(Math.ceil(first.lastSeen * 1000) / 1000);
  const names = first?.metrics.slice(0, MOST_METRICS);
  const why = first && { tool: 'pcp_why', arguments: { host, names, instance: `#${first.instance}`, at } };
  const during = until === undefined ? ' since' : ' from';
  const times = [since === undefined ? '' : `${during} ${timeText(since)}`, until ? ` to ${timeText(until)}` : ''];
  const whyText = why ? `; why: ${why.tool} ${JSON.stringify(why.arguments)}` : '';
  const culprits = who
    .slice(0, MOST_CULPRITS)
    .map(({ kind, name, pid, share }) => ({ kind, name: bounded(name), pid, share: rounded(share) }));
  return {
    // The sentence says who it is.
    line: `${name}: ${state}${times.join('')}: ${quoted(sentence, 240)}${whyText}`,
    data: { resource: name, state, since, until, who: culprits },
  };
}
