/** The clusters whose files are tables of numbers, each in one of the formats of table.ts. */
import { PM_ERR } from '../../../pmapi/index.js';
import { LOAD_INDOM, PRESSURE_INDOM, SWAP_DEVICE_INDOM } from '../catalog/linux-catalog.js';
import { cluster, quick, type ClusterEnvironment, type LocalCluster } from '../cluster.js';
import {
  decimals,
  integers,
  keyed,
  loadAverages,
  namedPairs,
  paired,
  pressure,
  softnet,
  RowsFile,
  fileTables,
  tableBindings,
  tableCluster,
} from '../table.js';
import { unescapePath } from './mounts.js';

export const uptimeCluster = tableCluster('uptime', { 'proc/uptime': decimals });

const LOAD_SPANS = [1, 5, 15].map((id) => ({ id, name: `${id} minute` }));

/** kernel.all.load and its neighbours. */
export const loadavgCluster = tableCluster(
  'loadavg',
  { 'proc/loadavg': loadAverages },
  { catalog: LOAD_INDOM, instances: LOAD_SPANS },
);

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

/** network.ip, network.icmp, network.tcp and network.udp. @see proc_pid_net(5) */
export const networkProtocolCluster = tableCluster('network-protocol', {
  'proc/net/snmp': paired,
  'proc/net/netstat': paired,
});

export const networkSockstatCluster = tableCluster('network-sockstat', {
  'proc/net/sockstat': namedPairs,
  'proc/net/sockstat6': namedPairs,
});

export const networkSoftnetCluster = tableCluster('network-softnet', { 'proc/net/softnet_stat': softnet });

/** vfs.*. @see proc_sys_fs(5) */
export const vfsCluster = tableCluster('vfs', {
  'proc/sys/fs/file-nr': integers,
  'proc/sys/fs/inode-state': integers,
  'proc/sys/fs/dentry-state': integers,
  'proc/sys/fs/aio-nr': integers,
});

const PRESSURE_SPANS = [
  { id: 10, name: '10 second' },
  { id: 60, name: '1 minute' },
  { id: 300, name: '5 minute' },
];

export const pressureCluster = tableCluster(
  'pressure',
  {
    'proc/pressure/cpu': pressure,
    'proc/pressure/memory': pressure,
    'proc/pressure/io': pressure,
    'proc/pressure/irq': pressure,
  },
  { catalog: PRESSURE_INDOM, instances: PRESSURE_SPANS },
);
