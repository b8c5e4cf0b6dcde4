import type { Context } from '../../../context/index.js';
import { GatewayError, onPmError, parseIndom } from '../../../pmapi/index.js';
import { jsonAnswer } from '../../response/answer.js';
import type { Answer, OperationRequest, ParametersOf } from '../../contracts.js';
import { untilGone } from '../../request/client-gone.js';
import { contextOf } from '../../request/request-context.js';
import { writeCheck } from '../../response/writers/derived-writer.js';
import { requireFewValues } from '../values/response-size.js';

/** The dry run: checks an expression in a context, without registering it. */
export async function runDerivedCheck(
  request: OperationRequest<ParametersOf<'DerivedCheckParameters'>>,
): Promise<Answer> {
  const { expr, client } = request.query;
  if (expr === undefined) {
    throw new GatewayError('BAD_PARAMETER', "nothing to check: 'expr' is missing", {
      parameter: 'expr',
      expected: 'an expression',
    });
  }
  const context = await contextOf(request, 'shared');
  const { report, sample } = await context.checkExpression(expr, untilGone(request));
  if (sample) requireFewValues({ sets: [sample.values] }, request.options);
  const named = sample && { ...sample, names: await instanceNames(context, report.metadata?.indom ?? null) };
  return jsonAnswer(writeCheck(context, client, report, named));
}

/** Names by instance; empty for an unknown instance domain. */
async function instanceNames(context: Context, indomText: string | null): Promise<ReadonlyMap<number, string>> {
  const indom = indomText === null ? undefined : parseIndom(indomText);
  if (indom === undefined) return new Map();
  const { instances } = await context.names.instances(indom).catch(onPmError(() => ({ instances: [] })));
  return new Map(instances.map(({ id, name }) => [id, name]));
}
