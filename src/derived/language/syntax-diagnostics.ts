import { OpenConstructs, type OpenConstruct } from './open-constructs.js';
import { BINARY_TOKENS, PUNCTUATION, type Token, type TokenType } from './tokens.js';

export interface SyntaxFault {
  /** Where PCP reports the error: first character of the token at fault; at the end, the last character; -1 for an empty text. */
  readonly offset: number;
  /** The offending part of the text: an empty range at its end if the text ends too early. */
  readonly range: { readonly start: number; readonly end: number };
  /** The offending token as written, `end of expression`, or the invalid text. */
  readonly found: string;
  /** What could have been there instead, in words: `a metric name`, `")"`. */
  readonly expected: readonly string[];
  /** PCP's explanation, in situations that have one. @see pmDerivedErrStr(3) */
  readonly reason?: string;
  /** The text exceeds one of EXPRESSION_LIMITS: other errors are not known. */
  readonly isLimit?: true;
}

/** The position of a fault; `reason` is absent where PCP has none. */
export interface Diagnosis {
  /** Index of the reported token, which can be one further than the one that did not fit. */
  readonly index: number;
  readonly reason?: string;
}

const AFTER_OPERAND: ReadonlySet<TokenType> = new Set<TokenType>([
  ...BINARY_TOKENS.keys(),
  'QUEST',
  'COLON',
  'COMMA',
  'LPAREN',
  'RPAREN',
]);
const UNEXPECTED_INITIAL: ReadonlySet<TokenType> = new Set<TokenType>([
  ...[...BINARY_TOKENS.keys()].filter((type) => type !== 'MINUS'),
  'RPAREN',
  'QUEST',
  'COLON',
]);

/** Explains in PCP's words why `tokens[bad]` (or the end) does not fit: the innermost open construct with a message decides. */
export function diagnose(tokens: readonly Token[], bad: number): Diagnosis {
  const token = tokens[bad];
  const previous = tokens[bad - 1];
  if (!previous) {
    return token && UNEXPECTED_INITIAL.has(token.type)
      ? { index: 1, reason: `Unexpected initial '${token.text}'` }
      : { index: 0 };
  }

  const open = new OpenConstructs();
  for (let i = 0; i < bad; i++) open.accept(tokens[i]!, i);
  const { stack } = open;
  const isArgument = stack.at(-1)?.kind === 'call' && takesNoExpression(stack.at(-1)!);
  const reported = (reason: string | undefined): Diagnosis =>
    reason === undefined ? { index: bad } : { index: bad, reason };

  if (previous.type === 'NAME' && !isArgument && !(token === undefined || AFTER_OPERAND.has(token.type))) {
    return reported('Arithmetic or relational or boolean operator expected to follow NAME');
  }
  if (token?.type === 'NOVALUE' && previous.type === 'COLON' && isAfterNovalue(tokens, bad - 2)) {
    return reported('novalue() may appear at most once in a ternary expression');
  }
  const awaiting = stack.at(-1);
  if (open.operandExpected && awaiting?.kind === 'operator') return reported(followReason(awaiting.token, tokens));

  const complete = !open.operandExpected;
  if (complete && (token?.type === 'LPAREN' || token?.type === 'RPAREN') && isTopLevel(stack)) {
    return { index: bad + 1, reason: `Unexpected '${token.text}'` };
  }
  return reported(unwind(stack, tokens, bad, complete));
}

/** Goes outwards from the error to the first construct with a message. */
function unwind(
  stack: readonly OpenConstruct[],
  tokens: readonly Token[],
  bad: number,
  operandComplete: boolean,
): string | undefined {
  // Operators whose right operand is complete are skipped; those without it are not.
  let waits = !operandComplete;
  for (let i = stack.length - 1; i >= 0; i--) {
    const construct = stack[i]!;
    if (construct.kind === 'operator') {
      if (waits || construct.token.type === 'QUEST') return followReason(construct.token, tokens);
      continue;
    }
    if (construct.kind === 'paren') {
      if (construct.index === 0) return "Unexpected initial '('";
    } else {
      const reason = callReason(construct, tokens, bad);
      if (reason !== undefined) return reason;
    }
    waits = true;
  }
  return undefined;
}

function followReason(operator: Token, tokens: readonly Token[]): string {
  const before = tokens[tokens.indexOf(operator) - 1];
  const isPrefix = operator.type === 'MINUS' && !(before && endsOperand(before.type));
  const name = isPrefix ? 'NEG' : operator.type;
  const boolean = name === 'AND' || name === 'OR' || name === 'NOT';
  return `${boolean ? 'Boolean' : 'Arithmetic'} expression expected to follow ${name}`;
}

function callReason(
  call: Extract<OpenConstruct, { kind: 'call' }>,
  tokens: readonly Token[],
  bad: number,
): string | undefined {
  const name = call.function.toLowerCase();
  switch (call.function) {
    case 'AVG':
    case 'COUNT':
    case 'MAX':
    case 'MIN':
    case 'SUM':
    case 'ANON':
    case 'INSTANT':
      return `Metric name expected to follow ${name}(`;
    case 'DELTA':
    case 'RATE':
    case 'SCALAR':
      return `<expr> expected to follow ${name}(`;
    case 'RESCALE':
      return argumentsBefore(tokens, call.index, bad) === 0
        ? 'Arithmetic or relational or boolean operator expected to follow rescale('
        : 'Units string expected to follow rescale(<expr>,';
    case 'MATCHINST': {
      if (argumentsBefore(tokens, call.index, bad) > 0) return '<expr>) expected to follow matchinst(<filter>,';
      return tokens.slice(call.index, bad).some((token) => token.type === 'PATTERN')
        ? ', <expr>) expected to follow matchinst(<filter>'
        : '<filter>, <expr>) expected to follow matchinst(';
    }
    case 'MKCONST':
      return tokens[call.index + 1]?.type === 'INTEGER' && bad > call.index + 1
        ? 'metadata keyword expected to follow mkconst(type'
        : undefined;
    case 'NOVALUE':
      return 'metadata keyword expected to follow novalue(';
    default:
      return undefined;
  }
}

/** The number of complete arguments of a call: commas at its own level. */
function argumentsBefore(tokens: readonly Token[], open: number, bad: number): number {
  let depth = 0;
  let commas = 0;
  for (let i = open + 1; i < bad; i++) {
    const { type } = tokens[i]!;
    if (type === 'LPAREN') depth++;
    else if (type === 'RPAREN') depth--;
    else if (type === 'COMMA' && depth === 0) commas++;
  }
  return commas;
}

function takesNoExpression(construct: OpenConstruct): boolean {
  if (construct.kind !== 'call') return false;
  return !['DELTA', 'RATE', 'INSTANT', 'SCALAR', 'RESCALE', 'MATCHINST'].includes(construct.function);
}

function isTopLevel(stack: readonly OpenConstruct[]): boolean {
  return stack.every((construct) => construct.kind === 'operator' && construct.token.type !== 'QUEST');
}

/** Whether the tokens up to `last` end in a call of novalue(). */
function isAfterNovalue(tokens: readonly Token[], last: number): boolean {
  if (tokens[last]?.type !== 'RPAREN') return false;
  let i = last;
  while (i >= 0 && tokens[i]!.type !== 'LPAREN') i--;
  return tokens[i - 1]?.type === 'NOVALUE';
}

function endsOperand(type: TokenType): boolean {
  return ['NAME', 'INTEGER', 'DOUBLE', 'INSTNAME', 'RPAREN', 'PATTERN'].includes(type);
}

const WORDS: Partial<Record<TokenType, string>> = {
  NAME: 'a metric name',
  INTEGER: 'a number',
  DOUBLE: 'a number',
  STRING: 'a string in double quotes',
  INSTNAME: 'an instance in brackets',
  PATTERN: 'a pattern between slashes',
};
const SYMBOLS: ReadonlyMap<TokenType, string> = new Map(
  Object.entries(PUNCTUATION).map(([text, type]): [TokenType, string] => [type, `"${text}"`]),
);

/** Token types in words, each once, in a fixed order. */
export function describeTokens(types: Iterable<TokenType>): readonly string[] {
  const words = new Set<string>();
  const functions: string[] = [];
  const operators: string[] = [];
  const tags: string[] = [];
  for (const type of types) {
    const word = WORDS[type];
    if (word !== undefined) words.add(word);
    else if (BINARY_TOKENS.has(type) || type === 'QUEST') operators.push(SYMBOLS.get(type)!);
    else if (SYMBOLS.has(type)) words.add(SYMBOLS.get(type)!);
    else if (['TYPE', 'SEMANTICS', 'UNITS', 'INDOM', 'META'].includes(type)) tags.push(`${type.toLowerCase()}=`);
    else functions.push(`${type.toLowerCase()}()`);
  }
  if (functions.length > 3) words.add('a function');
  else for (const name of functions) words.add(name);
  if (operators.length > 1) words.add('an operator');
  else for (const operator of operators) words.add(operator);
  for (const tag of tags) words.add(tag);
  return [...words].sort();
}
