import { metric } from './metric.js';
import type { CatalogMetric, CatalogType, CatalogUnits } from './metric.js';

/** Per-CPU facts from /proc/cpuinfo (cluster 60.18): name, item, type and units, one line, what it means. */
const CPUINFO: readonly (readonly [
  name: string,
  item: number,
  type: CatalogType,
  units: CatalogUnits,
  oneline: string,
  help: string,
])[] = [
  [
    'clock',
    0,
    'float',
    '/ microsec',
    'Clock frequency of each CPU, in MHz',
    'The "cpu MHz" line, or scaling_cur_freq of cpufreq where there is none. It is the frequency of the moment and moves with power management.',
  ],
  ['vendor', 1, 'string', 'none', 'Vendor of each CPU', 'The "vendor_id" line.'],
  [
    'model',
    2,
    'string',
    'none',
    'Model number of each CPU',
    'The "model" line: a number on x86, given as text. For a name see hinv.cpu.model_name.',
  ],
  ['stepping', 3, 'string', 'none', 'Stepping (revision) of each CPU', 'The "stepping" line.'],
  [
    'cache',
    4,
    'u32',
    'Kbyte',
    'Cache size of each CPU',
    'The "cache size" line: the last-level cache, which CPUs usually share. There is no value on machines without that line, such as ARM.',
  ],
  [
    'bogomips',
    5,
    'float',
    'none',
    'Bogomips of each CPU',
    'The "bogomips" line, from the calibration of a delay loop at boot. Not a measure of speed.',
  ],
  [
    'model_name',
    9,
    'string',
    'none',
    'Model name of each CPU',
    'The "model name" line; where there is none the "hardware" line, then hinv.cpu.model.',
  ],
];

/** /proc/cpuinfo. */
export const CPUINFO_METRICS: readonly CatalogMetric[] = CPUINFO.map(([name, item, type, units, oneline, help]) =>
  metric(
    `hinv.cpu.${name}`,
    `60.18.${item}`,
    type,
    '60.0',
    'discrete',
    units,
    oneline,
    `${help} From each processor\u2019s block of /proc/cpuinfo.`,
  ),
);

/** CPUs and NUMA nodes: which there are, and how they belong together. */
export const TOPOLOGY_METRICS: readonly CatalogMetric[] = [
  metric(
    'hinv.ncpu',
    '60.0.32',
    'u32',
    null,
    'discrete',
    'none',
    'CPUs that are online',
    'The number of cpuN lines in /proc/stat: hardware threads, not cores.',
  ),
  metric(
    'hinv.nnode',
    '60.0.19',
    'u32',
    null,
    'discrete',
    'none',
    'NUMA nodes',
    'The number of nodeN directories in /sys/devices/system/node; 1 when there are none.',
  ),
  metric(
    'hinv.cpu.online',
    '60.55.0',
    'u32',
    '60.0',
    'instant',
    'none',
    'Whether each CPU is online',
    '/sys/devices/system/cpu/cpuN/online; 1 where that file is missing, which means that the CPU cannot be taken offline.',
  ),
  metric(
    'hinv.map.cpu_num',
    '60.18.6',
    'u32',
    '60.0',
    'discrete',
    'none',
    'Number of each CPU',
    'The logical CPU number, N of the instance cpuN.',
  ),
  metric(
    'hinv.map.cpu_node',
    '60.18.8',
    'u32',
    '60.0',
    'discrete',
    'none',
    'NUMA node that each CPU belongs to',
    'From the cpuN entries in /sys/devices/system/node/nodeM.',
  ),
];

/** What does not change while the system is up and comes from no file. @see sysconf(3), uname(2) */
export const SYSTEM_CONSTANT_METRICS: readonly CatalogMetric[] = [
  metric(
    'hinv.pagesize',
    '60.1.11',
    'u32',
    null,
    'discrete',
    'byte',
    'Size of a page of memory',
    'The base page size, as "getconf PAGESIZE" prints it; 4096 on x86.',
  ),
  metric(
    'hinv.machine',
    '60.18.7',
    'string',
    null,
    'discrete',
    'none',
    'Hardware name of the machine, such as x86_64',
    'The machine field of uname(2).',
  ),
];
