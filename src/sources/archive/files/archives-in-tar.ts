import { createTarDecoder } from 'modern-tar';
import { eachOf, streamOf } from '../../../kit/index.js';
import { archiveOfFile, type Compression } from './archive-files.js';

/** What tars may make of themselves at most. */
export interface UnpackLimits {
  /** Bytes of them when they are inflated, with what is skipped. */
  readonly inflatedBytes: number;
  /** Bytes and number of the files of archives that are taken. */
  readonly bytes: number;
  readonly files: number;
}

export const UNPACK_LIMITS: UnpackLimits = { inflatedBytes: 64 * 2 ** 30, bytes: 8 * 2 ** 30, files: 20_000 };

/** A tar that is not unpacked, with a message for its user. */
export class UnpackError extends Error {}

/** What tars have made of themselves. */
export class Unpacked {
  inflatedBytes = 0;
  bytes = 0;
  files = 0;
  /** Devices, and links to what was not taken, that are named like a file of an archive: these are left out. */
  refused = 0;
}

/** A file of an archive in a tar. Its body is to be read, or cancelled, before the next is asked for. */
interface FileInTar {
  /** Relative: it leads nowhere else. */
  readonly name: string;
  readonly archive: string;
  /** The name of an earlier one whose bytes it has, too: it has no body then. */
  readonly linked: string | undefined;
  /** Bytes of its own. */
  readonly size: number;
  readonly body: ReadableStream<Uint8Array>;
}

/** Bytes of a path, as Linux bounds them. */
const PATH_LENGTH = 4096;
const TAR = /\.(?:tar(?:\.(gz|xz|bz2|zst))?|t(gz|xz|bz2|zst))$/;
const COMPRESSIONS: Readonly<Record<string, Compression>> = { gz: 'gzip', xz: 'xz', bz2: 'bzip2', zst: 'zstd' };

/** Whether a file is a tar, compressed or not, by its name: that of a sos report is. */
export function isTar(file: string): boolean {
  return TAR.test(file);
}

/** The name of a tar without what says that it is one, and its compression, if any. */
export function tarName(file: string): { readonly name: string; readonly compression: Compression | undefined } {
  const [, long, short = long] = TAR.exec(file) ?? [];
  return { name: file.replace(TAR, ''), compression: short === undefined ? undefined : COMPRESSIONS[short] };
}

/**
 * The files of PCP archives in a tar that is inflated, and nothing else: no devices, and no links but hard ones to files that were taken. Rotated logs (`messages.1`) are named like
 * volumes, and lack metadata. Throws an Error for a tar that is damaged, and an {@link UnpackError} for one that exceeds a limit, or
 * has an archive's file twice or under a name that leads out. @param counted goes on over several tars
 */
export async function* archivesInTar(
  inflated: AsyncIterable<Uint8Array>,
  counted: Unpacked,
  limits: UnpackLimits,
): AsyncGenerator<FileInTar, void> {
  const names = new Set<string>();
  const decoder = createTarDecoder({ strict: true });
  for await (const { header, body } of eachOf(streamOf(bounded(inflated, counted, limits)).pipeThrough(decoder))) {
    const archive = header.type === 'directory' ? undefined : archiveOfFile(header.name);
    const linked = header.type === 'link' ? plainName(header.linkname ?? '') : undefined;
    const isTaken = linked === undefined ? header.type === 'file' : names.has(linked);
    // Not cancelled: when all of it is read already, modern-tar 0.8.6 would take that for the next file, and wait forever.
    if (!isTaken || archive === undefined || linked !== undefined) await body.pipeTo(new WritableStream());
    if (!isTaken || archive === undefined) {
      if (archive !== undefined) counted.refused++;
      continue;
    }
    if (++counted.files > limits.files) throw new UnpackError(`it has more than ${limits.files} files of archives`);
    const size = linked === undefined ? header.size : 0;
    counted.bytes += size;
    if (counted.bytes > limits.bytes) throw new UnpackError(`its archives exceed ${limits.bytes} bytes`);
    const name = relativeName(header.name);
    if (names.has(name)) throw new UnpackError(`${name} is there twice`);
    names.add(name);
    yield { name, archive, linked, size, body };
  }
}

function relativeName(name: string): string {
  if (name.length > PATH_LENGTH) throw new UnpackError(`a name of ${name.length} characters`);
  const plain = plainName(name);
  if (name.startsWith('/') || plain.split('/').includes('..') || name.includes('\0'))
    throw new UnpackError(`the name ${JSON.stringify(name)} leads out of it`);
  return plain;
}

function plainName(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  return parts.join('/');
}

async function* bounded(
  inflated: AsyncIterable<Uint8Array>,
  counted: Unpacked,
  { inflatedBytes }: UnpackLimits,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of inflated) {
    counted.inflatedBytes += chunk.length;
    if (counted.inflatedBytes > inflatedBytes) throw new UnpackError(`it inflates to more than ${inflatedBytes} bytes`);
    yield chunk;
  }
}
