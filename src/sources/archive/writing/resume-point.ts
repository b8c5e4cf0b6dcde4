import { open, type FileHandle } from 'node:fs/promises';
import { compareTimestamps, type Timestamp } from '../../../pmapi/index.js';
import { findArchiveFiles } from '../files/archive-files.js';
import { DEFAULT_ARCHIVE_LIMITS } from '../archive-memory.js';
import { decodeLabelRecord, INDEX_VOLUME, LABEL_RECORD_BYTES, META_VOLUME } from '../metadata/label-record.js';
import type { LabelRecord } from '../metadata/label-record.js';
import { RecordChecker } from '../records/record-checker.js';
import { readStamp } from '../metadata/stamped-records.js';
import { decodeIndexEntry, INDEX_ENTRY_BYTES } from '../metadata/temporal-index.js';
import { scanWholeRecords } from './whole-records.js';
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

/** Finds where an archive can be continued, without changing it. Throws an error with the reason if it cannot be. */
export async function findResumePoint(base: string): Promise<ResumePoint> {
  const files = await findArchiveFiles(base);
  const { number: volume, file } = files.volumes.at(-1)!;
  for (const { path, compression } of [files.meta, file, ...(files.index ? [files.index] : [])]) {
    if (compression !== undefined) throw new Error(`${path} is compressed`);
  }
  const meta = await withFile(files.meta.path, readMeta);
  const data = await withFile(file.path, (handle) => readVolume(handle, file.path, meta.label, volume));
  const ends = { volume, volumeLength: data.volumeLength };
  const indexPath = files.index?.path;
  const indexLength =
    indexPath && (await withFile(indexPath, (handle) => readIndex(handle, indexPath, meta.label, ends)));
  return { ...meta, ...data, volume, indexLength: indexLength === '' ? undefined : indexLength };
}

async function withFile<T>(path: string, work: (handle: FileHandle, path: string) => Promise<T>): Promise<T> {
  const handle = await open(path, 'r');
  try {
    return await work(handle, path);
  } finally {
    await handle.close();
  }
}

async function readMeta(
  handle: FileHandle,
  path: string,
): Promise<Pick<ResumePoint, 'label' | 'metadata' | 'metaLength'>> {
  const label = await readLabel(handle, path, META_VOLUME);
  const metadata = new WrittenMetadata();
  const { length, tail } = await scanWholeRecords(handle, LABEL_BYTES, DEFAULT_ARCHIVE_LIMITS.recordBytes, (record) => {
    metadata.take(record, path);
    return true;
  });
  if (tail === 'damaged') throw new Error(`${path} is damaged at offset ${length}`);
  return { label, metadata, metaLength: length };
}

async function readVolume(
  handle: FileHandle,
  path: string,
  label: LabelRecord,
  volume: number,
): Promise<Pick<ResumePoint, 'end' | 'endsWithMark' | 'volumeLength'>> {
  requireSameWriter(label, await readLabel(handle, path, volume), path);
  const checker = new RecordChecker(VERSION);
  let end: Timestamp | undefined;
  let endsWithMark = false;
  const found = await scanWholeRecords(handle, LABEL_BYTES, DEFAULT_ARCHIVE_LIMITS.recordBytes, (record) => {
    const view = new DataView(record.buffer, record.byteOffset, record.length);
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
async function readIndex(
  handle: FileHandle,
  path: string,
  label: LabelRecord,
  ends: Pick<ResumePoint, 'volume' | 'volumeLength'>,
): Promise<number> {
  requireSameWriter(label, await readLabel(handle, path, INDEX_VOLUME), path);
  const bytes = await handle.readFile();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const width = INDEX_ENTRY_BYTES[VERSION];
  let offset = LABEL_BYTES;
  while (offset + width <= bytes.length) {
    const { volume, dataOffset } = decodeIndexEntry(view, offset, VERSION);
    if (volume > ends.volume || (volume === ends.volume && dataOffset > ends.volumeLength)) break;
    offset += width;
  }
  return offset;
}

async function readLabel(handle: FileHandle, path: string, volume: number): Promise<LabelRecord> {
  const bytes = Buffer.alloc(LABEL_BYTES);
  const { bytesRead } = await handle.read(bytes, 0, LABEL_BYTES, 0);
  const label = decodeLabelRecord(bytes.subarray(0, bytesRead), path);
  if (label.version !== VERSION) {
    throw new Error(`${path} is a version ${label.version} archive; only version 3 can be continued`);
  }
  if (label.volume !== volume) throw new Error(`${path} has the label of volume ${label.volume}`);
  return label;
}

function requireSameWriter(label: LabelRecord, other: LabelRecord, path: string): void {
  if (label.pid !== other.pid || label.hostName !== other.hostName) throw new Error(`${path} is of another archive`);
}
