/** What a part of an expression is. */
export type TokenKind = 'name' | 'function' | 'number' | 'text' | 'operator' | 'comment' | 'space' | 'other';

/** A part of an expression, in order and without gaps. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** The alternatives in this order; the pattern of matchinst() stands where a slash cannot be a division. */
const TOKENS = new RegExp(
  [
    /(?<space>\s+)/,
    /(?<comment>#[^\n]*)/,
    /(?<function>[A-Za-z]\w*(?=\s*\())/,
    /(?<name>[A-Za-z][\w]*(?:\.[A-Za-z_]\w*)*)/,
    /(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/,
    /(?<text>"(?:[^"\\\n]|\\.)*"?|(?<=matchinst\s*\(\s*(?:!\s*)?)\/(?:[^/\\\n]|\\.)+\/)/,
    /(?<operator>&&|\|\||[<>=!]=|[-+*/<>!?:,=()[\]])/,
    /(?<other>.)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gsu',
);

/** The parts of an expression, for highlighting. They cover the whole text, even if it is invalid. */
export function tokensOf(expression: string): Token[] {
  return [...expression.matchAll(TOKENS)].map(({ 0: text, groups = {} }) => {
    const kind = Object.keys(groups).find((each) => groups[each] === text) as TokenKind;
    return { kind, text };
  });
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
