import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { link, lstat, mkdir, open, readFile, readdir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const KEPT_ASIDE = 10;

/** The text of a file that ships with the package: `config/search/synonyms.txt`. The bundle for pages has it in place of the call. */
export function shippedText(file: string): string {
  return fileText(new URL(`../../../${file}`, import.meta.url));
}

/** The text of a file. Throws what the system says. */
export function fileText(file: string | URL): string {
  return readFileSync(file, 'utf8');
}

/** The result of work with a file; undefined if there is no such file. Throws what else the system says. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A JSON file replaced as a whole: readers find old or new content, even after a crash. Writes are sequential. */
export class StateFile {
  readonly path: string;
  #last: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.path = file;
  }

  /** As `parse` reads it; undefined if there is none. A file that it throws for is set aside, for a person to read, and the error is thrown. */
  async read(parse: (text: string) => unknown = JSON.parse): Promise<unknown> {
    await removeLeftovers(this.path);
    const text = await ifThere(readFile(this.path, 'utf8'));
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (cause) {
      throw new Error(`${this.path} is not valid JSON and was renamed to ${await this.setAside()}`, { cause });
    }
  }

  /** Moves it to `FILE.damaged`, or `FILE.damaged.2` … `.10`, which is replaced; returns the new path. @param isKept leaves it, too */
  async setAside(isKept = false): Promise<string> {
    let aside = `${this.path}.damaged`;
    for (let i = 2; i <= KEPT_ASIDE && (await isThere(aside)); i++) aside = `${this.path}.damaged.${i}`;
    if (isKept) {
      await unlink(aside).catch(() => undefined);
      await link(this.path, aside);
    } else await rename(this.path, aside);
    return aside;
  }

  /** Replaces the content. Rejects if it did not reach the disk; the old content is then unchanged. */
  write(content: unknown, text = `${JSON.stringify(content, null, 2)}\n`): Promise<void> {
    const mine = this.#last.then(() => replaceFile(this.path, text));
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

/** Replaces a file's text as a whole, even across crashes, creating its directory. Rejects, without a change, if it fails. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const directory = path.dirname(file);
  await mkdir(directory, { recursive: true, mode: 0o750 });
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const handle = await open(temporary, 'w', 0o640);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  // The new name is on disk only once the directory is; not every file system supports syncing it.
  const handle = await open(directory, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Removes temporary files of {@link replaceFile} in processes that were killed. */
export async function removeLeftovers(file: string): Promise<void> {
  const directory = path.dirname(file);
  const base = path.basename(file);
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(`${base}.`)) continue;
    const pid = /^(\d+)\.tmp$/.exec(name.slice(base.length + 1))?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await unlink(path.join(directory, name)).catch(() => undefined);
  }
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** Whether a process with this number exists, including zombies and those of other users. */
export function isAlive(pid: number): boolean {
  if (pid <= 0) return false; // process groups
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Replace a file by `FILE.gz`, which appears when it is complete (until then it is `FILE.gz.tmp`). Throws an error of the system. */
export async function compressFile(file: string): Promise<void> {
  const unfinished = `${file}.gz.tmp`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode: 0o640, flush: true }));
    await rename(unfinished, `${file}.gz`);
  } catch (error) {
    await unlink(unfinished).catch(() => undefined);
    throw error;
  }
  await unlink(file);
}
