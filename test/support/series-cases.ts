import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Recorded questions and answers with the archives that they are about: see test/fixtures/README.md. */
export const SERIES_FIXTURES = path.resolve('test/fixtures/series');

type Point = readonly [milliseconds: string, value: string];
type Json = Readonly<Record<string, unknown>>;

/** One request and what it is answered. */
export interface SeriesStep {
  /** What stands behind `/series/`. */
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly form?: readonly (readonly [string, string])[];
  /** Whether the form is sent without saying that it is one. */
  readonly untyped?: boolean;
  readonly client?: string;
  /** 200 when absent; of an error nothing else is compared. */
  readonly status?: number;
  readonly compare?: string;
  readonly expect?: unknown;
  /** Which list of names may be longer. */
  readonly more?: string;
}

/** Requests one after the other; `{fab:x}` is the identifier that an earlier answer had for an expression. */
export interface SeriesCase {
  readonly case: string;
  readonly about: string;
  /** Whether pmproxy answers otherwise, wrongly. */
  readonly differs?: boolean;
  readonly steps: readonly SeriesStep[];
}

const [first, ...lines] = readFileSync(path.join(SERIES_FIXTURES, 'cases.ndjson'), 'utf8').trimEnd().split('\n');

/** What may be in an answer beyond what is expected: metrics and instances of the metadata that never had a value. */
const { more: MORE } = JSON.parse(first!) as { readonly more: Readonly<Record<string, readonly string[]>> };

export const SERIES_CASES = lines.map((line) => JSON.parse(line) as SeriesCase);

/** Integers are equal exactly, other numbers within the digits of `%e` and `%f`, texts as they are. */
function isValue(got: string, wanted: string): boolean {
  if (got === wanted) return true;
  if (/^-?\d+$/.test(wanted)) return false;
  const [a, b] = [Number(got), Number(wanted)];
  return Math.abs(a - b) <= Math.max(1.1e-6, 1e-6 * Math.abs(b));
}

/** What is wrong with an answer to a step; undefined for nothing. `made` has the identifiers of expressions. */
export function problemOf(step: SeriesStep, json: unknown, made: Map<string, string>): string | undefined {
  const expect = step.expect as readonly unknown[];
  const list = json as readonly unknown[];
  switch (step.compare) {
    case 'ids':
      return problemOfNames(list, resolveAll(expect, list[0], made), MORE.series ?? []);
    case 'names':
      return problemOfNames(list, expect, MORE[step.more ?? ''] ?? []);
    case 'values':
      return problemOfValues(list as readonly Json[], expect as readonly ExpectedSeries[], made);
    case 'objects':
      if (list.length !== expect.length) return `${list.length} objects`;
      return firstProblem(expect, (wanted, i) => lacks(list[i] as Json, wanted as Json, made));
    case 'labels':
      if (list.length !== expect.length) return `${list.length} objects`;
      return firstProblem(expect, (wanted) => lacks(of(list, 'series', wanted), wanted as Json, made));
    case 'instances': {
      const more = new Set([...(MORE.instance ?? []), ...expect.map((wanted) => (wanted as Json).instance)]);
      return (
        firstProblem(expect, (wanted) =>
          list.some((each) => lacks(each as Json, wanted as Json, made) === undefined) ? undefined : 'missing',
        ) ?? (list.every((each) => more.has((each as Json).instance as string)) ? undefined : 'more instances')
      );
    }
    case 'labelvalues':
      return firstProblem(Object.entries(step.expect as object), ([name, values]: [string, unknown[]]) =>
        problemOfNames(
          ((json as Json)[name] as unknown[]).map((value) => JSON.stringify(value)),
          values.map((value) => JSON.stringify(value)),
          MORE[`label.${name}`] ?? [],
        ),
      );
    case 'sources':
      return firstProblem(expect, (wanted) =>
        list.some((each) => JSON.stringify(each) === JSON.stringify(wanted)) ? undefined : 'missing',
      );
    default:
      return (json as Json).success === true ? undefined : 'no success';
  }
}

type ExpectedSeries = readonly [series: string, instance: string | null, points: readonly Point[]];

function problemOfValues(
  got: readonly Json[],
  expected: readonly ExpectedSeries[],
  made: Map<string, string>,
): string | undefined {
  const points = new Map<string, Point[]>();
  for (const { series, instance, timestamp, value } of got) {
    const key = `${series as string} ${(instance as string | undefined) ?? 'null'}`;
    points.set(key, [...(points.get(key) ?? []), [(timestamp as number).toFixed(3), value as string]]);
  }
  const keys = expected.map(
    ([series, instance]) => `${resolve(series, got[0]?.series, made) as string} ${String(instance)}`,
  );
  return (
    problemOfNames([...points.keys()], keys, []) ??
    firstProblem(expected, ([, , wanted], i) => {
      const own = points.get(keys[i]!)!;
      const isSame = own.length === wanted.length && own.every(([at], k) => at === wanted[k]![0]);
      return isSame && own.every(([, value], k) => isValue(value, wanted[k]![1]))
        ? undefined
        : `${keys[i]}: ${JSON.stringify(own)}, not ${JSON.stringify(wanted)}`;
    })
  );
}

function problemOfNames(
  got: readonly unknown[],
  wanted: readonly unknown[],
  more: readonly unknown[],
): string | undefined {
  const missing = wanted.filter((name) => !got.includes(name));
  const allowed = new Set([...wanted, ...more]);
  const extra = got.filter((name) => !allowed.has(name));
  return missing.length + extra.length === 0 ? undefined : `missing ${missing.join()}; too many: ${extra.join()}`;
}

/** The identifier that stands for a made-up one: the answer's, the first time. */
function resolve(text: unknown, given: unknown, made: Map<string, string>): unknown {
  if (typeof text !== 'string' || !text.startsWith('fab:')) return text;
  const name = text.slice('fab:'.length);
  if (!made.has(name)) made.set(name, given as string);
  return made.get(name);
}

function resolveAll(texts: readonly unknown[], given: unknown, made: Map<string, string>): readonly unknown[] {
  return texts.map((text) => resolve(text, given, made));
}

/** What an object lacks of another one; no units are none. */
function lacks(got: Json | undefined, wanted: Json, made: Map<string, string>): string | undefined {
  const canonical = (value: unknown): string =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? JSON.stringify(Object.entries(value).sort())
      : JSON.stringify(value === '' ? 'none' : value);
  const name = Object.keys(wanted).find(
    (key) => canonical(got?.[key]) !== canonical(resolve(wanted[key], got?.[key], made)),
  );
  return name === undefined
    ? undefined
    : `${name}: ${JSON.stringify(got?.[name])}, not ${JSON.stringify(wanted[name])}`;
}

function of(list: readonly unknown[], key: string, wanted: unknown): Json | undefined {
  return list.find((each) => (each as Json)[key] === (wanted as Json)[key]) as Json | undefined;
}

function firstProblem<T>(items: readonly T[], problem: (item: T, i: number) => string | undefined): string | undefined {
  for (const [i, item] of items.entries()) {
    const found = problem(item, i);
    if (found !== undefined) return found;
  }
  return undefined;
}
