import type { Context, MeantKind } from '../../../context/index.js';
import { GatewayError, PM_ERR } from '../../../pmapi/index.js';
import type { MetricDescriptor } from '../../../pmapi/index.js';
import { errorCodeOfPmErr } from '../../response/pm-error-code.js';
import type { Warning } from '../../response/answer.js';

/** The descriptor of a metric by name, or its PM_ERR code. */
export async function describeNamed(context: Context, name: string): Promise<MetricDescriptor | number> {
  const [pmid = PM_ERR.NAME] = await context.names.lookupNames([name]);
  return describeOne(context, pmid);
}

/** The descriptor of a metric, or the PM_ERR code in place of its PMID or descriptor. */
export async function describeOne(context: Context, pmid: number): Promise<MetricDescriptor | number> {
  if (pmid < 0) return pmid;
  const [descriptor = PM_ERR.PMID] = await context.names.describe([pmid]);
  return descriptor;
}

/** The error for a metric that cannot be looked up; `parameter` names it. */
export function lookupFailure(message: string, parameter: 'name' | 'pmid', pmErr: number): GatewayError {
  return new GatewayError(errorCodeOfPmErr(pmErr), message, { parameter, pmErr });
}

/** Why a derived metric does not bind in a context, in PCP's words; undefined for any other name. */
export async function reasonUnbound(context: Context, name: string): Promise<string | undefined> {
  if (!context.derived.get(name)) return undefined;
  return (await context.names.explainMissing([name])).get(name);
}

/** `; did you mean kernel.all.load?`, appended to a message; '' if no name is near. */
function didYouMean(nearest: readonly string[] | undefined): string {
  return nearest && nearest.length > 0 ? `; did you mean ${nearest.join(' or ')}?` : '';
}

/** The names that an unknown one was probably meant to be, for the end of a message. */
export async function suggestionFor(context: Context, name: string, kind: MeantKind): Promise<string> {
  return didYouMean((await context.names.meantNames([name], kind)).get(name));
}

/** Warnings; those about unknown names have suggestions. */
export async function withSuggestions(
  context: Context,
  warnings: readonly Warning[],
  kind: MeantKind,
): Promise<readonly Warning[]> {
  const unknown = warnings.flatMap(({ code, name }) => (code === 'UNKNOWN_METRIC' && name !== undefined ? name : []));
  if (unknown.length === 0) return warnings;
  const meant = await context.names.meantNames(unknown, kind);
  if (meant.size === 0) return warnings;
  return warnings.map((warning) => {
    const { code, name = '' } = warning;
    if (code !== 'UNKNOWN_METRIC') return warning;
    return { ...warning, message: `${warning.message}${didYouMean(meant.get(name))}` };
  });
}
