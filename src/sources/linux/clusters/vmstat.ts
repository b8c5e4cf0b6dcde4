import { INSTANCE_NULL, PM_ERR } from '../../../pmapi/index.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { KeyedFile } from '../keyed-file.js';
import { cell } from './singular.js';

/** The metrics below this node are called as the lines are. */
const NODE = 'mem.vmstat';
/** What kernels since 4.5 call thp_split; thp_split_pmd beside it counts page tables that were split, not pages. */
const SPLIT_PAGE = 'thp_split_page';

/** mem.vmstat.* and the swap counters, from /proc/vmstat. */
export function vmstatCluster({ files }: ClusterEnvironment): LocalCluster {
  const lines = LINUX_CATALOG.below(NODE);
  const keys = [...lines, SPLIT_PAGE, 'pswpin', 'pswpout'];
  const column = (key: string): number => keys.indexOf(key);
  const sample = new KeyedFile(files, 'proc/vmstat', keys, { separator: 'blank' });
  const samples = [sample];
  const { fields } = sample;
  const uncounted: MetricBinding = { kind: 'quick', samples: [], fill: (set) => set.fail(PM_ERR.APPVERSION) };
  const table = new Map<string, MetricBinding>([
    ...lines.map((line) => [`${NODE}.${line}`, cell(samples, fields, column(line))] as const),
    [
      'mem.vmstat.thp_split',
      {
        kind: 'quick',
        samples,
        fill(set) {
          const key = fields.has(0, column('thp_split')) ? 'thp_split' : SPLIT_PAGE;
          fields.emit(set, INSTANCE_NULL, 0, column(key));
        },
      },
    ],
    ['swap.pagesin', cell(samples, fields, column('pswpin'))],
    ['swap.pagesout', cell(samples, fields, column('pswpout'))],
    ['swap.in', uncounted],
    ['swap.out', uncounted],
  ]);
  return {
    name: 'vmstat',
    metrics: LINUX_CATALOG.bind(table),
  };
}
