/** Builds the results of grammar.ne. Runs during the parse, for every rule: must not fail. */
import type * as ast from './ast.js';
import { byWord, type Token } from './lexer.js';

/** One word of a window: a keyword with its value, or an interval, whose keyword is undefined. */
export interface TimeWord {
  readonly keyword: Token | undefined;
  readonly value: Token;
}

/** Where an operand stands in the text, and its window. */
interface Place {
  readonly offset: number;
  readonly brackets: readonly TimeWord[] | undefined;
}

const places = new WeakMap<ast.Operand, Place>();
export const placeOf = (operand: ast.Operand): Place => places.get(operand)!;

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
export const textual = ([token]: Parts): ast.Comparand => ({ kind: 'text', text: (token as Token).text });
export const numeric = ([number]: Parts): ast.Comparand => ({ kind: 'number', text: number as string });

export function arithmetic([left, operator, right]: Parts): ast.Arithmetic {
  const { text: sign } = operator as Token;
  return { kind: 'arithmetic', operator: sign as '+', left: left as ast.Expression, right: right as ast.Expression };
}

/** `2*3*x` */
export function scaled([factors, , operand]: Parts): ast.Scaling {
  return (factors as string[]).reduceRight<ast.Expression>(
    (inner, factor) => ({ kind: 'scaling', factor, operand: inner }),
    operand as ast.Expression,
  ) as ast.Scaling;
}

/** `x*2` */
export function scaledBy([operand, , factor]: Parts): ast.Scaling {
  return { kind: 'scaling', factor: factor as string, operand: operand as ast.Expression };
}

export const named = ([name, brackets]: Parts): ast.Operand => operand(name, brackets, { name: text([name]) });

export function qualified([name, , condition, , brackets]: Parts): ast.Operand {
  return operand(name, brackets, { name: text([name]), condition: condition as ast.Condition });
}

export function selector([brace, condition, , brackets]: Parts): ast.Operand {
  return operand(brace, brackets, { condition: condition as ast.Condition });
}

function operand(token: unknown, brackets: unknown, parts: Omit<ast.Operand, 'kind'>): ast.Operand {
  const made: ast.Operand = { kind: 'operand', ...parts };
  places.set(made, { offset: (token as Token).offset, brackets: brackets as Place['brackets'] });
  return made;
}

export function call([name, , argument]: Parts): ast.Call {
  return { kind: 'call', name: (name as Token).text as ast.PlainFunction, argument: argument as ast.Expression };
}

export function ranking([name, , argument, , count]: Parts): ast.Call {
  const own = (name as Token).text as ast.RankingFunction;
  return { kind: 'call', name: own, argument: argument as ast.Expression, count: Number((count as Token).text) };
}

export function rescale([, , argument, , units]: Parts): ast.Call {
  return { kind: 'call', name: 'rescale', argument: argument as ast.Expression, units: (units as Token).text };
}

export function log([, , argument, comma, base]: Parts): ast.Call {
  const plain = { kind: 'call', name: 'log', argument: argument as ast.Expression } as const;
  return (comma as Token).type === 'COMMA' ? { ...plain, base: base as string } : plain;
}

export function junction([left, operator, right]: Parts): ast.Junction {
  const { type } = operator as Token;
  return { kind: type === 'OR' ? '||' : '&&', left: left as ast.Condition, right: right as ast.Condition };
}

export function comparison([key, relation, comparand]: Parts): ast.Comparison {
  const { type, text: sign } = relation as Token;
  return {
    kind: 'comparison',
    subject: subjectOf((key as Token).text),
    relation: type === 'COLON' ? '~~' : (sign as ast.Relation),
    comparand: comparand as ast.Comparand,
  };
}

export function ordering([key, relation, number]: Parts): ast.Comparison {
  return comparison([key, relation, numeric([number])]);
}

export const range = ([value]: Parts): TimeWord => ({ keyword: undefined, value: value as Token });
export const time = ([keyword, , value]: Parts): TimeWord => ({ keyword: keyword as Token, value: value as Token });

const SUBJECTS = byWord({
  instance: 'instance inst i',
  metric: 'metric m',
  context: 'context source c s',
  label: 'label l',
});

/** `instance.name`, `metric.name`, `context.name` (any word may stand behind the dot), `label.X`, or the label `X`. */
function subjectOf(key: string): ast.Subject {
  const dot = key.indexOf('.');
  const kind = dot === -1 ? undefined : SUBJECTS.get(key.slice(0, dot));
  if (kind === undefined) return { kind: 'label', label: key };
  return kind === 'label' ? { kind, label: key.slice(dot + 1) } : { kind };
}
