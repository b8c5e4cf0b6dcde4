import { makeLabel } from '../../../pmapi/index.js';
import { indom } from './indom.js';
import { metric } from './metric.js';
import type { CatalogMetric } from './metric.js';

const blockLabels = (name: string) => [makeLabel('device_type', 'block'), makeLabel('indom_name', name)];

/** Instance domain 60.1: whole disks. */
export const DISK_INDOM = indom(
  '60.1',
  'cached-saved',
  'Disks',
  blockLabels('per disk'),
  'Whole disks of /proc/diskstats, idle ones too; partitions, loop, RAM, CD-ROM, device-mapper and RAID devices are left out.',
);

/** Instance domain 60.10: partitions. */
export const PARTITION_INDOM = indom(
  '60.10',
  'cached-saved',
  'Disk partitions',
  blockLabels('per partition'),
  'The partitions of /proc/diskstats, by their kernel names.',
);

/** Instance domain 60.24: device-mapper devices. */
export const DM_INDOM = indom(
  '60.24',
  'cached-saved',
  'Device-mapper devices',
  blockLabels('per dm device'),
  'Logical volumes, encrypted devices, multipath devices and the like, by their persistent names; those without one are left out.',
);

/** Instance domain 60.25: software RAID devices. */
export const MD_INDOM = indom(
  '60.25',
  'cached-saved',
  'Software RAID devices',
  blockLabels('per md device'),
  'The md devices of /proc/diskstats, by the name that /dev/md has for them where there is one.',
);

/** A family of disk metrics: whole disks, their sum, device-mapper devices, RAID devices, partitions. */
type Family = 'dev' | 'all' | 'dm' | 'md' | 'partitions';

/**
 * One column (or sum of columns) of /proc/diskstats, and its item in each family that has it. The clusters are 60.0 (dev and
 * all), 60.54 (dm), 60.59 (md) and 60.10 (partitions).
 */
interface DiskColumn {
  readonly name: string;
  readonly items: Partial<Readonly<Record<Family, number>>>;
  /** `ms`: a 32-bit count of milliseconds in the kernel, summed in 64 bits over all disks. */
  readonly unit: 'count' | 'Kbyte' | 'ms' | 'requests';
  readonly oneline: string;
  readonly help: string;
}

const KBYTE_NOTE = 'The unit is Kbyte: 512-byte sectors, halved and rounded down.';
const WRAP_NOTE = 'The kernel keeps 32 bits of it, so it wraps after 49.7 days of activity.';

const COLUMNS: readonly DiskColumn[] = [
  {
    name: 'read',
    items: { dev: 4, all: 24, dm: 0, md: 0, partitions: 0 },
    unit: 'count',
    oneline: 'Reads completed',
    help: 'Requests after merging: one request can carry many adjacent reads.',
  },
  {
    name: 'write',
    items: { dev: 5, all: 25, dm: 1, md: 1, partitions: 1 },
    unit: 'count',
    oneline: 'Writes completed',
    help: 'Requests after merging: one request can carry many adjacent writes.',
  },
  {
    name: 'total',
    items: { dev: 28, all: 29, dm: 2, md: 2 },
    unit: 'count',
    oneline: 'Reads and writes completed',
    help: 'The sum of read and write; discards and flushes are not in it.',
  },
  {
    name: 'blkread',
    items: { dev: 6, all: 26, dm: 3, md: 3 },
    unit: 'count',
    oneline: 'Sectors read',
    help: 'A sector is 512 bytes, whatever the device uses.',
  },
  {
    name: 'blkwrite',
    items: { dev: 7, all: 27, dm: 4, md: 4 },
    unit: 'count',
    oneline: 'Sectors written',
    help: 'A sector is 512 bytes, whatever the device uses.',
  },
  {
    name: 'blktotal',
    items: { dev: 36, all: 37, dm: 5, md: 5 },
    unit: 'count',
    oneline: 'Sectors read and written',
    help: 'The sum of blkread and blkwrite. A sector is 512 bytes, whatever the device uses.',
  },
  {
    name: 'read_bytes',
    items: { dev: 38, all: 41, dm: 6, md: 6, partitions: 6 },
    unit: 'Kbyte',
    oneline: 'Kbytes read',
    help: KBYTE_NOTE,
  },
  {
    name: 'write_bytes',
    items: { dev: 39, all: 42, dm: 7, md: 7, partitions: 7 },
    unit: 'Kbyte',
    oneline: 'Kbytes written',
    help: KBYTE_NOTE,
  },
  {
    name: 'total_bytes',
    items: { dev: 40, all: 43, dm: 8, md: 8 },
    unit: 'Kbyte',
    oneline: 'Kbytes read and written',
    help: KBYTE_NOTE,
  },
  {
    name: 'read_merge',
    items: { dev: 49, all: 51, dm: 9, md: 9 },
    unit: 'count',
    oneline: 'Reads merged into a queued request',
    help: 'Reads that were adjacent to a queued one and went to the device together with it.',
  },
  {
    name: 'write_merge',
    items: { dev: 50, all: 52, dm: 10, md: 10 },
    unit: 'count',
    oneline: 'Writes merged into a queued request',
    help: 'Writes that were adjacent to a queued one and went to the device together with it.',
  },
  {
    name: 'avactive',
    items: { dev: 46, all: 44, dm: 11, md: 11, partitions: 11 },
    unit: 'ms',
    oneline: 'Time with at least one request in progress',
    help: 'Its rate is the utilisation: 1000 ms a second is a device that was never idle, which for devices that serve requests in parallel is not yet a saturated one.',
  },
  {
    name: 'aveq',
    items: { dev: 47, all: 45, dm: 12, md: 12, partitions: 12 },
    unit: 'ms',
    oneline: 'Time in progress, summed over requests',
    help: 'Grows with the number of requests in progress times the time passed: its rate is the mean queue length.',
  },
  {
    name: 'read_rawactive',
    items: { dev: 72, all: 74, dm: 14, md: 14 },
    unit: 'ms',
    oneline: 'Time in progress, summed over reads',
    help: 'From queueing to completion of each read. Divided by the reads done in the same time it is the mean read latency.',
  },
  {
    name: 'write_rawactive',
    items: { dev: 73, all: 75, dm: 15, md: 15 },
    unit: 'ms',
    oneline: 'Time in progress, summed over writes',
    help: 'From queueing to completion of each write. Divided by the writes done in the same time it is the mean write latency.',
  },
  {
    name: 'total_rawactive',
    items: { dev: 79, all: 80, dm: 16, md: 16 },
    unit: 'ms',
    oneline: 'Time in progress, summed over reads and writes',
    help: 'The sum of read_rawactive and write_rawactive.',
  },
  {
    name: 'inflight',
    items: { dev: 95, all: 104, dm: 25, md: 25 },
    unit: 'requests',
    oneline: 'Requests in progress now',
    help: 'Requests given to the driver and not completed. The only value of the line that is not a counter.',
  },
  {
    name: 'discard',
    items: { dev: 88, all: 96, dm: 18, md: 18 },
    unit: 'count',
    oneline: 'Discards completed',
    help: 'Requests to forget blocks (TRIM, UNMAP). Since kernel 4.18.',
  },
  {
    name: 'discard_merge',
    items: { dev: 91, dm: 21, md: 21 },
    unit: 'count',
    oneline: 'Discards merged into a queued request',
    help: 'Discards that were adjacent to a queued one. Since kernel 4.18.',
  },
  {
    name: 'blkdiscard',
    items: { dev: 89, dm: 19, md: 19 },
    unit: 'count',
    oneline: 'Sectors discarded',
    help: 'A sector is 512 bytes, whatever the device uses. Since kernel 4.18.',
  },
  {
    name: 'discard_bytes',
    items: { dev: 90, all: 98, dm: 20, md: 20 },
    unit: 'Kbyte',
    oneline: 'Kbytes discarded',
    help: `${KBYTE_NOTE} Since kernel 4.18.`,
  },
  {
    name: 'discard_rawactive',
    items: { dev: 92, dm: 22, md: 22 },
    unit: 'ms',
    oneline: 'Time in progress, summed over discards',
    help: 'From queueing to completion of each discard. Since kernel 4.18.',
  },
  {
    name: 'flush',
    items: { dev: 93, all: 101, dm: 23, md: 23 },
    unit: 'count',
    oneline: 'Cache flushes completed',
    help: 'Requests to make written data durable. Counted for whole disks only. Since kernel 5.5.',
  },
  {
    name: 'flush_rawactive',
    items: { dev: 94, dm: 24, md: 24 },
    unit: 'ms',
    oneline: 'Time in progress, summed over cache flushes',
    help: 'From queueing to completion of each flush. Since kernel 5.5.',
  },
];

const FAMILIES: readonly (readonly [
  family: Family,
  cluster: number,
  indom: string | null,
  whose: string,
  rows: string,
])[] = [
  ['dev', 0, '60.1', 'each disk', 'the lines of whole disks in /proc/diskstats'],
  ['all', 0, null, 'all disks', 'the lines of whole disks in /proc/diskstats, added up'],
  ['dm', 54, '60.24', 'each device-mapper device', 'the dm-N lines of /proc/diskstats'],
  ['md', 59, '60.25', 'each RAID device', 'the mdN lines of /proc/diskstats'],
  ['partitions', 10, '60.10', 'each partition', 'the lines of partitions in /proc/diskstats'],
];

/** Type, semantics and units of a column; sums over all disks are 64-bit throughout. */
const UNITS = {
  count: { each: 'u64', sum: 'u64', semantics: 'counter', units: 'count' },
  Kbyte: { each: 'u64', sum: 'u64', semantics: 'counter', units: 'Kbyte' },
  ms: { each: 'u32', sum: 'u64', semantics: 'counter', units: 'millisec' },
  requests: { each: 'u32', sum: 'u64', semantics: 'instant', units: 'none' },
} as const;

const columns = FAMILIES.flatMap(([family, cluster, indom, whose, rows]) =>
  COLUMNS.flatMap((column) => {
    const item = column.items[family];
    if (item === undefined) return [];
    const { each, sum, semantics, units } = UNITS[column.unit];
    const wraps = column.unit === 'ms' && indom !== null ? ` ${WRAP_NOTE}` : '';
    return [
      metric(
        `disk.${family}.${column.name}`,
        `60.${cluster}.${item}`,
        indom === null ? sum : each,
        indom,
        semantics,
        units,
        `${column.oneline}, ${whose}`,
        `${column.help}${wraps} From ${rows}.`,
      ),
    ];
  }),
);

/** disk.*. @see the kernel's Documentation/admin-guide/iostats.rst */
export const DISK_METRICS: readonly CatalogMetric[] = [
  ...columns,
  metric(
    'disk.dev.scheduler',
    '60.0.59',
    'string',
    '60.1',
    'discrete',
    'none',
    'I/O scheduler of each disk',
    'The name in brackets in /sys/block/DISK/queue/scheduler; "unknown" when there is none.',
  ),
  metric(
    'disk.dev.capacity',
    '60.0.87',
    'u64',
    '60.1',
    'discrete',
    'Kbyte',
    'Size of each disk',
    'The block count of /proc/partitions, which is in Kbyte.',
  ),
  metric(
    'disk.dm.capacity',
    '60.54.17',
    'u64',
    '60.24',
    'discrete',
    'Kbyte',
    'Size of each device-mapper device',
    'The block count of /proc/partitions, which is in Kbyte.',
  ),
  metric(
    'disk.md.capacity',
    '60.59.17',
    'u64',
    '60.25',
    'discrete',
    'Kbyte',
    'Size of each RAID device',
    'The block count of /proc/partitions, which is in Kbyte.',
  ),
  metric(
    'hinv.ndisk',
    '60.0.33',
    'u32',
    null,
    'discrete',
    'none',
    'Disks',
    'The number of instances of disk.dev metrics: whole disks, without loop, RAM, device-mapper and RAID devices.',
  ),
  metric(
    'hinv.map.dmname',
    '60.54.13',
    'string',
    '60.24',
    'discrete',
    'none',
    'Kernel name of each device-mapper device',
    'dm-N, the name in /proc/diskstats, of the device whose persistent name is the instance.',
  ),
  metric(
    'hinv.map.mdname',
    '60.59.13',
    'string',
    '60.25',
    'discrete',
    'none',
    'Kernel name of each RAID device',
    'mdN, the name in /proc/diskstats, of the device whose name in /dev/md is the instance.',
  ),
];
