/** Builds the results of grammar.ne. Runs during the parse, for every rule: must not fail; parse.ts checks values. */
import type * as ast from './ast.js';
import { DIMENSIONLESS } from '../../pmapi/index.js';
import { mergeTags, readUnits } from './tag-values.js';
import type { Token } from './tokens.js';

/** The parts of a rule: tokens, and the results of other rules. */
type Parts = readonly unknown[];

export const first = ([part]: Parts): unknown => part;
export const group = ([, inner]: Parts): unknown => inner;

export function name([token]: Parts): ast.NameExpression {
  const { value, start, end } = token as Token;
  return { kind: 'name', name: value, start, end };
}

export function integer([token]: Parts): ast.IntegerExpression {
  const { text, start, end } = token as Token;
  return { kind: 'integer', value: Number(text), start, end };
}

export function double([token]: Parts): ast.DoubleExpression {
  const { text, start, end } = token as Token;
  return { kind: 'double', text, value: text === '.' ? 0 : Number(text), start, end };
}

export function unary([operator, operand]: Parts): ast.UnaryExpression {
  const { text, start } = operator as Token;
  const node = operand as ast.Expression;
  return { kind: 'unary', operator: text as ast.UnaryOperator, operand: node, start, end: node.end };
}

export function binary([left, operator, right]: Parts): ast.BinaryExpression {
  const [a, b] = [left as ast.Expression, right as ast.Expression];
  const { text } = operator as Token;
  return { kind: 'binary', operator: text as ast.BinaryOperator, left: a, right: b, start: a.start, end: b.end };
}

export function ternary([guard, , whenTrue, , whenFalse]: Parts): ast.TernaryExpression {
  const [check, a, b] = [guard as ast.Expression, whenTrue as ast.Expression, whenFalse as ast.Expression];
  return { kind: 'ternary', guard: check, whenTrue: a, whenFalse: b, start: check.start, end: b.end };
}

export function select([operand, instance]: Parts): ast.SelectExpression {
  const node = operand as ast.Expression;
  const token = instance as Token;
  return { kind: 'select', operand: node, instance: token.value, start: node.start, end: token.end };
}

function between(first: unknown, last: unknown): ast.SourceRange {
  return { start: (first as Token).start, end: (last as Token).end };
}

export function selectGroup([open, operand, , instance]: Parts): ast.SelectExpression {
  const { value } = instance as Token;
  return { kind: 'select', operand: operand as ast.Expression, instance: value, ...between(open, instance) };
}

export function nameCall([fn, , operand, close]: Parts): ast.NameCallExpression {
  const name = (fn as Token).text as ast.NameCallExpression['function'];
  return { kind: 'name-call', function: name, operand: operand as ast.NameExpression, ...between(fn, close) };
}

export function call([fn, , operand, close]: Parts): ast.CallExpression {
  const name = (fn as Token).text as ast.CallExpression['function'];
  return { kind: 'call', function: name, operand: operand as ast.Expression, ...between(fn, close) };
}

export function rescale([fn, , operand, , text, close]: Parts): ast.RescaleExpression {
  const unitsText = (text as Token).value;
  const read = readUnits(unitsText);
  const units = 'units' in read ? read.units : DIMENSIONLESS;
  return { kind: 'rescale', operand: operand as ast.Expression, unitsText, units, ...between(fn, close) };
}

export function matchinst([fn, , not, pattern, , operand, close]: Parts): ast.MatchinstExpression {
  const { value } = pattern as Token;
  const patternRange = between(pattern, pattern);
  const parts = { negated: not !== null, pattern: value, patternRange, operand: operand as ast.Expression };
  return { kind: 'matchinst', ...parts, ...between(fn, close) };
}

export function tag([key, , value]: Parts): ast.TagExpression {
  const [head, token] = [key as Token, value as Token];
  return { tag: head.text as ast.TagExpression['tag'], value: token.value, start: head.start, end: token.end };
}

export function metaTag([key, , metric]: Parts): ast.TagExpression {
  const node = metric as ast.NameExpression;
  return { tag: 'meta', value: node.name, start: (key as Token).start, end: node.end };
}

/** Tags in reverse, linked: nearley keeps every rule's result, so copied lists would take quadratic memory. */
interface TagList {
  readonly tag: ast.TagExpression;
  readonly before: TagList | undefined;
}

export function firstTag([item]: Parts): TagList {
  return { tag: item as ast.TagExpression, before: undefined };
}

export function nextTag([before, , item]: Parts): TagList {
  return { tag: item as ast.TagExpression, before: before as TagList };
}

function listTags(last: TagList): readonly ast.TagExpression[] {
  const tags: ast.TagExpression[] = [];
  for (let list: TagList | undefined = last; list; list = list.before) tags.push(list.tag);
  return tags.reverse();
}

export function mkconst([fn, , number, , list, close]: Parts): ast.MkconstExpression {
  const tags = listTags(list as TagList);
  const literal = number as ast.IntegerExpression | ast.DoubleExpression;
  return { kind: 'mkconst', number: literal, tags, metadata: mergeTags(tags), ...between(fn, close) };
}

export function novalue(parts: Parts): ast.NovalueExpression {
  const tags = parts.length === 3 ? [] : listTags(parts[2] as TagList);
  return { kind: 'novalue', tags, metadata: mergeTags(tags), ...between(parts[0], parts.at(-1)) };
}
