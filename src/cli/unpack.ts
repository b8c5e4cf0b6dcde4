import { mkdtempSync, rmSync } from 'node:fs';
import { link, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { addTo } from '../kit/index.js';
import { isAlive } from '../kit/node/index.js';
import { inflatedChunks } from '../sources/archive/node/index.js';
import { archivesInTar, tarName, UNPACK_LIMITS, Unpacked, UnpackError } from '../sources/archive/index.js';
import type { UnpackLimits } from '../sources/archive/index.js';

const PREFIX = 'pmgate-open-';

/** A new directory for temporary files that is removed when the process ends. Those of processes that were killed are removed now. */
export async function temporaryDirectory(parent = os.tmpdir()): Promise<string> {
  for (const name of await readdir(parent)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    // Another user's cannot be removed.
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(path.join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
  // In one turn: a signal may come at any other time.
  const directory = mkdtempSync(path.join(parent, `${PREFIX}${process.pid}-`));
  // Again, if a file is just being written.
  process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}

/**
 * Writes the files of PCP archives in a tar below `directory`, in new directories and files, and nothing else. Throws an
 * {@link UnpackError} for a tar that is damaged, exceeds a limit, or has an archive's file under a name that leads out.
 */
export async function unpackArchives(tar: string, directory: string, limits: UnpackLimits = UNPACK_LIMITS) {
  const input = await open(tar);
  const counted = new Unpacked();
  const written = new Map<string, { file: string; size: number }[]>();
  try {
    const { compression } = tarName(tar);
    const bytes = compression
      ? inflatedChunks(input, compression, new AbortController().signal)
      : (input.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Uint8Array>);
    for await (const { name, archive, linked, size, body } of archivesInTar(bytes, counted, limits)) {
      const file = path.join(directory, name);
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      if (linked === undefined) await writeFile(file, body, { flag: 'wx', mode: 0o600 });
      else await link(path.join(directory, linked), file);
      addTo(written, archive, { file, size });
    }
  } catch (error) {
    throw new UnpackError(`${tar} cannot be unpacked: ${(error as Error).message}`, { cause: error });
  } finally {
    await input.close();
  }
  for (const files of written.values()) {
    if (files.some(({ file }) => /\.meta(\.|$)/.test(path.basename(file)))) continue;
    for (const { file, size } of files) {
      await rm(file);
      counted.files--;
      counted.bytes -= size;
    }
  }
  return counted;
}
