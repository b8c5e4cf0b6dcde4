import { GatewayError } from '../../pmapi/index.js';
import { jsonAnswer } from '../answer.js';
import type { Answer } from '../answer.js';
import type { OperationRequest, ParametersOf } from '../operation.js';
import { contextOf } from '../request-context.js';
import { warningsMember } from '../warnings.js';
import { contextHead } from '../writers/context-head.js';
import { writeIndom } from '../writers/indom-writer.js';
import { chooseInstances, indomOf, instancesOf, refuseIdleMatch } from './instance-selection.js';
import { momentOf } from './metadata-moment.js';

/** An instance domain and its instances. @see pmGetInDom(3), pmLookupInDomText(3) */
export async function runIndom(request: OperationRequest<ParametersOf<'IndomParameters'>>): Promise<Answer> {
  const { query, compat } = request;
  refuseIdleMatch(query);
  const context = await contextOf(request, 'shared');
  const indom = await indomOf(context, query);
  if (indom === undefined) {
    throw new GatewayError('BAD_PARAMETER', 'no instance domain: one of name and indom is needed', {
      parameter: 'indom',
      expected: 'a metric in name, or an instance domain in indom',
    });
  }
  const at = await momentOf(context, query);
  const all = await instancesOf(context, indom, at);
  const { instances, warnings } = chooseInstances(all, query);
  const members = writeIndom(indom, instances, await context.indomMetadata(indom, at), compat);
  const head = compat ? '{' : `${contextHead(context.id, query.client)},`;
  return jsonAnswer(`${head}${members}${warningsMember(warnings)}}`);
}
