import { MetricType, PM_ERR, PmError, type Column, type ValueSet } from '../../pmapi/index.js';
import type { ByteWriter } from './byte-writer.js';
import { encodeText } from './bytes.js';
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
  const pointers: number[] = [];
  for (const { pmid, status, type, instances, column } of sets) {
    writer.u32(pmid).i32(status);
    if (status <= 0) continue;
    const isInPlace = isInPlaceType(type);
    writer.i32(isInPlace ? ValueFormat.INSITU : ValueFormat.DPTR);
    for (let i = 0; i < status; i++) {
      writer.i32(instances[i]!);
      if (!isInPlace) pointers.push(writer.length);
      writer.i32(isInPlace ? column.numbers[i]! : 0);
    }
  }
  let next = 0;
  for (const { status, type, column } of sets) {
    if (isInPlaceType(type)) continue;
    for (let i = 0; i < status; i++) {
      writer.patchI32(pointers[next++]!, writer.length / 4 + pointerBias);
      encodeBlock(writer, column, i);
    }
  }
}

function isInPlaceType(type: MetricType): boolean {
  return type === MetricType.I32 || type === MetricType.U32;
}

function encodeBlock(writer: ByteWriter, column: Column, i: number): void {
  const { type } = column;
  switch (type) {
    case MetricType.I64:
    case MetricType.U64:
      encodeInteger64(beginBlock(writer, type, 8), column, i);
      break;
    case MetricType.FLOAT:
      beginBlock(writer, type, 4).f32(column.numbers[i]!);
      break;
    case MetricType.DOUBLE:
      beginBlock(writer, type, 8).f64(column.numbers[i]!);
      break;
    case MetricType.STRING:
    case MetricType.AGGREGATE:
    case MetricType.AGGREGATE_STATIC:
    case MetricType.EVENT:
    case MetricType.HIGHRES_EVENT: {
      const data = type === MetricType.STRING ? encodeText(`${column.texts[i]!}\0`) : column.bytes[i]!;
      beginBlock(writer, type, data.length).paddedBytes(data);
      break;
    }
    default:
      throw new PmError(PM_ERR.TYPE, `values of type ${type} cannot be encoded`);
  }
}

function beginBlock(writer: ByteWriter, type: MetricType, length: number): ByteWriter {
  if (length > MAX_BLOCK_DATA_BYTES) throw new PmError(PM_ERR.TOOBIG, `a value of ${length} bytes`);
  return writer.u32(((type & 0xff) << 24) | (length + BLOCK_HEADER_BYTES));
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
