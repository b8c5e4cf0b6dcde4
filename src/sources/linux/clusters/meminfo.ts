import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { KeyedFile } from '../keyed-file.js';
import { addInteger } from '../sample.js';
import { cell } from './singular.js';

/** Metrics that are a line of /proc/meminfo as it stands: in Kbyte, or a count of huge pages. */
const LINES: readonly (readonly [metric: string, key: string])[] = [
  ['mem.util.free', 'MemFree'],
  ['mem.util.bufmem', 'Buffers'],
  ['mem.util.cached', 'Cached'],
  ['mem.util.swapCached', 'SwapCached'],
  ['mem.util.active', 'Active'],
  ['mem.util.inactive', 'Inactive'],
  ['mem.util.swapTotal', 'SwapTotal'],
  ['mem.util.swapFree', 'SwapFree'],
  ['mem.util.dirty', 'Dirty'],
  ['mem.util.mapped', 'Mapped'],
  ['mem.util.slab', 'Slab'],
  ['mem.util.committed_AS', 'Committed_AS'],
  ['mem.util.pageTables', 'PageTables'],
  ['mem.util.anonpages', 'AnonPages'],
  ['mem.util.commitLimit', 'CommitLimit'],
  ['mem.util.slabReclaimable', 'SReclaimable'],
  ['mem.util.shmem', 'Shmem'],
  ['mem.util.kernelStack', 'KernelStack'],
  ['mem.util.vmallocUsed', 'VmallocUsed'],
  ['mem.util.anonhugepages', 'AnonHugePages'],
  ['mem.util.available', 'MemAvailable'],
  ['mem.physmem', 'MemTotal'],
  ['mem.freemem', 'MemFree'],
  ['mem.util.hugepagesTotal', 'HugePages_Total'],
  ['mem.util.hugepagesFree', 'HugePages_Free'],
];
const KBYTE = 1024;

/** mem.*, swap.* in bytes and hinv.physmem, from /proc/meminfo. @see proc_meminfo(5) */
export function meminfoCluster({ files }: ClusterEnvironment): LocalCluster {
  const keys = [...new Set([...LINES.map(([, key]) => key), 'Hugepagesize'])];
  const column = (key: string): number => keys.indexOf(key);
  const sample = new KeyedFile(files, 'proc/meminfo', keys, { separator: 'colon' });
  const samples = [sample];
  const { fields } = sample;
  const hugePageSize = column('Hugepagesize');
  const difference = (a: string, b: string, multiplier: number): MetricBinding => ({
    kind: 'quick',
    samples,
    fill: (set) => fields.emitSum(set, INSTANCE_NULL, 0, column(a), column(b), -1, multiplier),
  });
  const hugePages = (key: string): MetricBinding => ({
    kind: 'quick',
    samples,
    fill(set) {
      if (!fields.has(0, column(key)) || !fields.has(0, hugePageSize)) return;
      addInteger(set, INSTANCE_NULL, fields.integer(0, column(key)) * fields.integer(0, hugePageSize) * BigInt(KBYTE));
    },
  });
  const table = new Map<string, MetricBinding>([
    ...LINES.map(([metric, key]) => [metric, cell(samples, fields, column(key))] as const),
    ['mem.util.used', difference('MemTotal', 'MemFree', 1)],
    ['mem.util.hugepagesTotalBytes', hugePages('HugePages_Total')],
    ['mem.util.hugepagesFreeBytes', hugePages('HugePages_Free')],
    ['swap.length', cell(samples, fields, column('SwapTotal'), KBYTE)],
    ['swap.used', difference('SwapTotal', 'SwapFree', KBYTE)],
    ['swap.free', cell(samples, fields, column('SwapFree'), KBYTE)],
    ['hinv.physmem', cell(samples, fields, column('MemTotal'), 1, KBYTE)],
    ['hinv.hugepagesize', cell(samples, fields, hugePageSize, KBYTE)],
  ]);
  return { name: 'meminfo', metrics: LINUX_CATALOG.bind(table) };
}
