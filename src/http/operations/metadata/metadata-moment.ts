import { parseZone, type RangeBounds } from '../../../context/range/index.js';
import { refuseIdle } from '../../../context/selection/index.js';
import { sourceZone, type Context, type MetadataMoment } from '../../../context/index.js';
import { badParameter, parseInParameter, parseTime, systemClock, type Timestamp } from '../../../pmapi/index.js';
import type { ContextParameters, OperationRequest, QueryOf } from '../../contracts.js';
import { pastOfHost } from '../../request/host-timeline.js';
import { contextOf } from '../../request/request-context.js';

type MomentQuery = Pick<QueryOf<'listInstances'>, 'at' | 'scope' | 'zone'>;

export interface MetadataPlace {
  readonly context: Context;
  /** Undefined: the usual moment. */
  readonly at: MetadataMoment | undefined;
}

/** Where a request looks up metadata: of a host at a moment, in its recordings. Throws as {@link momentOf} does. */
export async function placeOfMetadata(
  request: OperationRequest<ContextParameters & MomentQuery>,
): Promise<MetadataPlace> {
  const { at, zone, scope, archive } = request.query;
  if (at === undefined || scope !== undefined || archive !== undefined) {
    const context = await contextOf(request, 'shared');
    return { context, at: await momentOf(context, request.query) };
  }
  const { live, timeline } = await pastOfHost(request, (bounds) => {
    const start = timeIn(bounds, at, zone);
    return { start, finish: start };
  });
  if (timeline) return { context: timeline.context, at: timeline.window.start };
  return { context: live!, at: await momentOf(live!, request.query) };
}

/** The moment of the metadata that a request asks for, if any. Throws WRONG_CONTEXT for a live source, BAD_PARAMETER. */
async function momentOf(context: Context, { at, scope, zone }: MomentQuery): Promise<MetadataMoment | undefined> {
  if (at === undefined && scope === undefined && zone === undefined) return undefined;
  context.requireArchive();
  refuseIdle('zone', zone !== undefined && at === undefined, 'the time zone of at', 'at');
  if (at === undefined) return scope;
  if (scope !== undefined) {
    throw badParameter('scope', "'at' and 'scope' are mutually exclusive", 'a time or a scope, not both');
  }
  return momentIn(context, at, zone);
}

/** A moment in any of PCP's forms, by default in the source's zone; on a live source, intervals count from now. */
export async function momentIn(
  context: Context,
  text: string,
  zone: string | undefined,
  parameter = 'at',
): Promise<Timestamp> {
  const { start, end, timezone } = await context.info();
  const now = systemClock.now();
  return timeIn({ start: start ?? now, end: end ?? now, now, zone: sourceZone(timezone) }, text, zone, parameter);
}

/** A moment within bounds, as {@link momentIn}. */
export function timeIn(bounds: RangeBounds, text: string, zone: string | undefined, parameter = 'at'): Timestamp {
  const references = { ...bounds, zone: zone === undefined ? bounds.zone : parseZone(zone) };
  return parseInParameter(parameter, text, (time) => parseTime(time, references));
}
