import { statfsSync, type StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { attempt } from '../../../kit/index.js';
import { PM_ERR, type Instance, type ValueSet } from '../../../pmapi/index.js';
import { FILESYSTEM_INDOM } from '../catalog/linux-catalog.js';
import { cluster, perInstance, quick, slow } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding, SlowSource, SlowValues } from '../cluster.js';
import { addNumber } from '../sample.js';
import { NO_ANSWER } from '../uncertain-calls.js';
import { Mounts, type Mount } from './mounts.js';

const KBYTE = 1024;

/** What statfs(2) returns for a mounted file system: sizes in blocks of `bsize` bytes. */
export type FileSystemSizes = Pick<StatsFs, 'bsize' | 'blocks' | 'bfree' | 'bavail' | 'files' | 'ffree'>;

/** How file systems are asked: at once, or through the thread pool where the answer may never come. */
export interface StatFileSystem {
  now(path: string): FileSystemSizes;
  later(path: string): Promise<FileSystemSizes>;
}

const systemStatFileSystem: StatFileSystem = {
  now: (path) => statfsSync(path),
  later: (path) => statfs(path),
};

type Size = (sizes: FileSystemSizes) => number;

const SIZES: readonly (readonly [metric: string, value: Size])[] = [
  ['filesys.capacity', (s) => kbytes(s.blocks, s)],
  ['filesys.used', (s) => kbytes(usedOf(s.blocks, s.bfree), s)],
  ['filesys.free', (s) => kbytes(s.bfree, s)],
  ['filesys.avail', (s) => kbytes(s.bavail, s)],
  ['filesys.maxfiles', (s) => s.files],
  ['filesys.usedfiles', (s) => usedOf(s.files, s.ffree)],
  ['filesys.freefiles', (s) => s.ffree],
  ['filesys.full', (s) => percentFull(s)],
  ['filesys.blocksize', (s) => s.bsize],
];

/** filesys.*, from /proc/self/mounts and statfs(2). */
export function filesystemCluster(
  environment: ClusterEnvironment,
  stat: StatFileSystem = systemStatFileSystem,
): LocalCluster {
  const mounts = new Mounts(environment);
  const samples = [mounts];
  const source = fileSystemSource(mounts, environment, stat);
  const each = (emit: (set: ValueSet, mount: Mount) => void): MetricBinding =>
    perInstance(samples, mounts.table, (set, _, row) => emit(set, mounts.mounts[row]!));
  const list = (): readonly Instance[] => mounts.mounts.map(({ id, device }) => ({ id, name: device }));
  return cluster(
    'filesystem',
    [
      ...SIZES.map(([name, value]) => [name, slow(source, value)] as const),
      ['filesys.mountdir', each((set, mount) => set.addText(mount.id, mount.dir))],
      ['filesys.readonly', each((set, mount) => addNumber(set, mount.id, mount.isReadOnly ? 1 : 0))],
      ['hinv.nfilesys', quick(samples, (set) => set.setNumber(mounts.mounts.length))],
    ],
    [{ catalog: FILESYSTEM_INDOM, samples, list }],
  );
}

/** The result for a file system: undefined if it could not be read, because it is gone or this user may not. */
type Answer = FileSystemSizes | undefined | typeof NO_ANSWER;

/** Local file systems are asked at once, in memory; through the thread pool those that may hang, which then have no values. */
function fileSystemSource(mounts: Mounts, environment: ClusterEnvironment, stat: StatFileSystem): SlowSource<Size> {
  /** Directories of file systems that were reported: once, until they respond again. */
  const complained = new Set<string>();

  const sample: SlowSource<Size>['sample'] = (_sizes, profile, round) => {
    mounts.ensure(round);
    const wanted = mounts.mounts.filter(({ id }) => profile.includes(FILESYSTEM_INDOM.indom, id));
    const local = wanted.map(({ isRemote, dir }) =>
      isRemote ? undefined : attempt(() => stat.now(environment.files.resolve(dir))),
    );
    if (!wanted.some(({ isRemote }) => isRemote)) return valuesOf(wanted, local);
    const all = wanted.map(async (mount, i) => (mount.isRemote ? askRemote(mount) : local[i]));
    return Promise.all(all).then((answers) => valuesOf(wanted, answers));
  };

  async function askRemote({ dir }: Mount): Promise<Answer> {
    const { files, uncertain } = environment;
    try {
      const answer = await uncertain.ask('statfs', dir, () => stat.later(files.resolve(dir)));
      if (answer === NO_ANSWER) complain(dir, `no response from the file system mounted at ${dir}`);
      else complained.delete(dir);
      return answer;
    } catch (cause) {
      complain(dir, `cannot query the file system mounted at ${dir}`, cause);
      return undefined;
    }
  }

  function complain(dir: string, message: string, cause?: unknown): void {
    if (complained.has(dir)) return;
    complained.add(dir);
    environment.log(message, cause);
  }
  return { sample };
}

function valuesOf(mounts: readonly Mount[], answers: readonly Answer[]): SlowValues<Size> {
  return {
    fill(value, set) {
      if (answers.length > 0 && answers.every((answer) => answer === NO_ANSWER)) {
        set.fail(PM_ERR.AGAIN);
        return;
      }
      for (const [i, { id }] of mounts.entries()) {
        const answer = answers[i];
        if (typeof answer === 'object') addNumber(set, id, value(answer));
      }
    },
  };
}

/** Some file systems that programs make up have more free than there is. PCP: what is used wraps then. */
function usedOf(all: number, free: number): number {
  return Math.max(0, all - free);
}

function kbytes(blocks: number, { bsize }: FileSystemSizes): number {
  return Math.floor(blocks * (bsize / KBYTE));
}

/** Of what ordinary users may fill, the part in use. */
function percentFull({ blocks, bfree, bavail }: FileSystemSizes): number {
  const used = usedOf(blocks, bfree);
  return used + bavail === 0 ? 0 : (100 * used) / (used + bavail);
}
