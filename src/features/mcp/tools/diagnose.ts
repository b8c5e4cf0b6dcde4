import type { components } from '../../../client/index.js';
import { Refusal } from '../gateway.js';
import type { Report } from '../report.js';
import { notesOf } from '../report.js';
import { bounded, quoted, rounded, timeText, windowText } from '../text.js';
import type { Arguments, Tool } from './tool.js';
import { HOST, hostOf, textOf, TIME } from './tool.js';

type Diagnosis = components['schemas']['Diagnosis'];

const ORDER = ['failing', 'saturated', 'busy', 'usual'];
const MOST_CULPRITS = 3;

/** What is wrong with a host, resource by resource, and who causes it. */
export const diagnose: Tool = {
  name: 'pcp_diagnose',
  description:
    'What is wrong with a host: each resource (cpu, memory, disk, network …) usual, busy, saturated or failing, since when, and who causes it.',
  properties: { host: HOST, start: TIME, finish: TIME },
  async run(given, gateway): Promise<Report> {
    const host = hostOf(given, gateway);
    const [start, finish] = [textOf(given, 'start'), textOf(given, 'finish')];
    const query = { start, finish };
    const answer = await (host.ask('/diagnosis', query) as Promise<Diagnosis>).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    });
    if (!answer) return notAvailable(host.name, given);
    const items = [...answer.resources]
      .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
      .map(({ resource, state, since, sentence, who = [] }) => {
        const sinceText = since === undefined ? '' : ` since ${timeText(since)}`;
        // The sentence says who it is.
        const line = `${bounded(resource, 40)}: ${state}${sinceText}: ${quoted(sentence, 300)}`;
        const culprits = who.slice(0, MOST_CULPRITS).map(({ kind, name, pid, share }) => ({
          kind,
          name: bounded(name),
          pid,
          share: rounded(share),
        }));
        return { line, data: { resource: bounded(resource, 40), state, since, who: culprits } };
      });
    const unjudged = answer.notJudged.length;
    return {
      head: `Diagnosis of ${quoted(host.name)}, ${windowText(answer.start, answer.finish)}`,
      items,
      notes: [
        ...notesOf(answer.warnings),
        ...(unjudged === 0
          ? []
          : [`${unjudged} rules could not be judged: their metrics are missing or have no samples.`]),
      ],
      narrower: (shown) => ({ tool: 'pcp_changes', arguments: { ...window(given), limit: shown } }),
      address: host.address('', { t: windowText(answer.start, answer.finish) }, answer.start, answer.finish),
    };
  },
};

function notAvailable(host: string, given: Arguments): Report {
  const call = `pcp_changes ${JSON.stringify(window(given))}`;
  return {
    head: `A diagnosis of ${quoted(host)} is not available: this gateway has none. Instead: ${call}`,
    items: [],
  };
}

function window({ host, start, finish }: Arguments): Arguments {
  return { host, start, finish };
}
