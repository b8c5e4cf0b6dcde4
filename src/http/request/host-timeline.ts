import { getOrMake } from '../../kit/index.js';
import { LRUCache } from 'lru-cache';
import { holdsCredentials } from '../../access/index.js';
import { sourceZone, type Context, type FetchPlan } from '../../context/index.js';
import { parseRange, type RangeBounds, type RangeParameters, type RangeRequest } from '../../context/range/index.js';
import {
  compareTimestamps,
  formatTimestamp,
  GatewayError,
  isSourceError,
  onPmError,
  PM_ERR,
  PmError,
  UTC_ZONE,
} from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { filterSource, type MetricFilter, type MetricSource, type SourceSpec } from '../../sources/index.js';
import { contradict, TimelineSource, withoutPassed } from '../../sources/timeline/index.js';
import type { ArchivePart, SkippedArchive } from '../../sources/timeline/index.js';
import type { AnyRequest, SourceRequest } from '../contracts.js';
import type { HostArchive, HostArchiveDirectory } from '../options.js';
import { leftOutWarning, pmErrWarning, type Warning } from '../response/answer.js';
import { contextOf, keepOpen, newSpecOf, visibilityOf, untilGone } from './request-context.js';

/** A host's past in a window: archives, and remembered samples. */
export interface HostTimeline {
  /** On all of it, so that metrics that the host no longer has are named. */
  readonly context: Context;
  readonly source: TimelineSource;
  readonly warnings: readonly Warning[];
  readonly window: WindowSpan;
}

export interface RangePlace {
  /** The context for look-ups: the named one, else one on all that is read. */
  readonly context: Context;
  /** Read in place of a host's remembered samples. */
  readonly timeline: HostTimeline | undefined;
}

export interface PastOfHost {
  /** Undefined if the host cannot be reached. */
  readonly live: Context | undefined;
  /** Undefined if no visible archive has samples in the window. */
  readonly timeline: HostTimeline | undefined;
}

interface VisibleArchive {
  readonly archive: HostArchive;
  readonly filter: MetricFilter | undefined;
}

/** The requested window; all of the past by default. */
type WindowParameters = Pick<RangeParameters, 'start' | 'finish' | 'zone' | 'align' | 'offset'>;

type WindowChoice = WindowParameters | ((bounds: RangeBounds) => WindowSpan);
type WindowSpan = Pick<RangeRequest, 'start' | 'finish'>;

const MAX_ARCHIVES = 400;
const OPEN_AT_ONCE = 8;
/** How long an unreachable host with archives is not tried again. */
const RETRY_MS = 10_000;
const FAILURES_KEPT = 1000;

/** The place to read a window of an archive or host. Throws as {@link pastOfHost}. */
export async function placeOfRange(request: SourceRequest, window: WindowChoice): Promise<RangePlace> {
  const { live, timeline } = await pastOfHost(request, window);
  // A context that the client names keeps its own derived metrics and its profile.
  const isNamed = (request.query.context ?? request.path.context) !== undefined;
  return { context: timeline && !(live && isNamed) ? timeline.context : live!, timeline };
}

/** Warnings for metrics of a timeline: skipped archives, and changed descriptors. */
export async function timelineWarnings({ source, warnings }: HostTimeline, { base }: FetchPlan): Promise<Warning[]> {
  const changes = await source.changesOf(base.map(({ descriptor }) => descriptor.pmid));
  return [...warnings, ...changes.map(({ pmErr, message }) => pmErrWarning({}, pmErr, message))];
}

/** A host's context, and its archives in a window. Throws opening errors unless archives stand in; LIMIT_EXCEEDED for too many. */
export async function pastOfHost(request: SourceRequest, window: WindowChoice): Promise<PastOfHost> {
  const { options } = request;
  const { hostArchives } = options.directories;
  if (isKnownDown(request, hostArchives)) {
    const timeline = await timelineOf(request, undefined, window);
    if (timeline) return { live: undefined, timeline };
  }
  let live: Context | undefined;
  let failure: unknown;
  try {
    live = await contextOf(request, 'shared');
  } catch (error) {
    if (!isSourceError(error)) throw error;
    failure = error;
    noteDown(request, hostArchives);
  }
  if (live?.archive) return { live, timeline: undefined };
  const timeline = await timelineOf(request, live, window);
  if (!live && !timeline) throw failure;
  return { live, timeline };
}

/** By gateway and hostspec: until when a host is not tried again. */
const downUntilMs = new WeakMap<HostArchiveDirectory, LRUCache<string, number>>();

/** The host of a request that may be remembered as down: without context and credentials. */
function triedHost(request: SourceRequest): string | undefined {
  if ((request.query.context ?? request.path.context) !== undefined) return undefined;
  const spec = newSpecOf(request);
  return spec.kind === 'host' && !holdsCredentials(spec) ? spec.hostspec : undefined;
}

function isKnownDown(request: SourceRequest, directory: HostArchiveDirectory): boolean {
  const host = triedHost(request);
  const untilMs = host === undefined ? undefined : downUntilMs.get(directory)?.get(host);
  return untilMs !== undefined && request.options.contexts.clock.monotonicMs() < untilMs;
}

function noteDown(request: SourceRequest, directory: HostArchiveDirectory): void {
  const host = triedHost(request);
  if (host === undefined) return;
  const hosts = getOrMake(downUntilMs, directory, () => new LRUCache<string, number>({ max: FAILURES_KEPT }));
  hosts.set(host, request.options.contexts.clock.monotonicMs() + RETRY_MS);
}

/** The remembered samples of a host that has no archives. */
export function rememberedOnly(
  { options }: SourceRequest,
  live: Context,
  parameters: WindowParameters,
): Pick<HostTimeline, 'source' | 'window'> {
  const { clock } = options.contexts;
  const now = clock.now();
  const window = parseRange(parameters, { start: now, end: now, now, zone: UTC_ZONE }, options.limits.ranges);
  const source = new TimelineSource({
    archives: [],
    live: live.fetching.remembered,
    hostName: '',
    timezone: undefined,
    start: now,
    now: () => now,
  });
  return { source, window };
}

async function timelineOf(
  request: SourceRequest,
  live: Context | undefined,
  windowed: WindowChoice,
): Promise<HostTimeline | undefined> {
  const spec = live?.spec ?? newSpecOf(request);
  if (spec.kind !== 'host') return undefined;
  const { options } = request;
  const directory = options.directories.hostArchives;
  const signal = untilGone(request);
  const info = await live?.info();
  const { archives, broken } = await directory.list(spec.hostspec, info?.hostName, signal);
  const visible = archives.flatMap((archive): readonly VisibleArchive[] => {
    const seen = visibilityOf({ kind: 'archive', archive: archive.name }, request.principal);
    return seen ? [{ archive, ...seen }] : [];
  });
  const [first] = visible;
  if (!first) return undefined;
  const now = options.contexts.clock.now();
  const timezone = info?.timezone ?? visible.at(-1)!.archive.timezone;
  const bounds = { start: first.archive.start, end: now, now, zone: sourceZone(timezone) };
  const window =
    typeof windowed === 'function' ? windowed(bounds) : parseRange(windowed, bounds, options.limits.ranges);
  const all = visible.map(({ archive }) => archive);
  const wanted = new Set(await directory.overlapping(all, window.start, window.finish, signal));
  const members = visible.filter(({ archive }) => wanted.has(archive));
  if (members.length === 0) return undefined;
  if (members.length > MAX_ARCHIVES) {
    const message = `the window touches ${members.length} archives; at most ${MAX_ARCHIVES} are read as one`;
    throw new GatewayError('LIMIT_EXCEEDED', message, { parameter: 'start', expected: 'a shorter window' });
  }
  const { start } = first.archive;
  const timelineSpec: SourceSpec = {
    kind: 'archive',
    archive: JSON.stringify([
      spec.hostspec,
      live?.id ?? null,
      formatTimestamp(start),
      members.map(({ archive, filter }) => [archive.name, formatTimestamp(archive.start), filter?.key]),
    ]),
    ...(spec.filter ? { filter: spec.filter } : {}),
    open: async (stop) => {
      const opened = await openAll(request, members, stop);
      const { parts: own, passed } = await withoutPassed(opened.parts);
      const { parts, others } = await ofOneMachine(own, live?.fetching.remembered?.source);
      const skipped = [...opened.skipped, ...passed, ...others];
      const source = new TimelineSource({
        archives: parts,
        live: live?.fetching.remembered,
        hostName: info?.hostName ?? spec.hostspec.replace(/[?&].*$/s, ''),
        timezone,
        start,
        now: () => options.contexts.clock.now(),
        operandsOf: (name) => options.contexts.definitions.get(name)?.operands.metrics,
        skipped,
      });
      sources.set(timelineSpec, source);
      return source;
    },
  };
  const context = await options.contexts.shared(timelineSpec, () => untilGone(request));
  keepOpen(request, context);
  const source = sources.get(context.spec)!;
  const told = broken.filter(({ name }) => visibilityOf({ kind: 'archive', archive: name }, request.principal));
  const warnings = [...source.skipped, ...told].map(({ name, error }) => leftOutWarning(name, error));
  return { context, source, warnings, window };
}

/** The timelines of contexts, by their specs. */
const sources = new WeakMap<SourceSpec, TimelineSource>();

async function openAll(
  { options }: AnyRequest,
  members: readonly VisibleArchive[],
  signal: AbortSignal | undefined,
): Promise<{ readonly parts: readonly ArchivePart[]; readonly skipped: readonly SkippedArchive[] }> {
  const parts: (ArchivePart | undefined)[] = members.map(() => undefined);
  const skipped: SkippedArchive[] = [];
  const queue = members.entries();
  const work = async (): Promise<void> => {
    for (const [i, { archive, filter }] of queue) {
      try {
        const part = await options.directories.hostArchives.open(archive, signal);
        parts[i] = filter ? { ...part, source: filterSource(part.source, filter).archive! } : part;
      } catch (error) {
        if (!(error instanceof PmError) || signal?.aborted === true) throw error;
        skipped.push({ name: archive.name, error });
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: OPEN_AT_ONCE }, work));
  } catch (error) {
    await Promise.all(parts.map(async (part) => part?.source.close()));
    throw error;
  }
  return { parts: parts.filter((part) => part !== undefined), skipped };
}

/** The archives of one machine: that of the live host, else of the archive that ends last, and those that do not contradict it. */
async function ofOneMachine(
  all: readonly ArchivePart[],
  live: Pick<MetricSource, 'labels'> | undefined,
): Promise<{ readonly parts: readonly ArchivePart[]; readonly others: readonly SkippedArchive[] }> {
  const ids = await Promise.all(all.map(({ source, end }) => machineOf(source, end)));
  const latest = [...all.keys()].sort((a, b) => compareTimestamps(all[b]!.end, all[a]!.end));
  const own = (live && (await machineOf(live))) ?? latest.map((i) => ids[i]).find((id) => id !== undefined);
  const kept: number[] = [];
  const reasons = new Map<number, string>();
  for (const i of latest) {
    if (ids[i] !== undefined && ids[i] !== own) reasons.set(i, 'label machineid');
    const unsure = kept.filter((k) => ids[i] === undefined || ids[k] === undefined);
    for (const k of reasons.has(i) ? [] : unsure) {
      if (!(await contradict(all[i]!, all[k]!))) continue;
      reasons.set(i, `its values contradict those of ${all[k]!.name}`);
      break;
    }
    if (!reasons.has(i)) kept.push(i);
  }
  const others = await Promise.all(
    [...reasons].map(async ([i, reason]) => {
      const { name, source } = all[i]!;
      await source.close();
      const message = `it is of another machine with the same host name (${reason}): read it with archive=${name}`;
      return { name, error: new PmError(PM_ERR.LOGHOST, message) };
    }),
  );
  return { parts: all.filter((_, i) => !reasons.has(i)), others };
}

/** The label machineid of a source, as JSON; undefined without one, or for PCP's placeholder. */
async function machineOf(source: Pick<MetricSource, 'labels'>, at?: Timestamp): Promise<string | undefined> {
  const sets = await source.labels({ kind: 'context' }, at).catch(onPmError(() => []));
  const id = sets.flatMap(({ labels }) => labels).find(({ name }) => name === 'machineid')?.json;
  return id === '"localmachine"' || id === '""' ? undefined : id;
}
