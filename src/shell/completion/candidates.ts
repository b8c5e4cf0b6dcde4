import type { Command } from 'commander';
import type { PmgateClient, Where } from '../../client/index.js';
import { COMPLETE_FILES } from './scripts.js';
import { understandWords, type UnfinishedLine } from './words.js';

/** Instance domains whose instances are offered: the user is waiting. */
const INDOMS_ASKED = 4;

export interface Candidate {
  readonly text: string;
  readonly description?: string | undefined;
}

export type Asked = Pick<PmgateClient, 'children' | 'archives' | 'metrics' | 'indom'> & {
  readonly derived: Pick<PmgateClient['derived'], 'list'>;
};

type Connect = (values: UnfinishedLine['values']) => Asked;

/** Completions of the last word: commands, flags, and a gateway's names; `connect` returns that gateway, if it responds. */
export async function candidatesOf(
  program: Command,
  words: readonly string[],
  connect: Connect,
): Promise<readonly Candidate[]> {
  const line = understandWords(program, words);
  const { expected, word, before } = line;
  const beginning = (all: readonly Candidate[]): readonly Candidate[] =>
    all
      .filter(({ text }) => text.startsWith(word))
      .map((candidate) => (before === '' ? candidate : { ...candidate, text: before + candidate.text }));
  switch (expected?.kind) {
    case undefined:
      return [];
    case 'choice':
      return beginning(expected.choices.map((text) => ({ text })));
    case 'flag':
      return beginning(
        expected.flags.flatMap(({ long, short, description }) => {
          const names = word.startsWith('--') || word === '-' ? [long] : [short];
          return names.flatMap((text) => (text === undefined ? [] : [{ text, description }]));
        }),
      );
    case 'command': {
      const isTop = expected.commands[0]?.parent === program;
      return beginning([
        ...expected.commands.map((command) => ({ text: command.name(), description: command.description() })),
        ...(isTop ? [{ text: 'help', description: 'print help' }] : []),
      ]);
    }
    case 'argument':
      // The shell itself completes file names best.
      if (expected.name === 'file') return [{ text: COMPLETE_FILES }];
      return beginning(await named(expected.name, line, connect).catch(() => []));
  }
}

/** The lines that a completion script reads. */
export function candidateLines(candidates: readonly Candidate[]): string {
  return candidates
    .map(({ text, description }) => (description === undefined ? `${text}\n` : `${text}\t${description}\n`))
    .join('');
}

async function named(name: string, line: UnfinishedLine, connect: Connect): Promise<readonly Candidate[]> {
  const client = (): Asked => connect(line.values);
  switch (name) {
    case 'instance':
      return instanceNames(client(), line);
    case 'metric':
      return metricNames(client(), line);
    case 'archive':
      return (await client().archives()).map(({ name: text, hostspec }) => ({ text, description: hostspec }));
    case 'derived': {
      const derived = await client().derived.list({ origin: 'api' });
      return derived.map(({ name: text, canonical }) => ({ text, description: canonical }));
    }
    default:
      return [];
  }
}

/** The instances of the metrics given earlier on the line; after a comma another instance begins. */
async function instanceNames(client: Asked, line: UnfinishedLine): Promise<readonly Candidate[]> {
  const { word, positionals } = line;
  const { host, archive, prefix } = line.values;
  const where: Where = { hostspec: host, archive };
  const nodes = prefix === undefined ? positionals.flatMap((names) => names.split(',')) : [prefix];
  if (nodes.length === 0) return [];
  const { metrics } = await client.metrics(nodes, where);
  const indoms = [...new Set(metrics.flatMap(({ indom }) => indom ?? []))].slice(0, INDOMS_ASKED);
  const answers = await Promise.all(indoms.map((indom) => client.indom({ indom, ...where })));
  const names = new Set(answers.flatMap(({ instances }) => instances.map((instance) => instance.name)));
  const before = word.slice(0, word.lastIndexOf(',') + 1);
  return [...names].map((name) => ({ text: before + name }));
}

/** The next components of a name; after a comma another name begins. */
async function metricNames(client: Asked, { word, values }: UnfinishedLine): Promise<readonly Candidate[]> {
  const before = word.slice(0, word.lastIndexOf(',') + 1);
  const name = word.slice(before.length);
  const node = name.slice(0, Math.max(0, name.lastIndexOf('.')));
  const where: Where = { hostspec: values.host, archive: values.archive };
  const { leaf, nonleaf } = await client.children(node, where);
  const path = before + (node === '' ? '' : `${node}.`);
  return [...leaf.map((last) => ({ text: path + last })), ...nonleaf.map((last) => ({ text: `${path}${last}.` }))];
}
