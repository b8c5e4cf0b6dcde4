import type { Context } from '../../context/index.js';
import { eachInTurns } from '../../kit/index.js';
import { compareTimestamps, earlier, formatTimestamp, later, secondsBetween } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import type { TimelineSegment } from '../../sources/timeline/index.js';
import type { Answer, OperationRequest, QueryOf, StreamedAnswer } from '../contracts.js';
import type { ListedArchive } from '../options.js';
import { untilGone } from '../request/request-context.js';
import { pastOfHost, rememberedOnly, timelineWarnings } from '../request/host-timeline.js';
import { jsonAnswer, listAnswer, NOTHING_RECORDED, warningsMember } from '../response/answer.js';
import { errorBody, viewError } from '../response/error-response.js';
import { selectMetrics } from './values/fetch-parameters.js';
import { planOn } from './values/fetch.js';

/** Lists the archives that the client may see and that match, and those that cannot be opened. */
export async function runArchives(
  request: OperationRequest<QueryOf<'listArchives'>>,
): Promise<Answer | StreamedAnswer> {
  const { options, principal, query } = request;
  const { hostspec, start, finish, limit } = query;
  const filter = {
    isSeen: (name: string) => principal?.sees({ kind: 'archive', archive: name }) !== false,
    hostName: hostspec,
    start,
    finish,
    limit,
  };
  const { archives, broken } = await options.directories.archives.list(filter, untilGone(request));
  const isFiltered = [hostspec, start, finish, limit].some((value) => value !== undefined);
  const entries = [...archives, ...(isFiltered ? [] : broken)].sort((a, b) => (a.name < b.name ? -1 : 1));
  const texts: string[] = [];
  await eachInTurns(entries, (entry) => texts.push('error' in entry ? writeBroken(entry) : writeArchive(entry)));
  return listAnswer('{"archives":[', texts, ']}');
}

function writeArchive({ name, hostName, timezone, start, end, version, metrics, sizeBytes }: ListedArchive): string {
  return (
    `{"name":${JSON.stringify(name)},"hostspec":${JSON.stringify(hostName)},"timezone":${JSON.stringify(timezone)},` +
    `"start":${formatTimestamp(start)},"end":${formatTimestamp(end)},"version":${version},"metrics":${metrics},"size":${sizeBytes}}`
  );
}

function writeBroken({ name, error }: { readonly name: string; readonly error: Error }): string {
  return `{"name":${JSON.stringify(name)},"error":${errorBody(viewError(error)).trimEnd()}}`;
}

type Span = Pick<TimelineSegment, 'from' | 'to'>;

const DEFAULT_START = '-7days';
/** A pause of more than so many times the usual one is a gap. */
const GAP_SPACINGS = 4;

/** What is recorded and remembered of a host. */
export async function runTimeline(request: OperationRequest<QueryOf<'getTimeline'>>): Promise<Answer> {
  const { query, options } = request;
  const parameters = { ...query, start: query.start ?? DEFAULT_START };
  const selected = query.names && selectMetrics({ names: query.names }, options.limits.names);
  const { live, timeline } = await pastOfHost(request, parameters);
  const context = timeline?.context ?? live!;
  const { source, window } = timeline ?? rememberedOnly(request, live!, parameters);
  // Before or after all samples, it would be later than the end.
  const start = earlier(window.start, window.finish);
  const planned = selected && (await planOn(context, selected, request));
  const pmids = planned?.plan.base.map(({ descriptor }) => descriptor.pmid);
  const segments = await source.segments(pmids, untilGone(request));
  const told = timeline && planned ? await timelineWarnings(timeline, planned.plan) : (timeline?.warnings ?? []);
  const held = segments.flatMap((segment) => within(segment, window));
  const warnings = [...(planned?.warnings ?? []), ...told, ...(start === window.start ? [] : [NOTHING_RECORDED])];
  const client = query.client === undefined ? '' : `"client":${JSON.stringify(query.client)},`;
  return jsonAnswer(
    `{${client}"hostspec":${JSON.stringify(query.hostspec ?? query.hostname ?? 'localhost')},` +
      `"start":${formatTimestamp(start)},"finish":${formatTimestamp(window.finish)},"live":${live !== undefined},` +
      `"segments":[${held.map(writeSegment).join(',')}],"gaps":[${gapsIn(held, window, live).map(writeSpan).join(',')}]` +
      `${warningsMember(warnings)}}`,
  );
}

function within(
  segment: TimelineSegment,
  { start, finish }: { readonly start: Timestamp; readonly finish: Timestamp },
): TimelineSegment[] {
  const from = later(segment.from, start);
  const to = earlier(segment.to, finish);
  return compareTimestamps(from, to) <= 0 ? [{ ...segment, from, to }] : [];
}

/** The pauses between segments, and at the end of a window if the host does not answer. */
function gapsIn(
  segments: readonly TimelineSegment[],
  { finish }: { readonly finish: Timestamp },
  live: Context | undefined,
): Span[] {
  const gaps: Span[] = [];
  let last: TimelineSegment | undefined;
  for (const segment of segments) {
    if (last && compareTimestamps(segment.from, last.to) > 0) {
      // What one part has in two pieces, with nothing of another between, has a mark there.
      const isMark = last.part === segment.part;
      if (isMark || isGap(last, segment.from, segment)) gaps.push({ from: last.to, to: segment.from });
    }
    if (!last || compareTimestamps(segment.to, last.to) > 0) last = segment;
  }
  if (last && !live && isGap(last, finish)) gaps.push({ from: last.to, to: finish });
  return gaps;
}

function isGap(before: TimelineSegment, next: Timestamp, after = before): boolean {
  const spacings = [before.spacingSec, after.spacingSec].filter((spacing) => Number.isFinite(spacing));
  return secondsBetween(next, before.to) > GAP_SPACINGS * Math.max(0, ...spacings);
}

function writeSegment({ part, from, to, spacingSec }: TimelineSegment): string {
  const resolution = Number.isFinite(spacingSec) ? `,"resolution":${Number(spacingSec.toPrecision(3))}` : '';
  const archive = part.archive ? `,"archive":${JSON.stringify(part.name)}` : '';
  return `{"from":${formatTimestamp(from)},"to":${formatTimestamp(to)}${resolution},"origin":"${part.origin}"${archive}}`;
}

function writeSpan({ from, to }: Span): string {
  return `{"from":${formatTimestamp(from)},"to":${formatTimestamp(to)}}`;
}
