import type { BinaryOperator } from './ast.js';

/** Operators and punctuation by their names in PCP's messages. */
export const PUNCTUATION = {
  '+': 'PLUS',
  '-': 'MINUS',
  '*': 'STAR',
  '/': 'SLASH',
  '<': 'LT',
  '<=': 'LEQ',
  '==': 'EQ',
  '>=': 'GEQ',
  '>': 'GT',
  '!=': 'NEQ',
  '&&': 'AND',
  '||': 'OR',
  '!': 'NOT',
  '?': 'QUEST',
  ':': 'COLON',
  '(': 'LPAREN',
  ')': 'RPAREN',
  ',': 'COMMA',
  '=': 'ASSIGN',
} as const;

/** Names that are functions when the very next character is `(`. */
export const FUNCTION_NAMES = [
  'avg',
  'count',
  'delta',
  'max',
  'min',
  'sum',
  'anon',
  'rate',
  'instant',
  'mkconst',
  'novalue',
  'rescale',
  'defined',
  'matchinst',
  'scalar',
] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];

/** Names that cannot be operands anywhere: the tags of mkconst() and novalue(). */
export const KEYWORDS = ['type', 'semantics', 'units', 'indom', 'meta'] as const;
export type Keyword = (typeof KEYWORDS)[number];

const FUNCTIONS: ReadonlySet<string> = new Set(FUNCTION_NAMES);
const TAGS: ReadonlySet<string> = new Set(KEYWORDS);

export function isFunctionName(name: string): name is FunctionName {
  return FUNCTIONS.has(name);
}

export function isKeyword(name: string): name is Keyword {
  return TAGS.has(name);
}

export type TokenType =
  | (typeof PUNCTUATION)[keyof typeof PUNCTUATION]
  | Uppercase<FunctionName>
  | Uppercase<Keyword>
  | 'INTEGER'
  | 'DOUBLE'
  | 'NAME'
  | 'STRING'
  | 'INSTNAME'
  | 'PATTERN';

/** One token; `start` and `end` are UTF-16 offsets into the expression. */
export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** The value of the text: without quotes, brackets, slashes and escapes. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The largest integer constant: the language has 32-bit unsigned ones only. */
export const INTEGER_MAX = 4_294_967_295;

export const LEVEL = { ternary: 1, boolean: 2, not: 3, relational: 4, sum: 5, product: 6, primary: 7 } as const;

export const BINARY_LEVEL: Readonly<Record<BinaryOperator, number>> = {
  '&&': LEVEL.boolean,
  '||': LEVEL.boolean,
  '<': LEVEL.relational,
  '<=': LEVEL.relational,
  '==': LEVEL.relational,
  '>=': LEVEL.relational,
  '>': LEVEL.relational,
  '!=': LEVEL.relational,
  '+': LEVEL.sum,
  '-': LEVEL.sum,
  '*': LEVEL.product,
  '/': LEVEL.product,
};

const LEVELS = Object.entries(BINARY_LEVEL) as [BinaryOperator, number][];
export const BINARY_TOKENS: ReadonlyMap<TokenType, number> = new Map(
  LEVELS.map(([operator, level]) => [PUNCTUATION[operator], level]),
);
