import { BINARY_TOKENS, isFunctionName, LEVEL, type Token, type TokenType } from './tokens.js';

/** An unfinished construct: an operator with or without its right operand, a parenthesis, a call, a ternary. */
export type OpenConstruct =
  | { readonly kind: 'operator'; readonly token: Token; readonly precedence: number }
  | { readonly kind: 'paren'; readonly index: number }
  | { readonly kind: 'call'; readonly function: TokenType; readonly index: number };

/** Tracks what is open at each token, innermost last. Validates nothing: up to the token at fault, it is in a parser's state. */
export class OpenConstructs {
  readonly stack: OpenConstruct[] = [];
  /** The next token should begin an operand (rather than follow one). */
  operandExpected = true;
  #previous: Token | undefined;

  accept(token: Token, index: number): void {
    const { type } = token;
    if (type === 'LPAREN') {
      const previous = this.#previous;
      const call = previous && isCall(previous.type) && previous.end === token.start;
      this.stack.push(call ? { kind: 'call', function: previous.type, index } : { kind: 'paren', index });
      this.operandExpected = true;
    } else if (type === 'RPAREN') {
      this.#closeOperators(0);
      this.stack.pop();
      this.operandExpected = false;
    } else if (type === 'COMMA') {
      this.#closeOperators(0);
      this.operandExpected = true;
    } else if (type === 'NOT' && this.#isFilterStart()) {
      // The negation of matchinst()'s pattern is not an operator.
    } else if (this.operandExpected && (type === 'MINUS' || type === 'NOT')) {
      const precedence = type === 'NOT' ? LEVEL.not : LEVEL.sum;
      this.stack.push({ kind: 'operator', token, precedence });
    } else if (type === 'COLON') {
      this.#closeTo('QUEST');
      this.stack.push({ kind: 'operator', token, precedence: LEVEL.ternary });
      this.operandExpected = true;
    } else if (type === 'QUEST' || BINARY_TOKENS.has(type)) {
      const precedence = BINARY_TOKENS.get(type) ?? LEVEL.ternary;
      this.#closeOperators(precedence);
      this.stack.push({ kind: 'operator', token, precedence });
      this.operandExpected = true;
    } else if (!isCall(type)) {
      this.operandExpected = false;
    }
    this.#previous = token;
  }

  #isFilterStart(): boolean {
    const top = this.stack.at(-1);
    return this.#previous?.type === 'LPAREN' && top?.kind === 'call' && top.function === 'MATCHINST';
  }

  /** Closes operators that bind at least as strongly; a `?` without its `:` stays open. */
  #closeOperators(precedence: number): void {
    for (;;) {
      const top = this.stack.at(-1);
      if (top?.kind !== 'operator' || top.precedence < precedence) return;
      if (top.token.type === 'QUEST' && precedence > 0) return;
      this.stack.pop();
    }
  }

  #closeTo(type: TokenType): void {
    let i = this.stack.length - 1;
    while (i >= 0) {
      const open = this.stack[i]!;
      if (open.kind !== 'operator') return;
      if (open.token.type === type) break;
      i--;
    }
    if (i >= 0) this.stack.length = i;
  }
}

/** The first token at which more than `limit` nested constructs are open; later ones are not examined. */
export function firstDeeperThan(limit: number, tokens: readonly Token[]): Token | undefined {
  const open = new OpenConstructs();
  return tokens.find((token, index) => {
    open.accept(token, index);
    return open.stack.length > limit;
  });
}

function isCall(type: TokenType): boolean {
  return isFunctionName(type.toLowerCase());
}
