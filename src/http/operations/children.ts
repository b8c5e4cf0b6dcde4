import { PmError } from '../../pmapi/index.js';
import { jsonAnswer } from '../answer.js';
import type { Answer } from '../answer.js';
import type { OperationRequest, ParametersOf } from '../operation.js';
import { contextOf } from '../request-context.js';
import { contextHead } from '../writers/context-head.js';

/** The direct children of a node of the namespace. @see pmGetChildrenStatus(3) */
export async function runChildren(request: OperationRequest<ParametersOf<'ChildrenParameters'>>): Promise<Answer> {
  const { query } = request;
  const prefix = query.prefix ?? query.name ?? '';
  const context = await contextOf(request, 'shared');
  const { leaf, nonleaf } = await context.children(prefix).catch((error: unknown) => {
    throw error instanceof PmError ? new PmError(error.pmErr, 'child traversal failed', { cause: error }) : error;
  });
  const members = `"name":${JSON.stringify(prefix)},"leaf":${JSON.stringify(leaf)},"nonleaf":${JSON.stringify(nonleaf)}`;
  return jsonAnswer(`${contextHead(context.id, query.client)},${members}}`);
}
