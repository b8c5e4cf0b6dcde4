import { LRUCache } from 'lru-cache';
import nearley from 'nearley';
import { getOrMake, runGrammar } from '../../kit/index.js';
import type { Expression, SourceRange } from './ast.js';
import grammar from './grammar.generated.js';
import { lexExpression, type LexicalError } from './lexer.js';
import { firstDeeperThan } from './open-constructs.js';
import { PARSED_JSON } from './parsed.generated.js';
import { PATTERN_SIZE_MAX, TOO_BIG, compilePattern } from './posix-pattern.js';
import { describeTokens, diagnose, type SyntaxFault } from './syntax-diagnostics.js';
import { anonymousType, constantTypeMismatch, readTag, readUnits } from './tag-values.js';
import { isKeyword, type Token, type TokenType } from './tokens.js';

export type ParseResult =
  { readonly ok: true; readonly expression: Expression } | { readonly ok: false; readonly fault: SyntaxFault };

/** Trees are cached for this many characters of text in total: a tree takes about a hundred times its text. */
const CACHE_CHARACTERS = 200_000;
const ENTRY_CHARACTERS = 50;
const cache = new LRUCache<string, ParseResult>({
  maxSize: CACHE_CHARACTERS,
  sizeCalculation: (_result, text) => text.length + ENTRY_CHARACTERS,
});
/** The expressions of config/derived: parsing them took a tenth of the start. */
let parsed: ReadonlyMap<string, ParseResult> | undefined;
const compiled = nearley.Grammar.fromCompiled(grammar);

/** Parses an expression. Never throws. Results are cached, immutable and shared. @see pmRegisterDerived(3) */
export function parseExpression(text: string): ParseResult {
  if (text.length > EXPRESSION_LIMITS.length) {
    const { length } = EXPRESSION_LIMITS;
    return tooMuch(`Expression is longer than ${length} characters`, { start: length, end: text.length });
  }
  parsed ??= new Map(JSON.parse(PARSED_JSON) as [string, ParseResult][]);
  return parsed.get(text) ?? getOrMake<string, ParseResult>(cache, text, () => parseUncached(text));
}

/** Whether a text is an expression: the result is not cached. */
export function isExpression(text: string): boolean {
  return text.length <= EXPRESSION_LIMITS.length && parseUncached(text).ok;
}

function parseUncached(text: string): ParseResult {
  const { tokens, error } = lexExpression(text, EXPRESSION_LIMITS.tokens);
  const tooDeep = firstDeeperThan(EXPRESSION_LIMITS.nesting, tokens);
  if (tooDeep) return tooMuch(`Expression is nested more than ${EXPRESSION_LIMITS.nesting} deep`, tooDeep);
  const run = parseTokens(tokens);
  // An invalid value is found as soon as it has been read, before any later error.
  const badValue = findBadValue(tokens, run.bad ?? tokens.length);
  if (badValue) return fault(badValue.reason, badValue.token, badValue.token.text);
  if (run.bad !== undefined) {
    const told = diagnose(tokens, run.bad);
    // Reporting one token further can reach an invalid token.
    if (told.index >= tokens.length && told.index > run.bad && error) return lexicalFault(text, error);
    return faultAt(text, tokens, run.bad, run.expected, told);
  }
  if (error) return lexicalFault(text, error);
  const [expression] = run.trees;
  if (!expression) return faultAt(text, tokens, tokens.length, run.expected);
  return { ok: true, expression };
}

/** Parses tokens by the grammar of expressions. The grammar is unambiguous: there is at most one tree. */
export function parseTokens(tokens: readonly Token[]): {
  trees: readonly Expression[];
  bad?: number;
  expected: TokenType[];
} {
  const { results, expected, ...rest } = runGrammar<Expression>(compiled, tokens);
  const types = expected.map((symbol) => (symbol as { readonly type: TokenType }).type);
  return { ...rest, trees: results, expected: [...new Set(types)] };
}

function badPattern(reason: string): string {
  return `bad regular expression: '${reason}'`;
}

/** The first value before token `limit` that its construct does not accept, with the token that PCP reports for it. */
function findBadValue(tokens: readonly Token[], limit: number): { token: Token; reason: string } | undefined {
  let constant: { isDouble: boolean; type?: string } | undefined;
  let patternSize = 0;
  for (let i = 0; i < limit; i++) {
    const token = tokens[i]!;
    if (token.type === 'PATTERN') {
      const pattern = compilePattern(token.value);
      if ('reason' in pattern) return { token, reason: badPattern(pattern.reason) };
      patternSize += pattern.size;
      if (patternSize > PATTERN_SIZE_MAX) return { token, reason: badPattern(TOO_BIG) };
    } else if (token.type === 'ANON') {
      const type = tokens[i + 2];
      if (type?.type === 'NAME' && i + 2 < limit && anonymousType(type.text) === undefined) {
        return { token: type, reason: `type=${type.text} not allowed for anon()` };
      }
    } else if (token.type === 'MKCONST') {
      constant = { isDouble: tokens[i + 2]?.type === 'DOUBLE' };
    } else if (token.type === 'RPAREN') {
      const before = tokens[i - 1]!;
      if (before.type === 'STRING' && tokens[i - 2]?.type === 'COMMA') {
        const read = readUnits(before.value);
        if ('reason' in read) return { token, reason: read.reason };
      }
      if (constant?.isDouble && constant.type !== undefined) {
        const read = readTag('type', constant.type);
        const reason = 'type' in read ? constantTypeMismatch('double', read.type) : undefined;
        if (reason !== undefined) return { token, reason };
      }
      constant = undefined;
    } else if (token.type === 'ASSIGN') {
      const tag = tokens[i - 1]!.text;
      const value = tokens[i + 1];
      if (!value || i + 1 >= limit || !isKeyword(tag)) continue;
      const read = readTag(tag, value.value);
      if ('reason' in read) return { token: value, reason: read.reason };
      if (tag === 'type' && constant) constant.type = value.value;
    }
  }
  return undefined;
}

function faultAt(
  text: string,
  tokens: readonly Token[],
  bad: number,
  expected: readonly TokenType[],
  { index, reason } = diagnose(tokens, bad),
): ParseResult {
  const token = tokens[bad];
  return {
    ok: false,
    fault: {
      offset: tokens[index]?.start ?? text.length - 1,
      range: token ? { start: token.start, end: token.end } : { start: text.length, end: text.length },
      found: token ? token.text : 'end of expression',
      expected: describeTokens(expected),
      ...(reason !== undefined && { reason }),
    },
  };
}

function fault(reason: string, { start, end }: SourceRange, found: string, isLimit?: true): ParseResult {
  const told = { offset: start, range: { start, end }, found, expected: [], reason };
  return { ok: false, fault: isLimit ? { ...told, isLimit } : told };
}

function lexicalFault(text: string, error: LexicalError): ParseResult {
  return error.isLimit ? tooMuch(error.reason, error) : fault(error.reason, error, text.slice(error.start, error.end));
}

function tooMuch(reason: string, range: SourceRange): ParseResult {
  return fault(reason, range, '', true);
}

/** Limits (PCP has none): memory grows with the tokens, and walks recurse as deep as the tree. */
export const EXPRESSION_LIMITS = {
  /** UTF-16 units of text. */
  length: 16_384,
  /** Tokens; a sum of 1,000 terms has 1,999. */
  tokens: 2_000,
  /** Parentheses, calls, prefix operators and ternaries open at the same time. */
  nesting: 100,
} as const;
