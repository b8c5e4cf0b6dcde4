import { lstatSync, readdirSync } from 'node:fs';
import { attempt, EventLoopTurns, eachInTurns, addTo, getOrMake } from '../../../kit/index.js';
import { INSTANCE_NULL, makeLabel, type Instance, type Label, type ValueSet } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import { ByteScanner, decodeName } from '../proc-files.js';
import type { CatalogIndom } from '../catalog/catalog.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import { cluster, quick, slow } from '../cluster.js';
import type {
  ClusterEnvironment,
  IndomBinding,
  LocalCluster,
  MetricBinding,
  SlowSource,
  SlowValues,
} from '../cluster.js';
import type { InstanceCache } from '../instance-caches.js';
import { InstanceTable, addNumber, NumberGrid } from '../sample.js';
import { cgroupMetrics, containerOf, type CgroupFile, type CgroupMetric } from './cgroup-files.js';
import { unescapePath } from './mounts.js';

/** Hierarchies (version 2, or a controller of version 1) that are in version 2 where version 1 has no such controller. */
const IN_EITHER: readonly string[] = ['memory', 'pids'];
const BACKSLASH_X = /\\x([0-9a-fA-F]{2})/g;
const LEFT_OUT_DISK = /^(?:loop|ram)/;
const DOT = 46;
/** No folder below it: each has a link to its parent. */
const LEAF_LINKS = 2;

/** A group: its folder as the bytes of a path, and its name as an instance. */
interface Group {
  readonly folder: Buffer;
  readonly name: string;
}

interface Mount {
  readonly point: string;
  readonly isUnified: boolean;
  readonly options: readonly string[];
}

/** What was read of one file of all groups: a row for each instance that has it. */
class Rows {
  readonly ids: number[] = [];
  readonly names: string[] = [];
  readonly texts: string[] = [];
  readonly grid: NumberGrid;

  constructor(columns: number) {
    this.grid = new NumberGrid(columns);
  }

  add(id: number, name: string): number {
    this.ids.push(id);
    this.names.push(name);
    return this.grid.addRow();
  }
}

/** The rows of a file, by instance domain: of a file with a line for each disk, also the sums over a group's disks. */
type Read = ReadonlyMap<number, Rows>;

/** Groups are found and read in turns of the event loop; one pass answers all metrics of a fetch. */
class CgroupSource implements SlowSource<CgroupMetric> {
  readonly #environment: ClusterEnvironment;
  readonly #passes = new Map<string, Promise<ReadonlyMap<CgroupFile, Read>>>();
  readonly #members = new Map<CgroupFile, string>();

  constructor(environment: ClusterEnvironment) {
    this.#environment = environment;
  }

  async sample(metrics: readonly CgroupMetric[], profile: InstanceProfile): Promise<SlowValues<CgroupMetric>> {
    const files = new Set(metrics.map(({ file }) => file));
    const read = await (profile.isAll ? this.#passOver(files) : this.#read(files, profile));
    return {
      fill: (metric, set, wanted) => {
        const rows = read.get(metric.file)?.get(metric.indom.indom);
        if (rows) fill(metric, rows, set, wanted);
      },
    };
  }

  async instances(files: readonly CgroupFile[], indom: number): Promise<readonly Instance[]> {
    const read = await this.#passOver(new Set(files));
    const found = new Map<number, string>();
    for (const file of files) {
      const rows = read.get(file)?.get(indom);
      for (const [row, id] of rows?.ids.entries() ?? []) found.set(id, rows!.names[row]!);
    }
    return [...found].map(([id, name]) => ({ id, name }));
  }

  mounts(): readonly Mount[] {
    const mounts = new Map<string, Mount>();
    for (const line of (this.#environment.files.text('proc/mounts') ?? '').split('\n')) {
      const [, point, type, options] = line.split(' ');
      if (point === undefined || (type !== 'cgroup' && type !== 'cgroup2') || mounts.has(point)) continue;
      mounts.set(point, { point, isUnified: type === 'cgroup2', options: (options ?? '').split(',') });
    }
    return [...mounts.values()];
  }

  /** Shared by fetches of the same files while it is in progress. */
  #passOver(files: ReadonlySet<CgroupFile>): Promise<ReadonlyMap<CgroupFile, Read>> {
    const key = [...files]
      .map(({ id }) => id)
      .sort()
      .join();
    return getOrMake(this.#passes, key, () => this.#read(files).finally(() => this.#passes.delete(key)));
  }

  async #read(files: ReadonlySet<CgroupFile>, profile?: InstanceProfile): Promise<ReadonlyMap<CgroupFile, Read>> {
    const turns = new EventLoopTurns(() => this.#environment.clock.monotonicMs());
    const mounts = this.mounts();
    const byFolder = new Map<string, CgroupFile[]>();
    for (const file of files) {
      const point = mountOf(mounts, file.hierarchy)?.point;
      if (point !== undefined) addTo(byFolder, point, file);
    }
    const disks = [...files].some(({ perDisk }) => perDisk !== undefined) ? this.#disks() : new Map<string, string>();
    const result = new Map<CgroupFile, Read>();
    for (const [point, wanted] of byFolder) {
      const groups = await this.#groups(point, turns);
      const readers = wanted.map((file) => readerOf(file, this.#environment, disks, profile));
      await eachInTurns(
        groups,
        (group) => {
          for (const reader of readers) reader.read(group);
        },
        turns,
      );
      for (const reader of readers) {
        result.set(reader.file, reader.rows);
        if (!profile) this.#note(reader);
      }
    }
    return result;
  }

  #note({ file, rows, caches }: ReturnType<typeof readerOf>): void {
    const members = [...rows.values()].map(({ ids }) => ids.join()).join(';');
    if (members === this.#members.get(file)) return;
    this.#members.set(file, members);
    for (const [indom, { ids }] of rows) {
      const table = new InstanceTable(indom);
      for (const id of ids) table.add(id);
      caches.get(indom)!.present(table);
    }
    this.#environment.instancesChanged();
  }

  /** The groups below a mount point, the root first. A group that goes meanwhile is not there. */
  async #groups(point: string, turns: EventLoopTurns): Promise<readonly Group[]> {
    const root = Buffer.from(this.#environment.files.resolve(unescapePath(point)));
    const found = new Map<string, Group>();
    const folders = [{ folder: root, path: Buffer.from('/') }];
    for (let at = 0; at < folders.length; at++) {
      const turn = turns.next();
      if (turn) await turn;
      const { folder, path } = folders[at]!;
      const name = nameOf(path);
      if (!found.has(name)) found.set(name, { folder, name });
      for (const child of foldersIn(folder)) {
        const prefix = at === 0 ? path : Buffer.concat([path, Buffer.from('/')]);
        folders.push({
          folder: Buffer.concat([folder, Buffer.from('/'), child]),
          path: Buffer.concat([prefix, child]),
        });
      }
    }
    return [...found.values()];
  }

  /** Names of disks by their numbers, `8:0`. */
  #disks(): ReadonlyMap<string, string> {
    const disks = new Map<string, string>();
    for (const line of (this.#environment.files.text('proc/diskstats') ?? '').split('\n')) {
      const [major, minor, name] = line.trim().split(/\s+/);
      if (name !== undefined && !LEFT_OUT_DISK.test(name)) disks.set(`${major!}:${minor!}`, name);
    }
    return disks;
  }
}

function readerOf(
  file: CgroupFile,
  environment: ClusterEnvironment,
  disks: ReadonlyMap<string, string>,
  profile: InstanceProfile | undefined,
) {
  const rows = new Map<number, Rows>();
  const caches = new Map<number, InstanceCache>();
  const scratch = new NumberGrid(Math.max(1, file.columns.length));
  for (const indom of [file.indom, file.perDisk, file.perCpu]) {
    if (indom === undefined) continue;
    rows.set(indom.indom, new Rows(scratch.columns));
    caches.set(indom.indom, environment.caches.of(indom));
  }

  function read({ folder, name }: Group): void {
    const own = rows.get(file.indom.indom)!;
    const scanner =
      file.name === '' ? undefined : environment.files.scanOnce(Buffer.concat([folder, Buffer.from(`/${file.name}`)]));
    if (!scanner && file.isOptional) return;
    const hasGroups = file.indom !== file.perDisk && file.indom !== file.perCpu;
    const row = hasGroups ? rowOf(file.indom, name) : undefined;
    if (file.format === 'container') {
      if (row !== undefined) own.texts[row] = containerOf(name);
      return;
    }
    if (!scanner) return;
    switch (file.format) {
      case 'text':
        if (row !== undefined) own.texts[row] = scanner.rest();
        return;
      case 'numbers':
        if (row === undefined) return;
        for (let column = 0; column < file.columns.length; column++) {
          if (!storeUnsigned(own.grid, row, column, scanner)) scanner.skipWords(1);
        }
        return;
      case 'keyed':
        if (row !== undefined) readKeyed(file, scanner, own.grid, row);
        return;
      case 'pressure':
        if (row !== undefined) readPressure(file, scanner, own.grid, row);
        return;
      case 'cpus':
        for (let cpu = 0; !scanner.atLineEnd; cpu++) {
          const cell = rowOf(file.perCpu!, `${name}::cpu${cpu}`);
          const { grid } = rows.get(file.perCpu!.indom)!;
          if (cell === undefined ? !scanner.integer() : !storeUnsigned(grid, cell, 0, scanner)) return;
        }
        return;
      case 'assigned':
      case 'disks':
      case 'operations':
        readDisks(scanner, name, row);
    }
  }

  /** Lines of disks; of two lines of a disk the last counts. */
  function readDisks(scanner: ByteScanner, name: string, sumRow: number | undefined): void {
    const perDisk = rows.get(file.perDisk!.indom)!;
    const own = rows.get(file.indom.indom)!;
    const seen = new Map<string, number | undefined>();
    do {
      const disk = disks.get(scanner.word());
      if (disk === undefined) continue;
      const column = file.format === 'operations' ? file.columns.indexOf(scanner.word().toLowerCase()) : 0;
      const isAssigned = file.format === 'assigned';
      scratch.clear(1);
      const isGood = isAssigned ? readAssigned(file, scanner, scratch) : storeUnsigned(scratch, 0, 0, scanner);
      if (column < 0 || !isGood) continue;
      if (!seen.has(disk)) seen.set(disk, rowOf(file.perDisk!, `${name}::${disk}`));
      const row = seen.get(disk);
      for (let i = 0; i < (isAssigned ? file.columns.length : 1); i++) {
        if (row !== undefined) copyCell(scratch, i, perDisk.grid, row, column + i);
        if (sumRow !== undefined)
          own.grid.set(sumRow, column + i, sumOf(own.grid, sumRow, column + i, scratch.number(0, i)));
      }
    } while (scanner.nextLine());
  }

  /** A row for an instance; undefined if the profile does not let it through. */
  function rowOf(indom: CatalogIndom, name: string): number | undefined {
    const id = caches.get(indom.indom)!.numberOf(name);
    if (profile && !profile.includes(indom.indom, id)) return undefined;
    return rows.get(indom.indom)!.add(id, name);
  }
  return { file, rows, caches, read };
}

function sumOf(grid: NumberGrid, row: number, column: number, value: number): number {
  return grid.has(row, column) ? grid.number(row, column) + value : value;
}

function copyCell(from: NumberGrid, column: number, to: NumberGrid, row: number, at: number): void {
  if (!from.has(0, column)) return;
  const scanner = new ByteScanner();
  const text = Buffer.from(from.integer(0, column).toString());
  scanner.start(text, text.length);
  if (scanner.integer()) to.store(row, at, scanner);
}

/** Stores the next number of a line; false if there is none, or one that means no value: negative, or 2^64-1. */
function storeUnsigned(grid: NumberGrid, row: number, column: number, scanner: ByteScanner): boolean {
  if (!scanner.integer() || scanner.value < 0 || scanner.wide === NO_VALUE) return false;
  grid.store(row, column, scanner);
  return true;
}

const NO_VALUE = 2n ** 64n - 1n;

function readKeyed(file: CgroupFile, scanner: ByteScanner, grid: NumberGrid, row: number): void {
  const { names } = file;
  names.begin();
  do {
    scanner.skipBlanks();
    const start = scanner.pos;
    const end = scanner.wordEnd();
    const column = names.next(scanner.bytes, start, end);
    scanner.pos = end;
    if (column >= 0) storeUnsigned(grid, row, column, scanner);
  } while (scanner.nextLine());
  names.finish();
}

const SPANS = ['avg10', 'avg60', 'avg300'];

/** `some avg10=0.00 avg60=0.05 avg300=0.10 total=12345`; a line that is not complete says nothing. */
function readPressure(file: CgroupFile, scanner: ByteScanner, grid: NumberGrid, row: number): void {
  do {
    const kind = scanner.word();
    const total = file.columns.indexOf(`${kind}.total`);
    if (total < 0) continue;
    const averages = SPANS.map((key) => (skipKey(scanner, key) ? scanner.decimal() : NaN));
    if (averages.some(Number.isNaN) || !skipKey(scanner, 'total') || !storeUnsigned(grid, row, total, scanner))
      continue;
    for (const [i, key] of SPANS.entries()) grid.set(row, file.columns.indexOf(`${kind}.${key}`), averages[i]!);
  } while (scanner.nextLine());
}

function readAssigned(file: CgroupFile, scanner: ByteScanner, grid: NumberGrid): boolean {
  return file.columns.every((key, column) => skipKey(scanner, key) && storeUnsigned(grid, 0, column, scanner));
}

function skipKey(scanner: ByteScanner, key: string): boolean {
  scanner.skipBlanks();
  const bytes = Buffer.from(`${key}=`);
  if (!scanner.startsWith(bytes)) return false;
  scanner.pos += bytes.length;
  return true;
}

function fill(
  { indom, column, isText, multiplier, divisor }: CgroupMetric,
  rows: Rows,
  set: ValueSet,
  profile: InstanceProfile,
): void {
  for (const [row, id] of rows.ids.entries()) {
    if (!profile.includes(indom.indom, id)) continue;
    if (!isText) rows.grid.emit(set, id, row, column, multiplier, divisor);
    else if (rows.texts[row] !== undefined) set.addText(id, rows.texts[row]);
  }
}

function mountOf(mounts: readonly Mount[], hierarchy: string): Mount | undefined {
  const own = mounts.find(({ isUnified, options }) =>
    hierarchy === 'v2' ? isUnified : !isUnified && options.includes(hierarchy),
  );
  return own ?? (IN_EITHER.includes(hierarchy) ? mounts.find(({ isUnified }) => isUnified) : undefined);
}

/** The folders in a folder, links and hidden ones left out; none where it is gone. */
function foldersIn(folder: Buffer): readonly Buffer[] {
  if (attempt(() => lstatSync(folder).nlink === LEAF_LINKS) !== false) return [];
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) ?? [];
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name as unknown as Buffer);
  return names.filter((name) => name[0] !== DOT);
}

/** The name of a group: its path, in which `\x2d` is the byte. */
function nameOf(path: Buffer): string {
  if (!path.includes('\\x')) return decodeName(path, 0, path.length);
  const bytes = Buffer.from(
    path.toString('latin1').replace(BACKSLASH_X, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
  return decodeName(bytes, 0, bytes.length);
}

/** cgroup.*: control groups of version 1 and 2. @see cgroups(7), the kernel's Documentation/admin-guide/cgroup-v2.rst */
export function cgroupCluster(environment: ClusterEnvironment): LocalCluster {
  const source = new CgroupSource(environment);
  const metrics = cgroupMetrics(environment);
  const files = new Set(metrics.map(({ file }) => file));
  const table = metrics.map((metric) => [metric.name, slow(source, metric)] as const);
  const indoms = new Map<CatalogIndom, CgroupFile[]>();
  for (const file of files) {
    for (const indom of new Set([file.indom, file.perDisk, file.perCpu])) {
      if (indom) addTo(indoms, indom, file);
    }
  }
  const bindings = [...indoms].map(([catalog, all]): IndomBinding => ({
    catalog,
    samples: [],
    list: () => source.instances(listing(all, catalog), catalog.indom),
    labels: ({ name }) => labelsOf(catalog, all, name),
  }));
  const { metrics: more, indoms: moreIndoms } = controllerBindings(environment, source);
  return cluster('cgroups', [...table, ...more], [...bindings, ...moreIndoms]);
}

/** Files that tell the instances of a domain: of groups one of each hierarchy, of disks and CPUs all. */
function listing(files: readonly CgroupFile[], indom: CatalogIndom): readonly CgroupFile[] {
  const container = files.find(({ format }) => format === 'container');
  if (container) return [container];
  if (files.some(({ perDisk, perCpu }) => perDisk === indom || perCpu === indom)) return files;
  return [...new Map(files.map((file) => [file.hierarchy, file])).values()];
}

function labelsOf(indom: CatalogIndom, files: readonly CgroupFile[], name: string): readonly Label[] {
  const isDisk = files.some(({ perDisk }) => perDisk === indom);
  const isCpu = files.some(({ perCpu }) => perCpu === indom);
  if (!isDisk && !isCpu) return [makeLabel('cgroup', name)];
  const at = name.lastIndexOf('::');
  return [makeLabel('cgroup', name.slice(0, at)), makeLabel(isDisk ? 'device_name' : 'cpu', name.slice(at + 2))];
}

const CONTROLLER_INDOM = LINUX_CATALOG.indom('3.37');
const MOUNT_INDOM = LINUX_CATALOG.indom('3.38');

/** The lines of /proc/cgroups: name, then hierarchy, groups, enabled. */
function controllers({
  files,
  caches,
}: ClusterEnvironment): readonly { id: number; name: string; numbers: readonly string[] }[] {
  const cache = caches.of(CONTROLLER_INDOM);
  return (files.text('proc/cgroups') ?? '').split('\n').flatMap((line) => {
    const [name = '', ...numbers] = line.trim().split(/\s+/);
    const isGood =
      name !== '' && !name.startsWith('#') && numbers.length >= 3 && numbers.every((text) => /^\d{1,10}$/.test(text));
    return isGood ? [{ id: cache.numberOf(name), name, numbers }] : [];
  });
}

/** cgroup.subsys.* and cgroup.mounts.*. */
function controllerBindings(
  environment: ClusterEnvironment,
  source: CgroupSource,
): { metrics: readonly (readonly [string, MetricBinding])[]; indoms: readonly IndomBinding[] } {
  const mounts = (): readonly (Instance & { readonly options: readonly string[] })[] => {
    const cache = environment.caches.of(MOUNT_INDOM);
    return source.mounts().map(({ point, options }) => ({ id: cache.numberOf(point), name: point, options }));
  };
  const perController = (column: number): MetricBinding =>
    quick([], (set, profile) => {
      for (const { id, numbers } of controllers(environment)) {
        if (profile.includes(CONTROLLER_INDOM.indom, id)) addNumber(set, id, Number(numbers[column]));
      }
    });
  const subsystems = quick([], (set, profile) => {
    const known = new Set(controllers(environment).map(({ name }) => name));
    for (const { id, options } of mounts()) {
      if (!profile.includes(MOUNT_INDOM.indom, id)) continue;
      set.addText(id, options.filter((option) => known.has(option)).join() || '?');
    }
  });
  const listing = (catalog: CatalogIndom, all: () => readonly Instance[]): IndomBinding => ({
    catalog,
    samples: [],
    list: () => all().map(({ id, name }) => ({ id, name })),
  });
  return {
    metrics: [
      ['cgroup.subsys.hierarchy', perController(0)],
      ['cgroup.subsys.num_cgroups', perController(1)],
      ['cgroup.subsys.enabled', perController(2)],
      ['cgroup.subsys.count', quick([], (set) => addNumber(set, INSTANCE_NULL, controllers(environment).length))],
      ['cgroup.mounts.count', quick([], (set) => addNumber(set, INSTANCE_NULL, source.mounts().length))],
      ['cgroup.mounts.subsys', subsystems],
    ],
    indoms: [listing(CONTROLLER_INDOM, () => controllers(environment)), listing(MOUNT_INDOM, mounts)],
  };
}
