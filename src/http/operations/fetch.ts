import type { FetchNotes } from '../../context/index.js';
import { FetchResult, systemClock } from '../../pmapi/index.js';
import { jsonAnswer } from '../answer.js';
import type { Answer } from '../answer.js';
import type { OperationRequest, ParametersOf } from '../operation.js';
import { contextOf } from '../request-context.js';
import { missingWarnings } from '../warnings.js';
import { contextHead } from '../writers/context-head.js';
import { COMPAT_FETCH_FORM, FETCH_FORM, writeFetch } from '../writers/fetch-writer.js';
import { refuseMissing, selectMetrics } from './selector.js';
import { answerOfHosts, listedHosts } from './several-hosts.js';

/** Values now. @see pmFetch(3) */
export async function runFetch(request: OperationRequest<ParametersOf<'FetchParameters'>>): Promise<Answer> {
  const hosts = listedHosts(request);
  if (hosts) {
    // What is wrong with the request itself is wrong for all of them.
    selectMetrics(request.query);
    return answerOfHosts(request, hosts, runFetch);
  }
  const { metrics, by, strict, unreadable } = selectMetrics(request.query);
  const found = contextOf(request, 'shared');
  const context = found instanceof Promise ? await found : found;
  const plan = await context.plan(metrics);
  const warnings =
    plan.missing.length + unreadable.length === 0 ? unreadable : [...unreadable, ...missingWarnings(plan.missing, by)];
  if (strict) refuseMissing(warnings, 'bad parameters passed');

  const head = request.compat ? '{' : contextHead(context.id, request.query.client);
  const form = request.compat ? COMPAT_FETCH_FORM : FETCH_FORM;
  const write = (result: FetchResult, notes?: FetchNotes): Answer => {
    const noted = notes?.reconnected === true ? `${head}${head === '{' ? '' : ','}"reconnected":true` : head;
    return jsonAnswer(writeFetch(noted, plan, result, form, warnings));
  };
  if (plan.entries.length > 0) return context.fetch(plan, write);
  // A source would refuse to fetch nothing at all.
  const nothing = new FetchResult();
  nothing.timestamp = systemClock.now();
  return write(nothing);
}
