import type { Context, MetadataMoment, MetricMetadata } from '../../context/index.js';
import { formatPmErr, formatPmid, GatewayError, parsePmid, PM_ERR, PmError } from '../../pmapi/index.js';
import { jsonAnswer } from '../answer.js';
import type { Answer } from '../answer.js';
import type { OperationRequest, ParametersOf } from '../operation.js';
import { contextOf } from '../request-context.js';
import { pmErrWarning, warningsMember } from '../warnings.js';
import type { Warning } from '../warnings.js';
import { contextHead } from '../writers/context-head.js';
import { writeMetric, writeMetricFailure } from '../writers/metric-writer.js';
import { momentOf } from './metadata-moment.js';
import { refuseMissing } from './selector.js';
import { answerOfHosts, listedHosts } from './several-hosts.js';
import { reasonUnbound } from './unbound.js';

/** Metrics whose metadata is asked for at once. */
const BATCH = 64;

/** Collects the elements of the answer, in the order of the request. */
interface Writing {
  readonly context: Context;
  /** When the labels are asked for; undefined: the usual moment. */
  readonly at: MetadataMoment | undefined;
  readonly compat: boolean;
  readonly elements: string[];
  readonly warnings: Warning[];
}

/** Metadata of metrics. @see pmLookupDesc(3), pmLookupText(3), pmLookupLabels(3) */
export async function runMetric(request: OperationRequest<ParametersOf<'MetricParameters'>>): Promise<Answer> {
  const hosts = listedHosts(request);
  if (hosts) return answerOfHosts(request, hosts, runMetric);
  const { query, compat } = request;
  const context = await contextOf(request, 'shared');
  const at = await momentOf(context, query);
  const writing: Writing = { context, at, compat, elements: [], warnings: [] };
  const subtrees = query.prefix ?? query.names ?? query.name;
  const pmids = subtrees ? undefined : (query.pmids ?? query.pmid);
  if (pmids) {
    for (const text of pmids) await writeByPmid(writing, text);
    if (pmids.length === 1 || query.pmids === undefined) refuseMissing(writing.warnings, 'bad parameters passed');
  } else {
    const wanted = subtrees && subtrees.length > 0 ? subtrees : [''];
    for (const subtree of wanted) await writeSubtree(writing, subtree, wanted.length === 1);
  }
  const { elements, warnings } = writing;
  return jsonAnswer(
    `${contextHead(context.id, query.client)},"metrics":[${elements.join(',')}]${warningsMember(warnings)}}`,
  );
}

/** One element of the request: a metric, or all below an interior node. A sole one that is unknown fails the request. */
async function writeSubtree(writing: Writing, subtree: string, isSole: boolean): Promise<void> {
  let names: readonly string[];
  try {
    // An empty element among others is no name; only a request without names means them all.
    if (subtree === '' && !isSole) throw new PmError(PM_ERR.NAME);
    names = await writing.context.traverse(subtree);
  } catch (error) {
    if (!(error instanceof PmError)) throw error;
    const reason = error.pmErr === PM_ERR.NAME ? await reasonUnbound(writing.context, subtree) : undefined;
    if (reason !== undefined) {
      if (isSole) throw new GatewayError('SEMANTIC_ERROR', reason, { pmErr: PM_ERR.BADDERIVE });
      writeFailure(writing, { name: subtree }, PM_ERR.BADDERIVE, reason);
      return;
    }
    if (isSole) throw new PmError(error.pmErr, `${subtree} traversal failed`, { cause: error });
    writeFailure(writing, { name: subtree }, error.pmErr, formatPmErr(error.pmErr));
    return;
  }
  for (let start = 0; start < names.length; start += BATCH) {
    await writeNames(writing, names.slice(start, start + BATCH));
  }
}

async function writeNames(writing: Writing, names: readonly string[]): Promise<void> {
  const pmids = await writing.context.lookupNames(names);
  const found = await Promise.all(pmids.map((pmid) => metadataOf(writing, pmid)));
  for (const [i, metadata] of found.entries()) {
    const name = names[i]!;
    if (typeof metadata === 'number') writeFailure(writing, { name }, metadata, 'failed to lookup metric name');
    else writing.elements.push(writeMetric(name, metadata, writing.compat));
  }
}

async function writeByPmid(writing: Writing, text: string): Promise<void> {
  const metadata = await metadataOf(writing, parsePmid(text) ?? PM_ERR.PMID);
  if (typeof metadata === 'number') {
    const name = metadata === PM_ERR.BADDERIVE ? writing.context.derived.byPmid(parsePmid(text)!)?.name : undefined;
    const reason = name === undefined ? undefined : await reasonUnbound(writing.context, name);
    writeFailure(writing, { pmid: text }, metadata, reason ?? formatPmErr(metadata));
  } else {
    const name = metadata.names[0] ?? formatPmid(metadata.descriptor.pmid);
    writing.elements.push(writeMetric(name, metadata, writing.compat));
  }
}

/** A metric's metadata, or the PM_ERR code that it has instead. */
async function metadataOf({ context, at }: Writing, pmid: number): Promise<MetricMetadata | number> {
  if (pmid < 0) return pmid;
  try {
    return await context.metadata(pmid, at);
  } catch (error) {
    if (error instanceof PmError) return error.pmErr;
    throw error;
  }
}

function writeFailure(
  { elements, warnings }: Writing,
  subject: { name: string } | { pmid: string },
  pmErr: number,
  message: string,
): void {
  elements.push(writeMetricFailure('name' in subject ? subject.name : subject.pmid, message));
  warnings.push(pmErrWarning(subject, pmErr, message));
}
