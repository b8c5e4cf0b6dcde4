import { lstat, mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import path from 'node:path';

const KEPT_ASIDE = 10;

/**
 * A JSON file that is replaced as a whole: whoever reads it finds the old content or the new, never a mixture, whenever the
 * process or the machine stops. Writes follow one another.
 */
export class StateFile {
  readonly path: string;
  #last: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.path = file;
  }

  /**
   * What the file holds; undefined when there is none. A file that holds no JSON is set aside, so that the next write does not destroy
   * what may still be read by eye, and the error is thrown.
   */
  async read(): Promise<unknown> {
    await this.#clearAway();
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new Error(`${this.path} holds no JSON and was set aside as ${await this.setAside()}`, { cause });
    }
  }

  /**
   * Keep the file out of the way of the next write, as `FILE.damaged`, or `FILE.damaged.2` and so on beside what was set aside before;
   * its path. Somebody should have looked by the time that there are ten: then the tenth is replaced.
   */
  async setAside(): Promise<string> {
    let aside = `${this.path}.damaged`;
    for (let i = 2; i <= KEPT_ASIDE && (await isThere(aside)); i++) aside = `${this.path}.damaged.${i}`;
    await rename(this.path, aside);
    return aside;
  }

  /** Replace the content. Rejects when it did not reach the disk; the old content is then still there. */
  write(content: unknown): Promise<void> {
    const mine = this.#last.then(() => this.#replace(`${JSON.stringify(content, null, 2)}\n`));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Remove what writers left behind that were killed. */
  async #clearAway(): Promise<void> {
    const directory = path.dirname(this.path);
    const base = path.basename(this.path);
    const names = await readdir(directory).catch(() => []);
    for (const name of names) {
      if (!name.startsWith(`${base}.`)) continue;
      const pid = /^(\d+)\.tmp$/.exec(name.slice(base.length + 1))?.[1];
      if (pid === undefined || isAlive(Number(pid))) continue;
      await unlink(path.join(directory, name)).catch(() => undefined);
    }
  }

  async #replace(text: string): Promise<void> {
    const directory = path.dirname(this.path);
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const temporary = `${this.path}.${process.pid}.tmp`;
    try {
      const file = await open(temporary, 'w', 0o640);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
    // The new name is on disk only once the directory is; not every file system can be asked for that.
    const handle = await open(directory, 'r').catch(() => undefined);
    await handle?.sync().catch(() => undefined);
    await handle?.close();
  }
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** Whether there is a process of this number, be it somebody else's. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
