import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { parseExpression } from '../../derived/index.js';
import { GatewayError } from '../../pmapi/index.js';

/** How bad a resource is, from good to worst. */
export const STATES = ['usual', 'busy', 'saturated', 'failing'] as const;
export type State = (typeof STATES)[number];
/** The states that a rule can tell. */
export const TROUBLES = ['busy', 'saturated', 'failing'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** One rule: a value, and conditions on it in the language of derived metrics. */
export interface Rule {
  readonly name: string;
  readonly resource: string;
  /** What is judged, for sentences; `{instance}` is the instance in question. */
  readonly subject: string;
  readonly value: string;
  readonly unit: string;
  /** Conditions, in which `value` is the rule's value. */
  readonly when: Readonly<Partial<Record<Trouble, string>>>;
  /** Who is named: processes, no one, or the instance itself, a control group. */
  readonly culprits: 'processes' | 'none' | 'instance';
  /** Where the rule comes from. */
  readonly source: string;
}

/** The rules that pmgate comes with. */
const SHIPPED = new URL('../../../config/diagnosis/rules.yaml', import.meta.url);
const NAME = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/;
const MEMBERS = ['name', 'resource', 'subject', 'value', 'unit', 'culprits', 'source', ...TROUBLES];
const MOST_RULES = 200;

/** The shipped rules and those of files, which replace shipped ones of the same name. Throws BAD_PARAMETER that names the file and the rule. */
export function loadRules(files: readonly string[]): readonly Rule[] {
  const rules = new Map<string, Rule>();
  for (const file of [SHIPPED, ...files]) {
    for (const rule of readRules(readFileSync(file, 'utf8'), String(file))) rules.set(rule.name, rule);
  }
  if (rules.size > MOST_RULES)
    throw wrong(files.at(-1)!, `there are ${rules.size} rules, at most ${MOST_RULES} are judged`);
  return [...rules.values()];
}

/** The rules of a file. Throws BAD_PARAMETER that names the file, the rule, and what was expected. */
export function readRules(text: string, file: string): readonly Rule[] {
  let list: unknown;
  try {
    list = parse(text);
  } catch (error) {
    throw wrong(file, (error as Error).message.split('\n')[0]!);
  }
  if (!Array.isArray(list)) throw wrong(file, 'expected a list of rules');
  return list.map((entry: unknown, i) => readRule(entry, `rule ${i + 1}`, file));
}

function readRule(entry: unknown, place: string, file: string): Rule {
  if (typeof entry !== 'object' || entry === null) throw wrong(file, `${place}: expected an object`);
  const members = entry as Record<string, unknown>;
  const named = typeof members.name === 'string' ? `rule ${members.name}` : place;
  for (const [member, value] of Object.entries(members)) {
    if (!MEMBERS.includes(member))
      throw wrong(file, `${named}: unknown member ${member}; there are ${MEMBERS.join(', ')}`);
    if (typeof value !== 'string' || value === '') throw wrong(file, `${named}: ${member} must be a text`);
  }
  const text = (member: string): string => {
    if (members[member] === undefined) throw wrong(file, `${named}: ${member} is missing`);
    return members[member] as string;
  };
  const { culprits = 'processes' } = members as { culprits?: Rule['culprits'] };
  if (!NAME.test(text('name'))) throw wrong(file, `${named}: a name has lower-case words with dots between`);
  if (!['processes', 'none', 'instance'].includes(culprits))
    throw wrong(file, `${named}: culprits are processes, none or instance`);
  const when = Object.fromEntries(TROUBLES.flatMap((state) => (state in members ? [[state, text(state)]] : [])));
  if (Object.keys(when).length === 0) throw wrong(file, `${named}: it has none of ${TROUBLES.join(', ')}`);
  for (const [member, expression] of Object.entries({ value: text('value'), ...when })) {
    const parsed = parseExpression(expression);
    if (!parsed.ok) throw wrong(file, `${named}: ${member} is no expression: ${expression.slice(0, 80)}`);
  }
  return {
    name: text('name'),
    resource: text('resource'),
    subject: text('subject'),
    value: text('value'),
    unit: text('unit'),
    when,
    culprits,
    source: text('source'),
  };
}

function wrong(file: string, message: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', `${file}: ${message}`, { parameter: 'diagnosis.files' });
}
