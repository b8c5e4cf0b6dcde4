import { viewOf } from '../../wire/index.js';
import type { ByteFile } from '../files/byte-file.js';

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
  file: ByteFile,
  from: number,
  mostBytes: number,
  visit: (record: Uint8Array) => boolean,
): Promise<RecordsEnd> {
  const { size } = file;
  let offset = from;
  let chunkBytes = CHUNK_BYTES;
  while (offset < size) {
    const chunk = await file.read(offset, Math.min(chunkBytes, size - offset));
    const taken = takeRecords(chunk, visit);
    offset += taken;
    const rest = chunk.length - taken;
    if (rest === 0) continue;
    const needed = lengthAt(viewOf(chunk), taken);
    const isBeyondChunk = needed > rest && needed <= Math.min(mostBytes, size - offset);
    if (!isBeyondChunk)
      return { length: offset, tail: (await isTorn(file, offset, size, mostBytes)) ? 'torn' : 'damaged' };
    chunkBytes = Math.max(CHUNK_BYTES, needed);
  }
  return { length: offset, tail: 'none' };
}

/** Visits the whole records at the beginning of a chunk; returns their bytes. */
function takeRecords(chunk: Uint8Array, visit: (record: Uint8Array) => boolean): number {
  const view = viewOf(chunk);
  let at = 0;
  while (at < chunk.length) {
    const length = lengthAt(view, at);
    if (length < MIN_RECORD_BYTES || length > chunk.length - at) break;
    if (view.getUint32(at + length - 4) !== length || !visit(chunk.subarray(at, at + length))) break;
    at += length;
  }
  return at;
}

function lengthAt(view: DataView, at: number): number {
  return view.byteLength - at < 4 ? 4 : view.getUint32(at);
}

/** Whether half a record or zeros follow the last whole one. */
async function isTorn(file: ByteFile, offset: number, size: number, mostBytes: number): Promise<boolean> {
  const left = size - offset;
  if (left > mostBytes) return false;
  const rest = await file.read(offset, left);
  const length = lengthAt(viewOf(rest), 0);
  return (length > left && length <= mostBytes) || rest.every((byte) => byte === 0);
}
