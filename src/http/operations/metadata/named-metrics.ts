import type { Context, MeantKind } from '../../../context/index.js';
import { inBatches } from '../../../kit/index.js';
import { GatewayError, PM_ERR, PmError, type MetricDescriptor } from '../../../pmapi/index.js';
import { errorCodeOfPmErr, pmErrWarning, type Warning } from '../../response/answer.js';

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
    const nearest = warning.code === 'UNKNOWN_METRIC' ? meant.get(warning.name ?? '') : undefined;
    return nearest ? { ...warning, message: `${warning.message}${didYouMean(nearest)}` } : warning;
  });
}

/** The metrics of a subtree of the namespace, or the reason for its failure. */
type Subtree = readonly string[] | Warning;

export function isMissing(subtree: Subtree): subtree is Warning {
  return 'code' in subtree;
}

/** Subtrees by their nodes, each looked up once. An empty name among others is unknown; alone it is the root. */
export async function readSubtrees(
  context: Context,
  listed: readonly string[],
  gone: AbortSignal,
): Promise<ReadonlyMap<string, Subtree>> {
  const nodes = [...new Set(listed)];
  const found = new Map<string, Subtree>();
  // A batch side by side: on a distant host each look-up takes a while.
  for await (const some of inBatches(nodes, gone)) {
    const subtrees = await Promise.all(some.map((node) => readSubtree(context, node, listed.length === 1, gone)));
    for (const [i, node] of some.entries()) found.set(node, subtrees[i]!);
  }
  for (const warning of await withSuggestions(context, [...found.values()].filter(isMissing), 'node')) {
    found.set(warning.name!, warning);
  }
  return found;
}

async function readSubtree(context: Context, node: string, isSole: boolean, gone: AbortSignal): Promise<Subtree> {
  if (node === '' && !isSole) return pmErrWarning({ name: node }, PM_ERR.NAME);
  try {
    return await context.names.traverse(node, gone);
  } catch (error) {
    if (!(error instanceof PmError)) throw error;
    const reason = error.pmErr === PM_ERR.NAME ? await reasonUnbound(context, node) : undefined;
    return pmErrWarning({ name: node }, reason === undefined ? error.pmErr : PM_ERR.BADDERIVE, reason);
  }
}
