import { planAnew, type Context, type FetchNotes, type FetchPlan } from '../../../context/index.js';
import { inBatches } from '../../../kit/index.js';
import { GatewayError, INDOM_NULL, isArithmeticType, onPmError, type FetchResult } from '../../../pmapi/index.js';
import {
  LINE_END,
  piecesInTurns,
  untilReleased,
  warningsHeader,
  bytesOf,
  isLarge,
  requireFewMetrics,
  requireFewValues,
} from '../../response/answer.js';
import type { Warning, ResultSize } from '../../response/answer.js';
import type { Answer, OperationRequest, QueryOf, StreamedAnswer } from '../../contracts.js';
import { negotiate } from '../../request/media-type.js';
import { contextOf, untilGone } from '../../request/request-context.js';
import { exposeSource } from '../../response/writers/exposition.js';
import type { ExposedIndom, ExposedSource, Exposition } from '../../response/writers/exposition.js';
import {
  OPEN_METRICS_TYPE,
  PMPROXY_TEXT_TYPE,
  writeOpenMetrics,
  writePmproxyText,
} from '../../response/writers/open-metrics.js';
import { writeOpenTelemetry } from '../../response/writers/open-telemetry.js';
import { compilePatterns, refuseIdle } from '../../../context/selection/index.js';
import { askHosts, listedHosts, type HostOutcome } from './several-hosts.js';
import { isMissing, readSubtrees } from '../metadata/named-metrics.js';

type MetricsQuery = QueryOf<'scrapeMetrics'>;

/** Metrics of single processes: nearly all values of a machine, and new series with each process. */
const PER_PROCESS = /^(?:proc|hotproc)\./;

/** In order of preference among equals: scrapers that want OpenMetrics say so, all others expect pmproxy's text. */
const OFFERS = [
  { name: 'text/plain', versions: ['0.0.4'], format: 'text' },
  { name: 'application/openmetrics-text', versions: ['1.0.0', '0.0.1'], format: 'openmetrics' },
  { name: 'application/json', format: 'opentelemetry' },
] as const;

export async function runMetrics(request: OperationRequest<MetricsQuery>): Promise<Answer | StreamedAnswer> {
  const { filter, match } = request.query;
  refuseIdle('match', match !== undefined && filter === undefined, 'how to match filter', 'filter');
  const hosts = listedHosts(request);
  const gone = untilGone(request);
  if (!hosts) {
    const exposed = await expose(request, gone);
    return writeAnswer(request, [exposed], exposed.warnings);
  }
  const outcomes = await askHosts(request, hosts, (own) => expose(own, gone));
  const answers = outcomes.flatMap(({ answer }) => answer ?? []);
  const [first] = outcomes;
  // A scraper must notice that there are no values at all.
  if (answers.length === 0 && first?.error)
    throw new GatewayError(first.error.code, first.error.message, first.error.details);
  return writeAnswer(request, answers, outcomes.flatMap(warningsOf));
}

type Shown = Pick<Awaited<ReturnType<typeof selectNames>>, 'names' | 'query'>;

interface Exposed {
  readonly source: ExposedSource;
  readonly warnings: readonly Warning[];
  readonly size: ResultSize;
  /** Called when nothing more is read from the source. */
  readonly release: () => void;
}

async function expose(request: OperationRequest<MetricsQuery>, gone: AbortSignal): Promise<Exposed> {
  const context = await contextOf(request, 'shared');
  const { overload } = request.options.guards;
  const leave = await overload.enterExposition(context.origin, gone);
  try {
    return await planAnew(() => exposeOnce(request, context, gone));
  } finally {
    leave();
  }
}

async function exposeOnce(
  request: OperationRequest<MetricsQuery>,
  context: Context,
  gone: AbortSignal,
): Promise<Exposed> {
  const { warnings, ...shown } = await selectNames(context, request.query, gone);
  requireFewMetrics(shown.names.length, request.options);
  const plan = await numericPlan(context, shown, gone);
  const [metadata, indoms, contextLabels] = await Promise.all([
    metadataOf(context, plan, gone),
    indomsOf(context, plan),
    context.names.contextLabels(),
  ]);
  const write = (result: FetchResult, notes: FetchNotes): Exposed => {
    const size = requireFewValues(result, request.options);
    const kept = notes.keep();
    const source = exposeSource({ plan, result: kept.result, metadata, indoms }, contextLabels);
    return { source, warnings, size, release: kept.release };
  };
  return context.fetching.fetch(plan, write);
}

/** What is missing of one of several hosts: some metrics, or everything. */
function warningsOf({ hostspec, answer, error }: HostOutcome<Exposed>): readonly Warning[] {
  if (answer) return answer.warnings.map((warning) => ({ hostspec, ...warning }));
  const { pmErr } = error.details;
  return [{ hostspec, message: error.message, code: error.code, ...(pmErr === undefined ? {} : { pmErr }) }];
}

function writeAnswer(
  { query, headers: { accept }, compat, options }: OperationRequest<MetricsQuery>,
  exposed: readonly Exposed[],
  warnings: readonly Warning[],
): Answer | StreamedAnswer {
  const headers = ['Vary', 'Accept', ...warningsHeader(warnings)];
  const times = query.times === true;
  // `Accept` comes second: scrapers always send it, whatever their users want.
  const form = query.format ?? negotiate(accept, OFFERS).format;
  const sources = exposed.map(({ source }) => source);
  const written = (): [contentType: string, pieces: Iterable<string>, end?: string] => {
    switch (compat ? 'text' : form) {
      case 'opentelemetry':
        return ['application/json', writeOpenTelemetry(sources, options.version), LINE_END];
      case 'openmetrics':
        return [OPEN_METRICS_TYPE, writeOpenMetrics(sources, times)];
      case 'text':
        return [PMPROXY_TEXT_TYPE, writePmproxyText(sources, { times, compat })];
    }
  };
  const [contentType, pieces, end = ''] = written();
  const size = exposed.reduce((sum, one) => sum + one.size, 0);
  const held = untilReleased(pieces, () => {
    for (const { release } of exposed) release();
  });
  if (!isLarge(size)) return { contentType, body: [...held].join('') + end, headers };
  return { contentType, pieces: piecesInTurns(held, end), heldBytes: bytesOf(size), headers };
}

/** The names to expose, each once, by default without those of single processes; unknown subtrees are warnings, unless all are unknown. */
async function selectNames(context: Context, { filter = [], match, ...query }: MetricsQuery, gone: AbortSignal) {
  const asked = query.names ?? query.name ?? query.prefix ?? query.target ?? [];
  const isNamed = asked.length > 0;
  const subtrees = isNamed ? asked : [''];
  const found = [...(await readSubtrees(context, subtrees, gone)).values()];
  const names = new Set(found.flatMap((subtree) => (isMissing(subtree) ? [] : subtree)));
  const warnings = found.filter(isMissing);
  const [first] = warnings;
  if (first && warnings.length === found.length) {
    const details = first.pmErr === undefined ? {} : { pmErr: first.pmErr };
    throw new GatewayError(first.code, `'${first.name ?? ''}' - ${first.message}`, details);
  }
  const { matches: isLeftOut } = compilePatterns(filter, match ?? 'glob', 'filter');
  const shown = [...names].filter((name) => (isNamed || !PER_PROCESS.test(name)) && !isLeftOut(name));
  return { names: shown, query: JSON.stringify([asked, filter, match]), warnings };
}

async function numericPlan(context: Context, { names, query }: Shown, gone: AbortSignal): Promise<FetchPlan> {
  const pmids = await context.names.lookupNames(names);
  const found = names.filter((_, i) => pmids[i]! >= 0);
  const known = pmids.filter((pmid) => pmid >= 0);
  const descriptors = await context.names.describe(known, gone);
  const numeric = found.filter((_, i) => {
    const descriptor = descriptors[i];
    return typeof descriptor === 'object' && isArithmeticType(descriptor.type);
  });
  return context.plans.get({ names: numeric, query }, () => gone);
}

async function metadataOf(context: Context, plan: FetchPlan, gone: AbortSignal): Promise<Exposition['metadata']> {
  const at = context.archive ? 'archive' : undefined;
  const metadata: Exposition['metadata'][number][] = [];
  for await (const batch of inBatches(plan.entries, gone)) {
    metadata.push(...(await Promise.all(batch.map(({ pmid }) => context.names.metadata(pmid, at)))));
  }
  return metadata;
}

async function indomsOf(context: Context, plan: FetchPlan): Promise<Exposition['indoms']> {
  const indoms = new Set(plan.entries.map(({ descriptor }) => descriptor.indom));
  indoms.delete(INDOM_NULL);
  const exposed = [...indoms].map(async (indom) => [indom, await exposedIndom(context, indom)] as const);
  return new Map(await Promise.all(exposed));
}

/** Names and labels of instances; an instance domain that has just disappeared has none, and its values are identified by number. */
async function exposedIndom(context: Context, indom: number): Promise<ExposedIndom> {
  // The position of the next fetch from an archive is not known yet.
  const at = context.archive ? 'archive' : undefined;
  const { names } = context;
  const finding = Promise.all([names.instances(indom, at), names.indomMetadata(indom, at)]);
  const found = await finding.catch(onPmError(() => undefined));
  return {
    names: new Map(found?.[0].instances.map(({ id, name }) => [id, name])),
    labels: found?.[1].instanceLabels ?? new Map(),
  };
}
