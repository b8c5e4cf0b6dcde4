import { getOrMake } from '../../kit/index.js';
import type { MmvProblem } from './mmv-directory.js';
import type { MmvFile } from './mmv-file.js';
import type { MmvLayout } from './mmv-layout.js';

const MAX_CLUSTER = 4095;

/** A file and the cluster of its metrics. */
export interface Placed {
  readonly file: MmvFile;
  readonly layout: MmvLayout;
  readonly cluster: number;
}

/**
 * Gives each file its requested cluster, or the lowest free one. As in PCP, except that a later file whose items would collide gets an
 * unrequested cluster (in PCP, pmcd may crash).
 */
export function clustersOf(files: readonly MmvFile[], problems: MmvProblem[]): readonly Placed[] {
  const asked = new Set(files.map((file) => file.layout?.header.cluster ?? 0));
  const items = new Map<number, Set<number>>();
  const placed: Placed[] = [];
  for (const file of files) {
    const { layout } = file;
    if (!layout) continue;
    const own = layout.metrics.map(({ item }) => item);
    const wanted = layout.header.cluster;
    const isTaken = own.some((item) => items.get(wanted)?.has(item));
    const cluster =
      wanted === 0 || isTaken ? lowest((each) => items.has(each) || (isTaken && asked.has(each))) : wanted;
    if (isTaken) {
      const outcome = cluster === undefined ? 'no cluster is free' : `it has cluster ${cluster}`;
      problems.push({ file: file.title, reason: `another file has items of it in cluster ${wanted}: ${outcome}` });
    } else if (cluster === undefined) {
      problems.push({ file: file.title, reason: 'no cluster is free' });
    }
    if (cluster === undefined) continue;
    const taken = getOrMake(items, cluster, () => new Set());
    for (const item of own) taken.add(item);
    placed.push({ file, layout, cluster });
  }
  return placed;
}

/** The lowest cluster that is not taken. */
function lowest(isTaken: (cluster: number) => boolean): number | undefined {
  for (let cluster = 1; cluster <= MAX_CLUSTER; cluster++) if (!isTaken(cluster)) return cluster;
  return undefined;
}
