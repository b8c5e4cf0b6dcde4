import { inTurns } from '../../kit/index.js';
import { badParameter, GatewayError, limitExceeded } from '../../pmapi/index.js';
import { requireIds, type SeriesView } from './series-view.js';
import type { WindowText } from './language/index.js';
import { jsonAnswer, leftOutWarning, untilGone, visibilityOf, warningsHeader, writeLabels } from '../../http/index.js';
import type { Answer, AnyRequest, OperationRequest, QueryOf, Route, Routes, StreamedAnswer } from '../../http/index.js';
import type { Series } from './series.js';
import { seriesList, seriesObject, seriesValuesAnswer, writeSeriesDescription } from './series-writer.js';

type QueryRequest = OperationRequest<QueryOf<'querySeries'>>;
type ValuesRequest = OperationRequest<QueryOf<'getSeriesValues'>>;
type IdsRequest = OperationRequest<QueryOf<'getSeriesDescriptors'>>;
type ListRequest = OperationRequest<QueryOf<'getSeriesInstances'>>;
type LabelsRequest = OperationRequest<QueryOf<'getSeriesLabels'>>;
type SourcesRequest = OperationRequest<QueryOf<'getSeriesSources'>>;

type SeriesAnswer = Promise<Answer | StreamedAnswer>;

export function seriesRoutes(series: Series) {
  const by = <Request>(run: (request: Request, series: Series) => SeriesAnswer, more: Partial<Route> = {}) => ({
    cost: 'costly' as const,
    ...more,
    run: (request: Request) => run(request, series),
  });
  return {
    querySeries: by(runQuery, { growsWithText: true }),
    getSeriesValues: by(runValues),
    getSeriesDescriptors: by(runDescs),
    getSeriesMetrics: by(runMetrics),
    getSeriesInstances: by(runInstances),
    getSeriesLabels: by(runLabels),
    getSeriesSources: by(runSources),
    seriesLoad: by(runLoad, { cost: 'usual' }),
    seriesPing: { run: ({ query }: QueryRequest) => successAnswer(query.client), permission: 'none' },
  } satisfies Routes;
}

/** Series that a query selects, or their values when it has a window. @see pmseries(1) */
async function runQuery(request: QueryRequest, series: Series): SeriesAnswer {
  const { expr, client } = request.query;
  const text = requireText('expr', expr);
  const view = await viewOf(request, series);
  const result = await view.query(text);
  if (result.kind === 'values') return withWarnings(seriesValuesAnswer(client, result.series), view);
  return seriesList(client, result.ids.map(quoted));
}

async function runValues(request: ValuesRequest, series: Series): SeriesAnswer {
  const { query } = request;
  const ids = requireIds(requireList('series', query.series));
  const view = await viewOf(request, series);
  return withWarnings(seriesValuesAnswer(query.client, await view.values(ids, windowOf(query))), view);
}

async function runDescs(request: IdsRequest, series: Series): SeriesAnswer {
  const { client } = request.query;
  const ids = requireList('series', request.query.series);
  const view = await viewOf(request, series);
  return listOf(client, view, ids, async (id) => [writeSeriesDescription(id, await view.describe(id))]);
}

async function runMetrics(request: ListRequest, series: Series): SeriesAnswer {
  const { series: wanted, match, client } = request.query;
  const ids = wanted && requireList('series', wanted);
  const view = await viewOf(request, series);
  if (!ids) return seriesList(client, (await view.metricNames(match)).map(quoted));
  return listOf(client, view, ids, async (id) => {
    const name = await view.nameOf(id);
    return name === undefined ? [] : [JSON.stringify({ series: id, name })];
  });
}

async function runInstances(request: ListRequest, series: Series): SeriesAnswer {
  const { series: wanted, match, client } = request.query;
  const ids = wanted && requireList('series', wanted);
  const view = await viewOf(request, series);
  if (!ids) return seriesList(client, (await view.instanceNames(match)).map(quoted));
  return listOf(client, view, ids, async (id) => {
    const elements: string[] = [];
    for await (const { source, instance, number, name } of inTurns(await view.instancesOf(id))) {
      elements.push(JSON.stringify({ series: id, source, instance, id: number, name }));
    }
    return elements;
  });
}

async function runLabels(request: LabelsRequest, series: Series): SeriesAnswer {
  const { name, names, match, client } = request.query;
  const wanted = name ?? names;
  // As in pmproxy, a list of empty names has no values, and an empty list is a mistake.
  if (wanted && wanted.length <= 1 && !wanted[0]) throw missing(name ? 'name' : 'names');
  if (request.query.series && wanted) {
    throw badParameter('names', "'series' and 'names' are mutually exclusive", 'series or names of labels, not both');
  }
  const ids = request.query.series && requireList('series', request.query.series);
  const view = await viewOf(request, series);
  if (ids) {
    return listOf(client, view, ids, async (id) => {
      const labels = await view.labelsOf(id);
      return labels ? [`{"series":${quoted(id)},"labels":${writeLabels(labels)}}`] : [];
    });
  }
  if (!wanted) return seriesList(client, (await view.labelNames(match)).map(quoted));
  const members: string[] = [];
  for await (const label of view.each(wanted)) {
    const values = await view.labelValues(label);
    if (values.length > 0) members.push(`${quoted(label)}:[${values.join(',')}]`);
  }
  return seriesObject(client, members);
}

async function runSources(request: SourcesRequest, series: Series): SeriesAnswer {
  const { source, match, client } = request.query;
  const ids = source && requireList('source', source);
  if (!ids && match === undefined) throw missing('source');
  const view = await viewOf(request, series);
  if (!ids) return seriesList(client, (await view.sourceNames(match!)).map(quoted));
  return listOf(client, view, ids, async (id) =>
    (await view.namesOfSource(id)).map((name) => JSON.stringify({ source: id, name })),
  );
}

/** There is nothing to load: every archive below the roots has its series. Fails alike for what is not there and what may not be seen. */
async function runLoad(request: QueryRequest, series: Series): Promise<Answer> {
  const { expr, client } = request.query;
  const text = requireText('expr', expr);
  const archive = /"([^"]*)"/.exec(text)?.[1] ?? text.trim();
  const view = await viewOf(request, series);
  if (view.archiveNames.includes(archive)) return successAnswer(client);
  const message = `no archive ${JSON.stringify(archive.slice(0, 200))} below the configured roots`;
  throw badParameter('expr', message, 'the name of an archive');
}

function successAnswer(client: string | undefined): Answer {
  return jsonAnswer(JSON.stringify({ ...(client === undefined ? {} : { client }), success: true }));
}

/** An answer that tells in a header which archives are left out: its shape is pmproxy's. */
export function withWarnings<T extends Answer | StreamedAnswer>(answer: T, { skipped }: SeriesView): T {
  if (skipped.length === 0) return answer;
  const headers = warningsHeader(skipped.map(({ name, error }) => leftOutWarning(name, error)));
  return { ...answer, headers: [...(answer.headers ?? []), ...headers] };
}

export async function viewOf(request: AnyRequest, series: Series): Promise<SeriesView> {
  const { principal } = request;
  const view = await series.view((spec) => visibilityOf(spec, principal), untilGone(request));
  request.held.push(view.release);
  return view;
}

/** The window of a request; of two words for one thing the first counts. */
function windowOf(query: ValuesRequest['query']): WindowText {
  const { samples, count, interval, delta, start, begin, finish, end, range, align, offset, zone } = query;
  const words = {
    range,
    samples: samples ?? count,
    interval: interval ?? delta,
    start: start ?? begin,
    finish: finish ?? end,
    align,
    offset,
    zone,
  };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function requireText(parameter: string, text: string | undefined): string {
  if (text === undefined || text === '') throw missing(parameter);
  return text;
}

function requireList(parameter: string, list: readonly string[] | undefined): readonly string[] {
  if (!list || list.length === 0 || list.includes('')) throw missing(parameter);
  return list;
}

const ELEMENTS = 100_000;

/** A list for each identifier, repeated ones included, in order. Throws LIMIT_EXCEEDED for too many elements. */
async function listOf(
  client: string | undefined,
  view: SeriesView,
  ids: readonly string[],
  of: (id: string) => Promise<readonly string[]>,
): SeriesAnswer {
  const elements = new Map<string, readonly string[]>();
  let count = 0;
  for await (const id of view.each(ids)) {
    const own = await of(id);
    elements.set(id, own);
    requireFew((count += own.length));
  }
  requireFew(ids.reduce((sum, id) => sum + elements.get(id)!.length, 0));
  return seriesList(
    client,
    ids.flatMap((id) => elements.get(id)!),
  );
}

function requireFew(elements: number): void {
  if (elements <= ELEMENTS) return;
  throw limitExceeded(`more than ${ELEMENTS} elements: ask for fewer series`, `at most ${ELEMENTS} elements`);
}

function missing(parameter: string): GatewayError {
  return badParameter(parameter, `'${parameter}' is missing, or a part of it is empty`, `a value of '${parameter}'`);
}
