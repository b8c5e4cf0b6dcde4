import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readlink, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from '../../kit/node/index.js';
import { timestampToSeconds, type Clock } from '../../pmapi/index.js';

/** The owner of a lock: process, its start (clock ticks since boot), and the PID namespace. */
interface Owner {
  readonly pid: number;
  readonly started: string;
  readonly namespace: string;
}

const LOCK_FILE = 'lock';
/** A process in another container cannot be looked up: its lock is valid for this long after the last refresh. */
const STALE_MS = 120_000;

/** A directory that only one process may write to. The lock of a killed process is ignored. */
export class DirectoryLock {
  readonly #file: string;
  readonly #contents: string;
  readonly #clock: Pick<Clock, 'now'>;

  private constructor(file: string, contents: string, clock: Pick<Clock, 'now'>) {
    this.#file = file;
    this.#contents = contents;
    this.#clock = clock;
  }

  /** Lock a directory, creating it if necessary. Throws an error that names the process that holds the lock, or a system error. */
  static async take(directory: string, clock: Pick<Clock, 'now'>): Promise<DirectoryLock> {
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const file = path.join(directory, LOCK_FILE);
    const own = JSON.stringify({ ...(await ownerOf(process.pid)), id: randomUUID() });
    // The second attempt follows the removal of an invalid lock.
    for (let attempt = 0; ; attempt++) {
      try {
        await writeFile(file, own, { flag: 'wx', mode: 0o640 });
        return new DirectoryLock(file, own, clock);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 0) throw error;
      }
      const holder = await holderOf(file, timestampToSeconds(clock.now()) * 1000);
      if (holder !== undefined) throw new Error(`${directory} is being written to by process ${holder}`);
      await unlink(file).catch(() => undefined);
    }
  }

  /** The lock exists and is ours: its directory may have been removed. */
  async isHeld(): Promise<boolean> {
    return (await readFile(this.#file, 'utf8').catch(() => '')) === this.#contents;
  }

  /** Renew the lock: call this about every minute. */
  async refresh(): Promise<void> {
    const seconds = timestampToSeconds(this.#clock.now());
    await utimes(this.#file, seconds, seconds);
  }

  async release(): Promise<void> {
    await unlink(this.#file).catch(() => undefined);
  }
}

/** The number of the process that holds the lock; undefined if it no longer exists. */
async function holderOf(file: string, nowMs: number): Promise<number | undefined> {
  const found = await ifThere(Promise.all([readFile(file, 'utf8'), stat(file)]));
  // It was released just now.
  if (!found) return undefined;
  const [text, { mtimeMs }] = found;
  const owner = parseOwner(text);
  // The owner may be about to write the file.
  if (!owner) return nowMs - mtimeMs < STALE_MS ? -1 : undefined;
  const own = await ownerOf(process.pid);
  if (owner.namespace !== own.namespace) return nowMs - mtimeMs < STALE_MS ? owner.pid : undefined;
  const known = await ownerOf(owner.pid).catch(() => undefined);
  return known?.started === owner.started ? owner.pid : undefined;
}

function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, started, namespace } = JSON.parse(text) as Partial<Owner>;
    if (!Number.isSafeInteger(pid) || typeof started !== 'string' || typeof namespace !== 'string') return undefined;
    return { pid: pid!, started, namespace };
  } catch {
    return undefined;
  }
}

/** Throws a system error for a process that does not exist. */
async function ownerOf(pid: number): Promise<Owner> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, which may contain anything, is in parentheses; the start is the 20th field after it.
  const started = status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return { pid, started, namespace: await readlink('/proc/self/ns/pid').catch(() => '') };
}
