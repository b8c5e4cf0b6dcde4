import { randomUUID } from 'node:crypto';
import { lstat, open, readdir, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { ENOENT, errnoOf } from './archive-files.js';

const NAME = /^pmgate-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A new file to write and read, which is gone when it is closed. */
export async function openNameless(directory: string): Promise<FileHandle> {
  const name = path.join(directory, `pmgate-${randomUUID()}`);
  const handle = await open(name, 'wx+', 0o600);
  try {
    await unlink(name).catch((error: unknown) => {
      // Another gateway that was just started took it for a leftover.
      if (errnoOf(error) !== ENOENT) throw error;
    });
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Remove the files of {@link openNameless} that still have their names: their gateways were killed before they took them away. They are
 * empty. Does not fail: what cannot be removed stays.
 */
export async function removeLeftovers(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    if (!NAME.test(name)) continue;
    const file = path.join(directory, name);
    const found = await lstat(file).catch(() => undefined);
    if (found?.isFile() === true && found.size === 0) await unlink(file).catch(() => undefined);
  }
}
