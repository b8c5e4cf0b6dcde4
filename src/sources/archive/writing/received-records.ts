import { PM_ERR, PmError, type MetricDescriptor } from '../../../pmapi/index.js';
import { viewOf } from '../../wire/index.js';
import { decodeLabelRecord, LABEL_RECORD_BYTES, type LabelRecord } from '../metadata/label-record.js';
import { checkMetaRecord, META_HEADER_BYTES, metaRecordReader } from '../metadata/metadata-records.js';
import type { ArchiveVersion } from '../metadata/stamped-records.js';
import { decodeIndexEntry, INDEX_ENTRY_BYTES } from '../metadata/temporal-index.js';
import { RecordChecker } from '../records/record-checker.js';

/** Which file of an archive records belong to. */
export type ReceivedKind = 'meta' | 'index' | 'volume';

/** The whole, valid records at the beginning of some bytes. */
export interface WholeRecords {
  readonly length: number;
  /** What is wrong with the next record; undefined when it is merely incomplete. */
  readonly problem: PmError | undefined;
}

/** Decodes a received label record; its volume number may be any. Throws PM_ERR_LABEL. */
export function readReceivedLabel(bytes: Uint8Array): LabelRecord {
  const label = decodeLabelRecord(bytes, 'the pushed archive');
  if (label.length !== bytes.length) throw new PmError(PM_ERR.LABEL, `${bytes.length - label.length} bytes behind it`);
  return label;
}

/** The label for one file: the same bytes with its volume number. */
export function labelFor(label: Uint8Array, volume: number): Uint8Array {
  const copy = Uint8Array.from(label);
  viewOf(copy).setInt32(label.length === LABEL_RECORD_BYTES[3] ? 24 : 20, volume);
  return copy;
}

/** Checks the whole records at the beginning as the reader does. @param describe called with each descriptor; throws a PmError to refuse it */
export function wholeRecords(
  kind: ReceivedKind,
  version: ArchiveVersion,
  bytes: Uint8Array,
  mostBytes: number,
  describe: (descriptor: MetricDescriptor) => void,
): WholeRecords {
  const checker = new RecordChecker(version);
  const view = viewOf(bytes);
  const least = kind === 'meta' ? META_HEADER_BYTES + 4 : checker.smallest;
  let at = 0;
  try {
    for (;;) {
      const length = lengthAt(kind, version, view, at);
      if (length === undefined) break;
      if (length < least && kind !== 'index') throw damage(`a record of ${length} bytes`);
      if (length > mostBytes) throw damage(`a record of ${length} bytes, at most ${mostBytes} are accepted`);
      if (at + length > bytes.length) break;
      if (kind === 'index') checkEntry(view, at, version);
      else if (kind === 'meta') checkMetadata(bytes.subarray(at, at + length), describe);
      else if (!checker.isRecord(view, at, length)) throw damage('it is no record of a volume');
      at += length;
    }
  } catch (error) {
    if (!(error instanceof PmError)) throw error;
    return { length: at, problem: error };
  }
  return { length: at, problem: undefined };
}

/** The length of the record at an offset; undefined without enough bytes to tell. */
function lengthAt(kind: ReceivedKind, version: ArchiveVersion, view: DataView, at: number): number | undefined {
  if (kind === 'index') return view.byteLength > at ? INDEX_ENTRY_BYTES[version] : undefined;
  return view.byteLength - at >= 4 ? view.getUint32(at) : undefined;
}

function checkEntry(view: DataView, at: number, version: ArchiveVersion): void {
  const { stamp, volume, metaOffset, dataOffset } = decodeIndexEntry(view, at, version);
  const isSane = stamp.nsec >= 0 && stamp.nsec < 1e9 && volume >= 0 && metaOffset >= 0 && dataOffset >= 0;
  if (!isSane) throw damage('it is no entry of a temporal index');
}

const NAME = 'a metadata record';

function checkMetadata(record: Uint8Array, describe: (descriptor: MetricDescriptor) => void): void {
  const trailer = viewOf(record).getUint32(record.length - 4);
  if (trailer !== record.length) throw damage(`lengths ${record.length} and ${trailer} differ`);
  const found = checkMetaRecord(metaRecordReader(record, NAME), NAME);
  if (found && 'desc' in found) describe(found.desc.descriptor);
}

function damage(problem: string): PmError {
  return new PmError(PM_ERR.LOGREC, problem);
}
