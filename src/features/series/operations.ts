import { GatewayError } from '../../pmapi/index.js';
import { requireIds } from './index.js';
import type { SeriesView, WindowText } from './index.js';
import { jsonAnswer, leftOutWarning, warningsHeader } from '../../http/response/answer.js';
import type { Answer, OperationRequest, ParametersOf, StreamedAnswer } from '../../http/contracts.js';
import { untilGone } from '../../http/request/client-gone.js';
import { visibilityOf } from '../../http/request/request-context.js';
import {
  seriesList,
  seriesObject,
  seriesValuesAnswer,
  writeSeriesDescription,
} from './series-writer.js';
import { writeLabels } from '../../http/response/writers/metadata-writer.js';

type QueryRequest = OperationRequest<ParametersOf<'SeriesQueryParameters'>>;
type LoadRequest = OperationRequest<ParametersOf<'SeriesLoadParameters'>>;
type ValuesRequest = OperationRequest<ParametersOf<'SeriesValuesParameters'>>;
type IdsRequest = OperationRequest<ParametersOf<'SeriesDescsParameters'>>;
type ListRequest = OperationRequest<ParametersOf<'SeriesListParameters'>>;
type LabelsRequest = OperationRequest<ParametersOf<'SeriesLabelsParameters'>>;
type SourcesRequest = OperationRequest<ParametersOf<'SeriesSourcesParameters'>>;
type PingRequest = OperationRequest<ParametersOf<'SeriesPingParameters'>>;

type SeriesAnswer = Promise<Answer | StreamedAnswer>;

/** Series that a query selects, or their values when it has a window. @see pmseries(1) */
export async function runSeriesQuery(request: QueryRequest): SeriesAnswer {
  const { expr, client } = request.query;
  const text = requireText('expr', expr);
  const view = await viewOf(request);
  const result = await view.query(text);
  if (result.kind === 'values') return withWarnings(seriesValuesAnswer(client, result.series), view);
  return seriesList(client, result.ids.map(quoted));
}

/** Values of series in a window; without one the newest. */
export async function runSeriesValues(request: ValuesRequest): SeriesAnswer {
  const { query } = request;
  const ids = requireIds(requireList('series', query.series));
  const view = await viewOf(request);
  return withWarnings(seriesValuesAnswer(query.client, await view.values(ids, windowOf(query))), view);
}

/** Descriptors of series, in the order requested. */
export async function runSeriesDescs(request: IdsRequest): SeriesAnswer {
  const { series, client } = request.query;
  const ids = requireList('series', series);
  const view = await viewOf(request);
  const elements: string[] = [];
  for (const id of ids) elements.push(writeSeriesDescription(id, await view.describe(id)));
  return seriesList(client, elements);
}

/** Names of the metrics of series, or names that match. */
export async function runSeriesMetrics(request: ListRequest): SeriesAnswer {
  const { series, match, client } = request.query;
  const ids = series && requireList('series', series);
  const view = await viewOf(request);
  if (!ids) return seriesList(client, view.metricNames(match).map(quoted));
  const elements = ids.flatMap((id) => {
    const name = view.nameOf(id);
    return name === undefined ? [] : [JSON.stringify({ series: id, name })];
  });
  return seriesList(client, elements);
}

/** Instances of series, or names of instances that match. */
export async function runSeriesInstances(request: ListRequest): SeriesAnswer {
  const { series, match, client } = request.query;
  const ids = series && requireList('series', series);
  const view = await viewOf(request);
  if (!ids) return seriesList(client, view.instanceNames(match).map(quoted));
  const elements: string[] = [];
  for (const id of ids) {
    for (const { source, instance, number, name } of await view.instancesOf(id)) {
      elements.push(JSON.stringify({ series: id, source, instance, id: number, name }));
    }
  }
  return seriesList(client, elements);
}

/** Labels of series and instances, values of labels, or names of labels. */
export async function runSeriesLabels(request: LabelsRequest): SeriesAnswer {
  const { series, name, names, match, client } = request.query;
  const wanted = name ?? names;
  if (series && wanted) {
    throw new GatewayError('BAD_PARAMETER', "'series' and 'names' are mutually exclusive", {
      parameter: 'names',
      expected: 'series or names of labels, not both',
    });
  }
  const ids = series && requireList('series', series);
  const view = await viewOf(request);
  if (ids) {
    const elements = ids.flatMap((id) => {
      const labels = view.labelsOf(id);
      return labels ? [`{"series":${quoted(id)},"labels":${writeLabels(labels)}}`] : [];
    });
    return seriesList(client, elements);
  }
  if (!wanted) return seriesList(client, view.labelNames(match).map(quoted));
  const members = [...new Set(wanted)].flatMap((label) => {
    const values = view.labelValues(label);
    return values.length > 0 ? [`${quoted(label)}:[${values.join(',')}]`] : [];
  });
  return seriesObject(client, members);
}

/** What sources are called, or names of sources that match. */
export async function runSeriesSources(request: SourcesRequest): SeriesAnswer {
  const { source, match, client } = request.query;
  const ids = source && requireList('source', source);
  if (!ids && match === undefined) throw missing('source');
  const view = await viewOf(request);
  if (!ids) return seriesList(client, view.sourceNames(match!).map(quoted));
  const elements = ids.flatMap((id) => view.namesOfSource(id).map((name) => JSON.stringify({ source: id, name })));
  return seriesList(client, elements);
}

/** There is nothing to load: every archive below the roots has its series. Fails alike for what is not there and what may not be seen. */
export async function runSeriesLoad(request: LoadRequest): Promise<Answer> {
  const { expr, client } = request.query;
  const text = requireText('expr', expr);
  const archive = /"([^"]*)"/.exec(text)?.[1] ?? text.trim();
  const view = await viewOf(request);
  if (view.archiveNames.includes(archive)) return successAnswer(client);
  throw new GatewayError(
    'BAD_PARAMETER',
    `no archive ${JSON.stringify(archive.slice(0, 200))} below the configured roots`,
    {
      parameter: 'expr',
      expected: 'the name of an archive',
    },
  );
}

/** Whether series are served. */
export function runSeriesPing({ query }: PingRequest): Answer {
  return successAnswer(query.client);
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

/** The series that the client may see. */
export async function viewOf(request: OperationRequest<object>): Promise<SeriesView> {
  const { options, principal } = request;
  if (!options.series) throw new GatewayError('UNAVAILABLE', 'series are not served');
  return options.series.view((spec) => visibilityOf(spec, principal), untilGone(request));
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

function missing(parameter: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', `'${parameter}' is missing, or a part of it is empty`, {
    parameter,
    expected: `a value of '${parameter}'`,
  });
}
