import nearley from 'nearley';
import { runGrammar } from '../../../kit/index.js';
import { GatewayError, parseUnits, SourceTextError } from '../../../pmapi/index.js';
import { compilePosixPattern } from '../../../derived/index.js';
import { inputsOf, operandsOf } from './ast.js';
import type { Condition, Expression, ParsedQuery, WindowText, Subject } from './ast.js';
import { placeOf, type TimeWord } from './build.js';
import grammar from './grammar.generated.js';
import { lexQuery, WINDOW_KEYWORDS, type Token } from './lexer.js';

/** Limits of a query: memory grows with the words, and walks recurse as deep as functions nest. */
export const QUERY_LIMITS = { length: 16_384, words: 1_000, nesting: 32 } as const;

const compiled = nearley.Grammar.fromCompiled(grammar);

/** Parses a query. Throws SYNTAX_ERROR in pmproxy's form: the expression, and a caret line. @see pmseries(1) */
export function parseQuery(text: string): ParsedQuery {
  if (text.length > QUERY_LIMITS.length) {
    const message = `the expression is longer than ${QUERY_LIMITS.length} characters`;
    const expected = `at most ${QUERY_LIMITS.length} characters`;
    throw new GatewayError('SYNTAX_ERROR', message, { parameter: 'expr', expected });
  }
  const fail = (offset: number, reason: string): GatewayError => faultAt(text, offset, reason);
  const { tokens, error } = lexQuery(text, QUERY_LIMITS.words);
  refuseDeep(tokens, fail);
  const { results, bad } = runGrammar<Expression>(compiled, tokens);
  if (bad !== undefined && bad < tokens.length) throw fail(tokens[bad]!.offset, SYNTAX_ERROR);
  if (error) throw fail(error.offset, error.reason);
  const [expression] = results;
  if (!expression) throw fail(text.length, SYNTAX_ERROR);
  const operands = operandsOf(expression).map(placeOf);
  check(expression, operands[0]!.offset, fail);
  const window = windowOf(operands, fail);
  return window ? { expression, window } : { expression };
}

const SYNTAX_ERROR = 'syntax error';

type Fail = (offset: number, reason: string) => GatewayError;

/** An error at a place of an expression, as pmproxy words it. */
function faultAt(text: string, offset: number, reason: string): GatewayError {
  const caret = `${' '.repeat(Math.min(offset, text.length))}^`;
  const message = `cannot parse given string\n\n${text}\n${caret} -- ${reason}`;
  return new GatewayError('SYNTAX_ERROR', message, { parameter: 'expr', expected: 'a query as in pmseries(1)' });
}

function refuseDeep(tokens: readonly Token[], fail: Fail): void {
  let depth = 0;
  for (const { type, offset } of tokens) {
    if (type === 'LPAREN' && ++depth > QUERY_LIMITS.nesting) {
      throw fail(offset, `functions are nested more than ${QUERY_LIMITS.nesting} deep`);
    }
    if (type === 'RPAREN') depth--;
  }
}

/** Checks patterns, units and percentiles. */
function check(expression: Expression, first: number, fail: Fail): void {
  if (expression.kind === 'operand' && expression.condition) {
    checkPatterns(expression.condition, (reason) => fail(placeOf(expression).offset, reason));
  }
  for (const input of inputsOf(expression)) check(input, first, fail);
  if (expression.kind === 'call') checkArguments(expression, (reason) => fail(first, reason));
}

function checkArguments(call: Expression & { readonly kind: 'call' }, fail: (reason: string) => GatewayError): void {
  if (call.name === 'rescale') {
    try {
      parseUnits(call.units);
    } catch (error) {
      if (error instanceof SourceTextError) throw fail(`Illegal unit string (${error.message})`);
      throw error;
    }
  } else if (call.name.startsWith('nth_percentile') && 'count' in call && call.count > 100) {
    throw fail('Illegal percentile value (0..100)');
  }
}

function checkPatterns(condition: Condition, fail: (reason: string) => GatewayError): void {
  if (condition.kind !== 'comparison') {
    checkPatterns(condition.left, fail);
    checkPatterns(condition.right, fail);
    return;
  }
  const { relation, comparand } = condition;
  if (relation !== '=~' && relation !== '!~') return;
  const pattern = compilePosixPattern(comparand.text);
  if ('reason' in pattern) throw fail(`Invalid regular expression (${pattern.reason})`);
}

/** The window of a query: every operand has brackets, or none has; what two of them say alike counts once. */
function windowOf(operands: readonly ReturnType<typeof placeOf>[], fail: Fail): WindowText | undefined {
  const without = operands.find(({ brackets }) => !brackets);
  if (without) {
    if (operands.every(({ brackets }) => !brackets)) return undefined;
    throw fail(without.offset, 'either all operands have a window or none has');
  }
  const window: Record<string, string> = {};
  for (const { brackets = [] } of operands) {
    for (const { keyword, value } of brackets) {
      const name = wordOf({ keyword, value }, fail);
      if (window[name] !== undefined && window[name] !== value.text) throw fail(value.offset, `Invalid second ${name}`);
      window[name] = value.text;
    }
  }
  return window;
}

function wordOf({ keyword, value }: TimeWord, fail: Fail): string {
  if (!keyword) return 'range';
  const name = WINDOW_KEYWORDS.get(keyword.text)!;
  const isFitting =
    name === 'samples' || name === 'offset'
      ? value.type === 'INTEGER'
      : name === 'zone'
        ? value.type === 'STRING'
        : name !== '';
  if (!isFitting) throw fail(name === '' ? keyword.offset : value.offset, SYNTAX_ERROR);
  return name;
}

/**
 * The canonical form, for identifiers: no blanks or window, `:` as `~~`, commas as `&&`. Unlike pmproxy, numbers have no quotes, and
 * regular expressions do: different conditions have different texts.
 */
export function printQuery(expression: Expression): string {
  switch (expression.kind) {
    case 'operand': {
      const { name = '', condition } = expression;
      return condition ? `${name}{${printCondition(condition)}}` : name;
    }
    case 'call': {
      const argument = printQuery(expression.argument);
      if (expression.name === 'rescale') return `rescale(${argument},"${expression.units}")`;
      if (expression.name === 'log' && expression.base !== undefined) return `log(${argument},${expression.base})`;
      return `${expression.name}(${argument}${'count' in expression ? `, ${expression.count}` : ''})`;
    }
    case 'arithmetic': {
      const [left, right] = [printQuery(expression.left), printQuery(expression.right)];
      // A star right behind a name would be part of it.
      const isInName = expression.operator === '*' && /[\w.*%\\]$/.test(left);
      return isInName ? `${left} * ${right}` : `${left}${expression.operator}${right}`;
    }
    case 'scaling':
      return `${expression.factor}*${printQuery(expression.operand)}`;
  }
}

function printCondition(condition: Condition): string {
  if (condition.kind === 'comparison') {
    const { kind, text } = condition.comparand;
    return `${printSubject(condition.subject)}${condition.relation}${kind === 'number' ? text : `"${text}"`}`;
  }
  // Only a comma has a junction on its right.
  const operator = condition.right.kind === 'comparison' ? condition.kind : ',';
  return `${printCondition(condition.left)}${operator}${printCondition(condition.right)}`;
}

function printSubject(subject: Subject): string {
  if (subject.kind !== 'label') return `${subject.kind}.name`;
  return WINDOW_KEYWORDS.has(subject.label) ? `label.${subject.label}` : subject.label;
}
