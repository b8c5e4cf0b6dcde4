import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createTarDecoder } from 'modern-tar';
import { inflatedChunks } from '../sources/archive/node/index.js';
import { archiveOfFile, type Compression } from '../sources/archive/index.js';

/** What a tar may make of itself at most. */
export interface UnpackLimits {
  /** Bytes of the whole tar when it is inflated, with what is skipped. */
  readonly inflatedBytes: number;
  /** Bytes and number of the files of archives that are written. */
  readonly bytes: number;
  readonly files: number;
}

export const UNPACK_LIMITS: UnpackLimits = { inflatedBytes: 64 * 2 ** 30, bytes: 8 * 2 ** 30, files: 20_000 };

/** A tar that is not unpacked, with a message for its user. */
export class UnpackError extends Error {}

const TAR = /\.(?:tar(?:\.(gz|xz|bz2|zst))?|t(gz|xz|bz2|zst))$/;
const COMPRESSIONS: Readonly<Record<string, Compression>> = { gz: 'gzip', xz: 'xz', bz2: 'bzip2', zst: 'zstd' };
const PREFIX = 'pmgate-open-';

/** Whether a file is a tar, compressed or not, by its name: that of a sos report is. */
export function isTar(file: string): boolean {
  return TAR.test(file);
}

/** A new directory for temporary files that is removed when the process ends. Those of processes that were killed are removed now. */
export async function temporaryDirectory(parent = os.tmpdir()): Promise<string> {
  for (const name of await readdir(parent)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    // Another user's cannot be removed.
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(path.join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
  const directory = await mkdtemp(path.join(parent, `${PREFIX}${process.pid}-`));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Writes the files of PCP archives in a tar below `directory`, and nothing else: no links, no devices, nothing outside. Throws an
 * {@link UnpackError} for a tar that is damaged, exceeds a limit, or has an archive's file under a name that leads out.
 */
export async function unpackArchives(tar: string, directory: string, limits: UnpackLimits = UNPACK_LIMITS) {
  const input = await open(tar);
  /** What was written, and links and devices that are named like a file of an archive: these are left out. */
  const counted = { files: 0, bytes: 0, refused: 0 };
  /** Files by archive: rotated logs (`messages.1`) are named like volumes, but nothing has their metadata. */
  const written = new Map<string, { file: string; size: number }[]>();
  try {
    const members = ReadableStream.from(tarBytes(tar, input, limits)).pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of members) {
      const archive = header.type === 'directory' ? undefined : archiveOfFile(header.name);
      if (archive === undefined || header.type !== 'file') {
        if (archive !== undefined) counted.refused++;
        await body.cancel();
        continue;
      }
      if (++counted.files > limits.files) throw new UnpackError(`it has more than ${limits.files} files of archives`);
      counted.bytes += header.size;
      if (counted.bytes > limits.bytes) throw new UnpackError(`its archives exceed ${limits.bytes} bytes`);
      const file = targetOf(directory, header.name);
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, body, { flag: 'wx', mode: 0o600 });
      written.set(archive, [...(written.get(archive) ?? []), { file, size: header.size }]);
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

/** The path of a member within the directory; it consists of new directories and files only, so that no link leads out of it. */
function targetOf(directory: string, name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || name.includes('\0'))
    throw new UnpackError(`the name ${JSON.stringify(name)} leads out of it`);
  return path.join(directory, ...parts);
}

async function* tarBytes(
  tar: string,
  input: Awaited<ReturnType<typeof open>>,
  { inflatedBytes }: UnpackLimits,
): AsyncGenerator<Uint8Array> {
  const [, long, short = long] = TAR.exec(tar) ?? [];
  const compression = short === undefined ? undefined : COMPRESSIONS[short];
  const chunks = compression
    ? inflatedChunks(input, compression, new AbortController().signal)
    : (input.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Uint8Array>);
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > inflatedBytes) throw new UnpackError(`it inflates to more than ${inflatedBytes} bytes`);
    yield chunk;
  }
}
