import { readdir, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { compressFile, ifThere } from '../../kit/node/index.js';
import { getOrMake } from '../../kit/index.js';
import type { Timestamp } from '../../pmapi/index.js';

export interface RecordingLimits {
  readonly keepDays: number;
  readonly keepBytes: number;
}

/**
 * `20261122-223035`, how often the clock was set back before (unless never), and the suffix of the file; `.new` and `.tmp` are unfinished files.
 * @see `setBacks` of `ArchivePart`
 */
const FILE = /^(\d{8}-\d{6}(?:-\d{1,9})?)\.(meta|index|\d{1,9})(\.gz)?(\.new|\.tmp)?$/;
const DAY_SEC = 86_400;

/** An archive that is being written. */
export interface CurrentFiles {
  readonly base: string;
  readonly volume: number;
}

interface RecordedFile {
  readonly name: string;
  readonly base: string;
  /** `meta`, `index` or the number of a volume. */
  readonly piece: string;
  readonly isCompressed: boolean;
  readonly isUnfinished: boolean;
}

/** The directory with the recorder's archives. Files with other names are ignored. */
export class Recordings {
  readonly directory: string;
  readonly #limits: RecordingLimits;
  /** Bytes of all archives when {@link tidy} last looked. */
  keptBytes = 0;

  constructor(directory: string, limits: RecordingLimits) {
    this.directory = directory;
    this.#limits = limits;
  }

  /** The path of the latest archive; undefined if there is none. Throws a system error. */
  async latest(): Promise<string | undefined> {
    const bases = (await this.#files()).filter(({ piece }) => piece === 'meta').map(({ base }) => base);
    const last = bases.sort((a, b) => setBacksOf(a) - setBacksOf(b) || (a < b ? -1 : 1)).at(-1);
    return last === undefined ? undefined : path.join(this.directory, last);
  }

  /** Whether the metadata and the current volume of an archive are there. Throws a system error. */
  async has({ base, volume }: CurrentFiles): Promise<boolean> {
    const name = path.basename(base);
    const sizes = await Promise.all([this.#sizeOf(`${name}.meta`), this.#sizeOf(`${name}.${volume}`)]);
    return !sizes.includes(undefined);
  }

  /**
   * An unused path for an archive that begins at a moment. Throws a system error.
   * @param isSetBack whether there are samples of later moments
   */
  async pathFor(start: Timestamp, isSetBack: boolean): Promise<string> {
    const digits = new Date(start.sec * 1000).toISOString().replace(/[-:]/g, '').slice(0, 15).replace('T', '-');
    const bases = (await this.#files()).map(({ base }) => base);
    const setBacks = bases.reduce((most, base) => Math.max(most, setBacksOf(base)), 0);
    // Of two that begin in one second, the second is after a step that took less.
    const number = setBacks + Number(isSetBack || bases.some((base) => base.startsWith(digits)));
    return path.join(this.directory, number === 0 ? digits : `${digits}-${number}`);
  }

  /**
   * Compresses complete volumes and the metadata of complete archives, and removes archives beyond the limits, oldest first, but never the current one. Throws a system error.
   * @param findCurrent the archive being written, from before it has files until it is closed
   */
  async tidy(findCurrent: () => Promise<CurrentFiles | undefined>, now: Timestamp): Promise<void> {
    const files = await this.#files();
    // Only now: another archive may have begun while the directory was read.
    const current = await findCurrent();
    const currentBase = current && path.basename(current.base);
    try {
      for (const file of files) {
        if (file.isUnfinished) {
          if (file.base !== currentBase) await this.#remove(file.name);
        } else if (isComplete(file, currentBase, current?.volume)) {
          await compressFile(path.join(this.directory, file.name));
        }
      }
    } finally {
      // A disk that is too full to compress on is emptied.
      await this.#removeOld(findCurrent, now);
    }
  }

  async #removeOld(findCurrent: () => Promise<CurrentFiles | undefined>, now: Timestamp): Promise<void> {
    const sizes = await this.#sizes();
    const current = await findCurrent();
    const currentBase = current && path.basename(current.base);
    let total = [...sizes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [base, { names, bytes }] of [...sizes].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const isOld = now.sec - startSec(base) > (this.#limits.keepDays + 1) * DAY_SEC;
      if (base === currentBase || (!isOld && total <= this.#limits.keepBytes)) continue;
      // Without its metadata an archive is no longer listed.
      for (const name of names.sort().reverse()) await this.#remove(name);
      total -= bytes;
    }
    this.keptBytes = total;
  }

  async #sizes(): Promise<Map<string, { bytes: number; readonly names: string[] }>> {
    const sizes = new Map<string, { bytes: number; readonly names: string[] }>();
    for (const { base, name } of await this.#files()) {
      const size = await this.#sizeOf(name);
      if (size === undefined) continue;
      const entry = getOrMake(sizes, base, () => ({ bytes: 0, names: [] }));
      entry.bytes += size;
      entry.names.push(name);
    }
    return sizes;
  }

  async #sizeOf(name: string): Promise<number | undefined> {
    return (await ifThere(stat(path.join(this.directory, name))))?.size;
  }

  async #files(): Promise<RecordedFile[]> {
    const files: RecordedFile[] = [];
    for (const name of await readdir(this.directory)) {
      const [, base, piece, suffix, unfinished] = FILE.exec(name) ?? [];
      if (base === undefined || piece === undefined) continue;
      files.push({ name, base, piece, isCompressed: suffix !== undefined, isUnfinished: unfinished !== undefined });
    }
    return files;
  }

  #remove(name: string): Promise<void> {
    return unlink(path.join(this.directory, name));
  }
}

function isComplete(
  { base, piece, isCompressed }: RecordedFile,
  currentBase: string | undefined,
  volume: number | undefined,
): boolean {
  if (isCompressed || piece === 'index') return false;
  return base !== currentBase || Number(piece) < (volume ?? 0);
}

function setBacksOf(base: string): number {
  return Number(base.split('-')[2] ?? 0);
}

/** The start of an archive, from its name. */
function startSec(base: string): number {
  return Date.parse(base.replace(/^(....)(..)(..)-(..)(..)(..).*$/, '$1-$2-$3T$4:$5:$6Z')) / 1000;
}
