import { sourceZone } from '../../context/index.js';
import type { Context, MetadataMoment } from '../../context/index.js';
import { GatewayError, makeTimeZone, parseTime, SourceTextError, systemClock } from '../../pmapi/index.js';
import type { Timestamp, TimeZone } from '../../pmapi/index.js';
import type { ParametersOf } from '../operation.js';

type MomentQuery = Pick<ParametersOf<'IndomParameters'>, 'at' | 'scope' | 'zone'>;

/**
 * When the metadata is asked for that a request wants; undefined when it does not say. Throws WRONG_CONTEXT for a live source,
 * BAD_PARAMETER for a time or zone that cannot be read.
 */
export async function momentOf(
  context: Context,
  { at, scope, zone }: MomentQuery,
): Promise<MetadataMoment | undefined> {
  if (at === undefined && scope === undefined && zone === undefined) return undefined;
  context.requireArchive();
  if (at === undefined) return scope;
  if (scope !== undefined) {
    throw new GatewayError('BAD_PARAMETER', "'at' and 'scope' exclude one another", {
      parameter: 'scope',
      expected: 'a moment or a scope, not both',
    });
  }
  return archiveTime(context, 'at', at, zone);
}

/** A moment in the archive of a context, in any form that PCP knows. Throws BAD_PARAMETER that names the parameter. */
export async function archiveTime(
  context: Context,
  parameter: string,
  text: string,
  zone: string | undefined,
): Promise<Timestamp> {
  const { start, end, timezone } = await context.info();
  const now = systemClock.now();
  try {
    return parseTime(text, { start: start ?? now, end: end ?? now, now, zone: zoneOf(zone, timezone) });
  } catch (error) {
    if (!(error instanceof SourceTextError)) throw error;
    const { source, offset, end: to } = error;
    const { expected } = error.details;
    const where = { source, offset, end: to, parameter, ...(expected === undefined ? {} : { expected }) };
    throw new SourceTextError(error.code, error.message, where, { cause: error });
  }
}

/** The zone that a client names; else the archive's own, UTC when that makes no sense. Throws BAD_PARAMETER. */
export function zoneOf(asked: string | undefined, own: string | undefined): TimeZone {
  if (asked !== undefined) {
    try {
      return makeTimeZone(asked);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { code, message, details } = error;
      throw new GatewayError(code, `zone: ${message}`, { ...details, parameter: 'zone' }, { cause: error });
    }
  }
  return sourceZone(own);
}
