import { statfsSync } from 'node:fs';
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { ValueSet } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import { FILESYSTEM_INDOM, FILESYSTEM_METRICS } from '../catalog/filesystem.js';
import { bindFrom } from '../cluster.js';
import type {
  ClusterEnvironment,
  CollectorLog,
  LocalCluster,
  MetricBinding,
  SlowSource,
  SlowValues,
} from '../cluster.js';
import { addNumber } from '../number-grid.js';
import type { ProcFiles } from '../proc-files.js';
import { Mounts } from './mounts.js';
import type { Mount } from './mounts.js';

const KBYTE = 1024;

/** What statfs(2) tells of a mounted file system: sizes in blocks of `bsize` bytes. */
export type FileSystemSizes = Pick<StatsFs, 'bsize' | 'blocks' | 'bfree' | 'bavail' | 'files' | 'ffree'>;

/** How file systems are asked: at once, or through the thread pool where the answer may never come. */
export interface StatFileSystem {
  now(path: string): FileSystemSizes;
  later(path: string): Promise<FileSystemSizes>;
}

/** The real thing. */
export const systemStatFileSystem: StatFileSystem = {
  now: (path) => statfsSync(path),
  later: (path) => statfs(path),
};

/** The metrics that statfs(2) answers, in the order of their item numbers here. */
const SIZES: readonly (readonly [metric: string, value: (sizes: FileSystemSizes) => number])[] = [
  ['filesys.capacity', (s) => kbytes(s.blocks, s)],
  ['filesys.used', (s) => kbytes(s.blocks - s.bfree, s)],
  ['filesys.free', (s) => kbytes(s.bfree, s)],
  ['filesys.avail', (s) => kbytes(s.bavail, s)],
  ['filesys.maxfiles', (s) => s.files],
  ['filesys.usedfiles', (s) => s.files - s.ffree],
  ['filesys.freefiles', (s) => s.ffree],
  ['filesys.full', (s) => percentFull(s)],
  ['filesys.blocksize', (s) => s.bsize],
];

/** filesys.*, from /proc/self/mounts and statfs(2). */
export function filesystemCluster(
  environment: ClusterEnvironment,
  stat: StatFileSystem = systemStatFileSystem,
): LocalCluster {
  const { files, caches, log } = environment;
  const mounts = new Mounts(files, caches.of(FILESYSTEM_INDOM), environment.instancesChanged);
  const samples = [mounts];
  const source = new FileSystemSource(mounts, files, stat, log);
  const each = (emit: (set: ValueSet, mount: Mount) => void): MetricBinding => ({
    kind: 'quick',
    samples,
    fill: (set, profile) => mounts.table.fill(set, profile, (into, _, row) => emit(into, mounts.mounts[row]!)),
  });
  const table = new Map<string, MetricBinding>([
    ...SIZES.map(([name], item) => [name, { kind: 'slow', source, item }] as const),
    ['filesys.mountdir', each((set, mount) => set.addText(mount.id, mount.dir))],
    ['filesys.readonly', each((set, mount) => addNumber(set, mount.id, mount.isReadOnly ? 1 : 0))],
    ['hinv.nfilesys', { kind: 'quick', samples, fill: (set) => set.setNumber(mounts.mounts.length) }],
  ]);
  return {
    name: 'filesystem',
    metrics: FILESYSTEM_METRICS,
    indoms: [
      {
        catalog: FILESYSTEM_INDOM,
        samples,
        list: () => mounts.mounts.map(({ id, device }) => ({ id, name: device })),
      },
    ],
    bind: (metric) => bindFrom(table, metric),
  };
}

/**
 * Asks the mounted file systems that the profile lets through. Local ones answer at once, from memory; remote ones through
 * the thread pool, never twice at a time: one that hangs holds one thread and answers nothing until it comes back.
 */
class FileSystemSource implements SlowSource {
  readonly #mounts: Mounts;
  readonly #files: ProcFiles;
  readonly #stat: StatFileSystem;
  readonly #log: CollectorLog;
  readonly #pending = new Map<string, Promise<FileSystemSizes | undefined>>();

  constructor(mounts: Mounts, files: ProcFiles, stat: StatFileSystem, log: CollectorLog) {
    this.#mounts = mounts;
    this.#files = files;
    this.#stat = stat;
    this.#log = log;
  }

  sample(_items: readonly number[], profile: InstanceProfile, round: number): SlowValues | Promise<SlowValues> {
    this.#mounts.ensure(round);
    const wanted = this.#mounts.mounts.filter(({ id }) => profile.includes(FILESYSTEM_INDOM.indom, id));
    if (!wanted.some(({ isRemote }) => isRemote)) {
      return new FileSystemValues(
        wanted,
        wanted.map((mount) => this.#askLocal(mount)),
      );
    }
    const asked = wanted.map((mount) =>
      mount.isRemote ? this.#askRemote(mount) : Promise.resolve(this.#askLocal(mount)),
    );
    return Promise.all(asked).then((sizes) => new FileSystemValues(wanted, sizes));
  }

  #askLocal({ dir }: Mount): FileSystemSizes | undefined {
    try {
      return this.#stat.now(this.#files.resolve(dir));
    } catch {
      return undefined; // gone since /proc/self/mounts was read, or out of reach for this user
    }
  }

  #askRemote({ dir }: Mount): Promise<FileSystemSizes | undefined> {
    let asked = this.#pending.get(dir);
    if (!asked) {
      asked = this.#stat.later(this.#files.resolve(dir)).catch((cause: unknown) => {
        this.#log(`cannot ask the file system mounted at ${dir}`, cause);
        return undefined;
      });
      this.#pending.set(dir, asked);
      void asked.then(() => this.#pending.delete(dir));
    }
    return asked;
  }
}

class FileSystemValues implements SlowValues {
  readonly #mounts: readonly Mount[];
  readonly #sizes: readonly (FileSystemSizes | undefined)[];

  constructor(mounts: readonly Mount[], sizes: readonly (FileSystemSizes | undefined)[]) {
    this.#mounts = mounts;
    this.#sizes = sizes;
  }

  fill(item: number, set: ValueSet): void {
    const [, value] = SIZES[item]!;
    for (const [i, mount] of this.#mounts.entries()) {
      const sizes = this.#sizes[i];
      if (sizes) addNumber(set, mount.id, value(sizes));
    }
  }
}

function kbytes(blocks: number, { bsize }: FileSystemSizes): number {
  return Math.floor(blocks * (bsize / KBYTE));
}

/** Of what ordinary users may fill, the part in use. */
function percentFull({ blocks, bfree, bavail }: FileSystemSizes): number {
  const used = blocks - bfree;
  return used + bavail === 0 ? 0 : (100 * used) / (used + bavail);
}
