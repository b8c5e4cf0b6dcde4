import { constants } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isWithin } from './archive-files.js';

/** Opens a file for reading. */
export type FileOpener = (path: string) => Promise<FileHandle>;

/** Opening a FIFO would wait for a writer, and take a thread of the pool for as long as that; a terminal would become ours. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Open a file for reading: a regular one, else it throws EISDIR. Never waits for what lies behind a special file. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const handle = await open(path, FLAGS);
  try {
    if (!(await handle.stat()).isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Opens regular files below some directories, and throws ENOENT for others. The location of the opened file counts, not where the
 * path led before: links may change meanwhile.
 */
export function openerWithin(directories: () => readonly string[]): FileOpener {
  return async (path) => {
    const handle = await openRegularFile(path);
    try {
      const place = await placeOf(handle, path);
      // The place has no links in it: what it is below of, by its text, it is below of indeed.
      if (directories().some((root) => resolve(root) === root && isWithin(root, place))) return handle;
      const roots = await Promise.all(directories().map((root) => realpath(root).catch(() => undefined)));
      if (roots.some((root) => root !== undefined && isWithin(root, place))) return handle;
      throw Object.assign(new Error('it is outside the configured roots'), { code: 'ENOENT' });
    } catch (error) {
      await handle.close();
      throw error;
    }
  };
}

/** Where an open file lies. Only Linux tells; elsewhere the path is looked at once more. */
async function placeOf({ fd }: FileHandle, path: string): Promise<string> {
  return readlink(`/proc/self/fd/${fd}`).catch(() => realpath(path));
}
