import { PM_ERR, PmError, type Timestamp } from '../../../pmapi/index.js';
import { viewOf } from '../../wire/index.js';
import type { BlockFile } from '../files/block-file.js';
import { LABEL_RECORD_BYTES } from './label-record.js';
import { STAMP_BYTES, readStamp, type ArchiveVersion } from './stamped-records.js';

/** One entry of the temporal index: from `dataOffset` of that volume on, nothing is older than `stamp`. */
export interface IndexEntry {
  readonly stamp: Timestamp;
  readonly volume: number;
  readonly metaOffset: number;
  readonly dataOffset: number;
}

/** Bytes of an entry: a stamp, the volume, and two offsets of 32 or 64 bits. */
export const INDEX_ENTRY_BYTES: Readonly<Record<ArchiveVersion, number>> = { 2: 20, 3: 32 };

const CHUNK_BYTES = 64 * 1024;
/** Hints are for finding one's way: so many divide a hundred gigabytes. */
const MAX_ENTRIES = 100_000;

/** Decode the entry at `offset`, which the caller has checked to be there. @see LOGARCHIVE(5) */
export function decodeIndexEntry(view: DataView, offset: number, version: ArchiveVersion): IndexEntry {
  const at = offset + STAMP_BYTES[version];
  const stamp = readStamp(view, offset, version);
  const volume = view.getInt32(at);
  if (version === 2) return { stamp, volume, metaOffset: view.getUint32(at + 4), dataOffset: view.getUint32(at + 8) };
  const metaOffset = Number(view.getBigInt64(at + 4));
  return { stamp, volume, metaOffset, dataOffset: Number(view.getBigInt64(at + 12)) };
}

/**
 * The index entries that divide the data into pieces of `spacingBytes` or more. They are hints: the data that they point to must
 * be checked. A partial entry at the end is ignored. Throws PM_ERR_TOOBIG for a file of more than `mostBytes`, which may be a
 * small one on disk, and the reason of the signal once that is aborted.
 */
export async function readTemporalIndex(
  file: BlockFile,
  version: ArchiveVersion,
  spacingBytes: number,
  mostBytes: number,
  signal?: AbortSignal,
): Promise<readonly IndexEntry[]> {
  if (file.size > mostBytes) {
    const message = `${file.name}: a temporal index of ${file.size} bytes, expected at most ${mostBytes}`;
    throw new PmError(PM_ERR.TOOBIG, message);
  }
  const width = INDEX_ENTRY_BYTES[version];
  const chunkBytes = Math.floor(CHUNK_BYTES / width) * width;
  const entries: IndexEntry[] = [];
  let last: IndexEntry | undefined;
  for (let offset = LABEL_RECORD_BYTES[version]; offset + width <= file.size; offset += chunkBytes) {
    signal?.throwIfAborted();
    const length = Math.min(chunkBytes, Math.floor((file.size - offset) / width) * width);
    const view = viewOf(await file.readExact(offset, length));
    for (let at = 0; at + width <= length; at += width) {
      const entry = decodeIndexEntry(view, at, version);
      if (last?.volume === entry.volume && entry.dataOffset < last.dataOffset + spacingBytes) continue;
      last = entry;
      if (entries.push(entry) === MAX_ENTRIES) return entries;
    }
  }
  return entries;
}

/** The last complete entry of a temporal index; undefined if there is none. Nothing is believed of it. */
export async function readLastEntry(file: BlockFile, version: ArchiveVersion): Promise<IndexEntry | undefined> {
  const width = INDEX_ENTRY_BYTES[version];
  const label = LABEL_RECORD_BYTES[version];
  const count = Math.floor((file.size - label) / width);
  if (count < 1) return undefined;
  return decodeIndexEntry(viewOf(await file.readExact(label + (count - 1) * width, width)), 0, version);
}
