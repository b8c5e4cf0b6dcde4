import { GatewayError, PM_ERR, PmError } from '../../../pmapi/index.js';
import { contextHead, jsonAnswer } from '../../response/answer.js';
import type { Answer, OperationRequest, ParametersOf } from '../../contracts.js';
import { untilGone } from '../../request/client-gone.js';
import { contextOf } from '../../request/request-context.js';
import { suggestionFor } from './named-metric.js';
import { BoundedList } from '../values/response-size.js';

/** The direct children of a node of the namespace. @see pmGetChildrenStatus(3) */
export async function runChildren(request: OperationRequest<ParametersOf<'ChildrenParameters'>>): Promise<Answer> {
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
