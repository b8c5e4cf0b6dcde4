import { compareTimestamps, type Timestamp } from '../../../pmapi/index.js';
import type { ByteFile } from '../files/byte-file.js';
import { viewOf } from '../../wire/index.js';
import { findArchiveFiles, OpenFiles } from '../node/open-files.js';
import { LocalFile } from '../node/local-file-system.js';
import { DEFAULT_ARCHIVE_LIMITS } from '../archive-memory.js';
import { decodeLabelRecord, INDEX_VOLUME, LABEL_RECORD_BYTES, META_VOLUME } from '../metadata/label-record.js';
import type { LabelRecord } from '../metadata/label-record.js';
import { RecordChecker } from '../records/record-checker.js';
import { readStamp } from '../metadata/stamped-records.js';
import { decodeIndexEntry, INDEX_ENTRY_BYTES } from '../metadata/temporal-index.js';
import { WrittenMetadata } from './written-metadata.js';

export interface ResumePoint {
  readonly label: LabelRecord;
  readonly metadata: WrittenMetadata;
  readonly volume: number;
  /** The stamp of the last record, and whether that is a mark. */
  readonly end: Timestamp;
  readonly endsWithMark: boolean;
  /** Whole bytes of each file; undefined for a missing temporal index. */
  readonly metaLength: number;
  readonly volumeLength: number;
  readonly indexLength: number | undefined;
}

const VERSION = 3;
const LABEL_BYTES = LABEL_RECORD_BYTES[VERSION];
const STAMP_OFFSET = 4;
const FILES = new OpenFiles(8);

/** Finds where an archive can be continued, without changing it. Throws an error with the reason if it cannot be. */
export async function findResumePoint(base: string): Promise<ResumePoint> {
  const files = await findArchiveFiles(base);
  const { number: volume, file } = files.volumes.at(-1)!;
  for (const { path, compression } of [files.meta, file, ...(files.index ? [files.index] : [])]) {
    if (compression !== undefined) throw new Error(`${path} is compressed`);
  }
  const meta = await withFile(files.meta.path, META_VOLUME, undefined, readMeta);
  const data = await withFile(file.path, volume, meta.label, readVolume);
  const ends = { volume, volumeLength: data.volumeLength };
  const { index } = files;
  const readEnd = (opened: ByteFile): Promise<number> => readIndex(opened, ends);
  const indexLength = index && (await withFile(index.path, INDEX_VOLUME, meta.label, readEnd));
  return { ...meta, ...data, volume, indexLength };
}

/** Opens a file and checks its label. @param of another file's label, which it has to agree with */
async function withFile<T>(
  path: string,
  volume: number,
  of: LabelRecord | undefined,
  work: (file: ByteFile, path: string, label: LabelRecord) => Promise<T>,
): Promise<T> {
  const file = await LocalFile.open(path, FILES);
  try {
    const label = decodeLabelRecord(await file.read(0, LABEL_BYTES), path);
    if (label.version !== VERSION) {
      throw new Error(`${path} is a version ${label.version} archive; only version 3 can be continued`);
    }
    if (label.volume !== volume) throw new Error(`${path} has the label of volume ${label.volume}`);
    if (of && (label.pid !== of.pid || label.hostName !== of.hostName))
      throw new Error(`${path} is of another archive`);
    return await work(file, path, label);
  } finally {
    await file.close();
  }
}

async function readMeta(
  file: ByteFile,
  path: string,
  label: LabelRecord,
): Promise<Pick<ResumePoint, 'label' | 'metadata' | 'metaLength'>> {
  const metadata = new WrittenMetadata();
  const { length, tail } = await scanWholeRecords(file, LABEL_BYTES, DEFAULT_ARCHIVE_LIMITS.recordBytes, (record) => {
    metadata.take(record, path);
    return true;
  });
  if (tail === 'damaged') throw new Error(`${path} is damaged at offset ${length}`);
  return { label, metadata, metaLength: length };
}

async function readVolume(
  file: ByteFile,
  path: string,
): Promise<Pick<ResumePoint, 'end' | 'endsWithMark' | 'volumeLength'>> {
  const checker = new RecordChecker(VERSION);
  let end: Timestamp | undefined;
  let endsWithMark = false;
  const found = await scanWholeRecords(file, LABEL_BYTES, DEFAULT_ARCHIVE_LIMITS.recordBytes, (record) => {
    const view = viewOf(record);
    if (record.length < checker.smallest || !checker.isRecord(view, 0, record.length)) return false;
    const stamp = readStamp(view, STAMP_OFFSET, VERSION);
    if (end && compareTimestamps(stamp, end) < 0) return false;
    end = stamp;
    endsWithMark = checker.countAt(view, 0) === 0;
    return true;
  });
  if (found.tail === 'damaged') throw new Error(`${path} is damaged at offset ${found.length}`);
  if (!end) throw new Error(`${path} has no record`);
  return { end, endsWithMark, volumeLength: found.length };
}

/** The length of the index up to the first incomplete entry, or one that points beyond the last volume's end. */
async function readIndex(file: ByteFile, ends: Pick<ResumePoint, 'volume' | 'volumeLength'>): Promise<number> {
  const view = viewOf(await file.read(0, file.size));
  const width = INDEX_ENTRY_BYTES[VERSION];
  let offset = LABEL_BYTES;
  while (offset + width <= view.byteLength) {
    const { volume, dataOffset } = decodeIndexEntry(view, offset, VERSION);
    if (volume > ends.volume || (volume === ends.volume && dataOffset > ends.volumeLength)) break;
    offset += width;
  }
  return offset;
}

interface RecordsEnd {
  /** Bytes up to the end of the last whole record. */
  readonly length: number;
  /** What follows: nothing; half a record (killed writer, full disk) or zeros (power failure); or anything else. */
  readonly tail: 'none' | 'torn' | 'damaged';
}

/** The shortest record is one of metadata without contents: length, type, length. */
const MIN_RECORD_BYTES = 12;
const CHUNK_BYTES = 256 * 1024;

/** Visits whole records: their two lengths agree and `visit`, which gets borrowed bytes, accepts them. @param mostBytes of a record */
async function scanWholeRecords(
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
