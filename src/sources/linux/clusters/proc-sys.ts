import { machine } from 'node:os';
import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { cluster, quick, type ClusterEnvironment, type LocalCluster, type MetricBinding } from '../cluster.js';
import { TextFile, integers, fileTables, tableBindings } from '../table.js';
import type { ProcFiles } from '../proc-files.js';

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
