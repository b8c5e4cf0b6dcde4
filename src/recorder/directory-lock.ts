import { mkdir, readFile, readlink, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { timestampToSeconds } from '../pmapi/index.js';
import type { Clock } from '../pmapi/index.js';

/** Who has locked a directory: a process by its number, when it started (clock ticks since the boot), and what the number counts in. */
interface Owner {
  readonly pid: number;
  readonly started: string;
  readonly namespace: string;
}

const LOCK_FILE = 'lock';
/** A process in another container cannot be looked up: its lock counts until it was not refreshed for so long. */
const STALE_MS = 120_000;

/** A directory that only one process may write to. The lock of a process that was killed does not count. */
export class DirectoryLock {
  readonly #file: string;
  readonly #clock: Pick<Clock, 'now'>;

  private constructor(file: string, clock: Pick<Clock, 'now'>) {
    this.#file = file;
    this.#clock = clock;
  }

  /** Lock a directory, which is made if it is not there. Throws an error that names the process that has it, or one of the system. */
  static async take(directory: string, clock: Pick<Clock, 'now'>): Promise<DirectoryLock> {
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const file = path.join(directory, LOCK_FILE);
    const own = JSON.stringify(await ownerOf(process.pid));
    // The second attempt is for a lock that did not count.
    for (let attempt = 0; ; attempt++) {
      try {
        await writeFile(file, own, { flag: 'wx', mode: 0o640 });
        return new DirectoryLock(file, clock);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 0) throw error;
      }
      const holder = await holderOf(file, timestampToSeconds(clock.now()) * 1000);
      if (holder !== undefined) throw new Error(`${directory} is being written to by process ${holder}`);
      await unlink(file).catch(() => undefined);
    }
  }

  /** Say that the process is still there: to be called about every minute. */
  async refresh(): Promise<void> {
    const seconds = timestampToSeconds(this.#clock.now());
    await utimes(this.#file, seconds, seconds);
  }

  async release(): Promise<void> {
    await unlink(this.#file).catch(() => undefined);
  }
}

/** The number of the process that has the lock; undefined if there is no such process any more. */
async function holderOf(file: string, nowMs: number): Promise<number | undefined> {
  const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
  const owner = parseOwner(text);
  // The owner may be about to write who it is.
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

/** Throws an error of the system for a process that is not there. */
async function ownerOf(pid: number): Promise<Owner> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, which may hold anything, is in parentheses; behind it, the start is the 20th field.
  const started = status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return { pid, started, namespace: await readlink('/proc/self/ns/pid').catch(() => '') };
}
