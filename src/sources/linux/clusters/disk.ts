import { INSTANCE_NULL, makeLabel, type ValueSet } from '../../../pmapi/index.js';
import type { ByteScanner, ProcFiles } from '../proc-files.js';
import type { CatalogIndom } from '../catalog/catalog.js';
import { DISK_INDOM, DM_INDOM, MD_INDOM, PARTITION_INDOM } from '../catalog/linux-catalog.js';
import { cluster, perInstance, quick } from '../cluster.js';
import type { ClusterEnvironment, IndomBinding, LocalCluster, MetricBinding } from '../cluster.js';
import type { InstanceCache } from '../instance-caches.js';
import { InstanceTable, NumberGrid, SampleOfFile, addInteger, addNumber, type Sample } from '../sample.js';
import { RememberedNames } from '../remembered-names.js';
import { tableBindings, type Cells } from '../table.js';

const DEVICE_NUMBER_WORDS = 2;
/** The columns of /proc/diskstats behind the name. @see the kernel's Documentation/admin-guide/iostats.rst */
const DISK_COLUMNS: readonly string[] = [
  ...['reads', 'read_merges', 'read_sectors', 'read_ms'],
  ...['writes', 'write_merges', 'write_sectors', 'write_ms'],
  ...['in_flight', 'active_ms', 'queued_ms'],
  ...['discards', 'discard_merges', 'discard_sectors', 'discard_ms'],
  ...['flushes', 'flush_ms'],
];

/** Where udev keeps the names that people gave: a folder changes with them. */
const NAME_FOLDERS = ['dev/mapper', 'dev/md'];
/** How often names are looked at again where these folders tell nothing, as in containers. */
const NAMES_REREAD_MS = 60_000;
const INDOMS: Readonly<Record<DeviceFamily, CatalogIndom>> = {
  dev: DISK_INDOM,
  partitions: PARTITION_INDOM,
  dm: DM_INDOM,
  md: MD_INDOM,
};

/** The devices of one family: row `r` of the table is row `r` of the numbers and of the kernel's names. */
class DiskFamily {
  readonly indom: CatalogIndom;
  readonly cache: InstanceCache;
  readonly table: InstanceTable;
  readonly numbers = new NumberGrid(DISK_COLUMNS.length);
  readonly kernelNames: string[] = [];

  constructor(indom: CatalogIndom, cache: InstanceCache) {
    this.indom = indom;
    this.cache = cache;
    this.table = new InstanceTable(indom.indom);
  }

  clear(): void {
    this.table.clear();
    this.numbers.clear();
  }
}

interface Device {
  readonly family: DiskFamily;
  readonly id: number;
  readonly kernelName: string;
}

/** /proc/diskstats, its lines sorted into families of devices. */
class DiskStats extends SampleOfFile {
  readonly families: Readonly<Record<DeviceFamily, DiskFamily>>;
  /** Whether the file could be read: it is empty where there are no devices. */
  isThere = false;
  readonly #environment: ClusterEnvironment;
  /** What {@link #instanceName} returned for device-mapper and RAID devices, by their kernel names, which pass from one to the next. */
  readonly #givenNames = new Map<string, string | undefined>();
  #namesStamp = '';
  #namesReadMs = -Infinity;
  readonly #devices = new RememberedNames<Device | undefined>((name) => this.#describe(name));

  constructor(environment: ClusterEnvironment) {
    super(environment.files, 'proc/diskstats');
    this.#environment = environment;
    const family = (name: DeviceFamily): DiskFamily =>
      new DiskFamily(INDOMS[name], environment.caches.of(INDOMS[name]));
    this.families = { dev: family('dev'), partitions: family('partitions'), dm: family('dm'), md: family('md') };
  }

  protected override refresh(): void {
    if (this.#namesMoved()) {
      this.#givenNames.clear();
      this.#devices.forget();
    }
    for (const family of Object.values(this.families)) family.clear();
    this.#devices.begin();
    this.isThere = this.eachLine((scanner) => this.#line(scanner));
    if (!this.#devices.finish()) return;
    for (const { cache, table } of Object.values(this.families)) cache.present(table);
    this.#environment.instancesChanged();
  }

  #line(scanner: ByteScanner): void {
    scanner.skipWords(DEVICE_NUMBER_WORDS);
    scanner.skipBlanks();
    const end = scanner.wordEnd();
    if (end === scanner.pos) return;
    const device = this.#devices.next(scanner.bytes, scanner.pos, end);
    scanner.pos = end;
    if (!device) return;
    const { family, id, kernelName } = device;
    const row = family.numbers.addRow();
    family.table.add(id);
    family.kernelNames[row] = kernelName;
    family.numbers.storeLine(row, 0, DISK_COLUMNS.length, scanner);
  }

  #namesMoved(): boolean {
    if (this.#givenNames.size === 0) return false;
    const { clock, files } = this.#environment;
    const nowMs = clock.monotonicMs();
    const stamp = NAME_FOLDERS.map((folder) => files.changeTime(folder)).join();
    if (stamp === this.#namesStamp && nowMs - this.#namesReadMs < NAMES_REREAD_MS) return false;
    this.#namesStamp = stamp;
    this.#namesReadMs = nowMs;
    return [...this.#givenNames].some(
      ([kernelName, name]) => this.#instanceName(classifyDevice(kernelName), kernelName) !== name,
    );
  }

  #describe(kernelName: string): Device | undefined {
    const familyName = classifyDevice(kernelName);
    if (familyName === undefined) return undefined;
    const family = this.families[familyName];
    const name = this.#instanceName(familyName, kernelName);
    if (familyName === 'dm' || familyName === 'md') this.#givenNames.set(kernelName, name);
    return name === undefined ? undefined : { family, id: family.cache.numberOf(name), kernelName };
  }

  #instanceName(family: DeviceFamily | undefined, kernelName: string): string | undefined {
    const { files } = this.#environment;
    if (family === 'dm') return files.text(`sys/block/${kernelName}/dm/name`);
    return family === 'md' ? mdName(files, kernelName) : kernelName;
  }
}

/** The families of block devices that have metrics of their own; see instance domains 60.1, 60.10, 60.24, 60.25. */
type DeviceFamily = 'dev' | 'partitions' | 'dm' | 'md';

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

/** The name of a RAID device: that of the link in /dev/md which leads to it unless it is just a number, else the kernel's. */
function mdName(files: ProcFiles, kernelName: string): string {
  for (const link of files.list('dev/md')) {
    const target = files.link(`dev/md/${link}`);
    if (target?.split('/').at(-1) === kernelName && !/^\d+$/.test(link)) return link;
  }
  return kernelName;
}

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
          const text = files.text(`sys/block/${kernelName.replaceAll('/', '!')}/queue/scheduler`);
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
