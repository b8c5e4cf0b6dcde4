import { PM_ERR, PmError } from '../../../pmapi/index.js';
import type { Label, LabelSet, MetricDescriptor, Timestamp } from '../../../pmapi/index.js';
import type { HelpLevel, HelpTarget } from '../../metric-source.js';
import { ByteReader, LABEL_BYTES, decodeDescriptor, decodeLabels, viewOf } from '../../wire/index.js';
import type { ArchiveLimits } from '../archive-memory.js';
import type { BlockFile } from '../files/block-file.js';
import { LABEL_RECORD_BYTES } from './label-record.js';
import { STAMP_BYTES, readStamp, type ArchiveVersion } from './stamped-records.js';

/** The types of metadata records. @see LOGARCHIVE(5) */
export const MetaRecordType = {
  DESC: 1,
  INDOM_V2: 2,
  LABEL_V2: 3,
  TEXT: 4,
  INDOM: 5,
  INDOM_DELTA: 6,
  LABEL: 7,
} as const;

/** The kinds of a TEXT record are a sum: what the text is, and what it is of. */
const TextKind = { ONELINE: 1, HELP: 2, PMID: 4, INDOM: 8 } as const;

/** Bytes of length and type before a metadata record's contents. */
export const META_HEADER_BYTES = 8;

/** A reader of a metadata record's contents: everything between the type and the trailing length. */
export function metaRecordReader(bytes: Uint8Array, name: string): ByteReader {
  const reader = new ByteReader(bytes.subarray(0, bytes.length - 4), name, PM_ERR.LOGREC);
  reader.seek(META_HEADER_BYTES, 'contents');
  return reader;
}

interface DescRecord {
  readonly descriptor: MetricDescriptor;
  readonly names: readonly string[];
}

/** Decodes a DESC record; undefined if its type is unknown. */
export function decodeDescRecord(reader: ByteReader): DescRecord | undefined {
  const descriptor = decodeDescriptor(reader);
  const count = reader.count(4, 'number of names');
  const names: string[] = [];
  for (let i = 0; i < count; i++) {
    const length = reader.count(1, 'name length');
    // PCP: some writers padded names with NULs.
    names.push(reader.textAt(reader.offset, length, 'name'));
    reader.skip(length, 'name');
  }
  return typeof descriptor === 'number' ? undefined : { descriptor, names };
}

/** An instance domain record: a full snapshot, or the changes since the one before. */
export interface IndomRecord {
  readonly stamp: Timestamp;
  readonly indom: number;
  readonly ids: Int32Array;
  /** The instance names; undefined for instances that a delta removes. */
  readonly names: readonly (string | undefined)[];
}

type IndomHeader = Pick<IndomRecord, 'stamp' | 'indom'> & { readonly count: number };

function decodeIndomHeader(reader: ByteReader, version: ArchiveVersion): IndomHeader {
  const stamp = stampOf(reader, version);
  const indom = reader.u32('indom');
  const count = reader.i32('number of instances');
  if (count > 0) reader.require(count * 8, 'instances');
  return { stamp, indom, count };
}

/** Check that an instance domain record's names lie within it, and give its header. */
function checkIndom(reader: ByteReader, version: ArchiveVersion, isDelta: boolean): IndomHeader {
  const header = decodeIndomHeader(reader, version);
  const { count } = header;
  const offsets = reader.offset + 4 * count;
  const limit = reader.length - offsets - 4 * count;
  for (let i = 0; i < count; i++) {
    const offset = reader.view.getInt32(offsets + 4 * i);
    if (offset >= limit || (offset < 0 && !isDelta))
      reader.fail(`name ${i} of the instances is at offset ${offset} of ${limit}`);
  }
  return header;
}

export function decodeIndomRecord(reader: ByteReader, version: ArchiveVersion): IndomRecord {
  const { stamp, indom, count } = decodeIndomHeader(reader, version);
  const n = Math.max(count, 0);
  const ids = new Int32Array(n);
  const names: (string | undefined)[] = [];
  const at = reader.offset;
  const strings = at + 8 * n;
  let room = MAX_SHARING * reader.length;
  for (let i = 0; i < n; i++) {
    ids[i] = reader.view.getInt32(at + 4 * i);
    const offset = reader.view.getInt32(at + 4 * (n + i));
    if (offset < 0) {
      names.push(undefined);
    } else {
      reader.requireAt(strings + offset, 0, 'instance name');
      const name = reader.textAt(strings + offset, reader.length - strings - offset, 'instance name');
      room -= name.length;
      if (room < 0) reader.fail(`instance names overlap: together they are far longer than the record`);
      names.push(name);
    }
  }
  return { stamp, indom, ids, names };
}

/** How many instances may share bytes of the string table: keeps a small record from unfolding into a huge one. */
const MAX_SHARING = 64;

interface LabelHeader {
  readonly stamp: Timestamp;
  /** Label type bits: 1 context, 2 domain, 4 indom, 8 cluster, 16 item, 32 instances. */
  readonly type: number;
  readonly ident: number;
}

const LABEL_TYPE_MASK = 0x3f;

/** Decode the label sets of a LABEL record, whose JSON texts lie inline. */
export function decodeLabelSets(reader: ByteReader, version: ArchiveVersion): LabelSet[] {
  const sets: LabelSet[] = [];
  walkLabelSets(reader, version, (instance, json, count) => {
    if (count >= 0) sets.push({ instance, labels: count > 0 ? decodeLabels(reader, count, json) : NO_LABELS });
  });
  return sets;
}

/** Check that the label sets of a LABEL record fit into it, and give its header. */
function checkLabelSets(reader: ByteReader, version: ArchiveVersion): LabelHeader {
  return walkLabelSets(reader, version, (_instance, _json, count) => {
    if (count > 0) reader.skip(count * LABEL_BYTES, 'labels');
  });
}

const NO_LABELS: readonly Label[] = [];

function walkLabelSets(
  reader: ByteReader,
  version: ArchiveVersion,
  visit: (instance: number, json: Uint8Array, count: number) => void,
): LabelHeader {
  const stamp = stampOf(reader, version);
  const type = reader.u32('label type') & LABEL_TYPE_MASK;
  const ident = reader.u32('label identifier');
  const count = reader.count(12, 'number of label sets');
  for (let i = 0; i < count; i++) {
    const instance = reader.i32('instance');
    const json = reader.bytes(reader.count(1, 'JSON length'), 'JSON');
    visit(instance, json, reader.i32('number of labels'));
  }
  return { stamp, type, ident };
}

interface TextHeader {
  /** See {@link TextKind}. */
  readonly kind: number;
  readonly ident: number;
}

export const TEXT_HEADER_BYTES = 8;

export function textHeader(target: HelpTarget, level: HelpLevel): TextHeader {
  const what = level === 'oneline' ? TextKind.ONELINE : TextKind.HELP;
  if (target.kind === 'metric') return { kind: what + TextKind.PMID, ident: target.pmid };
  return { kind: what + TextKind.INDOM, ident: target.indom };
}

export function textKey({ kind, ident }: TextHeader): string {
  return `${kind & 15}:${ident}`;
}

/** The header of a TEXT record, which the text follows. */
export function decodeTextHeader(reader: ByteReader): TextHeader {
  return { kind: reader.u32('text kind'), ident: reader.u32('text identifier') };
}

function stampOf(reader: ByteReader, version: ArchiveVersion): Timestamp {
  reader.require(STAMP_BYTES[version], 'stamp');
  const stamp = readStamp(reader.view, reader.offset, version);
  reader.skip(STAMP_BYTES[version], 'stamp');
  return stamp;
}

/** What a record says; of instances and labels, which may be many, only the header: the rest is checked. */
type CheckedRecord =
  | { readonly desc: DescRecord }
  | { readonly indom: IndomHeader }
  | { readonly labels: LabelHeader }
  | { readonly text: TextHeader };

/** Checks a record; undefined for a metric of unknown type. Throws PM_ERR_LOGREC, and PM_ERR_RECTYPE for a record of unknown type. */
export function checkMetaRecord(reader: ByteReader, name: string): CheckedRecord | undefined {
  const type = reader.view.getUint32(4);
  switch (type) {
    case MetaRecordType.DESC: {
      const desc = decodeDescRecord(reader);
      return desc && { desc };
    }
    case MetaRecordType.INDOM_V2:
    case MetaRecordType.INDOM:
    case MetaRecordType.INDOM_DELTA:
      return { indom: checkIndom(reader, versionOf(type), type === MetaRecordType.INDOM_DELTA) };
    case MetaRecordType.LABEL_V2:
    case MetaRecordType.LABEL:
      return { labels: checkLabelSets(reader, versionOf(type)) };
    case MetaRecordType.TEXT:
      return { text: decodeTextHeader(reader) };
    default:
      throw new PmError(PM_ERR.RECTYPE, `${name}: record type ${type}`);
  }
}

/** The version of the format that an instance domain or LABEL record is of. */
export function versionOf(type: number): ArchiveVersion {
  return type === MetaRecordType.INDOM_V2 || type === MetaRecordType.LABEL_V2 ? 2 : 3;
}

const CHUNK_BYTES = 64 * 1024;
/** Bytes of a record's header, and of the PMID that follows it in a descriptor. */
const HEAD_BYTES = META_HEADER_BYTES + 4;

/** The number of metrics, from heads of records. Throws PM_ERR_LOGREC, PM_ERR_NODATA, PM_ERR_TOOBIG, and the signal's reason. */
export async function countMetrics(
  file: BlockFile,
  version: ArchiveVersion,
  { metadataBytes, recordBytes }: Pick<ArchiveLimits, 'metadataBytes' | 'recordBytes'>,
  signal?: AbortSignal,
): Promise<number> {
  if (file.size > metadataBytes) throw new PmError(PM_ERR.TOOBIG, `${file.name}: metadata of ${file.size} bytes`);
  const pmids = new Set<number>();
  let chunk = viewOf(new Uint8Array(0));
  let chunkStart = 0;
  let offset = LABEL_RECORD_BYTES[version];
  while (offset + HEAD_BYTES <= file.size) {
    if (offset + HEAD_BYTES > chunkStart + chunk.byteLength) {
      signal?.throwIfAborted();
      chunk = viewOf(await file.readExact(offset, Math.min(CHUNK_BYTES, file.size - offset)));
      chunkStart = offset;
    }
    const at = offset - chunkStart;
    const length = chunk.getUint32(at);
    if (length < HEAD_BYTES || length > recordBytes || offset + length > file.size) {
      throw new PmError(PM_ERR.LOGREC, `${file.name} at offset ${offset}: a record of ${length} bytes`);
    }
    if (chunk.getUint32(at + 4) === MetaRecordType.DESC) pmids.add(chunk.getUint32(at + META_HEADER_BYTES));
    offset += length;
  }
  if (pmids.size === 0) throw new PmError(PM_ERR.NODATA, file.name);
  return pmids.size;
}
