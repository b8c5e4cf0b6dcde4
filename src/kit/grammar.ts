import nearley from 'nearley';

export interface GrammarRun<Tree> {
  /** One tree per parse; an unambiguous grammar gives at most one. */
  readonly results: readonly Tree[];
  /** Index of the first token that does not fit; absent when all fit, even if the text ends too early. */
  readonly bad?: number;
  readonly expected: readonly unknown[];
}

/** The part of nearley's parser that its types leave out. */
interface Internals {
  readonly table: readonly { readonly scannable: readonly { rule: { symbols: readonly unknown[] }; dot: number }[] }[];
  reportError(): string;
}

/** The lexer that a grammar names: every `%NAME` of it is a type of token. The tokens come ready made, see {@link runGrammar}. */
export const TOKEN_NAMES = {
  has: (name: string): boolean => name !== '',
  reset: (): void => undefined,
  next: (): undefined => undefined,
  save: (): object => ({}),
  formatError: (): string => '',
};

/** The end of a sticky pattern's match at a place; the place itself without one. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

class Unexpected extends Error {}

/** Runs a compiled grammar over tokens that a lexer made. A token that does not fit is a result, not an exception. */
export function runGrammar<Tree>(grammar: nearley.Grammar, tokens: readonly object[]): GrammarRun<Tree> {
  let next = 0;
  const parser = new nearley.Parser(grammar, {
    lexer: { ...TOKEN_NAMES, next: () => tokens[next++] } as unknown as nearley.Lexer,
  });
  const internals = parser as unknown as Internals;
  // nearley would describe the whole state of the parse, which can take far longer than the parse.
  internals.reportError = () => {
    throw new Unexpected();
  };
  try {
    parser.feed('');
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    return { results: [], bad: next - 1, expected: expectedAt(internals, next - 1) };
  }
  const results = parser.results as Tree[];
  return { results, expected: results.length > 0 ? [] : expectedAt(internals, tokens.length) };
}

function expectedAt({ table }: Internals, column: number): unknown[] {
  return (table[column]?.scannable ?? []).map(({ rule, dot }) => rule.symbols[dot]);
}
