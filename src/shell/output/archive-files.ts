import { open, unlink } from 'node:fs/promises';
import { ReadableStream } from 'node:stream/web';
import { OutputFailedError } from '../terminal.js';

/** What the files of an archive end in. */
const SUFFIX = /\.(?:meta|index|\d{1,9})$/;

/**
 * Write the files of an archive that comes as a tar under a base name. Throws {@link OutputFailedError} when one of them exists or cannot be
 * written, and whatever reading throws; nothing is left behind then.
 */
export async function writeArchiveFiles(base: string, tar: AsyncIterable<Uint8Array>): Promise<void> {
  const { createTarDecoder } = await import('modern-tar');
  const decoder = createTarDecoder({ strict: true });
  const written: string[] = [];
  try {
    for await (const { header, body } of ReadableStream.from(tar).pipeThrough(decoder)) {
      const [suffix] = SUFFIX.exec(header.name) ?? [];
      if (suffix === undefined) throw new OutputFailedError(new Error('the response is not an archive'));
      await writeFile(base + suffix, body, written);
    }
  } catch (error) {
    for (const file of written) await unlink(file).catch(() => undefined);
    throw error;
  }
}

async function writeFile(name: string, body: AsyncIterable<Uint8Array>, written: string[]): Promise<void> {
  const file = await orFailure(open(name, 'wx'));
  written.push(name);
  try {
    for await (const piece of body) await orFailure(file.writeFile(piece));
  } finally {
    await file.close();
  }
}

function orFailure<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new OutputFailedError(error as Error);
  });
}
