import { machine } from 'node:os';
import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import { cell } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import type { ProcFiles } from '../proc-files.js';
import { NumberFile, TextFile } from '../file-samples.js';

/** What the kernel allows where /proc/sys/kernel/pid_max cannot be read: PID_MAX_LIMIT of a 64-bit kernel. */
const PID_MAX_DEFAULT = 4_194_304;

/** kernel.all.{entropy,pid_max,nptys}, from /proc/sys/kernel. @see proc_sys_kernel(5) */
export function kernelLimitsCluster({ files }: ClusterEnvironment): LocalCluster {
  const first = (path: string): MetricBinding => {
    const sample = new NumberFile(files, `proc/sys/kernel/${path}`, 1);
    return cell([sample], sample.fields, 0);
  };
  const pidMax = new NumberFile(files, 'proc/sys/kernel/pid_max', 1);
  const table = new Map<string, MetricBinding>([
    ['kernel.all.entropy.avail', first('random/entropy_avail')],
    ['kernel.all.entropy.poolsize', first('random/poolsize')],
    ['kernel.all.nptys', first('pty/nr')],
    [
      'kernel.all.pid_max',
      {
        kind: 'quick',
        samples: [pidMax],
        fill: (set) => set.setNumber(pidMax.fields.has(0, 0) ? pidMax.fields.number(0, 0) : PID_MAX_DEFAULT),
      },
    ],
  ]);
  return { name: 'kernel-limits', metrics: LINUX_CATALOG.bind(table) };
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
    return {
      kind: 'quick',
      samples: [sample],
      fill(set) {
        const text = sample.text ?? fallback;
        if (text !== undefined) set.addText(INSTANCE_NULL, text);
      },
    };
  };
  const hardware = field('arch', machine()); // the file is there since kernel 6.1
  const table = new Map<string, MetricBinding>([
    ['kernel.uname.release', field('osrelease')],
    ['kernel.uname.version', field('version')],
    ['kernel.uname.sysname', field('ostype')],
    ['kernel.uname.nodename', field('hostname')],
    ['kernel.uname.machine', hardware],
    ['hinv.machine', hardware],
    [
      'kernel.uname.distro',
      { kind: 'quick', samples: [], fill: (set) => set.addText(INSTANCE_NULL, distribution(files)) },
    ],
    ['hinv.pagesize', { kind: 'quick', samples: [], fill: (set) => set.setNumber(pageSize) }],
  ]);
  return {
    name: 'uname',
    metrics: LINUX_CATALOG.bind(table),
  };
}

function distribution(files: ProcFiles): string {
  for (const [path, text] of DISTRIBUTION_FILES) {
    const line = files.text(path)?.split('\n', 1)[0];
    if (line !== undefined) return text(line);
  }
  return '?';
}

/** File below /proc/sys/fs, and the metrics that its numbers are, in order. */
const FILES: readonly (readonly [file: string, metrics: readonly string[]])[] = [
  ['file-nr', ['vfs.files.count', 'vfs.files.free', 'vfs.files.max']],
  ['inode-state', ['vfs.inodes.count', 'vfs.inodes.free']],
  ['dentry-state', ['vfs.dentry.count', 'vfs.dentry.free']],
  ['aio-nr', ['vfs.aio.count']],
];

/** vfs.*, from /proc/sys/fs. @see proc_sys_fs(5) */
export function vfsCluster({ files }: ClusterEnvironment): LocalCluster {
  const table = new Map<string, MetricBinding>();
  for (const [name, metrics] of FILES) {
    const sample = new NumberFile(files, `proc/sys/fs/${name}`, metrics.length);
    for (const [column, metric] of metrics.entries()) table.set(metric, cell([sample], sample.fields, column));
  }
  return { name: 'vfs', metrics: LINUX_CATALOG.bind(table) };
}
