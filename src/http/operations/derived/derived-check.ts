import type { Context } from '../../../context/index.js';
import { refuseIdle } from '../../../context/selection/index.js';
import { addSeconds, badParameter, type Timestamp } from '../../../pmapi/index.js';
import type { RecordedSource } from '../../../sources/index.js';
import type { Answer, OperationRequest, QueryOf } from '../../contracts.js';
import { placeOfRange } from '../../request/host-timeline.js';
import { contextOf, untilGone } from '../../request/request-context.js';
import { jsonAnswer } from '../../response/answer.js';
import { writeCheck } from '../../response/writers/derived-writer.js';
import { momentIn, timeIn } from '../metadata/metadata-moment.js';
import { requireFewValues } from '../values/response-size.js';

type CheckRequest = OperationRequest<QueryOf<'checkExpression'>>;

/** The dry run: checks an expression in a context, without registering it. */
export async function runDerivedCheck(request: CheckRequest): Promise<Answer> {
  const { expr, client, at: text, zone } = request.query;
  if (expr === undefined) {
    throw badParameter('expr', "nothing to check: 'expr' is missing", 'an expression');
  }
  refuseIdle('zone', zone !== undefined && text === undefined, 'the time zone of at', 'at');
  const { context, recorded, at } =
    text === undefined ? { context: await contextOf(request, 'shared') } : await placeOf(request, text);
  const { values } = request.options.limits;
  const { report, sample } = await context.checkExpression(expr, { at, values, signal: untilGone(request) }, recorded);
  const whole = report.ok ? sample?.root.values : undefined;
  if (whole) requireFewValues({ sets: [whole] }, request.options);
  return jsonAnswer(writeCheck(context, client, report, sample));
}

/** How long before a moment its rates may begin: archives that end in that time are read, too. */
const BEFORE_SEC = 300;

interface CheckPlace {
  readonly context: Context;
  readonly at?: Timestamp;
  /** The recorded samples of a live host around the moment. */
  readonly recorded?: RecordedSource | undefined;
}

async function placeOf(request: CheckRequest, text: string): Promise<CheckPlace> {
  const { zone } = request.query;
  let at: Timestamp | undefined;
  const { context, timeline } = await placeOfRange(request, (bounds) => {
    at = timeIn(bounds, text, zone);
    return { start: addSeconds(at, -BEFORE_SEC), finish: at };
  });
  at ??= await momentIn(context, text, zone);
  return { context, at, recorded: timeline?.source };
}
