import { parseYaml, type ConfigProblem } from '../../config/index.js';
import { CULPRIT_RESOURCES, isCulpritResource, type CulpritResource } from '../../culprits/index.js';
import { contextPmids, parseDefinition, type DerivedDefinition } from '../../derived/index.js';
import { fileText, shippedText } from '../../kit/node/index.js';
import { isMetricName } from '../../pmapi/index.js';

/** From the least to the worst. */
export const STATES = ['usual', 'busy', 'saturated', 'failing'] as const;
export type State = (typeof STATES)[number];

/** A condition for trouble. */
export interface Rule {
  /** As a metric's. */
  readonly name: string;
  readonly resource: string;
  readonly state: State;
  /** The unit of the value in the sentence; empty for none. */
  readonly unit: string;
  /** With {value} and {instance}. */
  readonly sentence: string;
  readonly who: CulpritResource | undefined;
  readonly evidence: readonly string[];
  /** Where the rule comes from. */
  readonly source: string;
  /** The number of the sentence, and whether there is trouble: expressions with PMIDs of their own. */
  readonly value: DerivedDefinition;
  readonly when: DerivedDefinition;
}

/** Rules of some files, and what is wrong with the files: a wrong rule is left out. */
export interface Rules {
  readonly rules: readonly Rule[];
  readonly problems: readonly ConfigProblem[];
}

/** The rules that are shipped, and those of files; a later rule replaces one of the same name. Never throws. */
export function readRules(files: readonly string[]): Rules {
  const rules = new Map<string, Rule>();
  const problems: ConfigProblem[] = [];
  const pmids = contextPmids();
  for (const source of ['', ...files]) {
    const say = (message: string, line?: number): void =>
      void problems.push({ source, option: '', message, ...(line === undefined ? {} : { line }) });
    let text: string;
    try {
      text = source === '' ? shippedText('config/diagnosis/rules.yaml') : fileText(source);
    } catch (error) {
      say(`cannot be read: ${(error as Error).message}`);
      continue;
    }
    const { content, faults } = parseYaml(text);
    for (const { message, line } of faults) say(message, line);
    if (faults.length > 0) continue;
    const listed = (content as { readonly rules?: unknown } | null)?.rules;
    if (!Array.isArray(listed)) {
      say('must contain a list of rules: `rules: [{name: …}]`');
      continue;
    }
    for (const [i, given] of listed.entries()) {
      const rule = readRule(given, () => pmids.next());
      if (typeof rule === 'string') say(`rule ${i + 1}: ${rule}`);
      else rules.set(rule.name, rule);
    }
  }
  return { rules: [...rules.values()], problems };
}

const NEEDED = ['name', 'resource', 'state', 'value', 'when', 'sentence', 'source'] as const;
const KNOWN: ReadonlySet<string> = new Set([...NEEDED, 'unit', 'who', 'evidence']);
const LONGEST_TEXT = 8192;

function readRule(given: unknown, nextPmid: () => number): Rule | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'is not a map of options';
  const { evidence = [], ...texts } = given as Record<string, unknown>;
  const unknown = Object.keys(texts).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return `unknown option ${unknown} (known: ${[...KNOWN].join(', ')})`;
  const wrong = Object.entries(texts).find(([, text]) => typeof text !== 'string' || text.length > LONGEST_TEXT);
  if (wrong) return `${wrong[0]} must be a text of at most ${LONGEST_TEXT} characters`;
  const missing = NEEDED.find((key) => texts[key] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  const { name, resource, state, value, when, sentence, source, unit = '', who } = texts as Record<string, string>;
  if (!isMetricName(name!)) return 'name must be one that a metric could have, such as disk.busy';
  if (state === 'usual' || !STATES.includes(state as State)) return `state must be busy, saturated or failing`;
  if (who !== undefined && !isCulpritResource(who)) return `who must be one of ${CULPRIT_RESOURCES.join(', ')}`;
  if (!Array.isArray(evidence) || !evidence.every((metric) => typeof metric === 'string' && isMetricName(metric))) {
    return 'evidence must be a list of names of metrics';
  }
  const define = (part: string, expression: string): DerivedDefinition => ({
    ...parseDefinition('context', `${name!}.${part}`, expression),
    pmid: nextPmid(),
    scope: 'context',
  });
  try {
    return {
      name: name!,
      resource: resource!,
      state: state as State,
      unit,
      sentence: sentence!,
      who,
      evidence: evidence as readonly string[],
      source: source!,
      value: define('value', value!),
      when: define(
        'when',
        when!.replaceAll('$value', () => `(${value!})`),
      ),
    };
  } catch (error) {
    return (error as Error).message;
  }
}
