import { FILESYSTEM_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment } from '../cluster.js';
import type { InstanceCache } from '../instance-caches.js';
import { InstanceTable, SampleOfFile } from '../sample.js';
import { RememberedNames } from '../remembered-names.js';

const LEFT_OUT =
  /^(?:proc|nfs|devfs|devpts|devtmpfs|squashfs|selinuxfs|securityfs|configfs|cgroup|sysfs|tmpfs|auto.*)$/;
/** Kinds of file system that wait for another machine or process, which may never answer: so do paths that lead through them. */
const REMOTE =
  /^(?:auto.*|nfs\d?|cifs|smb\w*|9p|ceph|fuse.*|glusterfs|lustre|afs|gfs2|ocfs2|virtiofs|beegfs|coda|ncpfs)$/;
/** Names below these are what people know the device by: they are links, and stay as they are. */
const NAMED_DEVICE = /^\/dev\/(?:mapper|md)\//;

export interface Mount {
  readonly id: number;
  readonly device: string;
  readonly dir: string;
  readonly type: string;
  readonly isReadOnly: boolean;
  /** Whether reading it may hang forever: it is remote, or mounted below a remote one. */
  readonly isRemote: boolean;
}

interface Line {
  readonly dir: string;
  readonly isRemote: boolean;
  readonly mount: Omit<Mount, 'isRemote'> | undefined;
}

/** /proc/self/mounts: the file systems on devices, each device once (where it is mounted first). @see proc_mounts(5) */
export class Mounts extends SampleOfFile {
  /** Row `r` of the table is mount `r`. */
  readonly table = new InstanceTable(FILESYSTEM_INDOM.indom);
  mounts: readonly Mount[] = [];
  readonly #environment: ClusterEnvironment;
  readonly #cache: InstanceCache;
  readonly #lines = new RememberedNames<Line>((line) => this.#describe(line));

  constructor(environment: ClusterEnvironment) {
    super(environment.files, 'proc/self/mounts');
    this.#environment = environment;
    this.#cache = environment.caches.of(FILESYSTEM_INDOM);
  }

  protected override refresh(): void {
    const found: Line[] = [];
    this.#lines.begin();
    this.eachLine((scanner) => {
      found.push(this.#lines.next(scanner.bytes, scanner.pos, scanner.lineEnd()));
    });
    if (!this.#lines.finish()) return;
    const seen = new Set<number>();
    const remote = found.filter(({ isRemote }) => isRemote);
    this.mounts = found.flatMap(({ mount }) => {
      if (!mount || seen.has(mount.id)) return [];
      seen.add(mount.id);
      return [{ ...mount, isRemote: remote.some(({ dir }) => isWithin(mount.dir, dir)) }];
    });
    this.table.clear();
    for (const { id } of this.mounts) this.table.add(id);
    this.#cache.present(this.table);
    this.#environment.instancesChanged();
  }

  #describe(line: string): Line {
    const [source = '', target = '', type = '', options = ''] = line.split(' ');
    const dir = unescapePath(target);
    const isRemote = REMOTE.test(type);
    if (LEFT_OUT.test(type) || !(source.startsWith('/dev') || dir === '/')) return { dir, isRemote, mount: undefined };
    const path = unescapePath(source);
    const isLink = path.startsWith('/') && !NAMED_DEVICE.test(path);
    const device = isLink ? this.#environment.files.realPath(path) : path;
    const isReadOnly = options.split(',').includes('ro');
    return { dir, isRemote, mount: { id: this.#cache.numberOf(device), device, dir, type, isReadOnly } };
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** A path from /proc/self/mounts or /proc/swaps, where blanks, tabs, newlines and backslashes are octal escapes. */
export function unescapePath(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\([0-3][0-7]{2})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
}
