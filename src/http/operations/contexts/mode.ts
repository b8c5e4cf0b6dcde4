import type { Context } from '../../../context/index.js';
import { refuseIdle } from '../../../context/selection/index.js';
import {
  formatTimestamp,
  GatewayError,
  intervalToSeconds,
  parseInterval,
  SourceTextError,
} from '../../../pmapi/index.js';
import { contextHead, jsonAnswer } from '../../response/answer.js';
import type { Answer, OperationRequest, ParametersOf } from '../../contracts.js';
import { contextOf } from '../../request/request-context.js';
import { momentIn } from '../metadata/metadata-moment.js';

/** Sets the position and the mode of fetches from an archive; absent parameters keep their values. @see pmSetMode(3) */
export async function runMode(request: OperationRequest<ParametersOf<'ModeParameters'>>): Promise<Answer> {
  const { query } = request;
  refuseIdle('zone', query.zone !== undefined && query.time === undefined, 'the time zone of time', 'time');
  const context = await contextOf(request, 'own');
  const { position } = context.requireArchive();
  const { mode = position.mode } = query;
  const intervalSec = query.interval === undefined ? undefined : readInterval(query.interval);
  const time = query.time === undefined ? undefined : await momentIn(context, query.time, query.zone, 'time');
  if (mode === 'interp' && (intervalSec ?? position.intervalSec) === 0) {
    throw new GatewayError('BAD_PARAMETER', 'mode interp requires an interval', {
      parameter: 'interval',
      expected: 'an interval other than 0, for example 10, 500msec or -1min',
    });
  }
  await context.fetching.setMode({ mode, time, intervalSec });
  return jsonAnswer(`${contextHead(context.id, query.client)},${writePosition(context)}}`);
}

/** `10`, `500msec`, `-1min 30sec`: seconds, negative to go back in time. */
function readInterval(text: string): number {
  const sign = /^\s*-/.exec(text);
  const offset = sign?.[0].length ?? 0;
  try {
    return intervalToSeconds(parseInterval(text.slice(offset))) * (sign ? -1 : 1);
  } catch (error) {
    if (!(error instanceof SourceTextError)) throw error;
    const { expected = 'an interval, for example 10, 500msec or -1min' } = error.details;
    const where = { source: text, offset: offset + error.offset, parameter: 'interval', expected };
    throw new SourceTextError(error.code, error.message, where, { cause: error });
  }
}

function writePosition(context: Context): string {
  const { mode, time, intervalSec } = context.requireArchive().position;
  return `"mode":"${mode}","position":${formatTimestamp(time)},"interval":${intervalSec}`;
}
