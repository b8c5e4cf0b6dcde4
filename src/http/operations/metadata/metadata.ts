import { readConsistently, type Context, type MetadataMoment, type MetricMetadata } from '../../../context/index.js';
import { inBatches } from '../../../kit/index.js';
import { badParameter, GatewayError, PM_ERR, PmError, formatPmid, onPmError, parsePmid } from '../../../pmapi/index.js';
import type { Answer, OperationRequest, QueryOf, StreamedAnswer } from '../../contracts.js';
import { contextOf, untilGone } from '../../request/request-context.js';
import {
  contextHead,
  jsonAnswer,
  listAnswer,
  pmErrWarning,
  warningsMember,
  BoundedList,
  isLongList,
  largeFetchTurn,
} from '../../response/answer.js';
import type { Warning } from '../../response/answer.js';
import {
  writeIndomHead,
  writeInstance,
  writeMetric,
  writeMetricFailure,
} from '../../response/writers/metadata-writer.js';
import type { MetricField } from '../../response/writers/metadata-writer.js';
import { refuseMissing } from '../values/fetch-parameters.js';
import { chooseInstances, indomOf, instancesOf, refuseIdleMatch } from '../values/instance-selection.js';
import { answerOfHosts, listedHosts } from '../values/several-hosts.js';
import { placeOfMetadata, type MetadataPlace } from './metadata-moment.js';
import { isMissing, readSubtrees, reasonUnbound, suggestionFor } from './named-metrics.js';

type MetricRequest = OperationRequest<QueryOf<'describeMetrics'>>;
type IndomRequest = OperationRequest<QueryOf<'listInstances'>>;

/** Collects the elements of the response, in the order of the request. */
interface Writing {
  readonly context: Context;
  /** The moment of the labels; undefined: the usual one. */
  readonly at: MetadataMoment | undefined;
  readonly compat: boolean;
  /** The members to write; undefined: all. */
  readonly fields: ReadonlySet<MetricField> | undefined;
  readonly list: BoundedList;
  readonly warnings: Warning[];
}

/** Metadata of metrics. @see pmLookupDesc(3), pmLookupText(3), pmLookupLabels(3) */
export async function runMetric(request: MetricRequest): Promise<Answer | StreamedAnswer> {
  const gone = untilGone(request);
  const hosts = listedHosts(request);
  return hosts ? answerOfHosts(request, hosts, (one) => describeMetrics(one, gone)) : describeMetrics(request, gone);
}

async function describeMetrics(request: MetricRequest, gone: AbortSignal): Promise<Answer | StreamedAnswer> {
  const place = await placeOfMetadata(request);
  const { prefix, names, name, pmids, pmid } = request.query;
  const isLong = isLongList(prefix ?? names ?? name ?? pmids ?? pmid);
  const leave = isLong ? await largeFetchTurn(request, place.context) : undefined;
  try {
    return await readConsistently(place.context.names, () => describeAt(request, place, gone));
  } finally {
    leave?.();
  }
}

async function describeAt(
  { query, compat, options }: MetricRequest,
  { context, at }: MetadataPlace,
  gone: AbortSignal,
): Promise<Answer | StreamedAnswer> {
  const subtrees = query.prefix ?? query.names ?? query.name;
  const pmids = subtrees ? undefined : (query.pmids ?? query.pmid);
  const wanted = pmids ?? (await metricsOf(context, subtrees && subtrees.length > 0 ? subtrees : [''], gone));
  const list = new BoundedList(wanted.length, 'metrics', 'select some of them, or a subtree', options);
  const fields = query.fields && new Set(query.fields);
  const writing: Writing = { context, at, compat, fields, list, warnings: [] };
  if (pmids) {
    for await (const some of inBatches(pmids, gone)) await writePmids(writing, some);
    if (pmids.length === 1 || query.pmids === undefined) refuseMissing(writing.warnings, 'bad parameters passed');
  } else {
    for await (const some of inBatches(wanted, gone)) await writeNames(writing, some);
  }
  const { warnings } = writing;
  return listAnswer(
    `${contextHead(context.id, query.client)},"metrics":[`,
    list.elements,
    `]${warningsMember(warnings)}}`,
  );
}

/** The metrics of the elements, in order. A single unknown element fails the request; an interior node counts once. */
async function metricsOf(
  context: Context,
  wanted: readonly string[],
  gone: AbortSignal,
): Promise<readonly (string | Warning)[]> {
  const subtrees = await readSubtrees(context, wanted, gone);
  const nodes = new Set<string>();
  return wanted.flatMap((node): readonly (string | Warning)[] => {
    const subtree = subtrees.get(node)!;
    if (isMissing(subtree)) {
      if (wanted.length === 1) throw soleFailure(node, subtree);
      return [subtree];
    }
    if (nodes.has(node)) return [];
    if (subtree[0] !== node) nodes.add(node);
    return subtree;
  });
}

function soleFailure(node: string, { pmErr = PM_ERR.NAME, message, code }: Warning): Error {
  if (pmErr === PM_ERR.BADDERIVE) return new GatewayError('SEMANTIC_ERROR', message, { pmErr });
  if (code === 'UNKNOWN_METRIC') return new GatewayError(code, `${node} traversal failed - ${message}`, { pmErr });
  return new PmError(pmErr, `${node} traversal failed`);
}

async function writeNames(writing: Writing, items: readonly (string | Warning)[]): Promise<void> {
  const names = items.filter((item) => typeof item === 'string');
  // Sources reject an empty look-up.
  const pmids = names.length === 0 ? [] : await writing.context.names.lookupNames(names);
  const found = (await Promise.all(pmids.map((pmid) => metadataOf(writing, pmid)))).values();
  for (const item of items) {
    if (typeof item !== 'string') {
      writeFailure(writing, item);
      continue;
    }
    const metadata = found.next().value!;
    if (typeof metadata !== 'number') writeOne(writing, item, metadata);
    else writeFailure(writing, pmErrWarning({ name: item }, metadata, 'failed to lookup metric name'));
  }
}

async function writePmids(writing: Writing, texts: readonly string[]): Promise<void> {
  const found = await Promise.all(texts.map((text) => metadataOf(writing, parsePmid(text) ?? PM_ERR.PMID)));
  for (const [i, metadata] of found.entries()) {
    const text = texts[i]!;
    if (typeof metadata === 'number') {
      const name = metadata === PM_ERR.BADDERIVE ? writing.context.derived.byPmid(parsePmid(text)!)?.name : undefined;
      const reason = name === undefined ? undefined : await reasonUnbound(writing.context, name);
      writeFailure(writing, pmErrWarning({ pmid: text }, metadata, reason));
    } else {
      const name = metadata.names[0] ?? formatPmid(metadata.descriptor.pmid);
      writeOne(writing, name, metadata);
    }
  }
}

function writeOne({ list, fields, compat }: Writing, name: string, metadata: MetricMetadata): void {
  list.push(writeMetric(name, metadata, compat, fields));
}

/** A metric's metadata, or its PM_ERR code. */
async function metadataOf({ context, at }: Writing, pmid: number): Promise<MetricMetadata | number> {
  return pmid < 0 ? pmid : context.names.metadata(pmid, at).catch(onPmError(({ pmErr }) => pmErr));
}

function writeFailure({ list, warnings }: Writing, warning: Warning): void {
  list.push(writeMetricFailure(warning.name ?? warning.pmid ?? '', warning.message));
  warnings.push(warning);
}

/** An instance domain and its instances. @see pmGetInDom(3), pmLookupInDomText(3) */
export async function runIndom(request: IndomRequest): Promise<Answer | StreamedAnswer> {
  refuseIdleMatch(request.query);
  const place = await placeOfMetadata(request);
  return readConsistently(place.context.names, () => listInstances(request, place));
}

async function listInstances(request: IndomRequest, { context, at }: MetadataPlace): Promise<Answer | StreamedAnswer> {
  const { query, compat } = request;
  const indom = await indomOf(context, query);
  if (indom === undefined) {
    const message = 'no instance domain: name or indom is required';
    throw badParameter('indom', message, 'a metric in name, or an instance domain in indom');
  }
  const all = await instancesOf(context, indom, at);
  const gone = untilGone(request);
  const { instances, warnings } = await chooseInstances(all, query, gone);
  const list = new BoundedList(instances.length, 'instances', 'select some of them (instance, iname)', request.options);
  const metadata = await context.names.indomMetadata(indom, at);
  for await (const some of inBatches(instances, gone)) {
    for (const each of some) list.push(writeInstance(each, metadata));
  }
  const head = compat ? '{' : `${contextHead(context.id, query.client)},`;
  return listAnswer(
    `${head}${writeIndomHead(indom, metadata, compat)},"instances":[`,
    list.elements,
    `]${warningsMember(warnings)}}`,
  );
}

/** The direct children of a node of the namespace. @see pmGetChildrenStatus(3) */
export async function runChildren(request: OperationRequest<QueryOf<'listChildren'>>): Promise<Answer> {
  const { query } = request;
  const prefix = query.prefix ?? query.name ?? '';
  const context = await contextOf(request, 'shared');
  const { leaf, nonleaf } = await context.names.children(prefix, untilGone(request)).catch(async (error: unknown) => {
    if (!(error instanceof PmError)) throw error;
    const failure = new PmError(error.pmErr, 'child traversal failed', { cause: error });
    if (error.pmErr !== PM_ERR.NAME) throw failure;
    const message = `${failure.message}${await suggestionFor(context, prefix, 'node')}`;
    throw new GatewayError('UNKNOWN_METRIC', message, { pmErr: error.pmErr });
  });
  const list = new BoundedList(
    leaf.length + nonleaf.length,
    'children',
    'request the children of one of them',
    request.options,
  );
  for (const name of [...leaf, ...nonleaf]) list.push(name);
  const members = `"name":${JSON.stringify(prefix)},"leaf":${JSON.stringify(leaf)},"nonleaf":${JSON.stringify(nonleaf)}`;
  return jsonAnswer(`${contextHead(context.id, query.client)},${members}}`);
}
