import { PM_ERR, ValueSet } from '../../../pmapi/index.js';
import type { Instance, LabelSet, LabelTarget, MetricDescriptor, Timestamp } from '../../../pmapi/index.js';
import type { HelpLevel, HelpTarget } from '../../metric-source.js';
import {
  ByteWriter,
  encodeDescriptor,
  encodeText,
  LABEL_TYPES,
  labelIdent,
  OPTIONAL_FLAG,
  encodeValueSets,
  MAX_BLOCK_DATA_BYTES,
} from '../../wire/index.js';
import type { EncodableSet } from '../../wire/index.js';
import { LABEL_RECORD_BYTES, type LabelRecord } from '../metadata/label-record.js';
import { META_HEADER_BYTES, MetaRecordType, textHeader } from '../metadata/metadata-records.js';
import type { IndexEntry } from '../metadata/temporal-index.js';
import { POINTER_BIAS } from '../records/record-checker.js';

/** Version 3, the only one that is written: version 2 ends in 2038. */
const VERSION = 3;
const MAGIC = 0x50052600 + VERSION;
const TEXT_FIELD_BYTES = 256;

const NO_STAMP: Timestamp = { sec: 0, nsec: 0 };

/** Equal in the label records of all files of an archive. */
export type ArchiveLabel = Pick<LabelRecord, 'pid' | 'hostName' | 'timezone' | 'zoneinfo'>;

/** Append a stamp of version 3: the low word of the seconds comes before the high one. @see LOGARCHIVE(5) */
export function encodeStamp(writer: ByteWriter, { sec, nsec }: Timestamp): ByteWriter {
  return writer.words(sec, Math.floor(sec / 0x100000000), nsec);
}

/** Sets the stamp of an instance domain or LABEL record. */
export function stampRecord(record: Uint8Array, stamp: Timestamp): void {
  record.set(encodeStamp(new ByteWriter(), stamp).finish(), META_HEADER_BYTES);
}

/** The label record of a file; texts that do not fit are cut. @param volume its number, `META_VOLUME` or `INDEX_VOLUME` */
export function encodeLabelRecord(label: ArchiveLabel, start: Timestamp, volume: number): Uint8Array {
  const length = LABEL_RECORD_BYTES[VERSION];
  const writer = new ByteWriter(length).u32(length).u32(MAGIC).i32(label.pid);
  encodeStamp(writer, start).i32(volume).u32(0).u32(0);
  for (const text of [label.hostName, label.timezone, label.zoneinfo]) {
    const bytes = cutText(text, TEXT_FIELD_BYTES - 1);
    writer.bytes(bytes).fill(0, TEXT_FIELD_BYTES - bytes.length);
  }
  return writer.u32(length).finish();
}

export function encodeDescRecord(descriptor: MetricDescriptor, names: readonly string[]): Uint8Array {
  const writer = beginRecord(MetaRecordType.DESC);
  encodeDescriptor(writer, descriptor);
  writer.i32(names.length);
  for (const name of names) {
    const bytes = encodeText(name);
    writer.i32(bytes.length).bytes(bytes);
  }
  return finishRecord(writer);
}

/** An instance of an instance domain record; without a name it is one that a delta removes. */
export type InstanceChange = Pick<Instance, 'id'> & { readonly name: string | undefined };

/** An instance domain record without its stamp: all instances, or with `isDelta` the changes since the record before. */
export function encodeIndomRecord(indom: number, instances: readonly InstanceChange[], isDelta: boolean): Uint8Array {
  const writer = beginRecord(isDelta ? MetaRecordType.INDOM_DELTA : MetaRecordType.INDOM);
  encodeStamp(writer, NO_STAMP).u32(indom).i32(instances.length);
  for (const { id } of instances) writer.i32(id);
  const texts = instances.map(({ name }) => (name === undefined ? undefined : encodeText(`${name}\0`)));
  let offset = 0;
  for (const text of texts) {
    writer.i32(text ? offset : -1);
    offset += text?.length ?? 0;
  }
  for (const text of texts) if (text) writer.bytes(text);
  return finishRecord(writer);
}

/** A LABEL record without its stamp: the label sets of one target, without labels beyond a set's capacity. */
export function encodeLabelSets(target: LabelTarget, sets: readonly LabelSet[]): Uint8Array {
  const type = LABEL_TYPES[target.kind];
  const writer = beginRecord(MetaRecordType.LABEL);
  encodeStamp(writer, NO_STAMP).u32(type).u32(labelIdent(target)).i32(sets.length);
  for (const set of sets) encodeLabelSet(writer, type, set);
  return finishRecord(writer);
}

export function encodeTextRecord(target: HelpTarget, level: HelpLevel, text: string): Uint8Array {
  const { kind, ident } = textHeader(target, level);
  const writer = beginRecord(MetaRecordType.TEXT).u32(kind).u32(ident);
  return finishRecord(writer.text(`${text}\0`));
}

/** An entry of the temporal index: the inverse of `decodeIndexEntry`. */
export function encodeIndexEntry({ stamp, volume, metaOffset, dataOffset }: IndexEntry): Uint8Array {
  const writer = encodeStamp(new ByteWriter(32), stamp).i32(volume);
  return writer.i64(BigInt(metaOffset)).i64(BigInt(dataOffset)).finish();
}

/** PM_MAXLABELS, PM_MAXLABELNAMELEN and PM_MAXLABELJSONLEN: offsets into the JSON have 16 bits. */
const MAX_LABELS = 254;
const MAX_LABEL_NAME_BYTES = 255;
const MAX_LABEL_JSON_BYTES = 65535;

/** One label set, with its JSON in front. A label that the set has no room for is left out, as PCP's agents do. */
function encodeLabelSet(writer: ByteWriter, type: number, { instance, labels }: LabelSet): void {
  const json = new ByteWriter(256).text('{');
  const entries = new ByteWriter(64);
  let count = 0;
  for (const { name, json: value, optional } of labels) {
    const nameBytes = encodeText(name);
    const valueBytes = encodeText(value);
    const added = nameBytes.length + valueBytes.length + 4;
    if (nameBytes.length > MAX_LABEL_NAME_BYTES || json.length + added + 1 > MAX_LABEL_JSON_BYTES) continue;
    if (count === MAX_LABELS) break;
    const at = json.length + (count > 0 ? 2 : 1);
    json
      .text(count > 0 ? ',"' : '"')
      .bytes(nameBytes)
      .text('":')
      .bytes(valueBytes);
    entries
      .u16(at)
      .u8(nameBytes.length)
      .u8(optional ? type | OPTIONAL_FLAG : type);
    entries.u16(at + nameBytes.length + 2).u16(valueBytes.length);
    count++;
  }
  const text = json.text('}').finish();
  writer.i32(instance).i32(text.length).bytes(text).i32(count).bytes(entries.finish());
}

function beginRecord(type: number): ByteWriter {
  return new ByteWriter().u32(0).u32(type);
}

function finishRecord(writer: ByteWriter): Uint8Array {
  const length = writer.length + 4;
  return writer.patchI32(0, length).u32(length).finish();
}

/** A text's UTF-8, cut before the character that would exceed `bytes`. */
function cutText(text: string, bytes: number): Uint8Array {
  const all = encodeText(text);
  let end = Math.min(all.length, bytes);
  while (end > 0 && end < all.length && (all[end]! & 0xc0) === 0x80) end--;
  return all.subarray(0, end);
}

/** A record of a volume: a moment, and a value set for each metric. */
export interface ArchiveSample {
  readonly timestamp: Timestamp;
  readonly sets: readonly EncodableSet[];
}

export function encodeRecord({ timestamp, sets }: ArchiveSample): Uint8Array {
  const writer = new ByteWriter(1024).u32(0);
  encodeStamp(writer, timestamp).i32(sets.length);
  encodeValueSets(writer, sets.some(isTooLong) ? sets.map(recordable) : sets, POINTER_BIAS);
  const length = writer.length + 4;
  return writer.patchI32(0, length).u32(length).finish();
}

/** A mark record: recording was interrupted at that moment. */
export function encodeMark(stamp: Timestamp): Uint8Array {
  return encodeRecord({ timestamp: stamp, sets: [] });
}

function isTooLong({ column: { texts, bytes } }: EncodableSet): boolean {
  // A unit of text takes three bytes at most: that tells without encoding it.
  const isLong = (text: string): boolean =>
    3 * text.length >= MAX_BLOCK_DATA_BYTES && encodeText(text).length >= MAX_BLOCK_DATA_BYTES;
  return texts.some(isLong) || bytes.some(({ length }) => length > MAX_BLOCK_DATA_BYTES);
}

function recordable(set: EncodableSet): EncodableSet {
  if (!isTooLong(set)) return set;
  const refused = new ValueSet();
  refused.reset(set.pmid, set.type);
  refused.fail(PM_ERR.TOOBIG);
  return refused;
}
