import { matchEnd } from '../../kit/index.js';
import { INTEGER_MAX, PUNCTUATION, isFunctionName, isKeyword, type Token, type TokenType } from './tokens.js';

/** A text without a valid token: `reason` is PCP's wording, `start` the first invalid character. */
export interface LexicalError {
  readonly reason: string;
  readonly start: number;
  readonly end: number;
  /** The text may be valid, but exceeds the number of tokens. */
  readonly isLimit?: true;
}

/** The tokens up to the end of the text, or up to the first error. */
export interface LexResult {
  readonly tokens: readonly Token[];
  readonly error?: LexicalError;
}

const BLANKS = /[ \t\n\v\f\r]*/y;
const NAME = /[A-Za-z][A-Za-z0-9_.]*/y;
const DIGITS = /[0-9]*/y;
const OPERATORS: ReadonlyMap<string, TokenType> = new Map(Object.entries(PUNCTUATION));

/** Splits an expression into at most `maxTokens` tokens. A function is a name directly before `(`; matchinst() takes a pattern. */
export function lexExpression(text: string, maxTokens: number): LexResult {
  const tokens: Token[] = [];
  // For each open parenthesis, whether it belongs to matchinst(); patternDepth counts those.
  const open: boolean[] = [];
  let patternDepth = 0;
  let at = 0;

  const fail = (reason: string, start: number, end: number): LexResult => ({ tokens, error: { reason, start, end } });
  const push = (type: TokenType, end: number, value?: string): void => {
    const written = text.slice(at, end);
    tokens.push({ type, text: written, value: value ?? written, start: at, end });
    at = end;
  };

  for (;;) {
    at = matchEnd(BLANKS, text, at);
    if (at >= text.length) return { tokens };
    const ch = text[at]!;
    if (tokens.length === maxTokens) {
      const reason = `Expression has more than ${maxTokens} tokens`;
      return { tokens, error: { reason, start: at, end: at + 1, isLimit: true } };
    }

    if (/[0-9.]/.test(ch)) {
      const whole = matchEnd(DIGITS, text, at);
      if (text[whole] === '.') {
        push('DOUBLE', matchEnd(DIGITS, text, whole + 1));
      } else {
        if (Number(text.slice(at, whole)) > INTEGER_MAX) return fail('Constant value too large', at, whole);
        push('INTEGER', whole);
      }
      continue;
    }

    const nameEnd = matchEnd(NAME, text, at);
    if (nameEnd > at) {
      const name = text.slice(at, nameEnd);
      if (text[nameEnd] === '(' && isFunctionName(name)) {
        push(name.toUpperCase() as TokenType, nameEnd);
        const matchinst = name === 'matchinst';
        push('LPAREN', nameEnd + 1);
        open.push(matchinst);
        if (matchinst) patternDepth++;
      } else {
        push(isKeyword(name) ? (name.toUpperCase() as TokenType) : 'NAME', nameEnd);
      }
      continue;
    }

    if (ch === '"') {
      const close = text.indexOf('"', at + 1);
      if (close < 0) return fail('unterminated STRING', at, text.length);
      push('STRING', close + 1, text.slice(at + 1, close));
      continue;
    }
    if (ch === '[' || (ch === '/' && patternDepth > 0)) {
      const instance = ch === '[';
      const quoted = unescape(text, at + 1, instance ? ']' : '/');
      if (!quoted) return fail(instance ? 'unterminated instance name' : 'unterminated pattern', at, text.length);
      push(instance ? 'INSTNAME' : 'PATTERN', quoted.end, quoted.value);
      continue;
    }

    const two = at + 1 < text.length ? OPERATORS.get(text.slice(at, at + 2)) : undefined;
    const one = OPERATORS.get(ch);
    if (two) {
      push(two, at + 2);
    } else if (one) {
      if (one === 'LPAREN') open.push(false);
      else if (one === 'RPAREN' && open.pop() === true) patternDepth--;
      push(one, at + 1);
    } else {
      return fail('Illegal character', at, at + (text.codePointAt(at)! > 0xffff ? 2 : 1));
    }
  }
}

/** Reads up to `close`; a backslash makes the next character literal and is removed. Undefined if `close` is missing. */
function unescape(text: string, from: number, close: string): { value: string; end: number } | undefined {
  let value = '';
  for (let i = from; i < text.length; i++) {
    if (text[i] === close) return { value, end: i + 1 };
    if (text[i] === '\\') i++;
    value += text[i] ?? '';
  }
  return undefined;
}
