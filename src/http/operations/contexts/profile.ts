import { GatewayError, PM_ERR } from '../../../pmapi/index.js';
import type { Answer, OperationRequest, ParametersOf } from '../../contracts.js';
import { contextOf } from '../../request/request-context.js';
import { doneAnswer, warningsMember } from '../../response/answer.js';
import {
  chooseInstances,
  choosesInstances,
  indomOf,
  instancesOf,
  refuseIdleMatch,
} from '../values/instance-selection.js';

/** Changes which instances a context's fetches return. @see pmAddProfile(3), pmDelProfile(3) */
export async function runProfile(request: OperationRequest<ParametersOf<'ProfileParameters'>>): Promise<Answer> {
  const { query } = request;
  if (query.expr === undefined) {
    throw new GatewayError('BAD_PARAMETER', "invalid profile parameters: 'expr' is missing", {
      parameter: 'expr',
      expected: 'add or del',
    });
  }
  refuseIdleMatch(query);
  const isNarrow = choosesInstances(query);
  if (isNarrow && query.name === undefined && query.indom === undefined) {
    throw new GatewayError('BAD_PARAMETER', 'invalid profile parameters: the instance domain is missing', {
      parameter: 'indom',
      expected: 'a metric in name, or an instance domain in indom',
    });
  }
  const context = await contextOf(request, 'own');
  context.refuseIfShared();
  const indom = await indomOf(context, query);
  if (!isNarrow || indom === undefined) {
    if (query.expr === 'add') context.addProfile(indom);
    else context.deleteProfile(indom);
    return doneAnswer(context.id, query.client);
  }
  // A profile of an archive applies to all of it, wherever the context's position is.
  const { instances, warnings } = await chooseInstances(
    await instancesOf(context, indom, context.archive ? 'archive' : undefined),
    query,
  );
  // An empty list would mean the whole instance domain.
  if (instances.length === 0) {
    throw new GatewayError('UNKNOWN_INSTANCE', 'invalid profile parameters: no such instances', {
      pmErr: PM_ERR.INST,
      parameter: query.iname ? 'iname' : 'instance',
      expected: 'at least one instance of the instance domain',
    });
  }
  const ids = instances.map(({ id }) => id);
  if (query.expr === 'add') context.addProfile(indom, ids);
  else context.deleteProfile(indom, ids);
  return doneAnswer(context.id, query.client, warningsMember(warnings));
}
