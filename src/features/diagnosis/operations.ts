import { sourceZone } from '../../context/index.js';
import type { Context } from '../../context/index.js';
import type { RangeBounds } from '../../context/range/index.js';
import { parseRange } from '../../context/range/index.js';
import { findCulprits, plainName } from '../../culprits/index.js';
import type { BlamedResource, Culprits, ProcessSample } from '../../culprits/index.js';
import { contextOf, jsonAnswer, placeOfRange, untilGone, viewError } from '../../http/index.js';
import type { Answer, OperationRequest, QueryOf } from '../../http/index.js';
import { formatTimestamp, GatewayError, makeTimestamp, secondsBetween } from '../../pmapi/index.js';
import type { TimeZone, Timestamp } from '../../pmapi/index.js';
import { bindRules, evaluateNow, evaluatePast } from './evaluate-rules.js';
import type { BoundRules, EvaluatedRule } from './evaluate-rules.js';
import { judge, worst } from './judge.js';
import type { Finding, Parts } from './judge.js';
import { measuredProcesses, recordedProcesses } from './read-processes.js';
import type { Rule } from './rules.js';
import { describeTrouble } from './sentence.js';

type DiagnosisRequest = OperationRequest<QueryOf<'diagnose'>>;

/** The window before the moment in question, in seconds. */
const DEFAULT_SPAN_SEC = 1800;
/** Parts of the window. */
const PARTS = 360;
/** Between two samples of a live host where nothing recent is recorded or remembered. */
const PAUSE_MS = 1000;
/** Culprits are looked for since the trouble began, but no longer than this, and no shorter than that. */
const [MOST_BLAMED_SEC, LEAST_BLAMED_SEC] = [600, 30];
/** The instances of one rule that are findings. */
const MOST_INSTANCES = 3;
/** The resources whose use is known by process. */
const BLAMED: readonly string[] = [
  'processor',
  'memory',
  'disk',
  'file descriptors',
  'processes',
] satisfies BlamedResource[];

/** What the operation works with. */
export interface DiagnosisParts {
  readonly rules: () => readonly Rule[];
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A finding with where it was computed from. */
interface Evidence {
  readonly finding: Finding;
  readonly operands: readonly string[];
}

/** The contexts of one diagnosis, which nothing else uses: rules are defined in them. */
class OwnContexts {
  readonly #request: DiagnosisRequest;
  readonly #opened: Context[] = [];
  readonly #releases: (() => void)[] = [];

  constructor(request: DiagnosisRequest) {
    this.#request = request;
  }

  /** Makes a context on the source of another one, with what its client may see. */
  async like({ spec }: Context): Promise<Context> {
    const { options, principal } = this.#request;
    const own = await options.contexts.create(spec, { owner: principal?.name, signal: untilGone(this.#request) });
    this.#opened.push(own);
    this.#releases.push(own.hold());
    return own;
  }

  async close(): Promise<void> {
    for (const release of this.#releases) release();
    const { contexts } = this.#request.options;
    await Promise.all(this.#opened.map(({ id }) => contexts.destroy(id).catch(() => undefined)));
  }
}

/** For each resource: its state, since when, what it was before, and who did it. DIAGNOSIS.md describes the method. */
export async function runDiagnosis(request: DiagnosisRequest, { rules, pause }: DiagnosisParts): Promise<Answer> {
  const { query, options } = request;
  const gone = untilGone(request);
  const leave = await options.guards.overload?.ranges.enter(gone);
  const own = new OwnContexts(request);
  const held: (() => void)[] = [];
  try {
    const spanSec = query.span ?? DEFAULT_SPAN_SEC;
    const locate = (bounds: RangeBounds): { start: Timestamp; finish: Timestamp } => windowOf(query, spanSec, bounds);
    const place = await placeOfRange(request, locate);
    held.push(place.context.hold());
    const context = await own.like(place.context);
    const bound = await bindRules(context, rules(), gone);
    const settings = { limits: options.limits.ranges, signal: gone };
    const bounds = await boundsOf(context, bound, options.contexts.clock.now());
    const window = locate(bounds);
    const texts = { start: formatTimestamp(window.start), finish: formatTimestamp(window.finish) };
    const past = await orNothing(() => evaluatePast(context, bound, texts, PARTS, settings), gone);
    const found = findTrouble(past?.rules ?? [], past?.parts);
    const reasons = new Map<Rule, string>([...bound.missing, ...found.without]);
    const isNow = query.at === undefined && query.archive === undefined;
    const live = isNow ? await liveContext(request, own, place.context, context) : undefined;
    const nap = (): Promise<void> => pause(PAUSE_MS, gone);
    const lacking = rules().filter((rule) => reasons.has(rule));
    if (live && lacking.length > 0) {
      const boundNow = live === context ? bound : await bindRules(live, lacking, gone);
      const now = await evaluateNow(
        live,
        { ...boundNow, bound: boundNow.bound.filter(({ rule }) => reasons.has(rule)) },
        nap,
      );
      const foundNow = findTrouble(now.rules, now.parts);
      found.evidence.push(...foundNow.evidence.map(withoutHistory));
      for (const { rule } of now.rules) if (!foundNow.without.has(rule)) reasons.delete(rule);
    }
    const blamed = await blame(found.evidence, window.finish, { context, live, nap, settings });
    return jsonAnswer(
      JSON.stringify(
        write(request, { window, found: found.evidence, reasons, blamed, zone: bounds.zone, all: rules() }),
      ),
    );
  } finally {
    for (const release of held) release();
    await own.close();
    leave?.();
  }
}

function windowOf(
  { at, zone }: DiagnosisRequest['query'],
  spanSec: number,
  bounds: RangeBounds,
): { start: Timestamp; finish: Timestamp } {
  const { finish } = parseRange(
    { ...(at === undefined ? {} : { finish: at }), ...(zone === undefined ? {} : { zone }) },
    bounds,
  );
  const start = makeTimestamp(Math.max(finish.sec - Math.ceil(spanSec), bounds.start.sec, 0), 0);
  return { start: secondsBetween(finish, start) > 0 ? start : makeTimestamp(Math.max(finish.sec - 1, 0), 0), finish };
}

/** The bounds of a source; of a live host of which nothing is remembered, the moment now. */
async function boundsOf(context: Context, { plan }: BoundRules, now: Timestamp): Promise<RangeBounds> {
  const known = await orNothing(() => context.fetching.bounds(plan), undefined);
  if (known) return known;
  const { timezone } = await context.info();
  return parseableNow(now, timezone);
}

function parseableNow(now: Timestamp, timezone: string | undefined): RangeBounds {
  return { start: now, end: now, now, zone: sourceZone(timezone) };
}

/** What there is of the past; undefined where nothing is remembered. */
async function orNothing<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof GatewayError && error.code === 'WRONG_CONTEXT') return undefined;
    throw error;
  }
}

/** A context of this diagnosis on the live host; undefined if it cannot be reached. */
async function liveContext(
  request: DiagnosisRequest,
  own: OwnContexts,
  place: Context,
  context: Context,
): Promise<Context | undefined> {
  if (!place.archive) return context;
  try {
    return await own.like(await contextOf(request, 'shared'));
  } catch (error) {
    untilGone(request).throwIfAborted();
    if (viewError(error).code === 'INTERNAL') throw error;
    return undefined;
  }
}

function findTrouble(
  evaluated: readonly EvaluatedRule[],
  parts: Parts | undefined,
): { readonly evidence: Evidence[]; readonly without: ReadonlyMap<Rule, string> } {
  const evidence: Evidence[] = [];
  const without = new Map<Rule, string>();
  for (const { rule, operands, series } of evaluated) {
    const judged = parts ? series.map((one) => judge(rule, one, parts)) : [];
    const findings = judged.filter((one) => typeof one === 'object').sort((a, b) => b.value - a.value);
    evidence.push(...findings.slice(0, MOST_INSTANCES).map((finding) => ({ finding, operands })));
    if (series.length === 0) without.set(rule, 'there are no values');
    else if (judged.every((one) => one === 'no samples')) without.set(rule, 'there are no samples of the last minutes');
  }
  return { evidence, without };
}

/** One moment tells neither when something began nor what was before. */
function withoutHistory({ finding, operands }: Evidence): Evidence {
  return { operands, finding: { ...finding, since: undefined, throughoutSec: undefined, before: undefined } };
}

/** The culprits of each resource in trouble, by resource. */
async function blame(
  evidence: readonly Evidence[],
  finish: Timestamp,
  {
    context,
    live,
    nap,
    settings,
  }: {
    readonly context: Context;
    readonly live: Context | undefined;
    readonly nap: () => Promise<void>;
    readonly settings: Parameters<typeof recordedProcesses>[2];
  },
): Promise<ReadonlyMap<string, Culprits>> {
  const resources = new Set(evidence.filter(isOfProcesses).map(({ finding }) => finding.rule.resource));
  const blamed = new Map<string, Culprits>();
  let measured: Promise<readonly ProcessSample[]> | undefined;
  for (const resource of resources) {
    const since = Math.min(
      ...evidence
        .filter(({ finding }) => finding.rule.resource === resource)
        .map(({ finding }) => finding.since ?? Infinity),
    );
    const finishSec = finish.sec + finish.nsec / 1e9;
    const wantedSec = Number.isFinite(since) ? finishSec - since : MOST_BLAMED_SEC;
    const spanSec = Math.min(Math.max(wantedSec, LEAST_BLAMED_SEC), MOST_BLAMED_SEC);
    const window = {
      start: formatTimestamp(makeTimestamp(Math.floor(finishSec - spanSec), 0)),
      finish: formatTimestamp(finish),
    };
    const known = await orNothing(
      () => findCulprits(resource as BlamedResource, recordedProcesses(context, window, settings)),
      settings.signal,
    );
    if (known?.unknown === undefined && known) blamed.set(resource, known);
    else if (live) {
      measured ??= measuredProcesses(live, nap);
      blamed.set(resource, await findCulprits(resource as BlamedResource, await measured));
    } else if (known) blamed.set(resource, known);
  }
  return blamed;
}

function isOfProcesses({ finding: { rule } }: Evidence): boolean {
  return rule.culprits === 'processes' && BLAMED.includes(rule.resource);
}

function write(
  { query }: DiagnosisRequest,
  {
    window,
    found,
    reasons,
    blamed,
    zone,
    all,
  }: {
    readonly window: { readonly start: Timestamp; readonly finish: Timestamp };
    readonly found: readonly Evidence[];
    readonly reasons: ReadonlyMap<Rule, string>;
    readonly blamed: ReadonlyMap<string, Culprits>;
    readonly zone: TimeZone;
    readonly all: readonly Rule[];
  },
): object {
  const judged = all.filter((rule) => !reasons.has(rule));
  const resources = [...new Set(judged.map(({ resource }) => resource))].map((resource) => {
    const mine = found.filter(({ finding }) => finding.rule.resource === resource);
    const culprits = blamed.get(resource);
    const findings = mine.map((evidence) => ({
      ...membersOf(evidence, window, query),
      sentence: describeTrouble(evidence.finding, isOfProcesses(evidence) ? culprits : undefined, zone),
    }));
    return {
      resource,
      state: worst(mine.map(({ finding }) => finding)),
      findings,
      ...(culprits ? { who: culprits.who, unit: culprits.unit, seconds: culprits.seconds } : {}),
      ...(culprits?.unknown === undefined ? {} : { whoUnknown: culprits.unknown }),
    };
  });
  const findings = found.map(({ finding }) => finding);
  const first = [...findings].sort(byImportance)[0];
  const main =
    first &&
    resources
      .flatMap(({ findings }) => findings)
      .find(({ rule, instance }) => rule === first.rule.name && instance === first.instance);
  return {
    ...(query.client === undefined ? {} : { client: query.client }),
    start: numberOf(window.start),
    finish: numberOf(window.finish),
    state: judged.length === 0 ? 'unknown' : worst(findings),
    sentence:
      main?.sentence ??
      (judged.length === 0
        ? 'nothing could be judged'
        : `nothing unusual: ${judged.length} of ${all.length} rules were judged`),
    resources,
    notJudged: [...reasons].map(([rule, reason]) => ({ rule: rule.name, resource: rule.resource, reason })),
  };
}

const SEVERITY = { busy: 0, saturated: 1, failing: 2 } as const;

/** The worst first; of equals, the one that began first may have caused the others. */
function byImportance(a: Finding, b: Finding): number {
  return SEVERITY[b.state] - SEVERITY[a.state] || (a.since ?? 0) - (b.since ?? 0);
}

function membersOf(
  { finding, operands }: Evidence,
  window: { readonly start: Timestamp; readonly finish: Timestamp },
  query: DiagnosisRequest['query'],
): { readonly rule: string; readonly instance?: string; readonly [member: string]: unknown } {
  const { rule, state, instance, value, since, before } = finding;
  const host = query.hostspec ?? query.hostname;
  const parameters = new URLSearchParams([
    ...(query.archive !== undefined ? [['archive', query.archive]] : host !== undefined ? [['hostspec', host]] : []),
    ['names', operands.join(',')],
    ['start', formatTimestamp(window.start)],
    ['finish', formatTimestamp(window.finish)],
  ] as [string, string][]);
  const text = parameters.toString();
  return {
    rule: rule.name,
    state,
    value: round(value),
    unit: rule.unit,
    condition: rule.when[state]!,
    expression: rule.value,
    ...(instance === undefined ? {} : { instance: plainName(instance) }),
    ...(since === undefined ? {} : { since }),
    ...(before === undefined ? {} : { before: round(before) }),
    source: rule.source,
    range: `/pmapi/fetch?${text}&points=240&rate=true&format=columns`,
    why: `/pmapi/fetch?${text}&why=true`,
  };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

function numberOf({ sec, nsec }: Timestamp): number {
  return sec + Math.floor(nsec / 1000) / 1e6;
}
