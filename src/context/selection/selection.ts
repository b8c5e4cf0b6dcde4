import { RE2JS, RE2JSException } from 're2js';
import { compilePosixPattern, PATTERN_SIZE_BYTES } from '../../derived/index.js';
import { badParameter, GatewayError, limitExceeded, type ParsedUnits } from '../../pmapi/index.js';
import { parseRangeUnits, type RateOptions } from '../range/index.js';
import { parseLabelSelector, type LabelSelector } from './label-selector.js';

/** Parameters that select and convert values of fetches, ranges and streams. */
export interface SelectionParameters {
  readonly instance?: readonly number[] | undefined;
  /** Instances by name, according to `match`. */
  readonly iname?: readonly string[] | undefined;
  /** How `iname` is compared; exact by default. */
  readonly match?: MatchKind | undefined;
  /** Conditions on labels, see {@link parseLabelSelector}. */
  readonly labels?: string | undefined;
  readonly top?: number | undefined;
  /** How values below the greatest are combined. */
  readonly rest?: RestKind | undefined;
  /** Values are returned with instance names. */
  readonly inames?: boolean | undefined;
  readonly rate?: boolean | undefined;
  /** Decreasing counters have wrapped. */
  readonly wrap?: boolean | undefined;
  readonly units?: string | undefined;
}

/** How values that are not among the greatest are combined. */
export type RestKind = 'sum' | 'mean';

/** Whether an instance is selected; its name is undefined if unknown. */
export type InstanceMatcher = (id: number, name: string | undefined) => boolean;

/** A parsed selection. Instances must satisfy every filter. */
export interface Selection {
  /** Equal for selections that mean the same. */
  readonly key: string;
  /** Selects an instance by number and name; undefined: all. Not called for singular metrics. */
  readonly instances: InstanceMatcher | undefined;
  readonly byName: boolean;
  readonly inames: boolean;
  /** Exact instance names; a warning lists those without an instance. */
  readonly exactNames: readonly string[];
  readonly labels: LabelSelector | undefined;
  readonly top: number | undefined;
  readonly rest: RestKind | undefined;
  readonly rate: RateOptions | undefined;
  readonly units: ParsedUnits | undefined;
  readonly bytes: number;
}

/** The size of a selection, of each named instance, and of each character of its key, which occurs once more in sets and texts. */
const SELECTION_BYTES = 1_000;
const INSTANCE_BYTES = 100;
const CHARACTER_BYTES = 4;

/** Parses a selection; undefined if empty. Throws BAD_PARAMETER, BAD_PATTERN, CONVERSION and LIMIT_EXCEEDED, with the parameter. */
export function parseSelection(parameters: SelectionParameters): Selection | undefined {
  const { instance, iname, match, labels, top, rest, inames = false, rate = false, wrap = false, units } = parameters;
  refuseIdle('match', match !== undefined && iname === undefined, 'how to match iname', 'iname');
  refuseIdle('wrap', wrap && !rate, 'how to compute rates', 'rate=true');
  refuseIdle('rest', rest !== undefined && top === undefined, 'what to make of the other values', 'top');
  if (top !== undefined && (!Number.isSafeInteger(top) || top < 1)) {
    const expected = 'a whole number, 1 or more';
    throw badParameter('top', `top is ${top}: expected ${expected}`, expected);
  }
  if ([instance, iname, labels, top, units].every((parameter) => parameter === undefined) && !rate && !inames) {
    return undefined;
  }
  const names = iname && compilePatterns(iname, match ?? 'exact', 'iname');
  const selector = labels === undefined ? undefined : parseLabelSelector(labels);
  const key = JSON.stringify([instance, iname, match ?? 'exact', labels, top, rest, inames, rate, wrap, units]);
  const listed = (instance?.length ?? 0) + (iname?.length ?? 0);
  const patternsSize = (names?.size ?? 0) + (selector?.size ?? 0);
  return {
    key,
    instances: instanceMatcher(instance, names),
    byName: iname !== undefined,
    inames,
    exactNames: match === undefined || match === 'exact' ? (iname ?? []) : [],
    labels: selector,
    top,
    rest,
    rate: rate ? { wrap } : undefined,
    units: units === undefined ? undefined : parseRangeUnits(units),
    bytes: SELECTION_BYTES + INSTANCE_BYTES * listed + CHARACTER_BYTES * key.length + PATTERN_SIZE_BYTES * patternsSize,
  };
}

/** Whether values are left out by the names or labels of instances. */
export function hasFilter({ instances, labels }: Selection): boolean {
  return instances !== undefined || labels !== undefined;
}

function instanceMatcher(
  instance: readonly number[] | undefined,
  names: SizedMatcher | undefined,
): InstanceMatcher | undefined {
  const ids = instance && new Set(instance);
  if (!names) return ids && ((id) => ids.has(id));
  return (id, name) => (!ids || ids.has(id)) && name !== undefined && names.matches(name);
}

/** Rejects a parameter that modifies another one if that is absent. Throws BAD_PARAMETER. */
export function refuseIdle(parameter: string, isIdle: boolean, meaning: string, other: string): void {
  if (!isIdle) return;
  throw badParameter(parameter, `'${parameter}' says ${meaning}, but ${other} is missing`, `${other} as well`);
}

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
    throw limitExceeded(`${patterns.length} patterns in '${parameter}': expected ${expected}`, expected, parameter);
  }
  let size = 0;
  const matchers = patterns.map((pattern) => {
    const matcher = compilePattern(pattern, kind, parameter);
    size += matcher.size;
    if (size > PATTERNS_SIZE_MAX) {
      const expected = `patterns of at most ${PATTERNS_SIZE_MAX} characters, with repetitions written out`;
      throw limitExceeded(`the patterns in '${parameter}' are too large: expected ${expected}`, expected, parameter);
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
