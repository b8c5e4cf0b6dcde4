import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { NumberFile } from './line-files.js';
import { cell } from './singular.js';

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
