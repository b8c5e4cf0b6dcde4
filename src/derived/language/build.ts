/** Builds the results of grammar.ne. Runs during the parse, for every rule: must not fail; parse.ts checks values. */
import type {
  BinaryExpression,
  BinaryOperator,
  CallExpression,
  DoubleExpression,
  Expression,
  IntegerExpression,
  MatchinstExpression,
  MkconstExpression,
  NameCallExpression,
  NameExpression,
  NovalueExpression,
  RescaleExpression,
  SelectExpression,
  SourceRange,
  TagExpression,
  TernaryExpression,
  UnaryExpression,
  UnaryOperator,
} from './ast.js';
import { DIMENSIONLESS } from '../../pmapi/index.js';
import { mergeTags, readUnits } from './tag-values.js';
import type { Token } from './tokens.js';

/** The parts of a rule: tokens, and the results of other rules. */
type Parts = readonly unknown[];

export const first = ([part]: Parts): unknown => part;
/** `(e)` has no node of its own. */
export const group = ([, inner]: Parts): unknown => inner;

export function name([token]: Parts): NameExpression {
  const { value, start, end } = token as Token;
  return { kind: 'name', name: value, start, end };
}

export function integer([token]: Parts): IntegerExpression {
  const { text, start, end } = token as Token;
  return { kind: 'integer', value: Number(text), start, end };
}

export function double([token]: Parts): DoubleExpression {
  const { text, start, end } = token as Token;
  return { kind: 'double', text, value: text === '.' ? 0 : Number(text), start, end };
}

export function unary([operator, operand]: Parts): UnaryExpression {
  const { text, start } = operator as Token;
  const node = operand as Expression;
  return { kind: 'unary', operator: text as UnaryOperator, operand: node, start, end: node.end };
}

export function binary([left, operator, right]: Parts): BinaryExpression {
  const [a, b] = [left as Expression, right as Expression];
  const { text } = operator as Token;
  return { kind: 'binary', operator: text as BinaryOperator, left: a, right: b, start: a.start, end: b.end };
}

export function ternary([guard, , whenTrue, , whenFalse]: Parts): TernaryExpression {
  const [check, a, b] = [guard as Expression, whenTrue as Expression, whenFalse as Expression];
  return { kind: 'ternary', guard: check, whenTrue: a, whenFalse: b, start: check.start, end: b.end };
}

export function select([operand, instance]: Parts): SelectExpression {
  const node = operand as Expression;
  const token = instance as Token;
  return { kind: 'select', operand: node, instance: token.value, start: node.start, end: token.end };
}

/** The range from the first to the last token of a construct. */
function between(first: unknown, last: unknown): SourceRange {
  return { start: (first as Token).start, end: (last as Token).end };
}

export function selectGroup([open, operand, , instance]: Parts): SelectExpression {
  const { value } = instance as Token;
  return { kind: 'select', operand: operand as Expression, instance: value, ...between(open, instance) };
}

export function nameCall([fn, , operand, close]: Parts): NameCallExpression {
  const name = (fn as Token).text as NameCallExpression['function'];
  return { kind: 'name-call', function: name, operand: operand as NameExpression, ...between(fn, close) };
}

export function call([fn, , operand, close]: Parts): CallExpression {
  const name = (fn as Token).text as CallExpression['function'];
  return { kind: 'call', function: name, operand: operand as Expression, ...between(fn, close) };
}

export function rescale([fn, , operand, , text, close]: Parts): RescaleExpression {
  const unitsText = (text as Token).value;
  const read = readUnits(unitsText);
  const units = 'units' in read ? read.units : DIMENSIONLESS;
  return { kind: 'rescale', operand: operand as Expression, unitsText, units, ...between(fn, close) };
}

export function matchinst([fn, , not, pattern, , operand, close]: Parts): MatchinstExpression {
  const { value } = pattern as Token;
  const patternRange = between(pattern, pattern);
  const parts = { negated: not !== null, pattern: value, patternRange, operand: operand as Expression };
  return { kind: 'matchinst', ...parts, ...between(fn, close) };
}

export function tag([key, , value]: Parts): TagExpression {
  const [head, token] = [key as Token, value as Token];
  return { tag: head.text as TagExpression['tag'], value: token.value, start: head.start, end: token.end };
}

export function metaTag([key, , metric]: Parts): TagExpression {
  const node = metric as NameExpression;
  return { tag: 'meta', value: node.name, start: (key as Token).start, end: node.end };
}

/** Tags in reverse, linked: nearley keeps every rule's result, so copied lists would take quadratic memory. */
interface TagList {
  readonly tag: TagExpression;
  readonly before: TagList | undefined;
}

export function firstTag([item]: Parts): TagList {
  return { tag: item as TagExpression, before: undefined };
}

export function nextTag([before, , item]: Parts): TagList {
  return { tag: item as TagExpression, before: before as TagList };
}

function listTags(last: TagList): readonly TagExpression[] {
  const tags: TagExpression[] = [];
  for (let list: TagList | undefined = last; list; list = list.before) tags.push(list.tag);
  return tags.reverse();
}

export function mkconst([fn, , number, , list, close]: Parts): MkconstExpression {
  const tags = listTags(list as TagList);
  const literal = number as IntegerExpression | DoubleExpression;
  return { kind: 'mkconst', number: literal, tags, metadata: mergeTags(tags), ...between(fn, close) };
}

export function novalue(parts: Parts): NovalueExpression {
  const tags = parts.length === 3 ? [] : listTags(parts[2] as TagList);
  return { kind: 'novalue', tags, metadata: mergeTags(tags), ...between(parts[0], parts.at(-1)) };
}
