import type { Context, FetchPlan, OpenRange, RangeSettings } from '../../context/index.js';
import { Cells, harmless, instanceNames, type Window } from '../../culprits/index.js';
import { eventLoopTurns } from '../../kit/index.js';
import {
  addSeconds,
  compareTimestamps,
  formatTimestamp,
  GatewayError,
  later,
  secondsBetween,
} from '../../pmapi/index.js';
import type { Timestamp, ValueSet } from '../../pmapi/index.js';
import { recordsOf } from '../../sources/index.js';
import type { Rule } from './rules.js';

/** A rule that is true in a window. */
export interface Trouble {
  readonly rule: Rule;
  /** The name of the instance; undefined of a singular metric. */
  readonly instance: string | undefined;
  /** The mean over {@link span}. */
  readonly value: number;
  /** The longest time in the window in which it was true: from the sample before until the last one. */
  readonly span: Window;
  /** How many samples that was. */
  readonly samples: number;
  /** Whether it was not true in a later sample of the window. */
  readonly isOver: boolean;
  /** The sum of all values since it began. */
  readonly total: number;
  /** The first sample since which it was true; undefined if there is none before in which it was not. */
  readonly since: Timestamp | undefined;
  /** The median over time of the value while it was not true. */
  readonly before: number | undefined;
}

/** What rules say of a window. */
export interface Judgement {
  readonly troubles: readonly Trouble[];
  readonly judged: readonly Rule[];
  readonly notJudged: readonly {
    readonly rule: Rule;
    readonly reason: string;
    /** Whether there were no samples; otherwise metrics are missing. */
    readonly isUnsampled: boolean;
  }[];
  /** Since when, up to the end of the window, samples of each rule that is judged have no gap; undefined: one has none at the end. */
  readonly sampledSince: Timestamp | undefined;
  /** What was found damaged while reading. */
  readonly damage: OpenRange['damage']['summary'];
}

interface Observation extends Seen {
  readonly at: Timestamp;
  /** The time that the value is of, at most {@link LONGEST_GAP_SEC}. */
  readonly seconds: number;
  /** The recording was interrupted before, or the sample before is without it. */
  readonly isFirst: boolean;
  /** There are samples before, without it. */
  readonly isNew: boolean;
}

/** What the samples in a window say of an instance. */
interface Tally {
  count: number;
  trueCount: number;
  /** The last one, and the longest; of equally long ones the last. */
  run: Run | undefined;
  longest: Run | undefined;
}

/** Samples in a row in which a rule was true. */
interface Run {
  /** Which part of the samples, between interruptions. */
  readonly part: number;
  /** The sample before the first, if it is known. */
  readonly start: Timestamp;
  finish: Timestamp;
  samples: number;
  /** Of values, each times the seconds since the sample before; and of those seconds. */
  sum: number;
  seconds: number;
  /** Not since a later sample in which it was false. */
  isOpen: boolean;
}

type Held = Pick<Trouble, 'rule' | 'value' | 'span' | 'samples' | 'isOver'> & { readonly instance: number };

/** A rule in a plan: the places of its value and its condition. */
interface PlannedRule {
  readonly rule: Rule;
  readonly value: number;
  readonly when: number;
}

/** Samples further apart say nothing of the time between them. */
export const LONGEST_GAP_SEC = 150;
/** A rule holds in a window if it is true for so long in a row, or in this share of its samples; a failure, if it is true in one. */
const LEAST_ROW_SEC = 15;
const LEAST_SHARE = 0.5;
/** Of a live host, where a rule has samples in the last so many seconds, they alone say what is now, except of failures and of what grows. */
const MOMENT_SEC = 3;
/** What a value counts for whose time is not known. */
const LEAST_SEC = 1e-6;
/** Against others of the window, rates over less say nothing: of requests of several clients, samples may be milliseconds apart. */
const SHORTEST_SEC = 1;
/** Instances of all rules together that are judged at once. */
const MOST_INSTANCES = 500_000;
const NO_SAMPLES = 'there are no samples of it in this time';

/**
 * Judge rules by the samples in a window (`isNow`: by those of its last moment, of rules that have some), and, of those that hold there, by the samples since `from` when trouble began. Throws as
 * Fetching.range() does, LIMIT_EXCEEDED for too many instances, and the signal's reason.
 */
export async function judge(
  context: Context,
  rules: readonly Rule[],
  { from, window, isNow }: { readonly from: Timestamp; readonly window: Window; readonly isNow: boolean },
  settings: RangeSettings,
): Promise<Judgement> {
  const open = (some: readonly Rule[], start: Timestamp): Promise<OpenRules> =>
    openRules(context, some, { start, finish: window.finish }, settings);
  // A rate needs the sample before.
  const opened = await open(rules, addSeconds(window.start, -LONGEST_GAP_SEC));
  const { missing, plan, range } = opened;
  const { tallies, since } = await tallyWindow(opened, window, isNow);
  const [judged, notJudged]: [Rule[], Judgement['notJudged'][number][]] = [[], []];
  const held: Held[] = [];
  for (const rule of rules) {
    const reason = missing.get(rule.value.name) ?? missing.get(rule.when.name);
    const ofRule = tallies.get(rule) ?? new Map<number, Tally>();
    if (reason !== undefined)
      notJudged.push({ rule, reason: reason.replaceAll(/\s+/g, ' ').trim(), isUnsampled: false });
    else if (ofRule.size === 0) notJudged.push({ rule, reason: NO_SAMPLES, isUnsampled: true });
    else judged.push(rule);
    const worst = worstOf(rule, ofRule);
    if (worst) held.push(worst);
  }
  const names = await Promise.all(held.map(({ rule, instance }) => nameOf(range, plan, rule, instance)));
  const heldRules = held.map(({ rule }) => rule);
  const histories = held.length === 0 ? [] : await readHistories(await open(heldRules, from), held);
  const troubles = held.map((one, i): Trouble => ({
    ...one,
    instance: names[i],
    ...beginningOf(histories[i]!, one.span),
  }));
  const begins = judged.map((rule) => since.get(rule));
  const isSampled = begins.length > 0 && begins.every((begin) => begin !== undefined);
  const sampledSince = isSampled ? begins.reduce(later, window.start) : undefined;
  return { troubles, judged, notJudged, sampledSince, damage: range.damage.summary };
}

type OpenRules = Awaited<ReturnType<typeof openRules>>;

async function openRules(context: Context, rules: readonly Rule[], window: Window, settings: RangeSettings) {
  const expressions = rules.flatMap(({ value, when }) => [value, when]);
  const plan = await context.plans.ofExpressions(expressions, settings.signal);
  const texts = { start: formatTimestamp(window.start), finish: formatTimestamp(window.finish) };
  const range = await context.fetching.range(plan, texts, settings);
  const places = new Map(plan.entries.map(({ name }, i) => [name, i]));
  const planned = rules.flatMap((rule): PlannedRule[] => {
    const [value, when] = [places.get(rule.value.name), places.get(rule.when.name)];
    return value === undefined || when === undefined ? [] : [{ rule, value, when }];
  });
  const missing = new Map(plan.missing.map(({ requested, message }) => [requested, message]));
  return { missing, plan, range, planned, samples: () => readRules(range, settings.signal) };
}

/** What there is of each rule and instance, in the order of time. `at` is valid until the next one; undefined is a mark. */
async function* readRules(range: OpenRange, signal?: AbortSignal) {
  let isJoint = false;
  for await (const record of recordsOf(range.samples.batches())) {
    const { isMark, reason, timestamp, result } = record;
    signal?.throwIfAborted();
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    // Where one archive follows another, nothing is missing.
    const of = ({ value, when }: PlannedRule): Iterable<Seen> => seen(result.sets[value]!, result.sets[when]!);
    // A rule has metrics that were sampled, with or without instances.
    if (!isMark) yield { at: timestamp, of, has: ({ when }: PlannedRule) => record.holds(when), isJoint };
    else if (reason !== 'joint') yield undefined;
    isJoint = isMark && reason === 'joint';
  }
}

interface Seen {
  readonly instance: number;
  readonly isTrue: boolean;
  readonly value: number;
}

function* seen(values: ValueSet, conditions: ValueSet): Generator<Seen, void> {
  const cells = new Cells(values);
  for (let i = 0; i < conditions.status; i++) {
    const instance = conditions.instances[i]!;
    const value = cells.number(instance);
    if (Number.isFinite(value)) yield { instance, isTrue: conditions.column.numbers[i] !== 0, value };
  }
}

/** By rule and instance, and since when a rule was sampled without a gap up to the end. @param isNow what is before the last moment does not count for rules that have samples in it */
async function tallyWindow({ planned, samples }: OpenRules, window: Window, isNow: boolean) {
  const moment = isNow ? addSeconds(window.finish, -MOMENT_SEC) : undefined;
  const tallies = new Map(planned.map(({ rule }) => [rule, new Map<number, Tally>()]));
  const seenSince = new Set<Rule>();
  const [sampled, since] = [new Map<Rule, Timestamp>(), new Map<Rule, Timestamp>()];
  let [instances, part] = [0, 0];
  /** Where another recording follows, processes may have other numbers. */
  let joint: Timestamp | undefined;
  for await (const sample of samples()) {
    if (!sample) {
      sampled.clear();
      since.clear();
      part++;
      continue;
    }
    const at = { ...sample.at };
    if (sample.isJoint) joint = at;
    const isWithin = compareTimestamps(at, window.start) > 0 && compareTimestamps(at, window.finish) <= 0;
    for (const one of planned) {
      const { rule } = one;
      // What grew for two seconds need not go on.
      const isOfMoment = rule.state !== 'failing' && rule.who?.endsWith('.growth') !== true;
      const ofRule = tallies.get(rule)!;
      const start = sampled.get(rule) ?? at;
      const seconds = Math.max(secondsBetween(at, start), LEAST_SEC);
      let isTold = false;
      for (const { instance, isTrue, value } of isWithin ? sample.of(one) : []) {
        if (moment && isOfMoment && !seenSince.has(rule) && compareTimestamps(at, moment) > 0) {
          seenSince.add(rule);
          ofRule.clear();
        }
        let tally = ofRule.get(instance);
        if (!tally) {
          if (++instances > MOST_INSTANCES) throw tooManyInstances();
          ofRule.set(instance, (tally = { count: 0, trueCount: 0, run: undefined, longest: undefined }));
        }
        isTold = true;
        tally.count++;
        if (isTrue) {
          tally.trueCount++;
          if (!tally.run?.isOpen || tally.run.part !== part) {
            tally.run = { part, start, finish: at, samples: 0, sum: 0, seconds: 0, isOpen: true };
          }
          tally.run.finish = at;
          tally.run.samples++;
          tally.run.sum += value * seconds;
          tally.run.seconds += seconds;
          if (tally.run.seconds >= (tally.longest?.seconds ?? 0)) tally.longest = tally.run;
        } else if (tally.run) tally.run.isOpen = false;
      }
      if (sample.has(one)) {
        if (!since.has(rule) || seconds > LONGEST_GAP_SEC) since.set(rule, at);
        sampled.set(rule, at);
      }
      // Of one that ended, or of which it cannot be said any more, it is over. A sample of other metrics of the rule says nothing.
      for (const { run } of isTold ? ofRule.values() : []) {
        if (run && run.finish !== at && !(joint && compareTimestamps(run.finish, joint) < 0)) run.isOpen = false;
      }
    }
  }
  for (const [rule, last] of sampled) if (secondsBetween(window.finish, last) > LONGEST_GAP_SEC) since.delete(rule);
  return { tallies, since };
}

/** The instance with the greatest value of those in which a rule holds, and its longest time there. */
function worstOf(rule: Rule, tallies: ReadonlyMap<number, Tally>): Held | undefined {
  let [most, worst]: [number, Held | undefined] = [0, undefined];
  for (const { count } of tallies.values()) most = Math.max(most, count);
  const least = rule.state === 'failing' ? 1 : LEAST_SHARE * most;
  for (const [instance, { count, trueCount, longest }] of tallies) {
    if (!longest || (trueCount < least && longest.seconds < LEAST_ROW_SEC)) continue;
    const { start, finish, samples, sum, seconds, isOpen } = longest;
    if (rule.state !== 'failing' && trueCount < count && seconds > LEAST_SEC && seconds < SHORTEST_SEC) continue;
    const value = sum / seconds;
    if (!worst || value > worst.value)
      worst = { rule, instance, value, span: { start, finish }, samples, isOver: !isOpen };
  }
  return worst;
}

/** The observations of one instance of each rule. */
async function readHistories(
  { planned, samples }: OpenRules,
  held: readonly { readonly rule: Rule; readonly instance: number }[],
): Promise<readonly (readonly Observation[])[]> {
  const series = held.map((): Observation[] => []);
  const isApart = held.map(() => true);
  /** When the metrics of a rule were sampled since the last mark: a rate takes two. */
  const sampled = held.map((): Timestamp[] => []);
  for await (const sample of samples()) {
    if (!sample) {
      isApart.fill(true);
      for (const times of sampled) times.length = 0;
      continue;
    }
    const at = { ...sample.at };
    for (const one of planned) {
      const i = held.findIndex(({ rule }) => rule === one.rule);
      const all = [...sample.of(one)];
      const own = all.find(({ instance }) => instance === held[i]!.instance);
      if (own) {
        const passed = secondsBetween(at, sampled[i]!.at(-1) ?? at);
        const isNew = isApart[i]! && sampled[i]!.length >= 2 && passed <= LONGEST_GAP_SEC;
        const seconds = Math.min(Math.max(passed, LEAST_SEC), LONGEST_GAP_SEC);
        series[i]!.push({ ...own, at, seconds, isFirst: isApart[i]!, isNew });
      }
      if (all.length > 0) isApart[i] = !own;
      if (sample.has(one)) sampled[i]!.push(at);
    }
  }
  return series;
}

function tooManyInstances(): GatewayError {
  const message = `more than ${MOST_INSTANCES} processes, groups and other instances would have to be judged: choose a shorter window`;
  return new GatewayError('LIMIT_EXCEEDED', message, { parameter: 'start', expected: 'a shorter window' });
}

/** Since when a rule held at the end of its span, the sum since then, and the median before. */
function beginningOf(series: readonly Observation[], { finish }: Window): Pick<Trouble, 'since' | 'before' | 'total'> {
  const last = series.findLastIndex(({ at, isTrue }) => isTrue && compareTimestamps(at, finish) <= 0);
  let first = last;
  while (first > 0 && series[first - 1]!.isTrue && isNext(series, first)) first--;
  const isKnown = series[first]?.isNew === true || (first > 0 && isNext(series, first));
  const began = isKnown ? series[first]!.at : undefined;
  const quiet = series.filter(({ isTrue }, i) => i < first && !isTrue).sort((a, b) => a.value - b.value);
  let left = quiet.reduce((sum, { seconds }) => sum + seconds, 0) / 2;
  const total = series.slice(Math.max(0, first), last + 1).reduce((sum, { value }) => sum + value, 0);
  return { since: began, before: quiet.find(({ seconds }) => (left -= seconds) < 0)?.value, total };
}

/** Whether nothing is unknown between an observation and the one before it. */
function isNext(series: readonly Observation[], i: number): boolean {
  const { at, isFirst } = series[i]!;
  return !isFirst && secondsBetween(at, series[i - 1]!.at) <= LONGEST_GAP_SEC;
}

async function nameOf(range: OpenRange, plan: FetchPlan, rule: Rule, instance: number): Promise<string | undefined> {
  const { descriptor } = plan.entries.find(({ name }) => name === rule.when.name)!;
  const name = (await instanceNames(range, descriptor.indom))(instance);
  return name === undefined ? undefined : harmless(name);
}
