import { parseExpression } from '../language/parse.js';
import type { SyntaxFault } from '../language/syntax-diagnostics.js';

/** A change of the text after which it parses. */
export interface TextChange {
  /** What was wrong, in words. */
  readonly words: string;
  readonly replace: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/** Places that are tried for a closing quote at most. */
const PLACES_TRIED = 20;
const QUOTES = /['’‘“”´`]/g;

/**
 * What closes what was left open: parentheses, quotes, the brackets of an instance; and quotes around units that lack them. Only
 * what makes the text parse is suggested. Undefined when nothing does.
 * @param parses whether a text is an expression: asked for few, however long the text is
 */
export function repairClosing(
  text: string,
  { offset, found }: SyntaxFault,
  parses = (changed: string): boolean => parseExpression(changed).ok,
): TextChange | undefined {
  const tried = [...otherQuotes(text), ...closedAt(text, offset, found), ...quotedUnits(text, offset)];
  for (const change of tried) {
    const closed = withParentheses(text, change);
    if (closed && parses(applied(text, closed.replace))) return closed;
  }
  return undefined;
}

/** Quotes of other kinds than the one that the language has. */
function otherQuotes(text: string): TextChange[] {
  const replace = [...text.matchAll(QUOTES)].map(({ index }) => ({ start: index, end: index + 1, text: '"' }));
  return replace.length === 0 ? [] : [{ words: 'texts stand in double quotes', replace }];
}

/** What ends a text or the name of an instance that begins at the fault; or nothing, for parentheses alone. */
function closedAt(text: string, offset: number, found: string): TextChange[] {
  const opened = found[0];
  if (opened !== '"' && opened !== '[') return [{ words: '', replace: [] }];
  const close = opened === '"' ? '"' : ']';
  const words = opened === '"' ? 'close the quotes' : 'close the bracket';
  const places = [...text.slice(offset + 1).matchAll(/[,)]/g)].map(({ index }) => offset + 1 + index);
  return [...places.slice(0, PLACES_TRIED), text.length].map((at) => ({
    words,
    replace: [{ start: at, end: at, text: close }],
  }));
}

/** Units without quotes at the fault: those of a constant, and the second argument of rescale(). */
function quotedUnits(text: string, offset: number): TextChange[] {
  return [...text.matchAll(/(?:units\s*=\s*|rescale\([^,"]*,\s*)([A-Za-z][^",)]*)/g)].flatMap((match) => {
    const units = match[1]!.trimEnd();
    const start = match.index + match[0].length - match[1]!.length;
    const end = start + units.length;
    if (offset < start || offset > end) return [];
    return [{ words: 'units stand in quotes', replace: [{ start, end, text: `"${units}"` }] }];
  });
}

/** A change, with the parentheses that are missing at the end added, or one too many there taken away. Undefined: nothing changes. */
function withParentheses(text: string, { words, replace }: TextChange): TextChange | undefined {
  const depth = depthOf(applied(text, replace));
  if (depth > 0) {
    const closed = ')'.repeat(depth);
    const how = depth === 1 ? 'close the parenthesis' : `close the ${depth} parentheses`;
    return { words: words === '' ? how : words, replace: joined(replace, text.length, closed) };
  }
  if (depth === -1 && replace.length === 0) {
    const last = text.lastIndexOf(')');
    return { words: 'there is one ) too many', replace: [{ start: last, end: last + 1, text: '' }] };
  }
  return replace.length === 0 ? undefined : { words, replace };
}

/** Put something at the end of the text, behind what was put there already. */
function joined(replace: TextChange['replace'], at: number, text: string): TextChange['replace'] {
  const last = replace.at(-1);
  if (last?.end !== at || last.start !== at) return [...replace, { start: at, end: at, text }];
  return [...replace.slice(0, -1), { ...last, text: last.text + text }];
}

/** How many parentheses are open at the end, those in texts and names of instances left out. */
function depthOf(text: string): number {
  const outside = text.replace(/"[^"]*"|\[(?:\\.|[^\]\\])*\]/g, '');
  return outside.replace(/[^(]/g, '').length - outside.replace(/[^)]/g, '').length;
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
