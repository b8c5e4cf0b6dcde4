import type { Assistant, Told } from '../support/assistant.js';

/** What a person says: something was wrong with a host then. */
export interface Incident {
  readonly start: string;
  readonly finish: string;
}

/** What the walker says in the end. */
export interface Conclusion {
  readonly resource: string;
  readonly culprit: { readonly name: string; readonly pid?: number } | undefined;
}

/** A walk through answers: what was asked, what was answered, and what is concluded. */
export interface Walk {
  readonly transcript: string;
  readonly calls: number;
  /** Of all answers, and of the definitions of the tools. */
  readonly tokens: number;
  readonly conclusions: readonly Conclusion[];
}

type Call = { readonly tool: string; readonly arguments: Record<string, unknown> };

/** Of six calls. */
const MOST_WHYS = 4;

/**
 * An assistant by rules, without a model: takes the first host with data of that time, asks what is wrong, takes the first culprit of each
 * resource, the worst first, asks why as the answer says, and stops. It knows nothing but the names of two tools and what answers say.
 */
export async function walk(assistant: Assistant, { start, finish }: Incident): Promise<Walk> {
  const lines: string[] = [];
  const { tools } = await assistant.client.listTools();
  let [calls, tokens] = [0, Math.ceil(Buffer.byteLength(JSON.stringify(tools)) / 4)];
  const ask = async ({ tool, arguments: given }: Call): Promise<Told> => {
    const told = await assistant.call(tool, given);
    calls++;
    tokens += Math.ceil(told.tokens);
    lines.push(`→ ${tool} ${JSON.stringify(given)}`, told.text, '');
    return told;
  };
  const hosts = await ask({ tool: 'pcp_hosts', arguments: {} });
  const [from, to] = [start, finish].map((time) => Date.parse(time) / 1000);
  const host = hosts.items.find((one) => Number(one.start) <= from! && Number(one.finish) >= to!)?.host;
  const diagnosis = await ask({ tool: 'pcp_diagnose', arguments: { host, start, finish } });
  const found = (diagnosis.items as readonly Finding[]).filter(({ resource }) => resource !== undefined);
  const conclusions = found.map(({ resource = '', who }) => ({
    resource,
    culprit: who?.find(({ kind }) => kind !== 'others'),
  }));
  const whys = [...diagnosis.text.matchAll(/; why: (pcp_\w+) (\{.*\})$/gm)];
  for (const [, tool = '', given = ''] of whys.slice(0, MOST_WHYS))
    await ask({ tool, arguments: JSON.parse(given) as Call['arguments'] });
  for (const { resource, culprit } of conclusions) lines.push(`${resource}: ${nameOf(culprit)}`);
  if (conclusions.length === 0) lines.push('Nothing is wrong.');
  return { transcript: `${lines.join('\n')}\n`, calls, tokens, conclusions };
}

interface Finding {
  readonly resource?: string;
  readonly who?: readonly { readonly kind: string; readonly name: string; readonly pid?: number }[];
}

function nameOf(culprit: Conclusion['culprit']): string {
  if (!culprit) return 'who it is is not known';
  return culprit.pid === undefined ? `group ${culprit.name}` : `pid ${culprit.pid} ${culprit.name}`;
}
