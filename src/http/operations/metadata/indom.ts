import { inBatches } from '../../../kit/index.js';
import { GatewayError } from '../../../pmapi/index.js';
import { contextHead, listAnswer, warningsMember } from '../../response/answer.js';
import type { Answer, OperationRequest, ParametersOf, StreamedAnswer } from '../../contracts.js';
import { writeIndomHead, writeInstance } from '../../response/writers/metadata-writer.js';
import { untilGone } from '../../request/client-gone.js';
import { chooseInstances, indomOf, instancesOf, refuseIdleMatch } from '../values/instance-selection.js';
import { placeOfMetadata } from './metadata-moment.js';
import { BoundedList } from '../values/response-size.js';

/** An instance domain and its instances. @see pmGetInDom(3), pmLookupInDomText(3) */
export async function runIndom(
  request: OperationRequest<ParametersOf<'IndomParameters'>>,
): Promise<Answer | StreamedAnswer> {
  const { query, compat } = request;
  refuseIdleMatch(query);
  const { context, at } = await placeOfMetadata(request);
  const indom = await indomOf(context, query);
  if (indom === undefined) {
    throw new GatewayError('BAD_PARAMETER', 'no instance domain: name or indom is required', {
      parameter: 'indom',
      expected: 'a metric in name, or an instance domain in indom',
    });
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
