import type { DataOf, Schemas } from '../../client/index.js';
import {
  formatMetricType,
  formatSemantics,
  formatUnits,
  isConvertible,
  nearestNames,
  Semantics,
} from '../../pmapi/index.js';
import { childrenOf, type AnyExpression, type Expression, type SourceRange } from '../language/ast.js';
import { lexExpression } from '../language/lexer.js';
import { EXPRESSION_LIMITS, isExpression } from '../language/parse.js';
import type { SyntaxFault } from '../language/syntax-diagnostics.js';
import { FUNCTION_NAMES, type Token } from '../language/tokens.js';
import type { BoundNode, NodeMetadata } from '../semantics/bound-expression.js';
import { isDimensionless } from '../semantics/result-metadata.js';
import type { SemanticError } from '../semantics/semantic-error.js';
import { OpenConstructs } from '../language/open-constructs.js';

export type Repair = DataOf<Schemas['CheckRepair']>;

export interface RepairContext {
  readonly text: string;
  readonly expression: Expression;
  readonly nodes: ReadonlyMap<AnyExpression, BoundNode>;
  readonly candidates: readonly string[];
  readonly definitionOf: (name: string) => string | undefined;
}

/** The obvious repair for a semantic error, if there is one. */
export function repairSemantics(error: SemanticError, context: RepairContext): Repair | undefined {
  const node = findNode(context.expression, error);
  if (!node) return undefined;
  switch (error.code) {
    case 'unknown-metric':
    case 'ternary-unknown-metric':
      return repairName(error, context);
    case 'nested-derived-metric':
      return repairNesting(error, context);
    case 'counters':
      return wrapCounters(node, context, 'delta() first: both are counters');
    case 'counter-and-non-counter':
    case 'non-counter-and-counter':
      return wrapCounters(node, context, 'rate() first: one of the operands is a counter', 'rate');
    case 'dimensional-non-counter':
      return wrapCounters(node, context, 'rate() or delta() first: one of the operands is a counter', 'rate');
    case 'different-dimensions':
      return giveUnits(node, context);
    case 'extra-units':
      return node.kind === 'binary' ? rescaleTo(node.right, node.left, context) : undefined;
    case 'ternary-types':
    case 'ternary-semantics':
    case 'ternary-units':
      return repairArms(node, context);
    case 'different-instance-domains':
      return { text: 'aggregate one operand with sum(), or pick one instance of it with scalar(x[instance])' };
    case 'ternary-instance-domains':
      return {
        text: 'use a guard and arms with the same instance domain, or make one singular with scalar() or sum()',
      };
    case 'ternary-guard-set': {
      if (node.kind !== 'ternary') return undefined;
      return wrap(context.text, 'take one value of the guard with scalar()', 'scalar', node.guard);
    }
    case 'no-instance-domain': {
      if (node.kind !== 'select' && node.kind !== 'matchinst') return undefined;
      const operand = sourceOf(context.text, node.operand);
      return replace(context.text, 'a singular metric has no instances to select', node, operand);
    }
    default:
      return undefined;
  }
}

/** The obvious repair for a syntax error, if there is one. None is looked for in a text that exceeds EXPRESSION_LIMITS. */
export function repairSyntax(text: string, fault: SyntaxFault): Repair | undefined {
  if (fault.isLimit === true) return undefined;
  if (fault.found === '=') return replace(text, 'equality is ==', fault.range, '==');
  if (fault.reason === 'Illegal character' && (fault.found === '&' || fault.found === '|')) {
    const operator = fault.found.repeat(2);
    return replace(text, `the operator is ${operator}`, fault.range, operator);
  }
  const closed = repairClosing(text, fault);
  if (closed) return replaceAll(text, closed.words, closed.replace);
  const { tokens } = lexExpression(text, EXPRESSION_LIMITS.tokens);
  for (let i = 0; i + 1 < tokens.length; i++) {
    const [token, next] = [tokens[i]!, tokens[i + 1]!];
    if (token.type !== 'NAME' || next.type !== 'LPAREN' || token.start > fault.offset) continue;
    const isFunction = (FUNCTION_NAMES as readonly string[]).includes(token.text);
    if (isFunction) {
      const range = { start: token.start, end: next.end };
      return replace(text, `no space is allowed between ${token.text} and (`, range, `${token.text}(`);
    }
    const [best] = nearestNames(token.text, FUNCTION_NAMES);
    if (best === undefined) return { text: `there is no function ${token.text}()` };
    return replace(text, `did you mean ${best}()?`, token, best);
  }
  const call = /Metric name expected to follow (avg|count|max|min|sum)\(/.exec(fault.reason ?? '');
  if (call) return { text: `${call[1]!}() takes the name of a metric and nothing else` };
  return undefined;
}

function repairName({ range, operands }: SemanticError, { text, candidates }: RepairContext): Repair | undefined {
  const wanted = operands[0] ?? '';
  const below = candidates.find((name) => name.startsWith(`${wanted}.`));
  if (below !== undefined) return { text: `${wanted} is a node of the PMNS; did you mean ${below}?` };
  const [best, ...others] = nearestNames(wanted, candidates);
  if (best === undefined) return undefined;
  const words = `did you mean ${[best, ...others].join(' or ')}?`;
  const start = text.indexOf(wanted, range.start);
  return replace(text, words, { start, end: start + wanted.length }, best);
}

function repairNesting({ range, operands }: SemanticError, { text, definitionOf }: RepairContext): Repair {
  const definition = definitionOf(operands[0] ?? '');
  const words = 'write the other definition out in place of its name';
  if (definition === undefined) return { text: words };
  return replace(text, words, range, `(${definition})`);
}

function wrapCounters(node: AnyExpression, context: RepairContext, words: string, call = 'delta'): Repair | undefined {
  if (node.kind !== 'binary') return undefined;
  return wrap(context.text, words, call, ...[node.left, node.right].filter((operand) => isCounter(operand, context)));
}

function isCounter(node: AnyExpression, { nodes }: RepairContext): boolean {
  return nodes.get(node)?.meta.semantics === Semantics.COUNTER;
}

function giveUnits(node: AnyExpression, { text, nodes }: RepairContext): Repair | undefined {
  if (node.kind !== 'binary') return undefined;
  if (node.operator === '&&' || node.operator === '||') {
    const operand = [node.left, node.right].find((each) => !isDimensionless(nodes.get(each)!.meta.units))!;
    return replace(text, 'compare it with 0 first', operand, `${sourceOf(text, operand)} != 0`);
  }
  const [constant, other] = isNumber(node.left) ? [node.left, node.right] : [node.right, node.left];
  const units = nodes.get(other)?.meta.units;
  if (!isNumber(constant) || !units || isDimensionless(units)) return undefined;
  const replacement = `mkconst(${sourceOf(text, constant)}, units="${formatUnits(units)}")`;
  return replace(text, 'give the constant the same units', constant, replacement);
}

function repairArms(node: AnyExpression, context: RepairContext): Repair | undefined {
  if (node.kind !== 'ternary') return undefined;
  const { whenTrue, whenFalse } = node;
  const [arm, other] =
    isNumber(whenTrue) || whenTrue.kind === 'mkconst' ? [whenTrue, whenFalse] : [whenFalse, whenTrue];
  const meta = context.nodes.get(other)?.meta;
  if (!meta) return undefined;
  if (isNumber(arm) || arm.kind === 'mkconst') {
    const number = sourceOf(context.text, arm.kind === 'mkconst' ? arm.number : arm);
    return replace(context.text, 'give the constant the metadata of the other arm', arm, constantLike(number, meta));
  }
  const armMeta = context.nodes.get(whenFalse)?.meta;
  const trueMeta = context.nodes.get(whenTrue)?.meta;
  if (!armMeta || !trueMeta) return undefined;
  if (armMeta.type === trueMeta.type && armMeta.semantics === trueMeta.semantics) {
    return rescaleTo(whenFalse, whenTrue, context);
  }
  const counter = [whenTrue, whenFalse].find((each) => isCounter(each, context));
  if (armMeta.type !== trueMeta.type || !counter) return undefined;
  return wrap(context.text, 'treat the counter as an instantaneous value', 'instant', counter);
}

function rescaleTo(node: AnyExpression, like: AnyExpression, { text, nodes }: RepairContext): Repair | undefined {
  const [from, to] = [nodes.get(node)?.meta.units, nodes.get(like)?.meta.units];
  if (!from || !to || !isConvertible(from, to)) return undefined;
  const units = formatUnits(to);
  const replacement = `rescale(${sourceOf(text, node)}, "${units}")`;
  return replace(text, `wrap in rescale(…, "${units}")`, node, replacement);
}

function constantLike(number: string, { type, semantics, units }: NodeMetadata): string {
  const tags = [`type=${formatMetricType(type)}`, `semantics=${formatSemantics(semantics)}`];
  const unitsText = formatUnits(units);
  if (unitsText !== '') tags.push(`units="${unitsText}"`);
  return `mkconst(${[number, ...tags].join(', ')})`;
}

function isNumber(node: AnyExpression): boolean {
  return node.kind === 'integer' || node.kind === 'double';
}

function sourceOf(text: string, { start, end }: SourceRange): string {
  return text.slice(start, end);
}

function wrap(text: string, words: string, call: string, ...nodes: readonly AnyExpression[]): Repair {
  const wrapped = nodes.map((node) => ({ start: node.start, end: node.end, text: `${call}(${sourceOf(text, node)})` }));
  return replaceAll(text, words, wrapped);
}

function replace(text: string, words: string, { start, end }: SourceRange, by: string): Repair {
  return replaceAll(text, words, [{ start, end, text: by }]);
}

function replaceAll(text: string, words: string, replace: TextChange['replace']): Repair {
  return { text: words, replace, expression: applied(text, replace) };
}

/** The outermost node of exactly this range. */
function findNode(node: AnyExpression, error: SemanticError): AnyExpression | undefined {
  const { start, end } = error.range;
  if (node.start === start && node.end === end) return node;
  for (const child of childrenOf(node)) {
    const found = findNode(child, error);
    if (found) return found;
  }
  // meta=NAME has a range of its own within mkconst() and novalue().
  return node.start <= start && end <= node.end && (node.kind === 'mkconst' || node.kind === 'novalue')
    ? node
    : undefined;
}

/** A change of the text after which it parses. */
interface TextChange {
  readonly words: string;
  readonly replace: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/** Maximum number of positions that are tried for a closing quote or bracket. */
const PLACES_TRIED = 20;
/** Characters that all tries parse together, so that a search costs about as much as a parse. */
const CHARACTERS_TRIED = 4_000;
const QUOTES = /['’‘“”´`]/g;

/** Closes open parentheses, quotes and brackets, and quotes units. @param parses called for few texts, whatever their length */
export function repairClosing(text: string, fault: SyntaxFault, parses = isExpression): TextChange | undefined {
  let left = CHARACTERS_TRIED;
  for (const change of changesFor(text, fault)) {
    const closed = withParentheses(text, change);
    if (closed && parses(applied(text, closed.replace))) return closed;
    left -= text.length;
    if (left <= 0) return undefined;
  }
  return undefined;
}

function* changesFor(text: string, { offset, found }: SyntaxFault): Generator<TextChange> {
  yield* otherQuotes(text);
  yield* closedAt(text, offset, found);
  yield* quotedUnits(text, offset);
}

function otherQuotes(text: string): readonly TextChange[] {
  const replace = [...text.matchAll(QUOTES)].map(({ index }) => ({ start: index, end: index + 1, text: '"' }));
  return replace.length === 0 ? [] : [{ words: 'strings need double quotes', replace }];
}

/** Ends for a text or instance name that begins at the fault; or nothing, for parentheses alone. */
function* closedAt(text: string, offset: number, found: string): Generator<TextChange> {
  const opened = found[0];
  if (opened !== '"' && opened !== '[') {
    yield { words: '', replace: [] };
    return;
  }
  const close = opened === '"' ? '"' : ']';
  const words = opened === '"' ? 'close the quotes' : 'close the bracket';
  let places = 0;
  for (let at = offset + 1; at < text.length && places < PLACES_TRIED; at++) {
    if (text[at] !== ',' && text[at] !== ')') continue;
    places++;
    yield { words, replace: [{ start: at, end: at, text: close }] };
  }
  yield { words, replace: [{ start: text.length, end: text.length, text: close }] };
}

/** Unquoted units at the fault: those of a constant, and the second argument of rescale(). */
function quotedUnits(text: string, offset: number): readonly TextChange[] {
  const { tokens } = lexExpression(text, EXPRESSION_LIMITS.tokens);
  const start = startOfUnits(tokens, offset);
  if (start === undefined) return [];
  const units = /^[A-Za-z][^",)]*/.exec(text.slice(start))?.[0].trimEnd();
  if (units === undefined) return [];
  return [{ words: 'units need quotes', replace: [{ start, end: start + units.length, text: `"${units}"` }] }];
}

/** The start of the units around a position: after `units=`, or after the comma of rescale(). */
function startOfUnits(tokens: readonly Token[], offset: number): number | undefined {
  const open = new OpenConstructs();
  let start: number | undefined;
  for (const [i, token] of tokens.entries()) {
    if (token.start > offset) break;
    const before = tokens[i - 1];
    const outer = open.stack.at(-1);
    if (before?.type === 'ASSIGN' && tokens[i - 2]?.type === 'UNITS') start = token.start;
    else if (before?.type === 'COMMA' && outer?.kind === 'call' && outer.function === 'RESCALE') start = token.start;
    else if (token.type === 'COMMA' || token.type === 'RPAREN' || token.type === 'STRING') start = undefined;
    open.accept(token, i);
  }
  return start;
}

/** A repair with missing parentheses added, or one removed; undefined if it does not parse. */
function withParentheses(text: string, { words, replace }: TextChange): TextChange | undefined {
  const { tokens, error } = lexExpression(applied(text, replace), EXPRESSION_LIMITS.tokens);
  if (error) return undefined;
  let depth = 0;
  let last: Token | undefined;
  for (const token of tokens) {
    if (token.type === 'LPAREN') depth++;
    if (token.type !== 'RPAREN') continue;
    depth--;
    last = token;
  }
  if (depth > 0) {
    const closed = ')'.repeat(depth);
    const how = depth === 1 ? 'close the parenthesis' : `close the ${depth} parentheses`;
    return { words: words === '' ? how : words, replace: joined(replace, text.length, closed) };
  }
  if (depth === -1 && last && replace.length === 0) {
    return { words: 'there is one ) too many', replace: [{ start: last.start, end: last.end, text: '' }] };
  }
  return replace.length === 0 ? undefined : { words, replace };
}

function joined(replace: TextChange['replace'], at: number, text: string): TextChange['replace'] {
  const last = replace.at(-1);
  if (last?.end !== at || last.start !== at) return [...replace, { start: at, end: at, text }];
  return [...replace.slice(0, -1), { ...last, text: last.text + text }];
}

function applied(text: string, replace: TextChange['replace']): string {
  let out = '';
  let at = 0;
  for (const { start, end, text: replacement } of replace) {
    out += text.slice(at, start) + replacement;
    at = end;
  }
  return out + text.slice(at);
}
