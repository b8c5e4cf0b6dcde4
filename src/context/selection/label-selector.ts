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
  const parser = new SelectorParser(text, parameter);
  const matchers = parser.parse();
  const tests = matchers.map(({ matcher, test }) => ({ name: matcher.name, test }));
  return {
    matchers: matchers.map(({ matcher }) => matcher),
    size: parser.patternsSize,
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

class SelectorParser {
  readonly #text: string;
  readonly #parameter: string;
  #at = 0;
  #patternsSize = 0;

  constructor(text: string, parameter: string) {
    this.#text = text;
    this.#parameter = parameter;
    if (text.length > LENGTH_MAX) {
      throw this.#error(
        `a label selector has at most ${LENGTH_MAX} characters, this one has ${text.length}`,
        LENGTH_MAX,
      );
    }
  }

  get patternsSize(): number {
    return this.#patternsSize;
  }

  parse(): readonly ParsedMatcher[] {
    const matchers: ParsedMatcher[] = [];
    const isBraced = this.#skip('{');
    const isOver = (): boolean => (isBraced ? this.#text[this.#at] === '}' : this.#at >= this.#text.length);
    this.#blank();
    while (!isOver()) {
      matchers.push(this.#condition());
      // As in PromQL, a comma may stand behind the last condition.
      if (!this.#skip(',') && !isOver()) {
        throw this.#error(`expected a comma${isBraced ? ' or a closing brace' : ''} after a condition`);
      }
    }
    if (isBraced) this.#skip('}');
    if (this.#at < this.#text.length) throw this.#error('unexpected text after the closing brace');
    if (matchers.length === 0) throw this.#error('a label selector needs at least one condition');
    return matchers;
  }

  #condition(): ParsedMatcher {
    const name = this.#token(NAME);
    if (name === undefined) throw this.#error('expected a label name');
    this.#blank();
    const operator = this.#token(OPERATOR) as LabelOperator | undefined;
    if (operator === undefined) throw this.#error(`expected =, !=, =~ or !~ after ${name}`);
    this.#blank();
    const start = this.#at;
    const value = this.#string(name, operator);
    const test = this.#compile(operator, value, start);
    this.#blank();
    return { matcher: { name, operator, value }, test };
  }

  #compile(operator: LabelOperator, value: string, start: number): (text: string) => boolean {
    this.#patternsSize += patternSize(operator, value);
    if (this.#patternsSize > PATTERNS_SIZE_MAX) {
      throw new SourceTextError('LIMIT_EXCEEDED', `${this.#parameter}: the regular expressions are too large`, {
        source: this.#text,
        offset: start,
        end: this.#at,
        parameter: this.#parameter,
        expected: `at most ${PATTERNS_SIZE_MAX} characters with repetitions written out`,
      });
    }
    try {
      return compileCondition(operator, value);
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      throw new SourceTextError('BAD_PATTERN', `${value} - invalid regular expression: ${error.message}`, {
        source: this.#text,
        offset: start,
        end: this.#at,
        parameter: this.#parameter,
        expected: 'a regular expression in RE2 syntax',
      });
    }
  }

  #string(name: string, operator: LabelOperator): string {
    const start = this.#at;
    const mark = this.#text[start];
    if (mark !== '"' && mark !== "'" && mark !== '`')
      throw this.#error(`expected a quoted string after ${name}${operator}`);
    let value = '';
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]!;
      if (char === mark) {
        this.#at++;
        return value;
      }
      if (char === '\\' && mark !== '`') value += this.#escape();
      else value += char;
    }
    throw this.#error('unterminated string', start);
  }

  /** The meaning of an escape; others stay, so that regular expressions need only one backslash. */
  #escape(): string {
    const next = this.#text[this.#at + 1];
    const meaning = next === undefined ? undefined : ESCAPES[next];
    if (meaning === undefined) return '\\';
    this.#at++;
    return meaning;
  }

  #token(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #skip(char: string): boolean {
    this.#blank();
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    this.#blank();
    return true;
  }

  #blank(): void {
    this.#token(BLANK);
  }

  #error(problem: string, offset = this.#at): SourceTextError {
    const found = this.#text[offset];
    const seen = found === undefined ? 'end of text' : JSON.stringify(found);
    return new SourceTextError('BAD_PARAMETER', `${this.#parameter}: ${problem}, found ${seen} at ${offset + 1}`, {
      source: this.#text,
      offset,
      parameter: this.#parameter,
      expected: EXPECTED,
    });
  }
}
