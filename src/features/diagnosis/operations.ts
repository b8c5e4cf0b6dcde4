import { sourceZone, type Context, type RangeSettings } from '../../context/index.js';
import { parseRange, type RangeBounds } from '../../context/range/index.js';
import { culpritMetrics, findCulprits, type Culprits, type Measure, type Window } from '../../culprits/index.js';
import {
  addSeconds,
  compareTimestamps,
  earlier,
  formatTimestamp,
  GatewayError,
  makeTimeZone,
  type Timestamp,
  type TimeZone,
} from '../../pmapi/index.js';
import {
  contextHead,
  jsonAnswer,
  pastOfHost,
  timelineWarnings,
  untilGone,
  warningsMember,
  withDamage,
  type Answer,
  type OperationRequest,
  type QueryOf,
} from '../../http/index.js';
import { judge, type Judgement, type Trouble } from './judge.js';
import { STATES, type Rule } from './rules.js';
import { describeTrouble } from './sentence.js';

type DiagnosisRequest = OperationRequest<QueryOf<'diagnose'>>;

/** How long before the moment in question is judged, if it is not now. */
const WINDOW_SEC = 60;
/** How much of what was before is read, to tell when trouble began. */
const HISTORY_SEC = 3600;
/** Of a live host, so much of what is remembered and recorded is now: one sample of the recorder at least. */
const RECENT_SEC = 15;
/** The growth of what culprits use needs two of them. */
const WHO_RECENT_SEC = 25;
/** What culprits used before is measured over at most so much time. */
const BEFORE_SEC = 300;

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
        found = await diagnose(context, rules(), window, settings, measurable && WHO_RECENT_SEC);
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
      const { window, findings, notJudged, damage } = found;
      const told = timeline ? await timelineWarnings(timeline, plan) : [];
      // Those with troubles first.
      const named = [...findings.map(({ trouble }) => trouble.rule), ...found.judged].map(({ resource }) => resource);
      const resources = [...new Set(named)].map((name) => writeResource(name, findings, query, window, zone));
      const reasons = notJudged.map(({ rule, reason }) => ({ rule: rule.name, resource: rule.resource, reason }));
      return jsonAnswer(
        `${contextHead(context.id, query.client)},"start":${formatTimestamp(window.start)},` +
          `"finish":${formatTimestamp(window.finish)},"state":${JSON.stringify(findings[0]?.trouble.rule.state ?? STATES[0])},` +
          `"resources":[${resources.join(',')}],"notJudged":${JSON.stringify(reasons)}` +
          `${warningsMember(withDamage(told, damage))}}`,
      );
    } finally {
      for (const release of releases) release();
      leave?.();
    }
  };
}

/** Judges a window and finds who it is. @param whoSec how much of the end of the time says who it is; all of the window by default */
export async function diagnose(
  context: Context,
  rules: readonly Rule[],
  window: Window,
  settings: RangeSettings,
  whoSec?: number,
): Promise<Diagnosis> {
  const judgement = await judge(context, rules, { from: addSeconds(window.start, -HISTORY_SEC), window }, settings);
  const ofWho = whoSec === undefined ? window : { start: addSeconds(window.finish, -whoSec), finish: window.finish };
  return { ...judgement, window, findings: await findAll(context, judgement, ofWho, settings) };
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
  if (at !== undefined && (start !== undefined || finish !== undefined)) {
    throw new GatewayError('BAD_PARAMETER', "'at' is a moment, 'start' and 'finish' are a window: give one of them", {
      parameter: 'at',
      expected: 'a time, or a window by start and finish',
    });
  }
  const parsed = parseRange({ start, finish: at ?? finish, zone }, bounds);
  const window =
    start === undefined ? { start: addSeconds(parsed.finish, -WINDOW_SEC), finish: parsed.finish } : parsed;
  if (compareTimestamps(window.start, window.finish) < 0) return window;
  const details = { parameter: 'start', expected: 'a time before finish' };
  throw new GatewayError('BAD_PARAMETER', 'the window is empty', details);
}

/** Troubles of each resource, the worst first, and who it is. */
async function findAll(
  context: Context,
  { troubles }: Judgement,
  window: Window,
  settings: RangeSettings,
): Promise<readonly Finding[]> {
  const known = new Map<string, Culprits>();
  const findings: Finding[] = [];
  for (const trouble of [...troubles].sort((a, b) => STATES.indexOf(b.rule.state) - STATES.indexOf(a.rule.state))) {
    const { who, when } = trouble.rule;
    const within = when.operands.metrics.some((name) => OF_GROUPS.test(name)) ? trouble.instance : undefined;
    const key = `${who} ${within}`;
    let culprits = known.get(key);
    if (who && !culprits) {
      const finish = trouble.since && earlier(trouble.since, window.start);
      const before = finish && { start: addSeconds(finish, -BEFORE_SEC), finish };
      culprits = await findCulprits(context, { resource: who, window, before, within }, settings);
      known.set(key, culprits);
    }
    findings.push({ trouble, culprits });
  }
  return findings;
}

function writeResource(
  name: string,
  all: readonly Finding[],
  query: DiagnosisRequest['query'],
  window: Window,
  zone: TimeZone,
): string {
  const findings = all.filter(({ trouble }) => trouble.rule.resource === name);
  const [worst] = findings;
  if (!worst)
    return JSON.stringify({ resource: name, state: 'usual', sentence: `Nothing is wrong with: ${name}.`, also: [] });
  const { trouble, culprits } = worst;
  const { rule, instance, value, since, before } = trouble;
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
    sentence: describeTrouble(trouble, culprits, zone),
    also: findings
      .filter(
        ({ trouble: { rule } }, i) =>
          findings.findIndex((one) => one.trouble.rule.value.canonical === rule.value.canonical) === i,
      )
      .slice(1)
      .map((other) => describeTrouble(other.trouble, undefined, zone)),
    evidence: rule.evidence.map((metric) => ({ metric, ...addressesOf(metric, query, window, since) })),
  });
  return since ? `${text.slice(0, -1)},"since":${formatTimestamp(since)}}` : text;
}

/** Requests for the values of a metric since the trouble began, and for why they are so. */
function addressesOf(
  metric: string,
  { context, hostspec, hostname, archive }: DiagnosisRequest['query'],
  { start, finish }: Window,
  since: Timestamp | undefined,
): { readonly range: string; readonly why: string } {
  const path = context === undefined ? '/pmapi/fetch' : `/pmapi/${context}/fetch`;
  const parameters = new URLSearchParams({ names: metric });
  const host = hostspec ?? hostname;
  if (context === undefined && archive !== undefined) parameters.set('archive', archive);
  else if (context === undefined && host !== undefined) parameters.set('hostspec', host);
  parameters.set('start', formatTimestamp(addSeconds(earlier(since ?? start, start), -WINDOW_SEC)));
  parameters.set('finish', formatTimestamp(finish));
  parameters.set('rate', 'true');
  const range = `${path}?${parameters.toString()}&format=columns`;
  parameters.set('why', 'true');
  return { range, why: `${path}?${parameters.toString()}` };
}
