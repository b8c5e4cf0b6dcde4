import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replace a file's text as a whole, in a folder that is made if need be: whoever reads it finds the old text or the new, whenever the
 * process or the machine stops. What a writer that was killed left behind (`FILE.new`) is overwritten by the next.
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
