import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { NumberFile } from './line-files.js';
import { cell } from './singular.js';

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
