import { RE2JS, RE2JSException } from 're2js';
import { attempt } from '../../kit/index.js';
import { flattenLabels, SourceTextError, type Label } from '../../pmapi/index.js';

export type LabelOperator = '=' | '!=' | '=~' | '!~';

export interface LabelMatcher {
  readonly name: string;
  readonly operator: LabelOperator;
  /** A text, or a regular expression that must match the whole of the label. */
  readonly value: string;
}

/** Conditions on labels, which must all hold. */
export interface LabelSelector {
  readonly matchers: readonly LabelMatcher[];
  /** Size of its regular expressions with repetitions expanded, at most. */
  readonly size: number;
  /** Whether merged labels satisfy every condition; a missing label is empty. */
  matches(labels: readonly Label[]): boolean;
}

const LENGTH_MAX = 4096;

/** Maximum size of a selector's regular expressions with repetitions expanded. */
export const PATTERNS_SIZE_MAX = 4000;

const EXPECTED = 'conditions with =, !=, =~ or !~, for example agent="linux",device_type=~"sd.*"';

const BLANK = /[ \t\r\n]*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_.:]*/y;
const OPERATOR = /=~|!~|!=|=/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"', "'": "'" };

/** Parses a selector as in PromQL, braces optional, dots allowed in names; linear time. Throws BAD_PARAMETER, BAD_PATTERN. */
export function parseLabelSelector(text: string, parameter = 'labels'): LabelSelector {
  const { matchers, size } = parseMatchers(text, parameter);
  const tests = matchers.map(({ matcher, test }) => ({ name: matcher.name, test }));
  return {
    matchers: matchers.map(({ matcher }) => matcher),
    size,
    matches(labels) {
      const texts = labelTexts(labels);
      return tests.every(({ name, test }) => test(texts.get(name) ?? ''));
    },
  };
}

/** Compiles a condition. Throws an RE2JSException for an invalid regular expression. */
export function compileCondition(operator: LabelOperator, value: string): (text: string) => boolean {
  if (operator === '=') return (text) => text === value;
  if (operator === '!=') return (text) => text !== value;
  const compiled = RE2JS.compile(value, RE2JS.DOTALL);
  return operator === '=~' ? (text) => compiled.testExact(text) : (text) => !compiled.testExact(text);
}

/** Upper bound of a condition's pattern size, as if all repetitions were nested; 0 without a pattern. */
export function patternSize(operator: LabelOperator, pattern: string): number {
  if (operator === '=' || operator === '!=') return 0;
  let size = pattern.length;
  for (const [, least, most] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    size *= Math.max(1, Number(least), Number(most ?? 0));
  }
  return size;
}

/** Label texts by name, without quotes; members of compound values as `label.member`. */
export function labelTexts(labels: readonly Label[]): ReadonlyMap<string, string> {
  return new Map(flattenLabels(labels).map(({ name, json }) => [name, textOf(json)]));
}

function textOf(json: string): string {
  return json.startsWith('"') ? (attempt(() => String(JSON.parse(json))) ?? json) : json;
}

interface ParsedMatcher {
  readonly matcher: LabelMatcher;
  readonly test: (text: string) => boolean;
}

function parseMatchers(text: string, parameter: string) {
  let at = 0;
  let patternsSize = 0;
  if (text.length > LENGTH_MAX) {
    throw error(`a label selector has at most ${LENGTH_MAX} characters, this one has ${text.length}`, LENGTH_MAX);
  }
  const matchers: ParsedMatcher[] = [];
  const isBraced = skip('{');
  const isOver = (): boolean => (isBraced ? text[at] === '}' : at >= text.length);
  blank();
  while (!isOver()) {
    matchers.push(condition());
    // As in PromQL, a comma may stand behind the last condition.
    if (!skip(',') && !isOver()) {
      throw error(`expected a comma${isBraced ? ' or a closing brace' : ''} after a condition`);
    }
  }
  if (isBraced) skip('}');
  if (at < text.length) throw error('unexpected text after the closing brace');
  if (matchers.length === 0) throw error('a label selector needs at least one condition');
  return { matchers, size: patternsSize };

  function condition(): ParsedMatcher {
    const name = token(NAME);
    if (name === undefined) throw error('expected a label name');
    blank();
    const operator = token(OPERATOR) as LabelOperator | undefined;
    if (operator === undefined) throw error(`expected =, !=, =~ or !~ after ${name}`);
    blank();
    const start = at;
    const value = quoted(name, operator);
    const test = compile(operator, value, start);
    blank();
    return { matcher: { name, operator, value }, test };
  }

  function compile(operator: LabelOperator, value: string, start: number): (text: string) => boolean {
    patternsSize += patternSize(operator, value);
    if (patternsSize > PATTERNS_SIZE_MAX) {
      throw new SourceTextError('LIMIT_EXCEEDED', `${parameter}: the regular expressions are too large`, {
        source: text,
        offset: start,
        end: at,
        parameter,
        expected: `at most ${PATTERNS_SIZE_MAX} characters with repetitions written out`,
      });
    }
    try {
      return compileCondition(operator, value);
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      throw new SourceTextError('BAD_PATTERN', `${value} - invalid regular expression: ${error.message}`, {
        source: text,
        offset: start,
        end: at,
        parameter,
        expected: 'a regular expression in RE2 syntax',
      });
    }
  }

  function quoted(name: string, operator: LabelOperator): string {
    const start = at;
    const mark = text[start];
    if (mark !== '"' && mark !== "'" && mark !== '`') throw error(`expected a quoted string after ${name}${operator}`);
    let value = '';
    for (at++; at < text.length; at++) {
      const char = text[at]!;
      if (char === mark) {
        at++;
        return value;
      }
      if (char === '\\' && mark !== '`') value += meaningOfEscape();
      else value += char;
    }
    throw error('unterminated string', start);
  }

  /** The meaning of an escape; others stay, so that regular expressions need only one backslash. */
  function meaningOfEscape(): string {
    const next = text[at + 1];
    const meaning = next === undefined ? undefined : ESCAPES[next];
    if (meaning === undefined) return '\\';
    at++;
    return meaning;
  }

  function token(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }

  function skip(char: string): boolean {
    blank();
    if (text[at] !== char) return false;
    at++;
    blank();
    return true;
  }

  function blank(): void {
    token(BLANK);
  }

  function error(problem: string, offset = at): SourceTextError {
    const found = text[offset];
    const seen = found === undefined ? 'end of text' : JSON.stringify(found);
    return new SourceTextError('BAD_PARAMETER', `${parameter}: ${problem}, found ${seen} at ${offset + 1}`, {
      source: text,
      offset,
      parameter,
      expected: EXPECTED,
    });
  }
}
