import type { ArchiveFile } from './archive-files.js';
import type { BlockFile } from './block-file.js';

const XZ_FOOTER_BYTES = 12;
/** Index and footer of an xz file of some thousand blocks. */
const XZ_TAIL_BYTES = 64 * 1024;

/**
 * The size that a compressed file claims to have inflated; undefined if its format does not say, or it is damaged. A gzip file says it
 * modulo 4 GiB, and only of its last member.
 * @see RFC 1952, and the description of the .xz file format
 */
export async function claimedPlainSize(
  file: BlockFile,
  compression: ArchiveFile['compression'],
): Promise<number | undefined> {
  if (compression === 'gzip' && file.size >= 18) return (await file.readExact(file.size - 4, 4)).readUInt32LE(0);
  if (compression !== 'xz' || file.size < XZ_FOOTER_BYTES) return undefined;
  const tail = await file.readExact(Math.max(file.size - XZ_TAIL_BYTES, 0), Math.min(file.size, XZ_TAIL_BYTES));
  return xzPlainSize(tail);
}

/** The sum of all blocks, from the index before the footer of a stream. */
function xzPlainSize(tail: Buffer): number | undefined {
  const footer = tail.length - XZ_FOOTER_BYTES;
  const indexBytes = (tail.readUInt32LE(footer + 4) + 1) * 4;
  let at = footer - indexBytes;
  if (tail.toString('latin1', tail.length - 2) !== 'YZ' || at < 0 || tail[at++] !== 0) return undefined;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; at < footer && scale < Number.MAX_SAFE_INTEGER; scale *= 128) {
      const byte = tail[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    return value;
  };
  const blocks = next();
  let size = 0;
  for (let block = 0; block < blocks && at < footer; block++) {
    next();
    size += next();
  }
  return size;
}
