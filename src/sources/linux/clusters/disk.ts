import { INSTANCE_NULL, makeLabel, type ValueSet } from '../../../pmapi/index.js';
import { cluster, perInstance, quick } from '../cluster.js';
import type { ClusterEnvironment, IndomBinding, LocalCluster, MetricBinding } from '../cluster.js';
import { SampleOfFile, addInteger, addNumber, type Sample } from '../sample.js';
import { tableBindings, type Cells } from '../table.js';
import { DISK_COLUMNS, DiskStats, sysBlockName, type DiskFamily } from './disk-stats.js';

/** disk.*, from /proc/diskstats, /proc/partitions and /sys/block. */
export function diskCluster(environment: ClusterEnvironment): LocalCluster {
  const { files } = environment;
  const stats = new DiskStats(environment);
  const partitions = new Partitions(files, 'proc/partitions');
  const samples = [stats];
  const { dev, dm, md } = stats.families;
  const families = Object.values(stats.families);
  const table = { file: 'proc/diskstats', columns: DISK_COLUMNS, samples };
  const each = (
    family: DiskFamily,
    emit: (set: ValueSet, id: number, kernelName: string) => void,
    needed: readonly Sample[] = samples,
  ): MetricBinding => perInstance(needed, family.table, (set, id, row) => emit(set, id, family.kernelNames[row]!));
  const capacity = (family: DiskFamily): MetricBinding =>
    each(
      family,
      (set, id, kernelName) => {
        const kbytes = partitions.sizeKbyte(kernelName);
        if (kbytes !== undefined) addNumber(set, id, kbytes);
      },
      [stats, partitions],
    );
  return cluster(
    'disk',
    [
      ...tableBindings(environment, [
        { ...table, grid: dev.numbers, total: (set, cells) => addSum(set, stats, cells) },
        ...families.map((family) => ({ ...table, grid: family.numbers, instances: family.table })),
      ]),
      [
        'hinv.ndisk',
        quick(samples, (set) => {
          if (stats.isThere) set.setNumber(dev.table.count);
        }),
      ],
      [
        'disk.dev.scheduler',
        each(dev, (set, id, kernelName) => {
          const text = files.text(`sys/block/${sysBlockName(kernelName)}/queue/scheduler`);
          set.addText(id, /\[([^\]]+)\]/.exec(text ?? '')?.[1] ?? 'unknown');
        }),
      ],
      ['hinv.map.dmname', each(dm, (set, id, kernelName) => set.addText(id, kernelName))],
      ['hinv.map.mdname', each(md, (set, id, kernelName) => set.addText(id, kernelName))],
      ['disk.dev.capacity', capacity(dev)],
      ['disk.dm.capacity', capacity(dm)],
      ['disk.md.capacity', capacity(md)],
    ],
    families.map((family) => familyIndom(family, stats)),
  );
}

function familyIndom(family: DiskFamily, stats: DiskStats): IndomBinding {
  return {
    catalog: family.indom,
    samples: [stats],
    list: () => family.table.list((id) => family.cache.nameOf(id)),
    labels: ({ name }) => [makeLabel('device_name', name)],
  };
}

/** The total over all disks of each one's metric; nothing without disks. */
function addSum(set: ValueSet, { isThere, families }: DiskStats, { column, other, divisor }: Cells): void {
  if (!isThere) return;
  const { numbers } = families.dev;
  let sum = 0;
  for (let row = 0; row < numbers.rows; row++) {
    let value = zeroIfAbsent(numbers.number(row, column));
    if (other >= 0) value += zeroIfAbsent(numbers.number(row, other));
    sum += Math.floor(value / divisor);
  }
  if (!numbers.hasWide && Number.isSafeInteger(sum)) {
    addNumber(set, INSTANCE_NULL, sum);
    return;
  }
  let exact = 0n;
  for (let row = 0; row < numbers.rows; row++) {
    const value = numbers.integer(row, column) + (other < 0 ? 0n : numbers.integer(row, other));
    exact += value / BigInt(divisor);
  }
  addInteger(set, INSTANCE_NULL, exact);
}

function zeroIfAbsent(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

const DEVICE_NUMBER_WORDS = 2;

/** /proc/partitions: the sizes of block devices, in Kbyte. */
class Partitions extends SampleOfFile {
  readonly #sizes = new Map<string, number>();

  sizeKbyte(name: string): number | undefined {
    return this.#sizes.get(name);
  }

  protected override refresh(): void {
    this.#sizes.clear();
    this.eachLine((scanner) => {
      scanner.skipWords(DEVICE_NUMBER_WORDS);
      if (!scanner.integer()) return; // the heading
      const kbytes = scanner.value;
      this.#sizes.set(scanner.word(), kbytes);
    });
  }
}
