import { matchEnd } from '../../../kit/index.js';
import { PLAIN_FUNCTIONS, RANKING_FUNCTIONS } from './ast.js';

/** The types of token, as grammar.ne names them. */
export type TokenType =
  | 'NAME'
  | 'KEYWORD'
  | 'PLAIN'
  | 'RANKING'
  | 'RESCALE'
  | 'LOG'
  | 'INTEGER'
  | 'DOUBLE'
  | 'INTERVAL'
  | 'STRING'
  | (typeof PUNCTUATION)[keyof typeof PUNCTUATION];

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** The first character, counted from 0. */
  readonly offset: number;
}

/** The tokens up to the end, or up to what is no token. */
export interface LexResult {
  readonly tokens: readonly Token[];
  readonly error?: { readonly offset: number; readonly reason: string };
}

const PUNCTUATION = {
  '==': 'EQ',
  '!=': 'NE',
  '~~': 'GLOB',
  '=~': 'MATCH',
  '!~': 'MISMATCH',
  '<=': 'LE',
  '>=': 'GE',
  '&&': 'AND',
  '||': 'OR',
  '<': 'LT',
  '>': 'GT',
  '=': 'ASSIGN',
  ':': 'COLON',
  ',': 'COMMA',
  '+': 'PLUS',
  '-': 'MINUS',
  '*': 'STAR',
  '/': 'SLASH',
  '(': 'LPAREN',
  ')': 'RPAREN',
  '{': 'LBRACE',
  '}': 'RBRACE',
  '[': 'LBRACKET',
  ']': 'RBRACKET',
} as const;

const OPERATORS: ReadonlyMap<string, TokenType> = new Map(Object.entries(PUNCTUATION));

/** The meaning of each word of lists such as `inst i`. */
export function byWord<Meaning extends string>(words: Readonly<Record<Meaning, string>>): ReadonlyMap<string, Meaning> {
  const meanings = Object.keys(words) as Meaning[];
  return new Map(meanings.flatMap((meaning) => words[meaning].split(' ').map((word) => [word, meaning] as const)));
}

/** The meaning of each keyword of a window; the last three are reserved without a meaning. */
export const WINDOW_KEYWORDS = byWord({
  samples: 'samples count',
  interval: 'interval delta',
  start: 'start begin',
  finish: 'finish end',
  align: 'align alignment',
  offset: 'offset from',
  zone: 'timezone tz',
  '': 'type semantics units',
});

const FUNCTIONS: ReadonlyMap<string, TokenType> = new Map<string, TokenType>([
  ...PLAIN_FUNCTIONS.map((name) => [name, 'PLAIN'] as const),
  ...RANKING_FUNCTIONS.map((name) => [name, 'RANKING'] as const),
  ['rescale', 'RESCALE'],
  ['log', 'LOG'],
]);

/** PCP's integers have 32 bits. */
const INTEGER_MAX = 4_294_967_295;

// Sticky, and none can backtrack far: a text is read in one pass.
const BLANKS = /[ \t\n\v\f\r]*/y;
const NAME = /[A-Za-z][A-Za-z0-9_.*%\\]*/y;
const STRING = /"[^"]*"/y;
const NUMBERS = [
  ['DOUBLE', /\d+\.\d*|\.\d+/y],
  ['INTERVAL', /\d+[A-Za-z][A-Za-z0-9]*/y],
  ['INTEGER', /\d+/y],
] as const;

/** Splits a query into tokens. A name is a function only directly before `(`. @param maxTokens the error for more says so */
export function lexQuery(text: string, maxTokens: number): LexResult {
  const tokens: Token[] = [];
  let at = matchEnd(BLANKS, text, 0);
  while (at < text.length) {
    if (tokens.length >= maxTokens) return { tokens, error: { offset: at, reason: `more than ${maxTokens} words` } };
    const token = readToken(text, at);
    if (typeof token === 'string') return { tokens, error: { offset: at, reason: token } };
    tokens.push({ type: token.type, text: token.text, offset: at });
    at = matchEnd(BLANKS, text, token.end);
  }
  return { tokens };
}

/** The token at a place, or why there is none. */
function readToken(text: string, at: number): { type: TokenType; text: string; end: number } | string {
  const slice = (type: TokenType, end: number) => ({ type, text: text.slice(at, end), end });
  const name = matchEnd(NAME, text, at);
  if (name > at) return slice(typeOfName(text.slice(at, name), text[name]), name);
  const string = matchEnd(STRING, text, at);
  if (string > at) return { type: 'STRING', text: text.slice(at + 1, string - 1), end: string };
  for (const [type, pattern] of NUMBERS) {
    const end = matchEnd(pattern, text, at);
    if (end === at) continue;
    const isOver = type === 'INTEGER' && Number(text.slice(at, end)) > INTEGER_MAX;
    return isOver ? 'integer out of range' : slice(type, end);
  }
  for (const length of [2, 1]) {
    const type = OPERATORS.get(text.slice(at, at + length));
    if (type) return slice(type, at + length);
  }
  return text[at] === '"' ? 'unterminated string' : 'illegal character';
}

function typeOfName(name: string, next: string | undefined): TokenType {
  const type = next === '(' ? FUNCTIONS.get(name) : undefined;
  return type ?? (WINDOW_KEYWORDS.has(name) ? 'KEYWORD' : 'NAME');
}
