import type { Context, FetchPlan, OpenRange, RangeSettings } from '../../context/index.js';
import { harmless } from '../../culprits/index.js';
import type { Window } from '../../culprits/index.js';
import { compareTimestamps, formatTimestamp, INDOM_NULL, onPmError, secondsBetween } from '../../pmapi/index.js';
import type { Timestamp, ValueSet } from '../../pmapi/index.js';
import { recordsOf } from '../../sources/index.js';
import type { Rule } from './rules.js';

/** A rule that is true in a window. */
export interface Trouble {
  readonly rule: Rule;
  /** The name of the instance; undefined of a singular metric. */
  readonly instance: string | undefined;
  /** The last value in the window. */
  readonly value: number;
  /** The first sample since which it was true; undefined if there is none before in which it was not. */
  readonly since: Timestamp | undefined;
  /** The median value while it was not true. */
  readonly before: number | undefined;
}

/** What rules say of a window. */
export interface Judgement {
  readonly troubles: readonly Trouble[];
  readonly judged: readonly Rule[];
  readonly notJudged: readonly { readonly rule: Rule; readonly reason: string }[];
  /** What was found damaged while reading. */
  readonly damage: OpenRange['damage']['summary'];
}

/** Of one instance at one moment. */
interface Observation {
  readonly at: Timestamp;
  readonly isTrue: boolean;
  readonly value: number;
  /** The recording was interrupted before. */
  readonly isFirst: boolean;
}

/** Samples further apart say nothing of the time between them. */
const LONGEST_GAP_SEC = 150;
/** A rule holds in a window if it is true in this share of its samples. */
const LEAST_SHARE = 0.5;

/**
 * Judge rules by the samples in a window, and by those since `from` when trouble began. Throws as Fetching.range() does, and the
 * signal's reason.
 */
export async function judge(
  context: Context,
  rules: readonly Rule[],
  { from, window }: { readonly from: Timestamp; readonly window: Window },
  settings: RangeSettings,
): Promise<Judgement> {
  const plan = await context.plans.ofExpressions(
    rules.flatMap(({ value, when }) => [value, when]),
    settings.signal,
  );
  const missing = new Map(plan.missing.map(({ requested, message }) => [requested, message]));
  const texts = { start: formatTimestamp(from), finish: formatTimestamp(window.finish) };
  const range = await context.fetching.range(plan, texts, settings);
  const observed = await observe(plan, range, rules, settings.signal);
  const [troubles, judged, notJudged]: [Trouble[], Rule[], Judgement['notJudged'][number][]] = [[], [], []];
  for (const rule of rules) {
    const reason = missing.get(rule.value.name) ?? missing.get(rule.when.name);
    const found = (observed.get(rule) ?? []).map(({ instance, series }) => ({ instance, ...ofWindow(series, window) }));
    if (reason !== undefined) notJudged.push({ rule, reason: oneLine(reason) });
    else if (found.every(({ count }) => count === 0))
      notJudged.push({ rule, reason: 'there are no samples of it in this time' });
    else judged.push(rule);
    const held = found.flatMap(({ instance, held }) => (held ? [{ rule, instance, ...held }] : []));
    const [worst] = held.sort((a, b) => b.value - a.value);
    if (worst) troubles.push({ ...worst, instance: await nameOf(range, plan, rule, worst.instance) });
  }
  return { troubles, judged, notJudged, damage: range.damage.summary };
}

/** Observations by rule and instance. */
async function observe(
  plan: FetchPlan,
  range: OpenRange,
  rules: readonly Rule[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<Rule, readonly { readonly instance: number; readonly series: readonly Observation[] }[]>> {
  const places = new Map(plan.entries.map(({ name }, i) => [name, i]));
  const judgeable = rules.flatMap((rule) => {
    const [value, when] = [places.get(rule.value.name), places.get(rule.when.name)];
    return value === undefined || when === undefined
      ? []
      : [{ rule, value, when, series: new Map<number, Observation[]>() }];
  });
  let marks = 0;
  const lastMarks = new Map<Observation[], number>();
  for await (const { isMark, reason, timestamp, result } of recordsOf(range.samples.batches())) {
    signal?.throwIfAborted();
    if (isMark) {
      // Where one archive follows another, nothing is missing.
      if (reason !== 'joint') marks++;
      continue;
    }
    const at = { ...timestamp };
    for (const { value, when, series } of judgeable) {
      const values = result.sets[value]!;
      const conditions = result.sets[when]!;
      for (let i = 0; i < conditions.status; i++) {
        const instance = conditions.instances[i]!;
        const number = numberOf(values, instance, i);
        if (number === undefined) continue;
        let known = series.get(instance);
        if (!known) series.set(instance, (known = []));
        const isFirst = known.length === 0 || lastMarks.get(known) !== marks;
        lastMarks.set(known, marks);
        known.push({ at, isTrue: conditions.column.numbers[i] !== 0, value: number, isFirst });
      }
    }
  }
  return new Map(
    judgeable.map(({ rule, series }) => [rule, [...series].map(([instance, list]) => ({ instance, series: list }))]),
  );
}

/** The value of an instance, which is usually in the same place; undefined for none. */
function numberOf({ status, instances, column }: ValueSet, instance: number, likely: number): number | undefined {
  const place =
    instances[likely] === instance && likely < status
      ? likely
      : instances.subarray(0, Math.max(status, 0)).indexOf(instance);
  const number = place < 0 ? undefined : column.numbers[place];
  return number === undefined || !Number.isFinite(number) ? undefined : number;
}

/** How many observations are in the window, and what holds of them. */
function ofWindow(
  series: readonly Observation[],
  { start, finish }: Window,
): { readonly count: number; readonly held?: Pick<Trouble, 'value' | 'since' | 'before'> } {
  const isIn = ({ at }: Observation): boolean => compareTimestamps(at, start) > 0 && compareTimestamps(at, finish) <= 0;
  const inWindow = series.filter(isIn);
  const trueOnes = inWindow.filter(({ isTrue }) => isTrue);
  const last = trueOnes.at(-1);
  if (!last || trueOnes.length < LEAST_SHARE * inWindow.length) return { count: inWindow.length };
  let first = series.indexOf(last);
  while (first > 0 && series[first - 1]!.isTrue && isNext(series, first)) first--;
  const began = first > 0 && isNext(series, first) ? series[first]!.at : undefined;
  const quiet = series.filter(({ isTrue }, i) => i < first && !isTrue).map(({ value }) => value);
  return { count: inWindow.length, held: { value: last.value, since: began, before: median(quiet) } };
}

/** Whether nothing is unknown between an observation and the one before it. */
function isNext(series: readonly Observation[], i: number): boolean {
  const { at, isFirst } = series[i]!;
  return !isFirst && secondsBetween(at, series[i - 1]!.at) <= LONGEST_GAP_SEC;
}

function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function nameOf(range: OpenRange, plan: FetchPlan, rule: Rule, instance: number): Promise<string | undefined> {
  const entry = plan.entries.find(({ name }) => name === rule.when.name)!;
  const { indom } = entry.descriptor;
  if (indom === INDOM_NULL) return undefined;
  const { instances } = await range.instancesEver(indom).catch(onPmError(() => ({ instances: [] })));
  return harmless(instances.find(({ id }) => id === instance)?.name ?? `inst ${instance}`);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
