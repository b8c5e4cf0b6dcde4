import type { Context } from '../../../context/index.js';
import { PM_ERR, PmError } from '../../../pmapi/index.js';
import { pmErrWarning } from '../../response/answer.js';
import type { Warning } from '../../response/answer.js';
import { reasonUnbound, withSuggestions } from './named-metric.js';

/** Concurrent look-ups of subtrees: on a distant host each takes a while. */
const AT_ONCE = 64;

/** The metrics of a subtree of the namespace, or the reason for its failure. */
export type Subtree = readonly string[] | Warning;

/** Whether there is no such subtree. */
export function isMissing(subtree: Subtree): subtree is Warning {
  return 'code' in subtree;
}

/**
 * Looks up subtrees by the names of their nodes, each once however often it is listed. An empty name among others is unknown;
 * alone it is the root.
 * @param gone aborted when the client leaves: rejects with its reason then
 */
export async function readSubtrees(
  context: Context,
  listed: readonly string[],
  gone: AbortSignal,
): Promise<ReadonlyMap<string, Subtree>> {
  const nodes = [...new Set(listed)];
  const found = new Map<string, Subtree>();
  for (let start = 0; start < nodes.length; start += AT_ONCE) {
    const some = nodes.slice(start, start + AT_ONCE);
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
