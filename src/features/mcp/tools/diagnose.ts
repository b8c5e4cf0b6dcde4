import { Refusal } from '../gateway.js';
import type { Report } from '../report.js';
import { notesOf } from '../report.js';
import { bounded, quoted, timeText } from '../text.js';
import type { Arguments, Tool } from './tool.js';
import { HOST, hostOf, textOf, TIME } from './tool.js';

/** The answer of /diagnosis, as far as it is read here. */
interface Diagnosis {
  readonly resources?: readonly {
    readonly resource: string;
    readonly state: string;
    readonly since?: number;
    readonly sentence?: string;
    readonly who?: readonly (string | { readonly name?: string; readonly sentence?: string })[];
  }[];
  readonly warnings?: readonly { readonly message: string; readonly name?: string }[];
}

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
    const items = [...(answer.resources ?? [])]
      .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
      .map(({ resource, state, since, sentence = '', who = [] }) => {
        const names = who
          .slice(0, MOST_CULPRITS)
          .map((one) => (typeof one === 'string' ? one : (one.sentence ?? one.name ?? '')));
        const sinceText = since === undefined ? '' : ` since ${timeText(since)}`;
        const whoText = names.length === 0 ? '' : `; who: ${names.map((name) => quoted(name)).join(', ')}`;
        return {
          line: `${bounded(resource, 40)}: ${bounded(state, 20)}${sinceText}: ${quoted(sentence, 200)}${whoText}`,
          data: {
            resource: bounded(resource, 40),
            state: bounded(state, 20),
            since,
            who: names.map((name) => bounded(name)),
          },
        };
      });
    return {
      head: `Diagnosis of ${quoted(host.name)}`,
      items,
      notes: notesOf(answer.warnings),
      narrower: (shown) => ({ tool: 'pcp_changes', arguments: { ...window(given), limit: shown } }),
      address: host.address('', {}),
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
