import type { Context, MetadataMoment } from '../../../context/index.js';
import { inBatches } from '../../../kit/index.js';
import {
  formatIndom,
  formatPmErr,
  badParameter,
  GatewayError,
  INDOM_NULL,
  parseIndom,
  PM_ERR,
  PmError,
} from '../../../pmapi/index.js';
import type { Instance } from '../../../pmapi/index.js';
import type { QueryOf } from '../../contracts.js';
import { pmErrWarning, type Warning } from '../../response/answer.js';
import { compilePatterns, refuseIdle } from '../../../context/selection/index.js';
import { describeNamed, lookupFailure, reasonUnbound, suggestionFor } from '../metadata/named-metrics.js';

type IndomQuery = QueryOf<'listInstances'>;

export interface InstanceSelection {
  readonly instances: readonly Instance[];
  readonly warnings: readonly Warning[];
}

/** The instance domain of a request: by a metric (`name`, which takes precedence) or directly; undefined without either. */
export async function indomOf(context: Context, query: IndomQuery): Promise<number | undefined> {
  if (query.name !== undefined) return indomOfMetric(context, query.name);
  if (query.indom === undefined) return undefined;
  const indom = parseIndom(query.indom);
  if (indom !== undefined && indom !== INDOM_NULL) return indom;
  const message = `failed to lookup indom ${query.indom}`;
  throw badParameter('indom', message, 'domain.serial, a decimal or a 0x hexadecimal number');
}

async function indomOfMetric(context: Context, name: string): Promise<number> {
  const descriptor = await describeNamed(context, name);
  if (typeof descriptor === 'number') {
    const reason =
      descriptor === PM_ERR.BADDERIVE ? `: ${(await reasonUnbound(context, name)) ?? formatPmErr(descriptor)}` : '';
    const meant = descriptor === PM_ERR.NAME ? await suggestionFor(context, name, 'metric') : '';
    throw lookupFailure(`${name} - failed to lookup metric${reason}${meant}`, 'name', descriptor);
  }
  if (descriptor.indom !== INDOM_NULL) return descriptor.indom;
  throw new GatewayError('NULL_INDOM', `${name} - metric has null indom`, { parameter: 'name' });
}

/** The instances of an instance domain now or at a moment. Throws UNKNOWN_INDOM with pmproxy's wording. */
export async function instancesOf(context: Context, indom: number, at?: MetadataMoment): Promise<readonly Instance[]> {
  try {
    return (await context.names.instances(indom, at)).instances;
  } catch (error) {
    if (!(error instanceof PmError) || ![PM_ERR.INDOM, PM_ERR.INDOM_LOG].some((code) => code === error.pmErr)) {
      throw error;
    }
    throw new GatewayError('UNKNOWN_INDOM', `failed to lookup indom ${formatIndom(indom)}`, { pmErr: error.pmErr });
  }
}

/** Throws BAD_PARAMETER for `match` without `iname`: the client meant some instances, not all. */
export function refuseIdleMatch({ iname, match }: IndomQuery): void {
  refuseIdle('match', match !== undefined && iname === undefined, 'how to match iname', 'iname');
}

/** Selects instances in turns, by `iname` (which takes precedence) and `match`, or by `instance`. Unknown ones are warnings. */
export async function chooseInstances(
  all: readonly Instance[],
  query: IndomQuery,
  gone: AbortSignal,
): Promise<InstanceSelection> {
  const { iname, instance, match = 'exact' } = query;
  if (iname) {
    const { matches } = compilePatterns(iname, match, 'iname');
    const instances = await filtered(all, ({ name }) => matches(name), gone);
    const names = new Set(instances.map(({ name }) => name));
    const unknown = match === 'exact' ? [...new Set(iname)].filter((name) => !names.has(name)) : [];
    return { instances, warnings: unknown.map((name) => pmErrWarning({ name }, PM_ERR.INST)) };
  }
  if (instance) {
    const wanted = new Set(instance);
    const instances = await filtered(all, ({ id }) => wanted.has(id), gone);
    const ids = new Set(instances.map(({ id }) => id));
    const unknown = [...wanted].filter((id) => !ids.has(id));
    return { instances, warnings: unknown.map((id) => pmErrWarning({ instance: id }, PM_ERR.INST)) };
  }
  return { instances: all, warnings: [] };
}

async function filtered(
  all: readonly Instance[],
  isWanted: (instance: Instance) => boolean,
  gone: AbortSignal,
): Promise<readonly Instance[]> {
  const wanted: Instance[] = [];
  for await (const some of inBatches(all, gone)) {
    for (const each of some) if (isWanted(each)) wanted.push(each);
  }
  return wanted;
}
