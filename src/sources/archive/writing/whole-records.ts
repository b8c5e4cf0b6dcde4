import type { FileHandle } from 'node:fs/promises';

export interface RecordsEnd {
  /** Bytes up to the end of the last whole record. */
  readonly length: number;
  /** What follows: nothing; half a record (killed writer, full disk) or zeros (power failure); or anything else. */
  readonly tail: 'none' | 'torn' | 'damaged';
}

/** The shortest record is one of metadata without contents: length, type, length. */
const MIN_RECORD_BYTES = 12;
const CHUNK_BYTES = 256 * 1024;

/** Visits whole records: their two lengths agree and `visit`, which gets borrowed bytes, accepts them. @param mostBytes of a record */
export async function scanWholeRecords(
  file: FileHandle,
  from: number,
  mostBytes: number,
  visit: (record: Buffer) => boolean,
): Promise<RecordsEnd> {
  const { size } = await file.stat();
  let offset = from;
  let chunkBytes = CHUNK_BYTES;
  while (offset < size) {
    const chunk = await readAt(file, offset, Math.min(chunkBytes, size - offset));
    const taken = takeRecords(chunk, visit);
    offset += taken;
    const rest = chunk.subarray(taken);
    if (rest.length === 0) continue;
    const needed = lengthOf(rest);
    const isBeyondChunk = needed > rest.length && needed <= Math.min(mostBytes, size - offset);
    if (!isBeyondChunk)
      return { length: offset, tail: (await isTorn(file, offset, size, mostBytes)) ? 'torn' : 'damaged' };
    chunkBytes = Math.max(CHUNK_BYTES, needed);
  }
  return { length: offset, tail: 'none' };
}

/** Visits the whole records at the beginning of a chunk; returns their bytes. */
function takeRecords(chunk: Buffer, visit: (record: Buffer) => boolean): number {
  let at = 0;
  while (at < chunk.length) {
    const length = lengthOf(chunk.subarray(at));
    if (length < MIN_RECORD_BYTES || length > chunk.length - at) break;
    if (chunk.readUInt32BE(at + length - 4) !== length || !visit(chunk.subarray(at, at + length))) break;
    at += length;
  }
  return at;
}

function lengthOf(record: Buffer): number {
  return record.length < 4 ? 4 : record.readUInt32BE(0);
}

/** Whether half a record or zeros follow the last whole one. */
async function isTorn(file: FileHandle, offset: number, size: number, mostBytes: number): Promise<boolean> {
  const left = size - offset;
  if (left > mostBytes) return false;
  const rest = await readAt(file, offset, left);
  const length = lengthOf(rest);
  return (length > left && length <= mostBytes) || rest.every((byte) => byte === 0);
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
