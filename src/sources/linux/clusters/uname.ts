import { machine } from 'node:os';
import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import type { ProcFiles } from '../proc-files.js';
import { TextFile } from './line-files.js';

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
