import { planAnew, requireExplainable, type Context, type FetchNotes, type FetchPlan } from '../../../context/index.js';
import { badParameter, type FetchResult } from '../../../pmapi/index.js';
import {
  contextHead,
  jsonAnswer,
  largeJsonAnswer,
  missingWarnings,
  untilReleased,
  withDamage,
  withUnmatched,
  bytesOf,
  isLarge,
  isLargePlan,
  isLongList,
  largeFetchTurn,
  rememberSize,
  requireFewValues,
} from '../../response/answer.js';
import type { Warning } from '../../response/answer.js';
import type { Answer, ContextParameters, OperationRequest, QueryOf, StreamedAnswer } from '../../contracts.js';
import { placeOfRange, timelineWarnings } from '../../request/host-timeline.js';
import { contextOf, untilGone } from '../../request/request-context.js';
import { COMPAT_FETCH_FORM, writeFetch, writeFetchInPieces } from '../../response/writers/fetch-writer.js';
import { withSuggestions } from '../metadata/named-metrics.js';
import { explainedFetch } from './explained-fetch.js';
import { fetchRange, prefersTable, wantsRange } from './fetch-range.js';
import { eachOnce, readSelection, refuseMissing, selectMetrics } from './fetch-parameters.js';
import type { FetchSelection, ReadSelection, SelectorQuery } from './fetch-parameters.js';
import { answerOfHosts, listedHosts } from './several-hosts.js';

/** The types that only ranges have. Few clients name one: for all others, nothing has to be negotiated. */
const TABLES = /ndjson|csv|x-tar|arrow/i;

/** Values now. @see pmFetch(3) */
export function runFetch(request: OperationRequest<FetchQuery>): Promise<Answer | StreamedAnswer> {
  // What is wrong with the request itself is wrong for all hosts.
  const read = readFetch(request);
  const { hosts } = read;
  const { accept = '' } = request.headers;
  const isRange = read.isRange || (request.query.format === undefined && TABLES.test(accept) && prefersTable(accept));
  if (hosts) {
    if (isRange) {
      throw badParameter('hostspec', "'hostspec' lists several hosts, but a range covers only one", 'one host');
    }
    if (request.query.why === true) {
      throw badParameter('why', "'hostspec' lists several hosts, but 'why' explains only one", 'one host');
    }
    return answerOfHosts(request, hosts, (one) => fetchOnce(one, read));
  }
  return isRange ? fetchPlannedRange(request, read) : fetchOnce(request, read);
}

type FetchQuery = QueryOf<'fetchValues'>;

interface ReadFetch {
  readonly isRange: boolean;
  readonly selected: ReadSelection;
  /** Several hosts; undefined for one. */
  readonly hosts: readonly string[] | undefined;
  readonly metrics: FetchSelection;
}

/** By the parameters: those of a URL that a client polls are the same object each time. */
const readFetches = new WeakMap<object, ReadFetch>();

function readFetch(request: OperationRequest<FetchQuery>): ReadFetch {
  const { query, options } = request;
  const known = readFetches.get(query);
  if (known) return known;
  const isRange = wantsRange(query);
  const selected = readSelection(query);
  const hosts = listedHosts(request);
  const read = { isRange, selected, hosts, metrics: selectMetrics(query, options.limits.names) };
  readFetches.set(query, read);
  return read;
}

async function fetchPlannedRange(
  request: OperationRequest<FetchQuery>,
  { selected, metrics }: ReadFetch,
): Promise<Answer | StreamedAnswer> {
  const { query } = request;
  // Without a start, a range on a host begins with its remembered samples.
  if (query.start === undefined || query.archive !== undefined) {
    const { context, plan, warnings } = await planFetch(request, eachOnce(metrics));
    return fetchRange(request, context, plan, warnings, selected);
  }
  const { context, timeline } = await placeOfRange(request, query);
  const { plan, warnings } = await planOn(context, eachOnce(metrics), request);
  const told = timeline ? [...warnings, ...(await timelineWarnings(timeline, plan))] : warnings;
  return fetchRange(request, context, plan, told, selected, timeline);
}

/** What a fetch or a stream is about: where from, and which metrics. */
export interface PlannedFetch extends Pick<FetchSelection, 'metrics' | 'by' | 'unreadable'> {
  readonly context: Context;
  readonly plan: FetchPlan;
  readonly warnings: readonly Warning[];
}

/** Find the context of a request and make what it asks for ready. Throws for metrics that must exist and do not. */
export async function planFetch(
  request: OperationRequest<SelectorQuery & ContextParameters>,
  selected = selectMetrics(request.query, request.options.limits.names),
): Promise<PlannedFetch> {
  const found = contextOf(request, 'shared');
  return planOn(found instanceof Promise ? await found : found, selected, request);
}

/** Make what is asked of a context ready: at once where the plan is known and nothing is missing. */
export function planOn(
  context: Context,
  selected: FetchSelection,
  request: Pick<OperationRequest<object>, 'onClose'>,
): PlannedFetch | Promise<PlannedFetch> {
  const { metrics, by, unreadable } = selected;
  const plan = context.plans.get(metrics, () => untilGone(request));
  const isWhole = !(plan instanceof Promise) && plan.missing.length + unreadable.length === 0;
  if (isWhole) return { context, plan, warnings: unreadable, metrics, by, unreadable };
  return warnOfMissing(context, plan, selected);
}

async function warnOfMissing(
  context: Context,
  planning: FetchPlan | Promise<FetchPlan>,
  { metrics, by, strict, unreadable }: FetchSelection,
): Promise<PlannedFetch> {
  const plan = await planning;
  const warnings = [...unreadable, ...missingWarnings(plan.missing, by)];
  const told = by === 'name' ? await withSuggestions(context, warnings, metrics.names ? 'metric' : 'node') : warnings;
  if (strict) refuseMissing(told, 'bad parameters passed');
  return { context, plan, warnings: told, metrics, by, unreadable };
}

async function fetchOnce(
  request: OperationRequest<FetchQuery>,
  { selected, metrics }: ReadFetch,
): Promise<Answer | StreamedAnswer> {
  const found = contextOf(request, 'shared');
  const context = found instanceof Promise ? await found : found;
  let leave = isLongList(metrics.metrics.names ?? metrics.metrics.pmids)
    ? await largeFetchTurn(request, context)
    : undefined;
  try {
    return await planAnew(async () => {
      const planning = planOn(context, metrics, request);
      const planned = planning instanceof Promise ? await planning : planning;
      if (!leave && isLargePlan(planned.plan)) leave = await largeFetchTurn(request, context);
      return answerOf(request, planned, selected);
    });
  } finally {
    leave?.();
  }
}

function answerOf(
  request: OperationRequest<FetchQuery>,
  { context, plan, warnings }: PlannedFetch,
  { selection, describedForm }: ReadSelection,
): Answer | StreamedAnswer | Promise<Answer | StreamedAnswer> {
  const isExplained = request.query.why === true;
  if (isExplained) requireExplainable(plan.entries.length);
  const view = selection && context.fetching.keptView(plan, selection);

  const head = request.compat ? '{' : contextHead(context.id, request.query.client);
  const form = request.compat ? COMPAT_FETCH_FORM : describedForm;
  const nameOf = (pmid: number): string | undefined => context.names.events.get(pmid);
  const write = (result: FetchResult, notes: FetchNotes): Answer | StreamedAnswer => {
    const size = requireFewValues(result, request.options);
    rememberSize(plan, size);
    const noted = notes.reconnected ? `${head}${head === '{' ? '' : ','}"reconnected":true` : head;
    const told = withDamage(view ? withUnmatched(warnings, view.unmatched) : warnings, notes.warning);
    if (isExplained || !isLarge(size)) return jsonAnswer(writeFetch(noted, view ?? plan, result, form, told, nameOf));
    const kept = notes.keep();
    const pieces = writeFetchInPieces(noted, view ?? plan, kept.result, form, told, nameOf);
    return largeJsonAnswer(untilReleased(pieces, kept.release), bytesOf(size));
  };
  if (isExplained && plan.entries.length > 0) {
    return explainedFetch(request, { context, plan, selection, form, write: (...taken) => write(...taken) as Answer });
  }
  return context.fetching.fetch(plan, write, view);
}
