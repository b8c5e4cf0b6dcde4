import { parseZone } from '../../../context/range/index.js';
import { refuseIdle } from '../../../context/selection/index.js';
import { sourceZone } from '../../../context/index.js';
import type { Context, MetadataMoment } from '../../../context/index.js';
import { GatewayError, parseInParameter, parseTime, systemClock } from '../../../pmapi/index.js';
import type { Timestamp, TimeZone } from '../../../pmapi/index.js';
import type { ContextParameters, OperationRequest, ParametersOf } from '../../contracts.js';
import { pastOfHost } from '../../request/host-timeline.js';
import { contextOf } from '../../request/request-context.js';

type MomentQuery = Pick<ParametersOf<'IndomParameters'>, 'at' | 'scope' | 'zone'>;

/** Where metadata is looked up. */
export interface MetadataPlace {
  readonly context: Context;
  /** Undefined: the usual moment. */
  readonly at: MetadataMoment | undefined;
}

/** Where a request looks up metadata: of a host at a moment, in what is recorded of it. Throws as {@link momentOf} does. */
export async function placeOfMetadata(
  request: OperationRequest<ContextParameters & MomentQuery>,
): Promise<MetadataPlace> {
  const { at, zone, scope, archive } = request.query;
  if (at === undefined || scope !== undefined || archive !== undefined) {
    const context = await contextOf(request, 'shared');
    return { context, at: await momentOf(context, request.query) };
  }
  const { live, timeline } = await pastOfHost(request, (bounds) => {
    const references = { ...bounds, zone: zone === undefined ? bounds.zone : parseZone(zone) };
    const start = parseInParameter('at', at, (time) => parseTime(time, references));
    return { start, finish: start };
  });
  if (timeline) return { context: timeline.context, at: timeline.window.start };
  return { context: live!, at: await momentOf(live!, request.query) };
}

/**
 * The moment of the metadata that a request asks for; undefined if it names none. Throws WRONG_CONTEXT for a live source,
 * BAD_PARAMETER for an invalid time or zone.
 */
async function momentOf(context: Context, { at, scope, zone }: MomentQuery): Promise<MetadataMoment | undefined> {
  if (at === undefined && scope === undefined && zone === undefined) return undefined;
  context.requireArchive();
  refuseIdle('zone', zone !== undefined && at === undefined, 'the time zone of at', 'at');
  if (at === undefined) return scope;
  if (scope !== undefined) {
    throw new GatewayError('BAD_PARAMETER', "'at' and 'scope' are mutually exclusive", {
      parameter: 'scope',
      expected: 'a time or a scope, not both',
    });
  }
  return archiveTime(context, 'at', at, zone);
}

/** A moment in the archive of a context, in any of PCP's forms. Throws BAD_PARAMETER with the parameter. */
export async function archiveTime(
  context: Context,
  parameter: string,
  text: string,
  zone: string | undefined,
): Promise<Timestamp> {
  const { start, end, timezone } = await context.info();
  const now = systemClock.now();
  const references = { start: start ?? now, end: end ?? now, now, zone: zoneOf(zone, timezone) };
  return parseInParameter(parameter, text, (time) => parseTime(time, references));
}

/** The zone of the request; else the archive's own, or UTC if that is invalid. Throws BAD_PARAMETER. */
function zoneOf(asked: string | undefined, own: string | undefined): TimeZone {
  return asked === undefined ? sourceZone(own) : parseZone(asked);
}
