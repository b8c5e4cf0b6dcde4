import { RE2JS, RE2JSException } from 're2js';
import { compilePosixPattern } from '../../derived/index.js';
import { GatewayError, limitExceeded } from '../../pmapi/index.js';

export type MatchKind = 'exact' | 'glob' | 'regex';

export type Matcher = (text: string) => boolean;

/** A matcher, and its cost: the size of the pattern with all repetitions expanded. */
export interface SizedMatcher {
  readonly size: number;
  readonly matches: Matcher;
}

/** Makes a matcher: fnmatch(3) globs for whole texts, or POSIX ERE anywhere; linear time. Throws BAD_PATTERN. */
function compilePattern(pattern: string, kind: Exclude<MatchKind, 'exact'>, parameter: string): SizedMatcher {
  const refuse = (reason: string): GatewayError =>
    new GatewayError('BAD_PATTERN', `${pattern.slice(0, SHOWN_LENGTH)} - invalid ${kind} pattern: ${reason}`, {
      parameter,
      expected: kind === 'glob' ? 'a glob, see fnmatch(3)' : 'a POSIX extended regular expression',
    });
  if (kind === 'glob') {
    if (pattern.length > GLOB_LENGTH_MAX) throw refuse(`more than ${GLOB_LENGTH_MAX} characters`);
    const glob = compileGlob(pattern, refuse);
    return { size: pattern.length, matches: (text) => glob.test(text) };
  }
  const regex = compilePosixPattern(pattern);
  if ('reason' in regex) throw refuse(regex.reason);
  return { size: regex.size, matches: (text) => regex.test(text) };
}

function compileGlob(glob: string, refuse: (reason: string) => GatewayError): RE2JS {
  try {
    return RE2JS.compile(`^(?:${globToRegex(glob)})$`, RE2JS.DOTALL);
  } catch (error) {
    if (error instanceof RE2JSException) throw refuse(error.message);
    throw error;
  }
}

const GLOB_LENGTH_MAX = 256;
const SHOWN_LENGTH = 100;
export const PATTERNS_MAX = 100;
/** The maximum size of all patterns together, with all repetitions expanded: the cost of a match per character of text. */
const PATTERNS_SIZE_MAX = 4000;

/** Whether a text matches any of several patterns. Throws BAD_PATTERN and LIMIT_EXCEEDED. */
export function compilePatterns(patterns: readonly string[], kind: MatchKind, parameter: string): SizedMatcher {
  if (kind === 'exact') {
    const known = new Set(patterns);
    return { size: 0, matches: (text) => known.has(text) };
  }
  if (patterns.length > PATTERNS_MAX) {
    const expected = `at most ${PATTERNS_MAX} patterns`;
    throw limitExceeded(parameter, `${patterns.length} patterns in '${parameter}': expected ${expected}`, expected);
  }
  let size = 0;
  const matchers = patterns.map((pattern) => {
    const matcher = compilePattern(pattern, kind, parameter);
    size += matcher.size;
    if (size > PATTERNS_SIZE_MAX) {
      const expected = `patterns of at most ${PATTERNS_SIZE_MAX} characters, with repetitions written out`;
      throw limitExceeded(parameter, `the patterns in '${parameter}' are too large: expected ${expected}`, expected);
    }
    return matcher.matches;
  });
  return { size, matches: (text) => matchers.some((matches) => matches(text)) };
}

/** Translates `*`, `?`, `[…]`, `[!…]` and `\x`; an unclosed bracket is literal, as in fnmatch(3). */
function globToRegex(glob: string): string {
  let regex = '';
  for (let i = 0; i < glob.length; i++) {
    const char = glob[i]!;
    if (char === '*') regex += '.*';
    else if (char === '?') regex += '.';
    else if (char === '\\' && i + 1 < glob.length) regex += quote(glob[++i]!);
    else if (char === '[') {
      const set = /^\[([!^]?)(\]?(?:\[:[a-z]+:\]|[^\]])*)\]/.exec(glob.slice(i));
      if (!set || set[2] === '') regex += quote(char);
      else {
        regex += `[${set[1] === '' ? '' : '^'}${quoteSet(set[2]!)}]`;
        i += set[0].length - 1;
      }
    } else regex += quote(char);
  }
  return regex;
}

function quote(char: string): string {
  return /[\\^$.*+?()[\]{}|]/.test(char) ? `\\${char}` : char;
}

/** The inside of a bracket: classes such as `[:digit:]` stay, special characters are escaped. */
function quoteSet(text: string): string {
  return text.replace(/\[:[a-z]+:\]|[\\^[\]]/g, (part) => (part.startsWith('[:') ? part : `\\${part}`));
}
