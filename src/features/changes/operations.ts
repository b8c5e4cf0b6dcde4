import { describeFinding, type Finding, type Sides } from './sentence.js';
import { findChanges, type Changes } from './find-changes.js';
import { locateWindows, measureTwoWindows, measureOneWindow, locateOneWindow } from './two-windows.js';
import type { ChosenWindows } from './two-windows.js';
import { pool, type MeasuredWindow } from './measured-window.js';
import type { Distribution, ChangedSeries } from './compare-series.js';
import type { ChangeGroup } from './group-changes.js';
import type { MembershipChange } from './membership.js';
import type { WindowTexts } from './measure-window.js';
import type { Context, RangeSettings } from '../../context/index.js';
import type { CulpritResource, Culprits, Window } from '../../culprits/index.js';
import { resourceOf } from './importance.js';
import { describeWho, findWho } from './who.js';
import type { RangeBounds } from '../../context/range/index.js';
import { throughInTurns } from '../../kit/index.js';
import {
  compareTimestamps,
  earlier,
  formatIsoTime,
  formatTimestamp,
  GatewayError,
  later,
  secondsBetween,
  badParameter,
} from '../../pmapi/index.js';
import {
  addressOf,
  contextHead,
  hostspecOf,
  jsonAnswer,
  missingWarnings,
  placeOfRange,
  sourceParameters,
  timelineWarnings,
  untilGone,
  viewError,
  warningsMember,
  withDamage,
  withSuggestions,
} from '../../http/index.js';
import type { Answer, HostTimeline, OperationRequest, QueryOf, RangePlace, Warning } from '../../http/index.js';

type ChangesRequest = OperationRequest<QueryOf<'findChanges'>>;

const DEFAULT_FINDINGS = 20;
/** Series, instances and metrics that a finding lists; it counts the others. */
const LISTED = 20;
const CHART_POINTS = 240;
const MOST_SOURCES = 20;
/** Processes come and go by the thousand: their metrics are compared if they are named. */
const OF_PROCESSES = /^(?:proc|hotproc)\./;

interface Comparison {
  readonly before: MeasuredWindow;
  readonly after: MeasuredWindow;
  /** From when to when there are samples, and what to ask. */
  readonly samples: string;
  readonly warnings: readonly Warning[];
}

/** What differs between two windows of time, or between one source and others. The method is described in changes/WHAT-CHANGED.md. */
export async function runChanges(request: ChangesRequest): Promise<Answer> {
  const { query, options } = request;
  const gone = untilGone(request);
  const leave = await options.guards.overload.ranges.enter(gone);
  const releases: (() => void)[] = [];
  try {
    const chosen = chosenWindows(query);
    const isAgainst = query.against !== undefined;
    const locate = (bounds: RangeBounds): Window => {
      const { before, after } = locateWindows(chosen, bounds);
      if (isAgainst) return after;
      return { start: earlier(before.start, after.start), finish: later(before.finish, after.finish) };
    };
    const place = await placeOfRange(request, locate);
    releases.push(...holdOf(place));
    const settings = { limits: options.limits.ranges, signal: gone, recorded: place.timeline?.context.archive };
    const compared = await compare(request, place, chosen, settings);
    const changes = await throughInTurns(findChanges(compared.before, compared.after), gone);
    const listed = changes.findings.slice(0, query.limit ?? DEFAULT_FINDINGS);
    // What others use is no earlier use of this one.
    const who = isAgainst ? new Map<never, never>() : await findWho(place.context, listed, compared, settings);
    return jsonAnswer(write(request, place.context, compared, changes, listed, who));
  } finally {
    for (const release of releases) release();
    leave();
  }
}

/** Keep what is read from expiring. */
function holdOf({ context, timeline }: RangePlace): (() => void)[] {
  return [context.hold(), ...(timeline ? [timeline.context.hold()] : [])];
}

async function compare(
  request: ChangesRequest,
  { context, timeline }: RangePlace,
  chosen: ChosenWindows,
  settings: RangeSettings,
): Promise<Comparison> {
  const sources = request.query.against === undefined ? undefined : readSources(request.query.against);
  const { names, warnings: missing } = await findMetrics(request, context);
  const plan = await context.plans.get({ names });
  const warnings = [...missing, ...(timeline ? await timelineWarnings(timeline, plan) : [])];
  const ofOthers: Warning[] = [];
  const others = sources && (() => measureOthers(request, sources, ofOthers, settings));
  const { before, after, empty, bounds, damage } = await measureTwoWindows(
    context,
    plan,
    { ...chosen, others },
    settings,
  );
  const told = [...warnings, ...ofOthers, ...damage.flatMap((found) => withDamage([], found))];
  const samples = describeSamples(bounds);
  if (empty === undefined) return { before, after, samples, warnings: told };
  // An empty window that the client chose is an error; otherwise there may be something in it later.
  const error = emptyWindow(empty, context, timeline, samples);
  if (chosen[empty]) throw error;
  return { before, after, samples, warnings: [...warnings, { message: error.message, code: 'UNAVAILABLE' }] };
}

/** The windows of other sources, as one. One that cannot be read is a warning; throws the error of the last if none can. */
async function measureOthers(
  request: ChangesRequest,
  sources: readonly string[],
  warnings: Warning[],
  settings: RangeSettings,
): Promise<MeasuredWindow> {
  const windows: MeasuredWindow[] = [];
  let failure: unknown;
  for (const source of sources) {
    try {
      const { window, told } = await measureOther(request, source, settings);
      windows.push(window);
      warnings.push(...told.map((warning) => ({ ...warning, name: source })));
    } catch (error) {
      const { code, message } = viewError(error);
      if (code === 'INTERNAL' || settings.signal?.aborted === true) throw error;
      failure = error;
      warnings.push({ name: source, code, message });
    }
  }
  if (windows.length === 0) throw failure;
  return pool(windows);
}

async function measureOther(request: ChangesRequest, source: string, limited: RangeSettings) {
  const { query } = request;
  const where = query.archive === undefined ? { hostspec: source } : { archive: source };
  const { names: named, prefix } = query;
  const selected = { ...(named ? { names: named } : {}), ...(prefix ? { prefix } : {}) };
  // Not the context of the path or query: that one is on the source in question.
  const own: ChangesRequest = { ...request, path: {}, query: { ...selected, ...where } };
  const chosen = chosenWindows(query);
  const place = await placeOfRange(own, (bounds) => locateOneWindow(chosen, bounds));
  const { context, timeline } = place;
  const releases = holdOf(place);
  try {
    const { names } = await findMetrics(own, context);
    const plan = await context.plans.get({ names });
    const warnings = timeline ? await timelineWarnings(timeline, plan) : [];
    const recorded = timeline?.context.archive;
    const measured = await measureOneWindow(context, plan, chosen, { ...limited, recorded });
    if (!measured) {
      const samples = describeSamples(await context.fetching.bounds(plan, recorded));
      throw emptyWindow('after', context, timeline, samples);
    }
    return { window: measured.window, told: withDamage(warnings, measured.damage) };
  } finally {
    for (const release of releases) release();
  }
}

/** The metrics to compare: those named, those below nodes, or all except those of single processes, unless there are no others. */
async function findMetrics({ query, options }: ChangesRequest, context: Context) {
  const most = options.limits.names;
  const prefixes = query.prefix ?? [''];
  const selector = query.names ? { names: query.names } : { prefixes, most };
  const plan = await context.plans.get(selector);
  const missing = missingWarnings(plan.missing, 'name');
  const warnings =
    missing.length === 0 ? missing : await withSuggestions(context, missing, query.names ? 'metric' : 'node');
  const isAll = query.names === undefined && query.prefix === undefined;
  const all = plan.entries.map(({ name }) => name);
  const ofMachine = isAll ? all.filter((name) => !OF_PROCESSES.test(name)) : all;
  if (all.length > 0) return { names: ofMachine.length > 0 ? ofMachine : all, warnings };
  const [first] = warnings;
  const message = first ? `${first.name ?? ''}: ${first.message}` : 'no metrics to compare';
  throw new GatewayError('UNKNOWN_METRIC', message, { parameter: query.names ? 'names' : 'prefix' });
}

function chosenWindows({ before, after, zone }: ChangesRequest['query']): ChosenWindows {
  return { before: readWindow('before', before), after: readWindow('after', after), zone };
}

/** Read a window as clients write it: START,END, each of which may be empty. Throws BAD_PARAMETER. */
function readWindow(parameter: 'before' | 'after', text: string | undefined): WindowTexts | undefined {
  if (text === undefined) return undefined;
  const [start = '', finish, ...more] = text.split(',');
  if (finish === undefined || more.length > 0) {
    const message = `'${parameter}' is ${JSON.stringify(text.slice(0, 80))}: expected START,END`;
    const expected = 'two times with a comma between, such as -10min,-5min; an empty END is the end of what there is';
    throw badParameter(parameter, message, expected);
  }
  const [from, to] = [start, finish].map((time) => (time.trim() === '' ? undefined : time));
  return { start: from, finish: to };
}

function readSources(list: string): readonly string[] {
  const sources = list.split(';');
  const isWrong = sources.includes('') || new Set(sources).size < sources.length || sources.length > MOST_SOURCES;
  if (!isWrong) return sources;
  const message = `'against' lists an empty source, one twice, or more than ${MOST_SOURCES}`;
  const expected = `up to ${MOST_SOURCES} distinct hosts (with archive: archives), separated by ;`;
  throw badParameter('against', message, expected);
}

function emptyWindow(
  parameter: 'before' | 'after',
  { kind }: Context,
  timeline: HostTimeline | undefined,
  samples: string,
): GatewayError {
  const [why, expected] = timeline
    ? ['nothing is recorded of it', 'two times that archives of the host cover, the first before the second']
    : kind === 'archive'
      ? ['the archive has nothing in it', 'two times within the archive, the first before the second']
      : ['nothing is remembered from it', 'a window in which clients fetched or streamed these metrics'];
  return badParameter(parameter, `the window '${parameter}' is empty: ${why}; ${samples}`, expected);
}

/** A later window of this share of all that there is leaves room for one before. */
const SHARE_OF_ALL = 1 / 5;

function describeSamples({ start, end, zone }: RangeBounds): string {
  if (compareTimestamps(start, end) >= 0) return 'there are no samples yet';
  const [from, to] = [start, end].map((at) => formatIsoTime(at, zone, 0));
  const seconds = Math.floor(secondsBetween(end, start) * SHARE_OF_ALL);
  return `there are samples from ${from} to ${to}${seconds < 1 ? '' : `: ask for after=-${seconds}sec,`}`;
}

function write(
  { query, path }: ChangesRequest,
  context: Context,
  { before, after, samples, warnings }: Comparison,
  { findings, compared, tooFew, note }: Changes,
  listed: readonly Finding[],
  who: ReadonlyMap<CulpritResource, Culprits>,
): string {
  const on = query.context ?? path.context;
  const source = sourceParameters(on === undefined ? query : { context: on });
  const sides = sidesOf(context, query.against);
  const written = listed.map((finding) => {
    const resource = resourceOf(finding);
    return writeFinding(finding, chartOf(finding, before, after, source), resource && who.get(resource), sides);
  });
  const isNothing = compared === 0 && findings.length === 0 && compareTimestamps(before.start, before.finish) < 0;
  const message = `nothing could be compared: five parts of each window need values; ${samples}`;
  const told = isNothing ? [...warnings, { message, code: 'UNAVAILABLE' } as const] : warnings;
  return (
    `${contextHead(context.id, query.client)},"before":${writeBounds(before)},"after":${writeBounds(after)},` +
    `"compared":${compared},"tooFew":${tooFew},"total":${findings.length},"findings":[${written.join(',')}]` +
    `${note === undefined ? '' : `,"note":${JSON.stringify(note)}`}${warningsMember(told)}}`
  );
}

function writeBounds({ start, finish, parts }: MeasuredWindow): string {
  return `{"start":${formatTimestamp(start)},"finish":${formatTimestamp(finish)},"parts":${parts}}`;
}

/** What sentences call the sources; attributes of hostspecs may contain a password. */
function sidesOf(context: Context, against: string | undefined): Sides | undefined {
  if (against === undefined) return undefined;
  const other = context.kind === 'archive' ? against : against.replace(/[?&].*$/s, '');
  return [hostspecOf(context), against.includes(';') ? 'the others' : other];
}

function writeFinding(finding: Finding, href: string, culprits: Culprits | undefined, sides?: Sides): string {
  const head = {
    kind: finding.kind,
    score: round(finding.score),
    sentence: describeFinding(finding, sides) + describeWho(culprits),
    who: culprits?.who,
    whoUnit: culprits?.who.length ? culprits.unit : undefined,
    whoBy: culprits?.by,
    unknown: culprits?.unknown,
  };
  const rest = 'lead' in finding ? groupMembers(finding) : membershipMembers(finding);
  const since = 'lead' in finding ? finding.lead.change.since : undefined;
  const text = JSON.stringify({ ...head, ...rest, href });
  return since ? `${text.slice(0, -1)},"since":${formatTimestamp(since)}}` : text;
}

function groupMembers({ lead, alike }: ChangeGroup): object {
  const { metric, instance } = lead.after;
  return {
    name: metric.name,
    instance,
    indom: metric.indom,
    units: metric.units,
    ...valuesOf(lead),
    alikeCount: alike.length,
    alike: alike.slice(0, LISTED).map(({ after }) => ({ name: after.metric.name, instance: after.instance })),
  };
}

function valuesOf({ change }: ChangedSeries): object {
  if (change.kind === 'state') return { stateBefore: change.before, stateAfter: change.after };
  const { direction, effect, distance, before, after } = change;
  const ratio = before.median === 0 ? undefined : round(after.median / before.median);
  return {
    direction,
    effect: round(effect),
    distance: round(distance),
    ratio,
    before: distributionMembers(before),
    after: distributionMembers(after),
  };
}

function distributionMembers({ median, low, high, parts }: Distribution): object {
  return { median, p10: low, p90: high, parts };
}

function membershipMembers({ what, indom, names, metrics }: MembershipChange): object {
  return {
    what,
    indom,
    count: names.length,
    names: names.slice(0, LISTED),
    metricCount: metrics.length,
    metrics: metrics.slice(0, LISTED),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

/** The values of a finding over both windows, as columns. */
function chartOf(
  finding: Finding,
  before: MeasuredWindow,
  after: MeasuredWindow,
  source: Readonly<Record<string, string>>,
): string {
  const isGroup = 'lead' in finding;
  const instance = isGroup ? finding.lead.after.instance : undefined;
  return addressOf('/pmapi/fetch', {
    ...source,
    names: isGroup ? finding.lead.after.metric.name : finding.metrics.slice(0, LISTED).join(','),
    // A comma separates names: of an instance that has one in its name, all instances are charted.
    ...(instance?.includes(',') === false ? { iname: instance } : {}),
    start: formatTimestamp(earlier(before.start, after.start)),
    finish: formatTimestamp(after.finish),
    points: String(CHART_POINTS),
    rate: 'true',
    format: 'columns',
  });
}
