/** What a part of an expression is. */
export type TokenKind = 'name' | 'function' | 'number' | 'text' | 'operator' | 'comment' | 'space' | 'other';

/** A part of an expression, in order and without gaps. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** In this order; the pattern of matchinst() stands where a slash cannot be a division. */
const TOKENS: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /#[^\n]*/y],
  ['function', /[A-Za-z]\w*(?=\s*\()/y],
  ['name', /[A-Za-z][\w]*(?:\.[A-Za-z_]\w*)*/y],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['text', /"(?:[^"\\\n]|\\.)*"?/y],
  ['operator', /&&|\|\||[<>=!]=|[-+*/<>!?:,=()[\]]/y],
];
const PATTERN = /\/(?:[^/\\\n]|\\.)+\//y;

/** The parts of an expression, for highlighting. They cover the whole text, even if it is invalid. */
export function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let before = '';
  while (at < expression.length) {
    const [kind, text] = tokenAt(expression, at, before);
    tokens.push({ kind, text });
    if (kind !== 'space' && kind !== 'comment') before = before === 'matchinst' && text === '(' ? 'matchinst(' : text;
    at += text.length;
  }
  return tokens;
}

function tokenAt(expression: string, at: number, before: string): readonly [TokenKind, string] {
  const isPattern =
    before === 'matchinst(' || (before === '!' && /matchinst\s*\(\s*!\s*$/.test(expression.slice(0, at)));
  if (isPattern) {
    PATTERN.lastIndex = at;
    const found = PATTERN.exec(expression);
    if (found) return ['text', found[0]];
  }
  for (const [kind, pattern] of TOKENS) {
    pattern.lastIndex = at;
    const found = pattern.exec(expression);
    if (found) return [kind, found[0]];
  }
  return ['other', String.fromCodePoint(expression.codePointAt(at)!)];
}

/** A highlighted piece: part of a token, and whether it has an error. */
export interface Piece extends Token {
  readonly isBad: boolean;
}

/** Tokens cut where errors begin and end. */
export function piecesOf(
  expression: string,
  errors: readonly { readonly start: number; readonly end: number }[],
): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { kind, text } of tokensOf(expression)) {
    const end = at + text.length;
    const cuts = errors.flatMap((error) => [error.start, error.end]).filter((cut) => cut > at && cut < end);
    const places = [at, ...new Set(cuts.sort((a, b) => a - b)), end];
    for (let i = 0; i + 1 < places.length; i++) {
      const [from, to] = [places[i]!, places[i + 1]!];
      const isBad = errors.some((error) => from >= error.start && to <= error.end);
      pieces.push({ kind, text: expression.slice(from, to), isBad });
    }
    at = end;
  }
  return pieces;
}

/** The name or word that ends at the caret, and where it begins. */
export function wordAt(expression: string, caret: number): { readonly word: string; readonly start: number } {
  const [word = ''] = /[A-Za-z][\w.]*$/.exec(expression.slice(0, caret)) ?? [];
  return { word, start: caret - word.length };
}
