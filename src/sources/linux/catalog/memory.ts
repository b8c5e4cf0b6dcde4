import { metric } from './metric.js';
import type { CatalogMetric } from './metric.js';

/** Metrics that are one line of /proc/meminfo: name, item of cluster 60.1, line, one line, what it means. */
const LINES: readonly (readonly [name: string, item: number, line: string, oneline: string, help: string])[] = [
  [
    'free',
    2,
    'MemFree',
    'Memory that is used for nothing at all',
    'Low on a healthy system, since the page cache takes what is free: mem.util.available tells what programs could have.',
  ],
  [
    'bufmem',
    4,
    'Buffers',
    'Memory holding raw disk blocks',
    'Cache of block devices themselves, mostly file system metadata; file contents are in mem.util.cached.',
  ],
  [
    'cached',
    5,
    'Cached',
    'Memory holding file contents',
    'The page cache, without mem.util.swapCached. Shared memory and tmpfs files are part of it and cannot be dropped.',
  ],
  [
    'swapCached',
    13,
    'SwapCached',
    'Memory that also has an up-to-date copy in swap',
    'Pages that were swapped out, came back, and need not be written again if they go once more.',
  ],
  [
    'active',
    14,
    'Active',
    'Memory used recently, reclaimed last',
    'Pages on the active lists, anonymous and file-backed.',
  ],
  [
    'inactive',
    15,
    'Inactive',
    'Memory not used recently, reclaimed first',
    'Pages on the inactive lists, anonymous and file-backed.',
  ],
  ['swapTotal', 20, 'SwapTotal', 'Swap space configured', 'The same as swap.length, in Kbyte.'],
  ['swapFree', 21, 'SwapFree', 'Swap space not in use', 'The same as swap.free, in Kbyte.'],
  [
    'dirty',
    22,
    'Dirty',
    'Memory waiting to be written to disk',
    'Changed pages of the page cache that write-back has not started on.',
  ],
  [
    'mapped',
    24,
    'Mapped',
    'File-backed memory mapped into processes',
    'Page cache that some process has mapped: programs, libraries, mmapped files.',
  ],
  [
    'slab',
    25,
    'Slab',
    'Memory in the kernel\u2019s slab caches',
    'Caches of kernel objects: the sum of a reclaimable part (mem.util.slabReclaimable) and one that is not.',
  ],
  [
    'committed_AS',
    26,
    'Committed_AS',
    'Memory promised to processes',
    'What would be needed, RAM and swap together, if every allocation made so far were used in full.',
  ],
  [
    'pageTables',
    27,
    'PageTables',
    'Memory holding page tables',
    'The lowest level of the tables that map virtual to physical memory.',
  ],
  [
    'anonpages',
    30,
    'AnonPages',
    'Memory of processes with no file behind it',
    'Heaps, stacks and private mappings that are mapped into processes.',
  ],
  [
    'commitLimit',
    31,
    'CommitLimit',
    'Most memory that may be promised',
    'Follows from vm.overcommit_ratio, RAM and swap. It is enforced in strict overcommit mode (2) only.',
  ],
  [
    'slabReclaimable',
    34,
    'SReclaimable',
    'Slab memory that can be reclaimed',
    'Dentry and inode caches for the most part; the kernel gives them up under pressure.',
  ],
  [
    'shmem',
    42,
    'Shmem',
    'Shared memory and tmpfs',
    'System V and POSIX shared memory, and the files of tmpfs mounts. It is part of mem.util.cached as well.',
  ],
  [
    'kernelStack',
    43,
    'KernelStack',
    'Memory holding kernel stacks',
    'Each task has one: it grows with the number of threads.',
  ],
  [
    'vmallocUsed',
    51,
    'VmallocUsed',
    'Kernel virtual address space allocated by vmalloc',
    'Always 0 on kernels 4.4 to 5.2, which did not add it up.',
  ],
  ['anonhugepages', 56, 'AnonHugePages', 'Anonymous memory in transparent huge pages', 'Part of mem.util.anonpages.'],
  [
    'available',
    58,
    'MemAvailable',
    'Memory that programs could have without swapping',
    'The kernel\u2019s estimate: free memory and what could be reclaimed from caches without hurting. Since kernel 3.14.',
  ],
];

/** Metrics that are one line of /proc/meminfo, and that line's name. */
export const MEMINFO_LINE_OF: ReadonlyMap<string, string> = new Map(
  LINES.map(([name, , line]) => [`mem.util.${name}`, line]),
);

const util: readonly CatalogMetric[] = [
  metric(
    'mem.util.used',
    '60.1.1',
    'u64',
    null,
    'instant',
    'Kbyte',
    'Memory that is used for something',
    'MemTotal less MemFree of /proc/meminfo. Caches count as used: mem.physmem less mem.util.available is nearer to what programs hold.',
  ),
  ...LINES.map(([name, item, line, oneline, help]) =>
    metric(
      `mem.util.${name}`,
      `60.1.${item}`,
      'u64',
      null,
      'instant',
      'Kbyte',
      oneline,
      `${help} From the ${line} line of /proc/meminfo; there is no value when the kernel has no such line.`,
    ),
  ),
  metric(
    'mem.util.hugepagesTotal',
    '60.1.44',
    'u64',
    null,
    'instant',
    'count',
    'Huge pages in the pool',
    'HugePages_Total of /proc/meminfo: pages of the default huge size that were set aside.',
  ),
  metric(
    'mem.util.hugepagesFree',
    '60.1.45',
    'u64',
    null,
    'instant',
    'count',
    'Huge pages in the pool that are free',
    'HugePages_Free of /proc/meminfo; some may be reserved for mappings that have not touched them yet.',
  ),
  metric(
    'mem.util.hugepagesTotalBytes',
    '60.1.60',
    'u64',
    null,
    'instant',
    'byte',
    'Size of the huge page pool',
    'HugePages_Total times Hugepagesize of /proc/meminfo.',
  ),
  metric(
    'mem.util.hugepagesFreeBytes',
    '60.1.61',
    'u64',
    null,
    'instant',
    'byte',
    'Size of the free huge pages',
    'HugePages_Free times Hugepagesize of /proc/meminfo.',
  ),
];

const mem: readonly CatalogMetric[] = [
  metric(
    'mem.physmem',
    '60.1.0',
    'u64',
    null,
    'discrete',
    'Kbyte',
    'Memory of the system',
    'MemTotal of /proc/meminfo: the RAM that the kernel manages, which is what is installed less what firmware and the kernel image keep.',
  ),
  metric(
    'mem.freemem',
    '60.1.10',
    'u64',
    null,
    'instant',
    'Kbyte',
    'Memory that is used for nothing at all',
    'MemFree of /proc/meminfo, the same as mem.util.free.',
  ),
];

const swap: readonly CatalogMetric[] = [
  metric(
    'swap.length',
    '60.1.6',
    'u64',
    null,
    'instant',
    'byte',
    'Swap space configured',
    'SwapTotal of /proc/meminfo, over all swap devices and files.',
  ),
  metric(
    'swap.used',
    '60.1.7',
    'u64',
    null,
    'instant',
    'byte',
    'Swap space in use',
    'SwapTotal less SwapFree of /proc/meminfo.',
  ),
  metric('swap.free', '60.1.8', 'u64', null, 'instant', 'byte', 'Swap space not in use', 'SwapFree of /proc/meminfo.'),
];

/** /proc/meminfo. @see proc_meminfo(5) */
export const MEMINFO_METRICS: readonly CatalogMetric[] = [
  ...mem,
  ...util,
  ...swap,
  metric(
    'hinv.physmem',
    '60.1.9',
    'u32',
    null,
    'discrete',
    'Mbyte',
    'Memory of the system, in whole Mbytes',
    'MemTotal of /proc/meminfo, rounded down to Mbyte.',
  ),
  metric(
    'hinv.hugepagesize',
    '60.1.59',
    'u32',
    null,
    'discrete',
    'byte',
    'Size of a huge page',
    'The default huge page size, Hugepagesize of /proc/meminfo.',
  ),
];

/** What Linux does not count. */
export const UNCOUNTED_METRICS: readonly CatalogMetric[] = [
  metric(
    'swap.in',
    '60.0.10',
    'u32',
    null,
    'counter',
    'count',
    'Swap-in operations; kernels since 2.6 do not count them',
    'Never has a value (PM_ERR_APPVERSION). Use swap.pagesin.',
  ),
  metric(
    'swap.out',
    '60.0.11',
    'u32',
    null,
    'counter',
    'count',
    'Swap-out operations; kernels since 2.6 do not count them',
    'Never has a value (PM_ERR_APPVERSION). Use swap.pagesout.',
  ),
];

/** Metrics that are one line of a node's meminfo: name, item of cluster 60.36, line, one line. */
const NODE_LINES: readonly (readonly [name: string, item: number, line: string, oneline: string])[] = [
  ['total', 0, 'MemTotal', 'Memory of each NUMA node'],
  ['free', 1, 'MemFree', 'Memory of each NUMA node that is used for nothing'],
  ['active', 3, 'Active', 'Memory of each NUMA node used recently'],
  ['inactive', 4, 'Inactive', 'Memory of each NUMA node not used recently'],
  ['dirty', 15, 'Dirty', 'Memory of each NUMA node waiting to be written to disk'],
  ['filePages', 17, 'FilePages', 'Memory of each NUMA node holding file contents'],
  ['shmem', 20, 'Shmem', 'Shared memory and tmpfs on each NUMA node'],
  ['slab', 26, 'Slab', 'Slab caches on each NUMA node'],
  ['slabReclaimable', 27, 'SReclaimable', 'Slab memory of each NUMA node that can be reclaimed'],
  ['hugepagesFree', 30, 'HugePages_Free', 'Huge pages of each NUMA node that are free'],
];

/** Metrics that are one line of a node's meminfo, and that line's name. */
export const NODE_MEMORY_LINE_OF: ReadonlyMap<string, string> = new Map(
  NODE_LINES.map(([name, , line]) => [`mem.numa.util.${name}`, line]),
);

/** /sys/devices/system/node/nodeN/meminfo. */
export const NODE_MEMORY_METRICS: readonly CatalogMetric[] = NODE_LINES.map(([name, item, line, oneline]) =>
  metric(
    `mem.numa.util.${name}`,
    `60.36.${item}`,
    'u64',
    '60.19',
    'instant',
    name.startsWith('hugepages') ? 'count' : 'Kbyte',
    oneline,
    `The ${line} line of /sys/devices/system/node/nodeN/meminfo. A kernel without NUMA support has one node, node0, and may have no such file; then there is no value.`,
  ),
);

/** Metrics that are one line of /proc/vmstat of the same name: name, item of cluster 60.28, one line, what it means. */
const VMSTAT: readonly (readonly [name: string, item: number, oneline: string, help: string])[] = [
  [
    'pgpgin',
    6,
    'Kbytes read from block devices',
    'Counts Kbyte, not pages, in spite of the name; reads from swap are included.',
  ],
  [
    'pgpgout',
    7,
    'Kbytes written to block devices',
    'Counts Kbyte, not pages, in spite of the name; writes to swap are included.',
  ],
  ['pgfree', 13, 'Pages freed', 'Pages given back to the allocator, for whatever reason.'],
  [
    'pgfault',
    16,
    'Page faults, minor and major',
    'Faults of all processes; the major ones are counted in pgmajfault as well.',
  ],
  [
    'pgmajfault',
    17,
    'Page faults that needed a read from disk',
    'Faults that could only be served after reading a page from a file or from swap.',
  ],
  [
    'allocstall',
    35,
    'Times that an allocation had to reclaim memory itself',
    'Entries into direct reclaim. Kernels since 4.10 count it by zone, under other names; there it has no value.',
  ],
  [
    'thp_fault_alloc',
    73,
    'Huge pages allocated at a page fault',
    'Transparent huge pages given to a process at once when it touched memory for the first time.',
  ],
  [
    'thp_fault_fallback',
    74,
    'Page faults that got small pages for want of a huge one',
    'A transparent huge page was wanted and could not be had.',
  ],
  [
    'thp_collapse_alloc',
    75,
    'Huge pages allocated to replace small ones',
    'khugepaged found small pages that could be joined into one transparent huge page.',
  ],
  [
    'numa_pages_migrated',
    114,
    'Pages moved to another node by automatic NUMA balancing',
    'Needs a kernel with NUMA balancing.',
  ],
  [
    'pgmigrate_success',
    118,
    'Pages moved to another place in memory',
    'Successful migrations for any reason: compaction, NUMA balancing, hotplug.',
  ],
  [
    'pgscan_direct',
    146,
    'Pages scanned by processes that reclaimed memory themselves',
    'A sign of memory pressure: kswapd did not keep up.',
  ],
  ['pgscan_kswapd', 148, 'Pages scanned by kswapd', 'Background reclaim looking for pages to free.'],
  [
    'pgsteal_direct',
    149,
    'Pages reclaimed by processes themselves',
    'Of those scanned, what direct reclaim could free.',
  ],
  ['pgsteal_kswapd', 150, 'Pages reclaimed by kswapd', 'Of those scanned, what background reclaim could free.'],
  [
    'numa_hint_faults',
    152,
    'Page faults provoked by automatic NUMA balancing',
    'The balancer unmaps pages to learn from where they are used. Needs a kernel with NUMA balancing.',
  ],
  [
    'oom_kill',
    166,
    'Processes killed for want of memory',
    'Victims of the out-of-memory killer, those of control groups included. Since kernel 4.13.',
  ],
];

/** /proc/vmstat. */
export const VMSTAT_METRICS: readonly CatalogMetric[] = [
  ...VMSTAT.map(([name, item, oneline, help]) =>
    metric(
      `mem.vmstat.${name}`,
      `60.28.${item}`,
      'u64',
      null,
      'counter',
      'count',
      oneline,
      `${help} The ${name} line of /proc/vmstat; there is no value when this kernel has no such line.`,
    ),
  ),
  metric(
    'mem.vmstat.thp_split',
    '60.28.77',
    'u64',
    null,
    'counter',
    'count',
    'Transparent huge pages split into small ones',
    'The thp_split line of /proc/vmstat, which kernels since 4.5 call thp_split_page. Splits of page tables alone (thp_split_pmd) are not in it.',
  ),
  metric(
    'swap.pagesin',
    '60.0.8',
    'u32',
    null,
    'counter',
    'count',
    'Pages read from swap',
    'pswpin of /proc/vmstat, of which the low 32 bits are served: it wraps at 4294967296.',
  ),
  metric(
    'swap.pagesout',
    '60.0.9',
    'u32',
    null,
    'counter',
    'count',
    'Pages written to swap',
    'pswpout of /proc/vmstat, of which the low 32 bits are served: it wraps at 4294967296.',
  ),
];
