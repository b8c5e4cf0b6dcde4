import { RE2JS, RE2JSException } from 're2js';
import { GatewayError } from '../../pmapi/index.js';

/** How a pattern is meant: the words of the `match` parameter. */
export type MatchKind = 'exact' | 'glob' | 'regex';

/** Whether a text matches. */
export type Matcher = (text: string) => boolean;

/**
 * Make a matcher. Globs are those of fnmatch(3) and match whole texts; regular expressions are POSIX extended ones and match
 * anywhere. Both run in linear time, whatever the pattern. Throws BAD_PATTERN.
 */
export function compilePattern(pattern: string, kind: MatchKind, parameter: string): Matcher {
  if (kind === 'exact') return (text) => text === pattern;
  const source = kind === 'glob' ? `^(?:${globToRegex(pattern)})$` : pattern;
  try {
    const compiled = RE2JS.compile(source, kind === 'glob' ? RE2JS.DOTALL : RE2JS.LONGEST_MATCH);
    return (text) => compiled.test(text);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new GatewayError('BAD_PATTERN', `${pattern} - invalid ${kind} pattern: ${error.message}`, {
      parameter,
      expected: kind === 'glob' ? 'a glob as of fnmatch(3)' : 'a POSIX extended regular expression',
    });
  }
}

/** Patterns in one request that are not plain texts: each is tried on everything. */
export const PATTERNS_MAX = 100;

/** Whether a text matches any of several patterns. Throws BAD_PATTERN and LIMIT_EXCEEDED. */
export function compilePatterns(patterns: readonly string[], kind: MatchKind, parameter: string): Matcher {
  if (kind === 'exact') {
    const known = new Set(patterns);
    return (text) => known.has(text);
  }
  if (patterns.length > PATTERNS_MAX) {
    throw new GatewayError('LIMIT_EXCEEDED', `${patterns.length} patterns in '${parameter}', at most ${PATTERNS_MAX}`, {
      parameter,
      expected: `at most ${PATTERNS_MAX} patterns`,
    });
  }
  const matchers = patterns.map((pattern) => compilePattern(pattern, kind, parameter));
  return (text) => matchers.some((matches) => matches(text));
}

/** Translate `*`, `?`, `[…]`, `[!…]` and `\x`; a bracket that is never closed is itself, as in fnmatch(3). */
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

/** The inside of a bracket: classes such as `[:digit:]` stay, what regular expressions take for special is quoted. */
function quoteSet(text: string): string {
  return text.replace(/\[:[a-z]+:\]|[\\^[\]]/g, (part) => (part.startsWith('[:') ? part : `\\${part}`));
}
