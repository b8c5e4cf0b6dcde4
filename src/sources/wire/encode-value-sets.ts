import { MetricType, PM_ERR, PmError, type Column, type ValueSet } from '../../pmapi/index.js';
import { roundUpToWord } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import { encodeText, textBytes } from './bytes.js';
import { BLOCK_HEADER_BYTES, ValueFormat } from './value-sets.js';

/** The most bytes that the data of a value block can have: its length has 24 bits and counts the header. */
export const MAX_BLOCK_DATA_BYTES = 0xffffff - BLOCK_HEADER_BYTES;

export type EncodableSet = Pick<ValueSet, 'pmid' | 'status' | 'type' | 'instances' | 'column'>;

/**
 * Append value sets and the value blocks behind them: the inverse of `indexValueSets` and `decodeValueSet`. What the writer
 * holds so far has to be whole words, because pointers count words from its beginning. Throws PM_ERR_TOOBIG for a value of more than
 * {@link MAX_BLOCK_DATA_BYTES}. @see pmFetch(3), LOGARCHIVE(5)
 * @param pointerBias what is added to each pointer: see `ResultLayout.pointerBias`
 */
export function encodeValueSets(writer: ByteWriter, sets: readonly EncodableSet[], pointerBias: number): void {
  let blockAt = writer.length + setBytes(sets);
  for (const set of sets) {
    writer.u32(set.pmid).i32(set.status);
    if (set.status <= 0) continue;
    const { type, instances, column } = set;
    const isInPlace = isInPlaceType(type);
    writer.i32(isInPlace ? ValueFormat.INSITU : ValueFormat.DPTR);
    for (let i = 0; i < set.status; i++) {
      writer.i32(instances[i]!);
      if (isInPlace) {
        writer.i32(column.numbers[i]!);
      } else {
        writer.u32(blockAt / 4 + pointerBias);
        blockAt += BLOCK_HEADER_BYTES + roundUpToWord(dataBytes(column, i));
      }
    }
  }
  for (const set of sets) {
    if (isInPlaceType(set.type)) continue;
    for (let i = 0; i < set.status; i++) encodeBlock(writer, set.column, i);
  }
}

export function dataBytes({ type, texts, bytes }: Column, i: number): number {
  switch (type) {
    case MetricType.STRING:
      return textBytes(texts[i]!) + 1;
    case MetricType.AGGREGATE:
    case MetricType.AGGREGATE_STATIC:
    case MetricType.EVENT:
    case MetricType.HIGHRES_EVENT:
      return bytes[i]!.length;
    case MetricType.FLOAT:
      return 4;
    default:
      return 8;
  }
}

function isInPlaceType(type: MetricType): boolean {
  return type === MetricType.I32 || type === MetricType.U32;
}

function setBytes(sets: readonly EncodableSet[]): number {
  let total = 0;
  for (const { status } of sets) total += status > 0 ? 12 + 8 * status : 8;
  return total;
}

function encodeBlock(writer: ByteWriter, column: Column, i: number): void {
  const { type } = column;
  const length = dataBytes(column, i);
  if (length > MAX_BLOCK_DATA_BYTES) throw new PmError(PM_ERR.TOOBIG, `a value of ${length} bytes`);
  writer.u32(((type & 0xff) << 24) | (length + BLOCK_HEADER_BYTES));
  switch (type) {
    case MetricType.I64:
    case MetricType.U64:
      encodeInteger64(writer, column, i);
      break;
    case MetricType.FLOAT:
      writer.f32(column.numbers[i]!);
      break;
    case MetricType.DOUBLE:
      writer.f64(column.numbers[i]!);
      break;
    case MetricType.STRING:
      writer.paddedBytes(encodeText(`${column.texts[i]!}\0`));
      break;
    case MetricType.AGGREGATE:
    case MetricType.AGGREGATE_STATIC:
    case MetricType.EVENT:
    case MetricType.HIGHRES_EVENT:
      writer.paddedBytes(column.bytes[i]!);
      break;
    default:
      throw new PmError(PM_ERR.TYPE, `values of type ${type} cannot be encoded`);
  }
}

/** 64 bits, as a number while it is exact: BigInts would cost more than all the rest. */
function encodeInteger64(writer: ByteWriter, column: Column, i: number): void {
  if (column.wide) {
    writer.i64(column.wide[i]!);
    return;
  }
  const value = column.numbers[i]!;
  const high = Math.floor(value / 0x100000000);
  writer.i32(high).u32(value - high * 0x100000000);
}
