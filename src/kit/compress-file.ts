import { createReadStream, createWriteStream } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

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
