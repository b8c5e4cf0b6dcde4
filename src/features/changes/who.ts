import type { Context, RangeSettings } from '../../context/index.js';
import { findCulprits, titleOf, type CulpritResource, type Culprits } from '../../culprits/index.js';
import { addSeconds, earlier, GatewayError, later } from '../../pmapi/index.js';
import { resourceOf } from './importance.js';
import type { MeasuredWindow } from './measured-window.js';
import type { Finding } from './sentence.js';

/** So much of each window says who it is: the first of the later one, and the last before it. */
const LONGEST_SEC = 3600;

/** Who has the rise of each resource that findings are about. Where nothing rose, a resource is left out. Throws as a range does. */
export async function findWho(
  context: Context,
  findings: readonly Finding[],
  { before, after }: { readonly before: MeasuredWindow; readonly after: MeasuredWindow },
  settings: RangeSettings,
): Promise<ReadonlyMap<CulpritResource, Culprits>> {
  const window = { start: after.start, finish: earlier(after.finish, addSeconds(after.start, LONGEST_SEC)) };
  const last = { start: later(before.start, addSeconds(before.finish, -LONGEST_SEC)), finish: before.finish };
  const found = new Map<CulpritResource, Culprits>();
  for (const resource of new Set(findings.map(resourceOf))) {
    if (resource === undefined) continue;
    try {
      const culprits = await findCulprits(context, { resource, window, before: last }, settings);
      if (culprits.shareOf === 'rise' || culprits.unknown !== undefined) found.set(resource, culprits);
    } catch (error) {
      if (!(error instanceof GatewayError && error.code === 'LIMIT_EXCEEDED')) throw error;
      const unknown = 'Who it is is not known: there are too many samples of processes in these windows.';
      found.set(resource, { resource, unit: '', shareOf: 'whole', who: [], unknown });
    }
  }
  return found;
}

/** Who has which part of the rise, in words for the end of a sentence; empty if it is not known. */
export function describeWho(culprits: Culprits | undefined): string {
  if (!culprits || culprits.who.length === 0) return '';
  const { who, by } = culprits;
  const shares = who.map((one) => `${titleOf(one)} ${Math.round(one.share * 100)} %`).join(', ');
  return `; of the rise${by === undefined ? '' : `, ${by}`}: ${shares}`;
}
