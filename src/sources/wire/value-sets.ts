import { atOnce } from '../../kit/index.js';
import { MetricType, type Column, type ValueSet } from '../../pmapi/index.js';
import { roundUpToWord, type ByteReader } from './byte-reader.js';

/** How a result's value sets are laid out; PDUs and archive records differ in these facts only. */
export interface ResultLayout {
  /** Value pointers count words: the block is at byte `4 * (pointer - pointerBias)`. 0 in a PDU, 2 in an archive record. */
  readonly pointerBias: number;
  /** The status of a value set whose values are not of the metric's type: PM_ERR.CONV live, PM_ERR.LOGREC in archives. */
  readonly mismatchErr: number;
}

export interface ValueSetTable {
  readonly pmids: Uint32Array;
  readonly offsets: Uint32Array;
  readonly endOffset: number;
}

/** How values are encoded: in place, or in blocks that pointers lead to. Both kinds of pointers look alike. @see pmFetch(3) */
export const ValueFormat = { INSITU: 0, DPTR: 1, SPTR: 2 } as const;

/** Bytes of length and type before a value block's data. */
export const BLOCK_HEADER_BYTES = 4;
const SET_HEADER_BYTES = 8;
const VALUE_BYTES = 8;
/** Values whose pointers are checked in one step: less than a millisecond's work. */
const VALUES_PER_STEP = 65_536;

/**
 * Find `count` value sets from the reader's position on, and check what concerns them together: that they are there, that
 * every value block lies behind them and inside the bytes, and that blocks do not overlap as a whole (their sizes add up to
 * no more than there is room for), so that a small result cannot unfold into a huge one. Leaves the reader behind the sets.
 */
export function indexValueSets(reader: ByteReader, count: number, layout: ResultLayout): ValueSetTable {
  return atOnce(indexValueSetsInSteps(reader, count, layout));
}

/** {@link indexValueSets} in steps, for results of many megabytes: yields after each 65,536 value pointers. */
export function* indexValueSetsInSteps(
  reader: ByteReader,
  count: number,
  layout: ResultLayout,
): Generator<undefined, ValueSetTable, undefined> {
  const table = findValueSets(reader, count);
  let room = reader.length - table.endOffset;
  let left = VALUES_PER_STEP;
  for (const start of table.offsets) {
    const numval = reader.view.getInt32(start + 4);
    if (numval <= 0 || isInPlace(reader, start + 8)) continue;
    const end = start + 16 + numval * VALUE_BYTES;
    for (let at = start + 16; at < end;) {
      const to = Math.min(end, at + left * VALUE_BYTES);
      room = checkPointers(reader, at, to, table.endOffset, layout, room);
      left -= (to - at) / VALUE_BYTES;
      at = to;
      if (left > 0) continue;
      yield;
      left = VALUES_PER_STEP;
    }
  }
  return table;
}

function findValueSets(reader: ByteReader, count: number): ValueSetTable {
  if (count < 0 || count * SET_HEADER_BYTES > reader.remaining) {
    reader.fail(`${count} value sets do not fit into ${reader.remaining} bytes`);
  }
  const pmids = new Uint32Array(count);
  const offsets = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    offsets[i] = reader.offset;
    pmids[i] = reader.u32('pmid');
    const numval = reader.i32('numval');
    if (numval > 0) reader.skip(4 + numval * VALUE_BYTES, 'values');
  }
  return { pmids, offsets, endOffset: reader.offset };
}

/** Checks the value pointers from one offset to another; returns the room that their blocks leave for others. */
function checkPointers(
  reader: ByteReader,
  from: number,
  to: number,
  endOffset: number,
  { pointerBias }: ResultLayout,
  room: number,
): number {
  let left = room;
  for (let at = from; at < to; at += VALUE_BYTES) {
    const block = 4 * (reader.view.getUint32(at) - pointerBias);
    if (block < endOffset)
      reader.fail(`the value pointer at offset ${at} points to offset ${block}, before the blocks`);
    left -= roundUpToWord(blockLength(reader, block));
    // The last block's padding may be cut off.
    if (left <= -4) reader.fail(`value blocks overlap, seen at offset ${at}`);
  }
  return left;
}

/**
 * Decode the value set at `offset` into `set`.
 *
 * @param type the type in the metric's descriptor, which is what counts; undefined when it is not known: then the type
 *   in the value blocks is taken, and values in place are taken for U32
 * @param passes which instances to take; undefined for all
 * @param part which of the values to decode: the first part empties `set`, others add to it; undefined for all
 */
export function decodeValueSet(
  reader: ByteReader,
  offset: number,
  type: MetricType | undefined,
  set: ValueSet,
  layout: ResultLayout,
  passes?: (instance: number) => boolean,
  part?: { readonly first: number; readonly count: number },
): void {
  reader.seek(offset, 'value set');
  const pmid = reader.u32('pmid');
  const numval = reader.i32('numval');
  if (numval <= 0) {
    set.reset(pmid, type ?? MetricType.U32);
    set.status = numval;
    return;
  }
  const inPlace = isInPlace(reader, reader.offset);
  reader.skip(4, 'valfmt');
  reader.require(numval * VALUE_BYTES, 'values');
  const values = reader.offset;
  const first = part?.first ?? 0;
  if (first === 0) {
    const taken = type ?? (inPlace ? MetricType.U32 : blockType(reader, pointerAt(reader, values + 4, layout)));
    set.reset(pmid, taken);
    set.column.reserve(passes ? 1 : numval);
  }
  const from = values + first * VALUE_BYTES;
  const count = part ? Math.min(part.count, numval - first) : numval;
  const fits = inPlace
    ? decodeInPlace(reader, from, count, set, passes)
    : decodeBlocks(reader, from, count, set, layout, passes);
  if (!fits) set.fail(layout.mismatchErr);
}

/** Whether the values of a set are in place. Throws for an unknown value format. */
function isInPlace(reader: ByteReader, at: number): boolean {
  reader.requireAt(at, 4, 'valfmt');
  const format = reader.view.getInt32(at);
  if (format < ValueFormat.INSITU || format > ValueFormat.SPTR) {
    reader.fail(`value format ${format} at offset ${at}, expected 0, 1 or 2`);
  }
  return format === ValueFormat.INSITU;
}

function decodeInPlace(
  reader: ByteReader,
  from: number,
  numval: number,
  set: ValueSet,
  passes: ((instance: number) => boolean) | undefined,
): boolean {
  const { view } = reader;
  const { type } = set;
  if (type !== MetricType.I32 && type !== MetricType.U32 && type !== MetricType.FLOAT) return false;
  for (let i = 0, at = from; i < numval; i++, at += VALUE_BYTES) {
    const instance = view.getInt32(at);
    if (passes && !passes(instance)) continue;
    if (type === MetricType.U32) set.addNumber(instance, view.getUint32(at + 4));
    else if (type === MetricType.I32) set.addNumber(instance, view.getInt32(at + 4));
    else set.addNumber(instance, view.getFloat32(at + 4));
  }
  return true;
}

function decodeBlocks(
  reader: ByteReader,
  from: number,
  numval: number,
  set: ValueSet,
  layout: ResultLayout,
  passes: ((instance: number) => boolean) | undefined,
): boolean {
  const { view } = reader;
  const { type } = set;
  for (let i = 0, at = from; i < numval; i++, at += VALUE_BYTES) {
    const instance = view.getInt32(at);
    if (passes && !passes(instance)) continue;
    const block = pointerAt(reader, at + 4, layout);
    const length = blockLength(reader, block) - BLOCK_HEADER_BYTES;
    if (!isAcceptable(type, view.getUint8(block))) return false;
    const data = block + BLOCK_HEADER_BYTES;
    switch (type) {
      case MetricType.I64:
      case MetricType.U64:
        if (length !== 8) return false;
        addInteger64(set, instance, view, data);
        break;
      case MetricType.DOUBLE:
        if (length !== 8) return false;
        set.addNumber(instance, view.getFloat64(data));
        break;
      case MetricType.FLOAT:
        if (length !== 4) return false;
        set.addNumber(instance, view.getFloat32(data));
        break;
      case MetricType.STRING:
        set.addText(instance, reader.textAt(data, length, 'string value'));
        break;
      case MetricType.AGGREGATE:
      case MetricType.AGGREGATE_STATIC:
      case MetricType.EVENT:
      case MetricType.HIGHRES_EVENT:
        set.addBytes(instance, reader.bytesAt(data, length, 'value'));
        break;
      default:
        return false;
    }
  }
  return true;
}

/** Adds 64 bits, as numbers while they are exact: BigInts would cost more than all the rest. */
function addInteger64(set: ValueSet, instance: number, view: DataView, at: number): void {
  const column: Column = set.column;
  const high = column.type === MetricType.U64 ? view.getUint32(at) : view.getInt32(at);
  if (high < 0x200000 && high > -0x200000) {
    set.addNumber(instance, high * 0x100000000 + view.getUint32(at + 4));
  } else {
    set.addInteger(instance, column.type === MetricType.U64 ? view.getBigUint64(at) : view.getBigInt64(at));
  }
}

/** Whether a block of type `block` may hold values of a metric of type `type`. Old writers left the block's type 0. */
function isAcceptable(type: MetricType, block: number): boolean {
  if (block === type || block === MetricType.UNKNOWN || block === 0) return true;
  if (type === MetricType.I64 || type === MetricType.U64) return block === MetricType.I64 || block === MetricType.U64;
  return isText(type) && isText(block);
}

function isText(type: number): boolean {
  return type === MetricType.STRING || type === MetricType.AGGREGATE || type === MetricType.AGGREGATE_STATIC;
}

function pointerAt(reader: ByteReader, at: number, layout: ResultLayout): number {
  return 4 * (reader.view.getUint32(at) - layout.pointerBias);
}

/** A block's length with its header, checked to lie inside the bytes. */
function blockLength(reader: ByteReader, block: number): number {
  reader.requireAt(block, BLOCK_HEADER_BYTES, 'value block');
  const length = reader.view.getUint32(block) & 0xffffff;
  if (length < BLOCK_HEADER_BYTES) reader.fail(`the value block at offset ${block} has a length of ${length}`);
  reader.requireAt(block, length, 'value block');
  return length;
}

function blockType(reader: ByteReader, block: number): MetricType {
  reader.requireAt(block, BLOCK_HEADER_BYTES, 'value block');
  const type = reader.view.getUint8(block);
  return type >= MetricType.I64 && type <= MetricType.HIGHRES_EVENT ? (type as MetricType) : MetricType.AGGREGATE;
}
