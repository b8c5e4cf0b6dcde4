import type { ByteScanner } from '../byte-scanner.js';
import type { CatalogIndom } from '../catalog/catalog.js';
import { DISK_INDOM, DM_INDOM, MD_INDOM, PARTITION_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment } from '../cluster.js';
import type { InstanceCache } from '../instance-caches.js';
import { InstanceTable } from '../instance-table.js';
import type { ProcFiles } from '../proc-files.js';
import { RememberedNames } from '../remembered-names.js';
import { NumberGrid, SampleOfFile } from '../sample.js';

/** The columns of /proc/diskstats behind the name. @see the kernel's Documentation/admin-guide/iostats.rst */
export const DISK_COLUMNS: readonly string[] = [
  ...['reads', 'read_merges', 'read_sectors', 'read_ms'],
  ...['writes', 'write_merges', 'write_sectors', 'write_ms'],
  ...['in_flight', 'active_ms', 'queued_ms'],
  ...['discards', 'discard_merges', 'discard_sectors', 'discard_ms'],
  ...['flushes', 'flush_ms'],
];

const DEVICE_NUMBER_WORDS = 2;
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
export class DiskFamily {
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
export class DiskStats extends SampleOfFile {
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

  /** Whether a device named by users has another name now. */
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

  /** Device-mapper and RAID devices go by the names that people gave them. */
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

/** The folder of a device below /sys/block, by its name in /proc/diskstats. */
export function sysBlockName(name: string): string {
  return name.replaceAll('/', '!');
}

/** The name of a RAID device: that of the link in /dev/md which leads to it unless it is just a number, else the kernel's. */
function mdName(files: ProcFiles, kernelName: string): string {
  for (const link of files.list('dev/md')) {
    const target = files.link(`dev/md/${link}`);
    if (target?.split('/').at(-1) === kernelName && !/^\d+$/.test(link)) return link;
  }
  return kernelName;
}
