import { PM_ERR, ValueSet, type Timestamp } from '../../../pmapi/index.js';
import { ByteWriter, encodeText, encodeValueSets, MAX_BLOCK_DATA_BYTES, type EncodableSet } from '../../wire/index.js';
import { POINTER_BIAS } from '../records/record-checker.js';
import { encodeStamp } from './encode-metadata.js';

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
