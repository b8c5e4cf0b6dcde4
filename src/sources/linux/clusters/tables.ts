/** The clusters whose files are tables of numbers, each in one of the formats of table.ts. */
import { machine } from 'node:os';
import { INSTANCE_NULL, PM_ERR } from '../../../pmapi/index.js';
import { cluster, quick, type ClusterEnvironment, type LocalCluster, type MetricBinding } from '../cluster.js';
import {
  TextFile,
  integers,
  fileTables,
  tableBindings,
  decimals,
  keyed,
  loadAverages,
  namedPairs,
  paired,
  pressure,
  softnet,
  RowsFile,
  tableCluster,
} from '../table.js';
import type { ProcFiles } from '../proc-files.js';
import { LOAD_INDOM, PRESSURE_INDOM, SWAP_DEVICE_INDOM } from '../catalog/linux-catalog.js';
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

/** What the kernel allows where /proc/sys/kernel/pid_max cannot be read: PID_MAX_LIMIT of a 64-bit kernel. */
const PID_MAX_DEFAULT = 4_194_304;

/** kernel.all.{entropy,pid_max,nptys}. @see proc_sys_kernel(5) */
export function kernelLimitsCluster(environment: ClusterEnvironment): LocalCluster {
  const { files } = environment;
  const tables = ['random/entropy_avail', 'random/poolsize', 'pty/nr'].flatMap((name) =>
    fileTables(files, `proc/sys/kernel/${name}`, integers),
  );
  const pidMax = new TextFile(files, 'proc/sys/kernel/pid_max');
  return cluster('kernel-limits', [
    ...tableBindings(environment, tables),
    ['kernel.all.pid_max', quick([pidMax], (set) => set.setNumber(parseInt(pidMax.text ?? '', 10) || PID_MAX_DEFAULT))],
  ]);
}

/** Where distributions say what they are, in the order in which PCP looks; with what to make of the first line. */
const DISTRIBUTION_FILES: readonly (readonly [path: string, text: (line: string) => string])[] = [
  ['etc/debian_version', (line) => `Debian ${line}`],
  ['etc/oracle-release', (line) => line],
  ['etc/fedora-release', (line) => line],
  ['etc/redhat-release', (line) => line],
  ['etc/slackware-version', (line) => line],
  ['etc/SuSE-release', (line) => line],
  ['etc/lsb-release', (line) => line.replace(/^DISTRIB_ID=/, '')],
  ['etc/amazon-linux-release', (line) => line],
];

/** kernel.uname.* and what else never changes while the system is up; uname(2)'s fields from /proc/sys/kernel. */
export function unameCluster({ files, pageSize }: ClusterEnvironment): LocalCluster {
  const field = (name: string, fallback?: string): MetricBinding => {
    const sample = new TextFile(files, `proc/sys/kernel/${name}`);
    return quick([sample], (set) => {
      const text = sample.text ?? fallback;
      if (text !== undefined) set.addText(INSTANCE_NULL, text);
    });
  };
  const hardware = field('arch', machine()); // the file is there since kernel 6.1
  return cluster('uname', [
    ['kernel.uname.release', field('osrelease')],
    ['kernel.uname.version', field('version')],
    ['kernel.uname.sysname', field('ostype')],
    ['kernel.uname.nodename', field('hostname')],
    ['kernel.uname.machine', hardware],
    ['hinv.machine', hardware],
    ['kernel.uname.distro', quick([], (set) => set.addText(INSTANCE_NULL, distribution(files)))],
    ['hinv.pagesize', quick([], (set) => set.setNumber(pageSize))],
  ]);
}

function distribution(files: ProcFiles): string {
  for (const [path, text] of DISTRIBUTION_FILES) {
    const line = files.text(path)?.split('\n', 1)[0];
    if (line !== undefined) return text(line);
  }
  return '?';
}
