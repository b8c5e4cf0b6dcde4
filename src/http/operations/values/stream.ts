import type { Context } from '../../../context/index.js';
import { parseEventId, type LiveStreamRequest, type StreamFormat } from '../../../context/stream/index.js';
import {
  addSeconds,
  badParameter,
  GatewayError,
  intervalToSeconds,
  parseInParameter,
  parseInterval,
  PmError,
} from '../../../pmapi/index.js';
import type { Timestamp } from '../../../pmapi/index.js';
import { COUNTED } from '../../handing.js';
import type { SubscribedAnswer, OperationRequest, QueryOf } from '../../contracts.js';
import { EVENT_STREAM_HEADERS, eventStreamFormat } from '../../response/writers/event-stream-writer.js';
import type { RecordedSource } from '../../../sources/index.js';
import { pastOfHost, rememberedOnly } from '../../request/host-timeline.js';
import { lastEventIdOf } from '../../request/request-context.js';
import { planFetch } from './fetch.js';
import { readSelection } from './fetch-parameters.js';
import { requireFewStreamed } from '../../response/answer.js';

type StreamQuery = QueryOf<'streamValues'>;

const DEFAULT_INTERVAL = '1s';
const FOR_ARCHIVES = ['finish', 'speed'] as const;

/** Samples as they are taken, or the samples of an archive at the pace at which they were taken. */
export async function runStream(request: OperationRequest<StreamQuery>): Promise<SubscribedAnswer> {
  const { query, options } = request;
  const hub = options.streams;
  const lastEventId = readLastEventId(request);
  const { selection, form } = readSelection(query);
  const { context, plan, metrics, by, unreadable } = await planFetch(request);
  if (query.rest !== undefined && query.changed === true) {
    throw badParameter('rest', "'rest' cannot be combined with changed=true", 'all values');
  }
  const isCounted = request.call.isHanded === true && request.headers[COUNTED] !== undefined;
  const release = isCounted ? undefined : options.guards.clients.stream(request.call);
  if (release) request.onClose(release);
  const isArchive = context.archive !== undefined;
  const intervalSec = readInterval(query.interval ?? (isArchive ? undefined : DEFAULT_INTERVAL));
  const formatFor = ({ id, names }: Context): StreamFormat =>
    eventStreamFormat({
      contextId: id,
      client: query.client,
      intervalSec,
      form,
      formKey: JSON.stringify([query.times, query.zone, query.numbers]),
      by,
      unreadable,
      nameOf: (pmid) => names.events.get(pmid),
      onFailure: (error) => {
        if (error instanceof GatewayError || error instanceof PmError) return;
        options.observer?.defect?.({ requestId: 'none', route: 'stream', url: '', error });
      },
    });
  const common = {
    context,
    selector: metrics,
    plan,
    selection,
    changed: query.changed ?? false,
    lastEventId,
    format: formatFor(context),
  };
  if (isArchive) {
    const { start, finish, interval, zone, rate, units } = query;
    const parameters = { start, finish, interval, zone, rate, units };
    const speed = readSpeed(query.speed);
    // An invalid window is an error of the request, not of the stream.
    await context.fetching.range(plan, parameters, { selection });
    const replayed = { ...common, parameters, speed };
    return { ...EVENT_STREAM_HEADERS, subscribe: (sink) => hub.replay(replayed, sink) };
  }
  refuseArchiveParameters(query);
  // An impossible unit conversion is an error of the request, too.
  context.fetching.view(plan, selection);
  const intervalMs = intervalSec! * 1000;
  hub.checkInterval(intervalMs);
  const again = async (): Promise<LiveStreamRequest> => {
    const successor = await options.contexts.shared(context.spec);
    return { ...live, context: successor, plan: await successor.plans.get(metrics), format: formatFor(successor) };
  };
  const past = query.start === undefined ? undefined : await pastOf(request, context);
  const live: LiveStreamRequest = {
    ...common,
    lastEventId: lastEventId ?? past?.before,
    recorded: past?.recorded,
    intervalMs,
    check: (result) => requireFewStreamed(result, intervalSec!, options),
    again: context.isShared ? again : undefined,
  };
  return { ...EVENT_STREAM_HEADERS, subscribe: (sink) => hub.subscribe(live, sink) };
}

/** Where a stream that begins in the past begins, and what is read of it. */
async function pastOf(
  request: OperationRequest<StreamQuery>,
  context: Context,
): Promise<{ readonly before: Timestamp; readonly recorded: RecordedSource | undefined }> {
  const { start, zone } = request.query;
  const { timeline } = await pastOfHost(request, { start, zone });
  if (timeline) request.onClose(timeline.context.hold());
  const { window } = timeline ?? rememberedOnly(request, context, { start, zone });
  return { before: addSeconds(window.start, -1e-9), recorded: timeline?.context.archive };
}

/** The last event that a client received. Throws BAD_PARAMETER. */
function readLastEventId({ headers, query }: OperationRequest<StreamQuery>): Timestamp | undefined {
  const text = lastEventIdOf(headers, query);
  if (text === undefined) return undefined;
  const id = parseEventId(text);
  if (id) return id;
  const expected = 'the id of an event, for example 1795191848.048268000';
  throw badParameter('lastEventId', `invalid event id ${JSON.stringify(text)}: expected ${expected}`, expected);
}

function readInterval(text: string | undefined): number | undefined {
  return text === undefined ? undefined : intervalToSeconds(parseInParameter('interval', text, parseInterval));
}

function readSpeed(text = '1'): number {
  const speed = text === 'max' ? Infinity : Number(text);
  if (speed > 0) return speed;
  const expected = 'a number above 0, or max';
  throw badParameter('speed', `invalid speed ${text}: expected ${expected}`, expected);
}

function refuseArchiveParameters(query: StreamQuery): void {
  for (const parameter of FOR_ARCHIVES) {
    if (query[parameter] === undefined) continue;
    throw badParameter(parameter, `'${parameter}' applies only to archives`, 'an archive');
  }
}
