import { PM_ERR, PmError, type Timestamp } from '../../../pmapi/index.js';
import { ByteReader } from '../../wire/index.js';
import type { BlockFile } from '../files/block-file.js';
import { STAMP_BYTES, readStamp, type ArchiveVersion } from './stamped-records.js';

/** The label record at the start of every file of an archive. @see LOGARCHIVE(5), pmGetArchiveLabel(3) */
export interface LabelRecord {
  readonly version: ArchiveVersion;
  readonly pid: number;
  readonly start: Timestamp;
  /** Which file: a volume's number, -1 metadata, -2 temporal index. */
  readonly volume: number;
  /** Feature bits of version 3; 0 in version 2. */
  readonly features: number;
  readonly hostName: string;
  readonly timezone: string;
  /** The recorded system's own name of its time zone (`:Europe/Berlin`), or empty. */
  readonly zoneinfo: string;
  /** Bytes of the record: where the file's contents begin. */
  readonly length: number;
}

/** The volume number in the label of the metadata file, and of the temporal index. */
export const META_VOLUME = -1;
export const INDEX_VOLUME = -2;

/** Bytes of a label record, framing included. */
export const LABEL_RECORD_BYTES: Readonly<Record<ArchiveVersion, number>> = { 2: 132, 3: 808 };

const MAGIC = 0x50052600;

/** Decodes a label record. Throws PM_ERR_LABEL with the file's name for an invalid one. */
export function decodeLabelRecord(bytes: Uint8Array, fileName: string): LabelRecord {
  const reader: ByteReader = new ByteReader(bytes, `label of ${fileName}`, PM_ERR.LABEL);
  const length = reader.u32('length');
  const magic = reader.u32('magic');
  const version = magic - MAGIC;
  if (version !== 2 && version !== 3) {
    reader.fail(`magic 0x${magic.toString(16)} at offset 4, expected 0x50052602 or 0x50052603`);
  }
  if (length !== LABEL_RECORD_BYTES[version]) {
    reader.fail(`length ${length} at offset 0, expected ${LABEL_RECORD_BYTES[version]}`);
  }
  reader.require(length - reader.offset, 'label');
  const pid = reader.i32('pid');
  const start = readStamp(reader.view, reader.offset, version);
  reader.skip(STAMP_BYTES[version], 'start');
  const volume = reader.i32('volume');
  const features = version === 3 ? reader.u32('features') : 0;
  if (version === 3) reader.skip(4, 'reserved');
  const text = (width: number): string => {
    const value = reader.textAt(reader.offset, width, 'text');
    reader.skip(width, 'text');
    return value;
  };
  const hostName = text(version === 3 ? 256 : 64);
  const timezone = text(version === 3 ? 256 : 40);
  const zoneinfo = version === 3 ? text(256) : '';
  const trailer = reader.u32('trailer');
  if (trailer !== length) reader.fail(`trailing length ${trailer} at offset ${length - 4}, expected ${length}`);
  return { version, pid, start, volume, features, hostName, timezone, zoneinfo, length };
}

/** Reads a file's label record and checks that it says what the file is. PM_ERR_NODATA for a file shorter than a word, unless inflating it broke off. */
export async function readLabelRecord(file: BlockFile, volume: number): Promise<LabelRecord> {
  if (file.size < 4) throw file.damage ?? new PmError(PM_ERR.NODATA, file.name);
  const bytes = await file.readExact(0, Math.min(file.size, LABEL_RECORD_BYTES[3]));
  const label = decodeLabelRecord(bytes, file.name);
  if (label.volume !== volume) {
    throw new PmError(PM_ERR.LABEL, `label of ${file.name}: volume ${label.volume}, expected ${volume}`);
  }
  return label;
}

/** Equal in the labels of all files of an archive. */
type ArchiveIdentity = Pick<LabelRecord, 'version' | 'pid' | 'hostName'>;

/** Throw PM_ERR_LABEL unless two labels of one archive agree in version, writer and host. */
export function requireSameArchive(label: ArchiveIdentity, other: ArchiveIdentity, otherName: string): void {
  for (const field of ['version', 'pid', 'hostName'] as const) {
    if (label[field] !== other[field]) {
      throw new PmError(PM_ERR.LABEL, `label of ${otherName}: ${field} is ${other[field]}, expected ${label[field]}`);
    }
  }
}
