import { PM_ERR } from '../../../pmapi/index.js';
import { SWAP_DEVICE_INDOM } from '../catalog/linux-catalog.js';
import { cluster, quick, type ClusterEnvironment, type LocalCluster } from '../cluster.js';
import { keyed } from '../file-samples.js';
import { RowsFile } from '../rows-file.js';
import { fileTables, tableBindings, tableCluster } from '../table.js';
import { unescapePath } from './mounts.js';

/** mem.*, swap.* in bytes and hinv.physmem. @see proc_meminfo(5) */
export const meminfoCluster = tableCluster('meminfo', { 'proc/meminfo': keyed({ separator: 'colon' }) });

/** mem.vmstat.* and the swap counters. Kernels since 4.5 call thp_split thp_split_page; thp_split_pmd counts page tables. */
export function vmstatCluster(environment: ClusterEnvironment): LocalCluster {
  const uncounted = quick([], (set) => set.fail(PM_ERR.APPVERSION));
  return cluster('vmstat', [
    ...tableBindings(environment, fileTables(environment.files, 'proc/vmstat', keyed({ separator: 'blank' }))),
    ['swap.in', uncounted],
    ['swap.out', uncounted],
  ]);
}

/** swapdev.*, from the lines of /proc/swaps: `Filename Type Size Used Priority`, sizes in Kbyte. @see proc_swaps(5) */
export function swapsCluster(environment: ClusterEnvironment): LocalCluster {
  const swaps = new RowsFile(environment, SWAP_DEVICE_INDOM, {
    file: 'proc/swaps',
    columns: ['size', 'used', 'priority'],
    headingLines: 1,
    nameEnd: 'blank',
    skipWords: 1,
    nameOf: unescapePath,
  });
  return cluster('swaps', tableBindings(environment, [swaps.asTable]), [swaps.asIndom()]);
}
