import { lexExpression } from '../language/lexer.js';
import { EXPRESSION_LIMITS, isExpression } from '../language/parse.js';
import { OpenConstructs } from '../language/open-constructs.js';
import type { SyntaxFault } from '../language/syntax-diagnostics.js';
import type { Token } from '../language/tokens.js';

/** A change of the text after which it parses. */
export interface TextChange {
  readonly words: string;
  readonly replace: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/** Maximum number of positions that are tried for a closing quote or bracket. */
const PLACES_TRIED = 20;
/** Characters that all tries parse together, so that a search costs about as much as a parse. */
const CHARACTERS_TRIED = 4_000;
const QUOTES = /['’‘“”´`]/g;

/**
 * Closes open parentheses, quotes and brackets, and quotes units. Undefined without a repair that parses.
 * @param parses whether a text is an expression: called for few texts, whatever their length
 */
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

export function applied(text: string, replace: TextChange['replace']): string {
  let out = '';
  let at = 0;
  for (const { start, end, text: replacement } of replace) {
    out += text.slice(at, start) + replacement;
    at = end;
  }
  return out + text.slice(at);
}
