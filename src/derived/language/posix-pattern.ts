/**
 * POSIX extended regular expressions, for matchinst(), translated for an engine with linear time. Rejects as regcomp(3) of glibc does;
 * differs from PCP: rejects back-references, repetitions over 1,000, and `\<`, `\>` away from a word's letters. @see regex(7)
 */
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { attempt, getOrMake } from '../../kit/index.js';

export interface CompiledPattern {
  readonly source: string;
  /** The number of characters, classes and alternatives with all repetitions expanded: the cost of a match per letter. */
  readonly size: number;
  test(text: string): boolean;
}

const BAD_RANGE = 'Invalid range end';
const BAD_REPEAT = 'Invalid preceding regular expression';
const BAD_CLASS = 'Invalid character class name';
const BAD_COLLATION = 'Invalid collation character';
const BAD_INTERVAL = 'Invalid content of \\{\\}';
const BAD_REFERENCE = 'Invalid back reference';
const BAD_PATTERN = 'Invalid regular expression';
const OPEN_BRACKET = 'Unmatched [, [^, [:, [., or [=';
const OPEN_BRACE = 'Unmatched \\{';
const OPEN_PAREN = 'Unmatched ( or \\(';
const TRAILING_BACKSLASH = 'Trailing backslash';
export const TOO_BIG = 'Regular expression too big';

const LENGTH_MAX = 1_000;
const NESTING_MAX = 50;
const REPEAT_MAX = 1_000;
export const PATTERN_SIZE_MAX = 2_000;
/** RE_DUP_MAX of the GNU C library. */
const REPEAT_LIMIT = 32_767;

/** Memory of a compiled pattern per character, class or alternative: measured, 40 to 390. */
export const PATTERN_SIZE_BYTES = 400;

const CACHE_SIZE = 20_000;
const cache = new LRUCache<string, CompiledPattern | { readonly reason: string }>({
  maxSize: CACHE_SIZE,
  sizeCalculation: (result, source) => source.length + ('size' in result ? result.size : 0) + 1,
});

/** Compiles a pattern, or returns why it is invalid. Results are cached by text. */
export function compilePattern(source: string): CompiledPattern | { readonly reason: string } {
  return getOrMake<string, CompiledPattern | { readonly reason: string }>(cache, source, () => compileAnew(source));
}

/** The size of a pattern, without compiling it: see {@link CompiledPattern.size}. 0 for an invalid one. */
export function patternSize(source: string): number {
  if (source.length > LENGTH_MAX) return 0;
  return attempt(() => translate(source).size) ?? 0;
}

class PatternError extends Error {}

function compileAnew(source: string): CompiledPattern | { readonly reason: string } {
  try {
    if (source.length > LENGTH_MAX) throw new PatternError(TOO_BIG);
    const { text: translated, size } = translate(source);
    const re = RE2JS.compile(translated, RE2JS.DOTALL | RE2JS.LONGEST_MATCH);
    return { source, size, test: (text) => re.test(text) };
  } catch (error) {
    // The only remaining error of the engine is that a translated pattern is too big.
    return { reason: error instanceof PatternError ? error.message : TOO_BIG };
  }
}

/** Characters of a class that POSIX names, in the engine's notation. */
const CLASSES: ReadonlySet<string> = new Set(
  'alnum alpha blank cntrl digit graph lower print punct space upper xdigit'.split(' '),
);

/** Escapes, in the engine's notation. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...Array.from('wWbB', (ch) => [ch, `\\${ch}`] as const),
  ['s', '[[:space:]]'],
  ['S', '[^[:space:]]'],
  ['`', '\\A'],
  ["'", '\\z'],
]);

/** An assertion about a position, not text: it cannot be repeated. */
const ANCHORS: ReadonlySet<string> = new Set(['^', '$', '\\b', '\\B', '\\`', "\\'", '\\<', '\\>']);

function translate(source: string) {
  let at = 0;
  let size = 0;
  const chars = Array.from(source);
  const text = alternatives(0);
  if (size > PATTERN_SIZE_MAX) throw new PatternError(TOO_BIG);
  return { text, size };

  function alternatives(depth: number): string {
    if (depth > NESTING_MAX) throw new PatternError(TOO_BIG);
    const branches = [branch(depth)];
    while (accept('|')) {
      size++;
      branches.push(branch(depth));
    }
    return branches.join('|');
  }

  function branch(depth: number): string {
    let text = '';
    let beforeAtom = '';
    for (;;) {
      const ch = peek();
      if (ch === undefined || ch === '|' || (ch === ')' && depth > 0)) return text;
      if ('*+?{'.includes(ch)) throw new PatternError(BAD_REPEAT);
      const start = at;
      const sizeBefore = size;
      let atom = readAtom(depth, beforeAtom);
      const isAnchor = ANCHORS.has(chars.slice(start, at).join(''));
      beforeAtom = atom;
      for (let quantifier = readQuantifier(isAnchor); quantifier; quantifier = readQuantifier(isAnchor)) {
        atom = `(?:${atom})${quantifier.text}`;
        size = sizeBefore + (size - sizeBefore) * quantifier.times;
        if (size > PATTERN_SIZE_MAX) throw new PatternError(TOO_BIG);
        beforeAtom = '';
      }
      text += atom;
    }
  }

  function readAtom(depth: number, before: string): string {
    const ch = chars[at++]!;
    if (ch !== '(') size++;
    switch (ch) {
      case '(': {
        const inner = alternatives(depth + 1);
        if (chars[at++] !== ')') throw new PatternError(OPEN_PAREN);
        return `(?:${inner})`;
      }
      case '[':
        return bracket();
      case '\\':
        return escape(before);
      case '.':
      case '^':
      case '$':
        return ch;
      default:
        return quote(ch);
    }
  }

  function escape(before: string): string {
    const ch = chars[at++];
    switch (ch) {
      case undefined:
        throw new PatternError(TRAILING_BACKSLASH);
      case '<':
        // The beginning of a word is a boundary before a word's letter: translated where the letter follows.
        if (!/^\w(?![*?{])/.test(chars.slice(at, at + 2).join(''))) throw new PatternError(BAD_PATTERN);
        return '\\b';
      case '>':
        if (!/^(?:\w|\\w)$/.test(before)) throw new PatternError(BAD_PATTERN);
        return '\\b';
      default:
        if (/^[1-9]$/.test(ch)) throw new PatternError(BAD_REFERENCE);
        return ESCAPES.get(ch) ?? quote(ch);
    }
  }

  /** The quantifier at this position, in the engine's notation, and its greatest count; undefined without one. */
  function readQuantifier(afterAnchor: boolean): { readonly text: string; readonly times: number } | undefined {
    const ch = peek();
    if (ch === undefined || !'*+?{'.includes(ch)) return undefined;
    if (afterAnchor) throw new PatternError(BAD_REPEAT);
    at++;
    if (ch !== '{') return { text: ch, times: 1 };
    const low = digits();
    let high = low;
    if (accept(',')) {
      high = digits();
    } else if (low === '') {
      throw badInterval();
    }
    if (!accept('}')) throw badInterval();
    const from = low === '' ? 0 : Number(low);
    const to = high === '' ? undefined : Number(high);
    if (to !== undefined && to < from) throw new PatternError(BAD_INTERVAL);
    if (Math.max(from, to ?? 0) > REPEAT_MAX) throw new PatternError(TOO_BIG);
    return { text: `{${from},${to ?? ''}}`, times: to ?? from + 1 };
  }

  /** An unterminated interval has another error than one with invalid content. */
  function badInterval(): PatternError {
    const hasEnd = chars.slice(at).some((ch) => ch === '}' || ch === ',');
    return new PatternError(hasEnd ? BAD_INTERVAL : OPEN_BRACE);
  }

  function digits(): string {
    const start = at;
    while (/^[0-9]$/.test(peek() ?? '')) at++;
    const text = chars.slice(start, at).join('');
    if (Number(text) > REPEAT_LIMIT) throw new PatternError(TOO_BIG);
    return text;
  }

  function bracket(): string {
    const negated = accept('^');
    if (peek() === undefined) throw new PatternError(BAD_PATTERN);
    let members = '';
    for (let isFirst = true; ; isFirst = false) {
      const ch = peek();
      if (ch === undefined) throw new PatternError(OPEN_BRACKET);
      if (!isFirst && accept(']')) {
        return `[${negated ? '^' : ''}${members}]`;
      }
      if (ch === '[' && chars[at + 1] === ':') {
        members += `[:${named(':')}:]`;
        continue;
      }
      const low = member();
      if ((chars[at + 1] ?? ']') !== ']' && accept('-')) {
        if (peek() === '[' && chars[at + 1] === ':') throw new PatternError(BAD_RANGE);
        const high = member();
        if (high.codePointAt(0)! < low.codePointAt(0)!) throw new PatternError(BAD_RANGE);
        members += `${hex(low)}-${hex(high)}`;
      } else {
        members += hex(low);
      }
    }
  }

  /** One character of a bracket expression: itself, `[.x.]` or `[=x=]`. A backslash is literal there. */
  function member(): string {
    const ch = chars[at]!;
    const kind = chars[at + 1];
    if (ch === '[' && (kind === '.' || kind === '=')) return named(kind);
    at++;
    return ch;
  }

  function named(kind: ':' | '.' | '='): string {
    let end = at + 2;
    while (end < chars.length && !(chars[end] === kind && chars[end + 1] === ']')) end++;
    if (end >= chars.length) throw new PatternError(OPEN_BRACKET);
    const characters = chars.slice(at + 2, end);
    const name = characters.join('');
    at = end + 2;
    if (kind === ':') {
      if (!CLASSES.has(name)) throw new PatternError(BAD_CLASS);
    } else if (characters.length !== 1) {
      throw new PatternError(BAD_COLLATION);
    }
    return name;
  }

  function accept(ch: string): boolean {
    const isThere = peek() === ch;
    if (isThere) at++;
    return isThere;
  }

  function peek(): string | undefined {
    return chars[at];
  }
}

function quote(ch: string): string {
  return /^[A-Za-z0-9_]$/.test(ch) ? ch : hex(ch);
}

function hex(ch: string): string {
  return `\\x{${ch.codePointAt(0)!.toString(16)}}`;
}
