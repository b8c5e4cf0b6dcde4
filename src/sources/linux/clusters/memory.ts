import { INSTANCE_NULL, PM_ERR } from '../../../pmapi/index.js';
import type { ByteScanner } from '../byte-scanner.js';
import { LINUX_CATALOG, SWAP_DEVICE_INDOM } from '../catalog/linux-catalog.js';
import { cell } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import type { InstanceCache } from '../instance-caches.js';
import { InstanceTable } from '../instance-table.js';
import { KeyedFile } from '../file-samples.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { RememberedNames } from '../remembered-names.js';
import { NumberGrid, Sample, addInteger } from '../sample.js';
import { unescapePath } from './mounts.js';

/** Metrics that are a line of /proc/meminfo, unchanged: in Kbyte, or a count of huge pages. */
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

/** The metrics below this node are called as the lines are. */
const NODE = 'mem.vmstat';
/** What kernels since 4.5 call thp_split; thp_split_pmd beside it counts page tables that were split, not pages. */
const SPLIT_PAGE = 'thp_split_page';

/** mem.vmstat.* and the swap counters, from /proc/vmstat. */
export function vmstatCluster({ files }: ClusterEnvironment): LocalCluster {
  const lines = LINUX_CATALOG.below(NODE);
  const keys = [...lines, SPLIT_PAGE, 'pswpin', 'pswpout'];
  const column = (key: string): number => keys.indexOf(key);
  const sample = new KeyedFile(files, 'proc/vmstat', keys, { separator: 'blank' });
  const samples = [sample];
  const { fields } = sample;
  const uncounted: MetricBinding = { kind: 'quick', samples: [], fill: (set) => set.fail(PM_ERR.APPVERSION) };
  const table = new Map<string, MetricBinding>([
    ...lines.map((line) => [`${NODE}.${line}`, cell(samples, fields, column(line))] as const),
    [
      'mem.vmstat.thp_split',
      {
        kind: 'quick',
        samples,
        fill(set) {
          const key = fields.has(0, column('thp_split')) ? 'thp_split' : SPLIT_PAGE;
          fields.emit(set, INSTANCE_NULL, 0, column(key));
        },
      },
    ],
    ['swap.pagesin', cell(samples, fields, column('pswpin'))],
    ['swap.pagesout', cell(samples, fields, column('pswpout'))],
    ['swap.in', uncounted],
    ['swap.out', uncounted],
  ]);
  return {
    name: 'vmstat',
    metrics: LINUX_CATALOG.bind(table),
  };
}

const COLUMN = { size: 0, used: 1, priority: 2, count: 3 } as const;

/** /proc/swaps: `Filename Type Size Used Priority`, sizes in Kbyte. @see proc_swaps(5) */
class Swaps extends Sample {
  readonly devices: InstanceTable;
  readonly fields = new NumberGrid(COLUMN.count);
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #cache: InstanceCache;
  readonly #numbers: RememberedNames<number>;
  readonly #instancesChanged: () => void;

  constructor(files: ProcFiles, cache: InstanceCache, instancesChanged: () => void) {
    super();
    this.#files = files;
    this.#file = files.file('proc/swaps');
    this.#cache = cache;
    this.devices = new InstanceTable(cache.indom);
    this.#numbers = new RememberedNames((name) => cache.numberOf(unescapePath(name)));
    this.#instancesChanged = instancesChanged;
  }

  protected override refresh(): void {
    this.devices.clear();
    this.fields.clear();
    this.#numbers.begin();
    const scanner = this.#files.scan(this.#file);
    if (scanner) while (scanner.nextLine()) this.#line(scanner);
    if (!this.#numbers.finish()) return;
    this.#cache.present(this.devices);
    this.#instancesChanged();
  }

  #line(scanner: ByteScanner): void {
    const end = scanner.wordEnd();
    if (end === scanner.pos) return;
    this.devices.add(this.#numbers.next(scanner.bytes, scanner.pos, end));
    scanner.pos = end;
    scanner.skipWords(1);
    this.fields.storeLine(this.fields.addRow(), 0, COLUMN.count, scanner);
  }
}

/** swapdev.*, from /proc/swaps. */
export function swapsCluster(environment: ClusterEnvironment): LocalCluster {
  const cache = environment.caches.of(SWAP_DEVICE_INDOM);
  const swaps = new Swaps(environment.files, cache, environment.instancesChanged);
  const samples = [swaps];
  const { fields, devices } = swaps;
  const column = (index: number): MetricBinding => ({
    kind: 'quick',
    samples,
    fill: (set, profile) => devices.fill(set, profile, (into, id, row) => fields.emit(into, id, row, index)),
  });
  const table = new Map<string, MetricBinding>([
    [
      'swapdev.free',
      {
        kind: 'quick',
        samples,
        fill: (set, profile) =>
          devices.fill(set, profile, (into, id, row) => fields.emitSum(into, id, row, COLUMN.size, COLUMN.used, -1)),
      },
    ],
    ['swapdev.length', column(COLUMN.size)],
    ['swapdev.maxswap', column(COLUMN.size)],
    ['swapdev.priority', column(COLUMN.priority)],
  ]);
  return {
    name: 'swaps',
    metrics: LINUX_CATALOG.bind(table),
    indoms: [{ catalog: SWAP_DEVICE_INDOM, samples, list: () => devices.list((id) => cache.nameOf(id)) }],
  };
}
