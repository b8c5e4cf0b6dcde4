import { PM_ERR, ValueSet, type Timestamp } from '../../../pmapi/index.js';
import { ByteWriter, dataBytes, encodeValueSets, MAX_BLOCK_DATA_BYTES, type EncodableSet } from '../../wire/index.js';
import { POINTER_BIAS } from '../records/record-checker.js';
import { encodeStamp } from './encode-metadata.js';

/** A record of a volume: a moment, and a value set for each metric. */
export interface ArchiveSample {
  readonly timestamp: Timestamp;
  readonly sets: readonly EncodableSet[];
}

/** The types whose values may be too long for a value block. */
const hasLongValues = ({ column }: EncodableSet): boolean => column.texts.length > 0 || column.bytes.length > 0;

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

function isTooLong(set: EncodableSet): boolean {
  if (set.status <= 0 || !hasLongValues(set)) return false;
  for (let i = 0; i < set.status; i++) if (dataBytes(set.column, i) > MAX_BLOCK_DATA_BYTES) return true;
  return false;
}

function recordable(set: EncodableSet): EncodableSet {
  if (!isTooLong(set)) return set;
  const refused = new ValueSet();
  refused.reset(set.pmid, set.type);
  refused.fail(PM_ERR.TOOBIG);
  return refused;
}
