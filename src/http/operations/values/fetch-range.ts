import { asksForRange } from '../../../context/range/index.js';
import { RangeTrace, requireExplainable } from '../../../context/index.js';
import type { Context, FetchPlan, OpenRange } from '../../../context/index.js';
import { eventLoopTurns } from '../../../kit/index.js';
import { badParameter, GatewayError, INDOM_NULL, onPmError } from '../../../pmapi/index.js';
import { exportArchive } from '../../../archiving/index.js';
import type { OperationRequest, QueryOf, StreamedAnswer } from '../../contracts.js';
import { errorBody, viewError } from '../../response/error-response.js';
import { negotiate } from '../../request/media-type.js';
import { contextHead, WARNINGS_HEADER, warningsHeader, withDamage, withUnmatched } from '../../response/answer.js';
import type { Warning } from '../../response/answer.js';
import { ARROW_TYPE, writeArrow, type LabelsOfSeries } from '../../response/writers/arrow-writer.js';
import { writeColumns, writeCsv, writeNdjson, writeRows } from '../../response/writers/range-writer.js';
import { untilGone } from '../../request/request-context.js';
import type { HostTimeline } from '../../request/host-timeline.js';
import { rangeExplainer, requireExplainableRange } from './explained-fetch.js';
import { NDJSON_TYPE } from './records.js';
import type { ReadSelection } from './fetch-parameters.js';

type FetchQuery = QueryOf<'fetchValues'>;

/** Formats that have a place for the rest of the values. */
const RESTS: readonly string[] = ['rows', 'ndjson', 'columns'];
const TAR_TYPE = 'application/x-tar';
/** In order of preference among equals. */
const OFFERS = [
  { name: 'application/json', format: 'rows' },
  { name: NDJSON_TYPE, format: 'ndjson' },
  { name: 'text/csv', format: 'csv' },
  { name: TAR_TYPE, format: 'archive' },
  { name: ARROW_TYPE, format: 'arrow' },
] as const;

/** Whether a fetch is over a window of time. Throws BAD_PARAMETER when it is not, and yet has parameters that need one. */
export function wantsRange(query: FetchQuery): boolean {
  if (asksForRange(query) || query.format !== undefined) return true;
  for (const parameter of ['zone', 'decimation'] as const) {
    if (query[parameter] === undefined || (parameter === 'zone' && query.times === 'iso')) continue;
    const message = `'${parameter}' applies only to ranges: set a time window`;
    const otherwise = parameter === 'zone' ? ', or times=iso' : '';
    const expected = `one of start, finish, interval, samples, offset, align, points and format as well${otherwise}`;
    throw badParameter(parameter, message, expected);
  }
  return false;
}

/** Whether a client without `format` prefers one that only ranges have: its fetch is the range that `format` would make it. */
export function prefersTable(accept: string): boolean {
  return negotiate(accept, OFFERS) !== OFFERS[0];
}

/** Values over a window, written as they are read; `timeline` is read in place of a host's remembered samples. */
export async function fetchRange(
  request: OperationRequest<FetchQuery>,
  context: Context,
  plan: FetchPlan,
  planned: readonly Warning[],
  { selection, form }: ReadSelection,
  timeline?: HostTimeline,
): Promise<StreamedAnswer> {
  const { query, options, headers } = request;
  const limits = options.limits.ranges;
  const gone = untilGone(request);
  const format = query.format ?? negotiate(headers.accept, OFFERS).format;
  refuseUnlessTable(query, format);
  const trace = query.why === true ? new RangeTrace() : undefined;
  if (trace) {
    requireExplainableRange(request, format);
    requireExplainable(plan.entries.length);
  }
  const recorded = timeline?.context.archive;
  const settings = {
    limits,
    signal: gone,
    wrap: query.wrap,
    selection,
    columns: format === 'columns',
    trace,
    recorded,
  };
  const leave = await options.guards.overload.ranges.enter(gone);
  request.onClose(leave);
  const range = await context.fetching.range(plan, query, settings).catch((error: unknown) => {
    leave();
    throw error;
  });
  const explainer = trace && rangeExplainer(request, { context, plan, selection, form, range, trace });
  const warnings = withUnmatched(planned, range.unmatched);
  const head = contextHead(context.id, query.client);
  const vary = query.format === undefined ? ['Vary', 'Accept'] : [];
  const contexts = [context, ...(timeline ? [timeline.context] : [])];
  const { events } = context.names;
  const answer = (contentType: string, written: StreamedAnswer['pieces']): StreamedAnswer => {
    return { contentType, pieces: whileHeld(contexts, written, leave), headers: vary };
  };
  /** An answer that has no place for warnings in its body. */
  const apart = (type: string, written: StreamedAnswer['pieces'], ...more: readonly string[]): StreamedAnswer => {
    return { ...answer(type, written), headers: [...vary, ...more, ...warningsHeader(warnings)] };
  };
  const trailer = damageTrailer(range);
  switch (format) {
    case 'rows':
      return answer('application/json', writeRows(head, range, warnings, form, events, explainer));
    case 'columns':
      return answer('application/json', writeColumns(head, range, warnings, limits, form));
    case 'ndjson': {
      const lastWords = (error: unknown): string => errorBody(viewError(error), { context: context.id });
      return { ...apart(NDJSON_TYPE, writeNdjson(range, form, events)), lastWords };
    }
    case 'csv': {
      const type = 'text/csv; charset=utf-8; header=present';
      return { ...apart(type, writeCsv(range, query.times), ...csvFileName(range)), trailer };
    }
    case 'arrow':
      return { ...apart(ARROW_TYPE, writeArrow(range, labelsOfSeries(context, range))), trailer };
    case 'archive': {
      const name = await archiveName(context, range);
      const written = exportArchive({ context, range, name, maxMetadataBytes: limits.columnBytes });
      return { ...apart(TAR_TYPE, written, 'Content-Disposition', `attachment; filename="${name}.tar"`), trailer };
    }
  }
}

/** Rejects parameters that the format has no place for. Throws BAD_PARAMETER. */
function refuseUnlessTable({ decimation, rest }: FetchQuery, format: string): void {
  const only = (parameter: string, formats: readonly string[]): GatewayError => {
    const expected = `format=${formats.join(', ')}`;
    return badParameter(parameter, `'${parameter}' does not apply to format=${format}`, expected);
  };
  if (decimation === 'envelope' && format !== 'columns') throw only('decimation', ['columns']);
  if (rest !== undefined && !RESTS.includes(format)) throw only('rest', RESTS);
}

/** The labels of the metrics of a range, and of their instances as they are now or at the position of an archive. */
function labelsOfSeries({ names, archive }: Context, { tableSamples }: OpenRange): LabelsOfSeries {
  const at = archive ? 'archive' : undefined;
  const indoms = new Map<number, ReturnType<typeof names.indomMetadata> | undefined>();
  return async (metric) => {
    const { pmid, descriptor } = tableSamples.metrics[metric]!;
    const { indom } = descriptor;
    const nothing = onPmError(() => undefined);
    const { labels = [] } = (await names.metadata(pmid, at).catch(nothing)) ?? {};
    if (indom !== INDOM_NULL && !indoms.has(indom)) indoms.set(indom, names.indomMetadata(indom, at));
    return { labels, instances: (await indoms.get(indom)?.catch(nothing))?.instanceLabels };
  };
}

/** Tables and archives have no place for what is only known once they are written. */
function damageTrailer({ damage }: OpenRange): NonNullable<StreamedAnswer['trailer']> {
  return { name: WARNINGS_HEADER, value: () => warningsHeader(withDamage([], damage.summary))[1] };
}

/** An archive is called by its host and its start in UTC, in the form of pmlogger's names: `web1-20261122.22.30`. */
async function archiveName(context: Context, { request }: OpenRange): Promise<string> {
  const { hostName } = await context.info();
  const start = new Date(request.origin.sec * 1000).toISOString();
  const time = start.slice(0, 16).replaceAll('-', '').replace(/[T:]/g, '.');
  return `${hostName.replaceAll(/[^\w.-]/g, '_').slice(0, 100) || 'archive'}-${time}`;
}

/** Browsers save a table under a name of its own. */
function csvFileName({ samples }: OpenRange): readonly string[] {
  const name = samples.metrics[0]?.name ?? 'metrics';
  return ['Content-Disposition', `inline; filename="${name.replaceAll(/[^\w.-]/g, '_')}.csv"`];
}

/** Contexts must not expire while their values are being written; others have their turn between two pieces. */
async function* whileHeld<T>(
  contexts: readonly Context[],
  written: AsyncIterable<T>,
  leave: () => void,
): AsyncGenerator<T, void> {
  const releases = contexts.map((context) => context.hold());
  try {
    for await (const piece of written) {
      yield piece;
      const turn = eventLoopTurns.next();
      if (turn) await turn;
    }
  } finally {
    for (const release of releases) release();
    // In a batch, long before its client goes.
    leave();
  }
}
