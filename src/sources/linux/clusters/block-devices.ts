import type { ProcFiles } from '../proc-files.js';

/** The families of block devices that have metrics of their own; see instance domains 60.1, 60.10, 60.24, 60.25. */
export type DeviceFamily = 'dev' | 'partitions' | 'dm' | 'md';

const NEVER = /^(?:loop|ram|zram|sr\d)|xvm/;
/** Whole devices of these kinds end in a digit; their partitions have a `p` before the last number. */
const NUMBERED_DISK = /^(?:mmcblk|nvme|rbd|nbd)[^p]*$/;

/** The family of a device by its name in /proc/diskstats; undefined for one that is left out. */
export function classifyDevice(name: string): DeviceFamily | undefined {
  if (NEVER.test(name)) return undefined;
  if (name.startsWith('dm-')) return 'dm';
  if (name.startsWith('md')) return 'md';
  if (name.includes('/')) return /p\d+$/.test(name) ? 'partitions' : 'dev'; // cciss/c0d0p1, of kernels before 4.14
  return /\d$/.test(name) && !NUMBERED_DISK.test(name) ? 'partitions' : 'dev';
}

/** The folder of a device below /sys/block, by its name in /proc/diskstats. */
export function sysBlockName(name: string): string {
  return name.replaceAll('/', '!');
}

/** The name of a RAID device: that of the link in /dev/md which leads to it unless it is just a number, else the kernel's. */
export function mdName(files: ProcFiles, kernelName: string): string {
  for (const link of files.list('dev/md')) {
    const target = files.link(`dev/md/${link}`);
    if (target?.split('/').at(-1) === kernelName && !/^\d+$/.test(link)) return link;
  }
  return kernelName;
}
