import { INSTANCE_NULL, makeLabel } from '../../../pmapi/index.js';
import type { ValueSet } from '../../../pmapi/index.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, IndomBinding, LocalCluster, MetricBinding } from '../cluster.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { Sample, addInteger, addNumber } from '../sample.js';
import { DISK, DiskStats, sysBlockName } from './disk-stats.js';
import type { DiskFamily } from './disk-stats.js';

/** How a metric is made from the columns of a line: one or the sum of two, divided (rounding down). */
interface Formula {
  readonly column: number;
  readonly other?: number;
  readonly divisor?: number;
}

/** Sectors of 512 bytes in a Kbyte. */
const SECTORS_PER_KBYTE = 2;

/** The formulas by the last component of the metrics' names; which families have each is up to metrics.txt. */
const FORMULAS: ReadonlyMap<string, Formula> = new Map<string, Formula>([
  ['read', { column: DISK.reads }],
  ['write', { column: DISK.writes }],
  ['total', { column: DISK.reads, other: DISK.writes }],
  ['blkread', { column: DISK.readSectors }],
  ['blkwrite', { column: DISK.writeSectors }],
  ['blktotal', { column: DISK.readSectors, other: DISK.writeSectors }],
  ['read_bytes', { column: DISK.readSectors, divisor: SECTORS_PER_KBYTE }],
  ['write_bytes', { column: DISK.writeSectors, divisor: SECTORS_PER_KBYTE }],
  ['total_bytes', { column: DISK.readSectors, other: DISK.writeSectors, divisor: SECTORS_PER_KBYTE }],
  ['read_merge', { column: DISK.readMerges }],
  ['write_merge', { column: DISK.writeMerges }],
  ['avactive', { column: DISK.activeMs }],
  ['aveq', { column: DISK.queuedMs }],
  ['read_rawactive', { column: DISK.readMs }],
  ['write_rawactive', { column: DISK.writeMs }],
  ['total_rawactive', { column: DISK.readMs, other: DISK.writeMs }],
  ['inflight', { column: DISK.inFlight }],
  ['discard', { column: DISK.discards }],
  ['discard_merge', { column: DISK.discardMerges }],
  ['blkdiscard', { column: DISK.discardSectors }],
  ['discard_bytes', { column: DISK.discardSectors, divisor: SECTORS_PER_KBYTE }],
  ['discard_rawactive', { column: DISK.discardMs }],
  ['flush', { column: DISK.flushes }],
  ['flush_rawactive', { column: DISK.flushMs }],
]);

/** disk.*, from /proc/diskstats, /proc/partitions and /sys/block. */
export function diskCluster(environment: ClusterEnvironment): LocalCluster {
  const { files } = environment;
  const stats = new DiskStats(environment);
  const partitions = new Partitions(files);
  const samples = [stats];
  const { dev, dm, md, partitions: parts } = stats.families;
  const table = new Map<string, MetricBinding>([
    [
      'hinv.ndisk',
      {
        kind: 'quick',
        samples,
        fill(set) {
          if (stats.isThere) set.setNumber(dev.table.count);
        },
      },
    ],
    [
      'disk.dev.scheduler',
      {
        kind: 'quick',
        samples,
        fill: (set, profile) =>
          dev.table.fill(set, profile, (into, id, row) => {
            const text = files.text(`sys/block/${sysBlockName(dev.kernelNames[row]!)}/queue/scheduler`);
            into.addText(id, /\[([^\]]+)\]/.exec(text ?? '')?.[1] ?? 'unknown');
          }),
      },
    ],
  ]);
  for (const [prefix, family] of [
    ['dm', dm],
    ['md', md],
  ] as const) {
    table.set(`hinv.map.${prefix}name`, {
      kind: 'quick',
      samples,
      fill: (set, profile) =>
        family.table.fill(set, profile, (into, id, row) => into.addText(id, family.kernelNames[row]!)),
    });
  }
  for (const [prefix, family] of [
    ['dev', dev],
    ['dm', dm],
    ['md', md],
  ] as const) {
    table.set(`disk.${prefix}.capacity`, {
      kind: 'quick',
      samples: [stats, partitions],
      fill: (set, profile) =>
        family.table.fill(set, profile, (into, id, row) => {
          const kbytes = partitions.sizeKbyte(family.kernelNames[row]!);
          if (kbytes !== undefined) addNumber(into, id, kbytes);
        }),
    });
  }
  for (const [name, formula] of FORMULAS) {
    const all = `disk.all.${name}`;
    if (LINUX_CATALOG.has(all)) table.set(all, { kind: 'quick', samples, fill: (set) => addSum(set, stats, formula) });
    for (const [prefix, family] of [
      ['dev', dev],
      ['dm', dm],
      ['md', md],
      ['partitions', parts],
    ] as const) {
      const each = `disk.${prefix}.${name}`;
      if (!LINUX_CATALOG.has(each)) continue;
      const emit = emitter(family, formula);
      table.set(each, { kind: 'quick', samples, fill: (set, profile) => family.table.fill(set, profile, emit) });
    }
  }
  return {
    name: 'disk',
    metrics: LINUX_CATALOG.bind(table),
    indoms: Object.values(stats.families).map((family) => familyIndom(family, stats)),
  };
}

function familyIndom(family: DiskFamily, stats: DiskStats): IndomBinding {
  return {
    catalog: family.indom,
    samples: [stats],
    list: () => family.table.list((id) => family.cache.nameOf(id)),
    labels: ({ name }) => [makeLabel('device_name', name)],
  };
}

function emitter(
  { numbers }: DiskFamily,
  { column, other, divisor }: Formula,
): (set: ValueSet, id: number, row: number) => void {
  return other === undefined
    ? (set, id, row) => numbers.emit(set, id, row, column, 1, divisor)
    : (set, id, row) => numbers.emitSum(set, id, row, column, other, 1, 1, divisor);
}

/** The total over all disks of each one's metric; nothing without disks. */
function addSum(set: ValueSet, { isThere, families }: DiskStats, { column, other, divisor = 1 }: Formula): void {
  if (!isThere) return;
  const { numbers } = families.dev;
  let sum = 0;
  for (let row = 0; row < numbers.rows; row++) {
    let value = zeroIfAbsent(numbers.number(row, column));
    if (other !== undefined) value += zeroIfAbsent(numbers.number(row, other));
    sum += Math.floor(value / divisor);
  }
  if (!numbers.hasWide && Number.isSafeInteger(sum)) {
    addNumber(set, INSTANCE_NULL, sum);
    return;
  }
  let exact = 0n;
  for (let row = 0; row < numbers.rows; row++) {
    const value = numbers.integer(row, column) + (other === undefined ? 0n : numbers.integer(row, other));
    exact += value / BigInt(divisor);
  }
  addInteger(set, INSTANCE_NULL, exact);
}

function zeroIfAbsent(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

const DEVICE_NUMBER_WORDS = 2;

/** /proc/partitions: the sizes of block devices, in Kbyte. */
class Partitions extends Sample {
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #sizes = new Map<string, number>();

  constructor(files: ProcFiles) {
    super();
    this.#files = files;
    this.#file = files.file('proc/partitions');
  }

  /** The size of a device by its kernel name. */
  sizeKbyte(name: string): number | undefined {
    return this.#sizes.get(name);
  }

  protected override refresh(): void {
    this.#sizes.clear();
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    while (scanner.nextLine()) {
      scanner.skipWords(DEVICE_NUMBER_WORDS);
      if (scanner.integer()) {
        const kbytes = scanner.value;
        this.#sizes.set(scanner.word(), kbytes);
      }
    }
  }
}
