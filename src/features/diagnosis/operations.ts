import { sourceZone, type Context, type RangeSettings } from '../../context/index.js';
import { parseRange, parseZone, type RangeBounds } from '../../context/range/index.js';
import { culpritMetrics, findCulprits } from '../../culprits/index.js';
import type { CulpritResource, Culprits, Measure, Window } from '../../culprits/index.js';
import {
  addSeconds,
  badParameter,
  compareTimestamps,
  earlier,
  formatIsoTime,
  formatTimestamp,
  GatewayError,
  justBefore,
  lastTimeOfDay,
  makeTimeZone,
  parseInParameter,
  parseTime,
  secondsBetween,
  UTC_ZONE,
} from '../../pmapi/index.js';
import type { Timestamp, TimeZone } from '../../pmapi/index.js';
import {
  addressOf,
  contextHead,
  jsonAnswer,
  NOTHING_RECORDED,
  pastOfHost,
  sourceParameters,
  timelineWarnings,
  untilGone,
  warningsMember,
  withDamage,
} from '../../http/index.js';
import type { Answer, OperationRequest, QueryOf } from '../../http/index.js';
import { SharedWorks } from '../../sources/index.js';
import { judge, LONGEST_GAP_SEC, type Judgement, type Trouble } from './judge.js';
import { STATES, type Rule } from './rules.js';
import { describeTrouble } from './sentence.js';

type DiagnosisRequest = OperationRequest<QueryOf<'diagnose'>>;

/** How long before the moment in question and after it is judged, if it is not now: `03:12` is all of that minute. */
const AROUND_SEC = 60;
const AFTER_SEC = 120;
/** How much of what was before is read, to tell when trouble began. */
const HISTORY_SEC = 3600;
/** Of a live host, so much of what is remembered and recorded is now: one sample of the recorder at least. */
const RECENT_SEC = 15;
/**
 * Who it is now: of the last samples, if they are closer together than those of the recorder. The growth of what culprits use needs
 * two.
 */
const WHO_RECENT_SECS = [5, 25] as const;
/** Others who have more than this share hide who it is. */
const MOST_OTHERS = 0.5;
/** Why a rule is not judged, of roles that may not see all of its metrics. */
const UNSEEN = 'metrics of it are missing or hidden';
/** What culprits used before is measured over at most so much time. */
const BEFORE_SEC = 300;

/** Windows shorter than this have too few samples of the recorder to tell what changed. */
const CHANGED_SEC = 120;

const OF_GROUPS = /^cgroup\./;

/** Trouble with a resource, and who it is. */
interface Finding {
  readonly trouble: Trouble;
  readonly culprits: Culprits | undefined;
}

/** What was found, and where the samples of it are. */
interface Diagnosis extends Judgement {
  readonly window: Window;
  readonly findings: readonly Finding[];
}

/** Makes the operation `diagnose`. The method is described in DIAGNOSIS.md. */
export function diagnosisRoute(rules: () => readonly Rule[], measure: Measure) {
  /** What a measurement could not tell of a host either: it is not measured again for that. */
  const untold = new WeakMap<Context, ReadonlySet<string>>();
  const sampling = new SharedWorks<Context, Timestamp>();
  return async (request: DiagnosisRequest): Promise<Answer> => {
    const { query, options } = request;
    const signal = untilGone(request);
    const enter = (): Promise<() => void> | undefined => options.guards.overload.ranges.enter(signal);
    let leave = await enter();
    const releases: (() => void)[] = [];
    try {
      const { live, timeline } = await pastOfHost(request, (bounds) => {
        const window = windowOf(query, bounds);
        return { start: addSeconds(window.start, -HISTORY_SEC), finish: window.finish };
      });
      const isNamed = query.context !== undefined;
      const context = timeline && !(live && isNamed) ? timeline.context : live!;
      releases.push(context.hold(), live?.hold() ?? (() => undefined));
      const settings = { limits: options.limits.ranges, signal, recorded: timeline?.context.archive };
      const isNow = query.at === undefined && query.start === undefined && query.finish === undefined;
      const measurable = isNow && live && !live.archive ? live : undefined;
      const plan = await context.plans.ofExpressions(
        rules().map(({ when }) => when),
        signal,
      );
      let found: Diagnosis | undefined;
      let zone = sourceZone(undefined);
      if (timeline || live!.archive || live!.fetching.remembered) {
        const bounds = await context.fetching.bounds(plan, settings.recorded);
        ({ zone } = bounds);
        const recent = { start: addSeconds(bounds.now, -RECENT_SEC), finish: bounds.now };
        const window = measurable ? recent : windowOf(query, bounds);
        found = await diagnose(context, rules(), window, settings, measurable !== undefined);
        // The recorder may not have seen yet who it is.
        if (measurable?.fetching.remembered && hasJustBegun(found)) {
          const names = metricsOf(rules());
          const finish = await sampling.join(measurable, () => sampleOf(measurable, names), signal);
          const now = { start: addSeconds(finish, -RECENT_SEC), finish };
          found = await diagnose(context, rules(), now, settings, true);
        }
      }
      if (measurable && (!found || [...untoldIn(found)].some((name) => !untold.get(measurable)?.has(name)))) {
        // While it waits for the second sample, others may read.
        leave?.();
        leave = undefined;
        const { window, recorded } = await measure(measurable, metricsOf(rules()), signal);
        leave = await enter();
        const [place, source] = recorded ? [measurable, recorded] : [context, settings.recorded];
        found = await diagnose(place, rules(), window, { ...settings, recorded: source });
        untold.set(measurable, untoldIn(found));
      }
      if (!found) {
        const message = 'nothing is remembered or recorded of this host: only now can be judged';
        const expected = 'no time, or contexts.historyBytes above 0';
        throw new GatewayError('WRONG_CONTEXT', message, { parameter: 'at', expected });
      }
      if (query.zone !== undefined) zone = makeTimeZone(query.zone);
      const { window, findings, notJudged, sampledSince, damage } = found;
      const told = timeline ? await timelineWarnings(timeline, plan) : [];
      const isJudged = found.judged.length > 0;
      if (!isJudged && notJudged.some(({ isUnsampled }) => isUnsampled)) told.push(NOTHING_RECORDED);
      const since = sampledSince ?? window.finish;
      if (isJudged && !isNow && secondsBetween(since, window.start) > LONGEST_GAP_SEC) {
        const message = `nothing is recorded or remembered of parts of this time, the last until ${formatIsoTime(since, zone, 0)}`;
        told.push({ ...NOTHING_RECORDED, message });
      }
      // Those with troubles first.
      const named = [...findings.map(({ trouble }) => trouble.rule), ...found.judged].map(({ resource }) => resource);
      const isPast = secondsBetween(options.contexts.clock.now(), window.finish) > RECENT_SEC;
      const asked = { query, window, hasConsole: request.directory.serves('consolePage') };
      const resources = [...new Set(named)].map((name) => writeResource(name, findings, asked, [zone, isPast]));
      // Rules of files name metrics that a role may not know.
      const isShown = ({ value, when }: Rule): boolean =>
        [...value.operands.metrics, ...when.operands.metrics].every(
          (name) => context.spec.filter?.allows(name) !== false,
        );
      const reasons = notJudged.map(({ rule, reason, isUnsampled }) => {
        return { rule: rule.name, resource: rule.resource, reason: isUnsampled || isShown(rule) ? reason : UNSEEN };
      });
      return jsonAnswer(
        `${contextHead(context.id, query.client)},"start":${formatTimestamp(window.start)},` +
          `"finish":${formatTimestamp(window.finish)},"state":${JSON.stringify(findings[0]?.trouble.rule.state ?? (isJudged ? STATES[0] : 'unknown'))},` +
          (sampledSince === undefined ? '' : `"sampledSince":${formatTimestamp(sampledSince)},`) +
          `"resources":[${resources.join(',')}],"notJudged":${JSON.stringify(reasons)}` +
          (findings.length === 0 ? '' : `,"changes":${JSON.stringify(changesSince(findings, asked))}`) +
          `${warningsMember(withDamage(told, damage))}}`,
      );
    } finally {
      for (const release of releases) release();
      leave?.();
    }
  };
}

/** Judges a window and finds who it is. @param isNow the end of the window is this moment: its last samples say what is, and who it is */
export async function diagnose(
  context: Context,
  rules: readonly Rule[],
  window: Window,
  settings: RangeSettings,
  isNow = false,
): Promise<Diagnosis> {
  const { start, finish } = window;
  const from = addSeconds(start, -HISTORY_SEC);
  const judgement = await judge(context, rules, { from, window, isNow }, settings);
  const ofWho = isNow ? WHO_RECENT_SECS.map((sec) => ({ start: addSeconds(finish, -sec), finish })) : [window];
  return { ...judgement, window, findings: await findAll(context, judgement, ofWho, settings) };
}

/** Whether a sample of who it is may be older than the trouble. */
function hasJustBegun({ findings, window: { finish } }: Diagnosis): boolean {
  return findings.some(
    ({ trouble: { rule, since } }) => rule.who && since && secondsBetween(finish, since) < Math.max(...WHO_RECENT_SECS),
  );
}

/** Fetches metrics of a live host once, which is remembered; when that was. */
async function sampleOf({ plans, fetching }: Context, names: readonly string[]): Promise<Timestamp> {
  return fetching.fetch(await plans.get({ names }), ({ timestamp }) => ({ ...timestamp }));
}

/** What could not be told for lack of samples: rules, and resources whose users are not known. */
function untoldIn({ notJudged, findings }: Diagnosis): ReadonlySet<string> {
  const rules = notJudged.filter(({ isUnsampled }) => isUnsampled).map(({ rule }) => rule.name);
  const who = findings.flatMap(({ culprits }) =>
    culprits?.unknown === undefined ? [] : [`who: ${culprits.resource}`],
  );
  return new Set([...rules, ...who]);
}

/** All metrics that rules and the search for culprits may need. */
export function metricsOf(rules: readonly Rule[]): readonly string[] {
  const names = rules.flatMap(({ value, when, who }) => [
    ...value.operands.metrics,
    ...when.operands.metrics,
    ...(who === undefined ? [] : culpritMetrics(who)),
  ]);
  return [...new Set(names)];
}

/** The window in question. Throws BAD_PARAMETER. */
function windowOf({ at, start, finish, zone }: DiagnosisRequest['query'], bounds: RangeBounds): Window {
  const references = zone === undefined ? bounds : { ...bounds, zone: parseZone(zone) };
  if (at === undefined) {
    const texts = { start: lastTimeOfDay(start, references), finish: lastTimeOfDay(finish, references), zone };
    const parsed = parseRange(texts, bounds);
    const window =
      start === undefined ? { start: addSeconds(parsed.finish, -AROUND_SEC), finish: parsed.finish } : parsed;
    if (compareTimestamps(window.start, window.finish) < 0) return window;
    const isOutside =
      compareTimestamps(parsed.start, bounds.end) > 0 || compareTimestamps(parsed.finish, bounds.start) < 0;
    throw badParameter('start', isOutside ? NOTHING_RECORDED.message : 'the window is empty', 'a time before finish');
  }
  if (start !== undefined || finish !== undefined) {
    const message = "'at' is a moment, 'start' and 'finish' are a window: give one of them";
    throw badParameter('at', message, 'a time, or a window by start and finish');
  }
  const moment = parseInParameter('at', lastTimeOfDay(at, references)!, (text) => parseTime(text, references));
  const [before, after] = [addSeconds(moment, -AROUND_SEC), addSeconds(moment, AFTER_SEC)];
  return { start: before, finish: compareTimestamps(before, bounds.end) < 0 ? earlier(after, bounds.end) : after };
}

/** Troubles, the worst first, and who it is of the worst of each resource. */
async function findAll(
  context: Context,
  { troubles }: Judgement,
  windows: readonly Window[],
  settings: RangeSettings,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const told = new Set<string>();
  for (const trouble of [...troubles].sort((a, b) => STATES.indexOf(b.rule.state) - STATES.indexOf(a.rule.state))) {
    const { resource, who } = trouble.rule;
    const isFirst = !told.has(resource);
    told.add(resource);
    const culprits = isFirst && who ? await findWho(context, who, trouble, windows, settings) : undefined;
    findings.push({ trouble, culprits });
  }
  return findings;
}

/** Who it is: in the time that the number is of, or, where that does not explain half of it, in the window that explains most. */
async function findWho(
  context: Context,
  resource: CulpritResource,
  { rule, instance, since, span, samples, isOver }: Trouble,
  windows: readonly Window[],
  settings: RangeSettings,
): Promise<Culprits> {
  const within = rule.when.operands.metrics.some((name) => OF_GROUPS.test(name)) ? instance : undefined;
  // Processes are sampled at nearly the same times.
  const margin = secondsBetween(span.finish, span.start) / samples / 2;
  const own = {
    start: addSeconds(span.start, -margin),
    finish: earlier(addSeconds(span.finish, margin), windows[0]!.finish),
  };
  // Who ended with the trouble is not in samples after it.
  const without = isOver ? [{ ...own, finish: span.finish }] : [];
  let best: Culprits | undefined;
  for (const window of margin > 0 ? [own, ...without, ...windows] : windows) {
    const finish = since && earlier(justBefore(since), window.start);
    const before = finish && { start: addSeconds(finish, -BEFORE_SEC), finish };
    const culprits = await findCulprits(context, { resource, window, before, within }, settings);
    if (!best || othersIn(culprits) < othersIn(best)) best = culprits;
    if (othersIn(best) < MOST_OTHERS) break;
  }
  return best!;
}

/** The share of those who are not named. */
function othersIn({ who }: Culprits): number {
  return who.find(({ kind }) => kind === 'others')?.share ?? 1;
}

function writeResource(
  name: string,
  all: readonly Finding[],
  asked: Asked,
  telling: readonly [zone: TimeZone, isPast: boolean],
): string {
  const findings = all.filter(({ trouble }) => trouble.rule.resource === name);
  const [worst] = findings;
  if (!worst)
    return JSON.stringify({ resource: name, state: 'usual', sentence: `Nothing is wrong with the ${name}.`, also: [] });
  const { trouble, culprits } = worst;
  const { rule, instance, value, since, before, span, isOver } = trouble;
  const text = JSON.stringify({
    resource: name,
    state: rule.state,
    rule: rule.name,
    source: rule.source,
    instance,
    value,
    unit: rule.unit === '' ? undefined : rule.unit,
    before,
    who: culprits?.who,
    whoUnit: culprits?.unit,
    whoBy: culprits?.by,
    shareOf: culprits?.shareOf,
    unknown: culprits?.unknown,
    sentence: describeTrouble(trouble, culprits, ...telling),
    also: findings
      .filter(
        ({ trouble: { rule } }, i) =>
          findings.findIndex((one) => one.trouble.rule.value.canonical === rule.value.canonical) === i,
      )
      .slice(1)
      .map((other) => describeTrouble(other.trouble, undefined, ...telling)),
    evidence: rule.evidence.map((metric) => ({ metric, ...addressesOf(metric, asked, since) })),
  });
  const times = Object.entries({ since, until: isOver ? span.finish : undefined });
  const written = times.map(([key, time]) => (time ? `,"${key}":${formatTimestamp(time)}` : '')).join('');
  return `${text.slice(0, -1)}${written}}`;
}

/** What was judged, and whether there is a console to show it. */
type Asked = { readonly window: Window; readonly hasConsole: boolean } & Pick<DiagnosisRequest, 'query'>;

/** Requests for the values of a metric since the trouble began, and for why they are so, and its chart. */
function addressesOf(
  metric: string,
  { query, window: { start, finish }, hasConsole }: Asked,
  since: Timestamp | undefined,
): { readonly range: string; readonly why: string; readonly chart?: string } {
  const source = sourceParameters(query);
  const from = addSeconds(earlier(since ?? start, start), -AROUND_SEC);
  const times = { start: formatTimestamp(from), finish: formatTimestamp(finish) };
  const fetched = (more: Readonly<Record<string, string>>): string =>
    addressOf('/pmapi/fetch', { names: metric, ...source, ...times, rate: 'true', ...more });
  const both = { range: fetched({ format: 'columns' }), why: fetched({ why: 'true' }) };
  // The page has contexts of its own.
  if (!hasConsole || query.context !== undefined) return both;
  const on = source.archive === undefined ? source.hostspec : `archive:${source.archive}`;
  const t = [from, finish].map((time) => formatIsoTime(time, UTC_ZONE, 3)).join('/');
  return { ...both, chart: addressOf('/console/chart', { ...(on === undefined ? {} : { on }), lane: metric, t }) };
}

/** A request for what else changed since the first trouble, or in a time that is long enough to tell. */
function changesSince(findings: readonly Finding[], { query, window: { finish } }: Asked): string {
  const started = findings.flatMap(({ trouble: { since } }) => since ?? []);
  const from = started.reduce(earlier, addSeconds(finish, -CHANGED_SEC));
  return addressOf('/changes', {
    ...sourceParameters(query),
    after: `${formatTimestamp(from)},${formatTimestamp(finish)}`,
  });
}
