import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a file's text as a whole, creating its directory if necessary: a reader finds the old text or the new, even after a
 * crash of the process or the machine. The temporary file of a killed writer (`FILE.new`) is overwritten by the next.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const handle = await open(`${file}.new`, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}
