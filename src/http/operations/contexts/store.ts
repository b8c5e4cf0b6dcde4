import type { Context } from '../../../context/index.js';
import {
  formatPmErr,
  badParameter,
  GatewayError,
  INDOM_NULL,
  parsePmid,
  PM_ERR,
  PmError,
} from '../../../pmapi/index.js';
import type { MetricDescriptor } from '../../../pmapi/index.js';
import type { Answer, OperationRequest, QueryOf } from '../../contracts.js';
import { contextOf, untilGone } from '../../request/request-context.js';
import { errorCodeOfPmErr, doneAnswer } from '../../response/answer.js';
import { chooseInstances, instancesOf } from '../values/instance-selection.js';
import { describeNamed, describeOne, lookupFailure } from '../metadata/named-metrics.js';

type StoreQuery = QueryOf<'storeValue'>;

/** Change a metric's value. @see pmStore(3) */
export async function runStore(request: OperationRequest<StoreQuery>): Promise<Answer> {
  const { query, options } = request;
  const isGet = request.call.method === 'GET';
  const alsoForGet = isGet ? ', and store.allowGet for GET' : '';
  if (!options.guards.store.enabled) throw storingOff(`storing is disabled (store.enabled${alsoForGet})`);
  // Any link can trigger it.
  if (isGet && !options.guards.store.allowGet)
    throw storingOff('storing with GET is disabled (store.allowGet); use POST');
  const { value } = query;
  if (value === undefined) {
    const message = "invalid store parameters: 'value' is missing";
    throw badParameter('value', message, 'the new value, in the query or as the body');
  }
  // The context does not change, so a shared one will do.
  const context = await contextOf(request, 'shared');
  const { label, descriptor } = await metricOf(context, query);
  const { principal } = request;
  if (principal)
    principal.requireOn('store', context.spec, query.name ?? (await context.names.namesOf(descriptor.pmid))[0]);
  try {
    const instances = await chosenInstances(context, descriptor, query, untilGone(request));
    // A value from a file or an editor ends in a line break, which is not part of it.
    await context.store(descriptor.pmid, value.replace(/\r?\n$/, ''), instances);
  } catch (error) {
    throw error instanceof PmError ? storeFailure(label, error.pmErr) : error;
  }
  return doneAnswer(context.id, query.client);
}

function storingOff(reason: string): GatewayError {
  return new GatewayError('FORBIDDEN', `${formatPmErr(PM_ERR.PERMISSION)}: ${reason}`, { pmErr: PM_ERR.PERMISSION });
}

function storeFailure(label: string, pmErr: number): GatewayError {
  const message = `failed to store value to metric ${label}: ${formatPmErr(pmErr)}`;
  return new GatewayError(errorCodeOfPmErr(pmErr), message, { pmErr });
}

async function metricOf(
  context: Context,
  { name, pmid: text }: StoreQuery,
): Promise<{ label: string; descriptor: MetricDescriptor }> {
  const label = name ?? text;
  if (label === undefined) {
    const message = 'invalid store parameters: the metric is missing';
    throw badParameter('name', message, 'a metric in name, or a PMID in pmid');
  }
  const descriptor =
    name === undefined
      ? await describeOne(context, parsePmid(label) ?? PM_ERR.PMID)
      : await describeNamed(context, name);
  if (typeof descriptor !== 'number') return { label, descriptor };
  throw name === undefined
    ? lookupFailure(`${label} - failed to lookup PMID`, 'pmid', descriptor)
    : lookupFailure(`${label} - failed to lookup metric`, 'name', descriptor);
}

/** The instances to change. Names are looked up, all of them or none; identifiers are checked by the source. */
async function chosenInstances(
  context: Context,
  { indom }: MetricDescriptor,
  { iname, instance }: StoreQuery,
  gone: AbortSignal,
): Promise<readonly number[] | undefined> {
  if (!iname) return instance;
  if (indom === INDOM_NULL) throw new PmError(PM_ERR.INST);
  const { instances, warnings } = await chooseInstances(await instancesOf(context, indom), { iname }, gone);
  if (warnings.length > 0) throw new PmError(PM_ERR.INST);
  return instances.map(({ id }) => id);
}
