/** Builds the results of grammar.ne. Runs during the parse, for every rule: must not fail. */
import type {
  Arithmetic,
  Call,
  Comparand,
  Comparison,
  Condition,
  Expression,
  Junction,
  PlainFunction,
  RankingFunction,
  Relation,
  Scaling,
  Subject,
} from './ast.js';
import type { Token } from './lexer.js';

/** One word of a window: a keyword with its value, or an interval, whose keyword is undefined. */
export interface TimeWord {
  readonly keyword: Token | undefined;
  readonly value: Token;
}

export interface BracketedOperand {
  readonly kind: 'operand';
  readonly name?: string;
  readonly condition?: Condition;
  readonly brackets: readonly TimeWord[] | undefined;
  readonly offset: number;
}

/** The parts of a rule: tokens, and what rules below have made. */
type Parts = readonly unknown[];

export const first = ([part]: Parts): unknown => part;
export const second = ([, part]: Parts): unknown => part;
export const third = ([, , part]: Parts): unknown => part;
export const nothing = (): undefined => undefined;
export const list = ([part]: Parts): unknown[] => [part];
export const nextOfList = ([parts, , part]: Parts): unknown[] => [...(parts as unknown[]), part];
export const text = ([token]: Parts): string => (token as Token).text;
export const negative = ([, digits]: Parts): string => `-${digits as string}`;
export const textual = ([token]: Parts): Comparand => ({ kind: 'text', text: (token as Token).text });
export const numeric = ([number]: Parts): Comparand => ({ kind: 'number', text: number as string });

export function arithmetic([left, operator, right]: Parts): Arithmetic {
  const { text: sign } = operator as Token;
  return { kind: 'arithmetic', operator: sign as '+', left: left as Expression, right: right as Expression };
}

/** `2*3*x` */
export function scaled([factors, , operand]: Parts): Scaling {
  return (factors as string[]).reduceRight<Expression>(
    (inner, factor) => ({ kind: 'scaling', factor, operand: inner }),
    operand as Expression,
  ) as Scaling;
}

/** `x*2` */
export function scaledBy([operand, , factor]: Parts): Scaling {
  return { kind: 'scaling', factor: factor as string, operand: operand as Expression };
}

export function named([name, brackets]: Parts): BracketedOperand {
  return { kind: 'operand', name: (name as Token).text, ...bracketsAt(name, brackets) };
}

export function qualified([name, , condition, , brackets]: Parts): BracketedOperand {
  return {
    kind: 'operand',
    name: (name as Token).text,
    condition: condition as Condition,
    ...bracketsAt(name, brackets),
  };
}

export function selector([brace, condition, , brackets]: Parts): BracketedOperand {
  return { kind: 'operand', condition: condition as Condition, ...bracketsAt(brace, brackets) };
}

function bracketsAt(token: unknown, brackets: unknown): Pick<BracketedOperand, 'brackets' | 'offset'> {
  return { brackets: brackets as readonly TimeWord[] | undefined, offset: (token as Token).offset };
}

export function call([name, , argument]: Parts): Call {
  return { kind: 'call', name: (name as Token).text as PlainFunction, argument: argument as Expression };
}

export function ranking([name, , argument, , count]: Parts): Call {
  return {
    kind: 'call',
    name: (name as Token).text as RankingFunction,
    argument: argument as Expression,
    count: Number((count as Token).text),
  };
}

export function rescale([, , argument, , units]: Parts): Call {
  return { kind: 'call', name: 'rescale', argument: argument as Expression, units: (units as Token).text };
}

export function log([, , argument, comma, base]: Parts): Call {
  const plain = { kind: 'call', name: 'log', argument: argument as Expression } as const;
  return (comma as Token).type === 'COMMA' ? { ...plain, base: base as string } : plain;
}

export function junction([left, operator, right]: Parts): Junction {
  const { type } = operator as Token;
  return { kind: type === 'OR' ? '||' : '&&', left: left as Condition, right: right as Condition };
}

export function comparison([key, relation, comparand]: Parts): Comparison {
  const { type, text: sign } = relation as Token;
  return {
    kind: 'comparison',
    subject: subjectOf((key as Token).text),
    relation: type === 'COLON' ? '~~' : (sign as Relation),
    comparand: comparand as Comparand,
  };
}

export function ordering([key, relation, number]: Parts): Comparison {
  return comparison([key, relation, numeric([number])]);
}

export const range = ([value]: Parts): TimeWord => ({ keyword: undefined, value: value as Token });
export const time = ([keyword, , value]: Parts): TimeWord => ({ keyword: keyword as Token, value: value as Token });

const SUBJECTS: ReadonlyMap<string, 'instance' | 'metric' | 'context' | 'label'> = new Map([
  ['instance', 'instance'],
  ['inst', 'instance'],
  ['i', 'instance'],
  ['metric', 'metric'],
  ['m', 'metric'],
  ['context', 'context'],
  ['source', 'context'],
  ['c', 'context'],
  ['s', 'context'],
  ['label', 'label'],
  ['l', 'label'],
]);

/** `instance.name`, `metric.name`, `context.name` (any word may stand behind the dot), `label.X`, or the label `X`. */
function subjectOf(key: string): Subject {
  const dot = key.indexOf('.');
  const kind = dot === -1 ? undefined : SUBJECTS.get(key.slice(0, dot));
  if (kind === undefined) return { kind: 'label', label: key };
  return kind === 'label' ? { kind, label: key.slice(dot + 1) } : { kind };
}
