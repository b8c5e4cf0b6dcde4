import { MetricType, type Column } from '../../../pmapi/index.js';
import type { ExactNumbers } from '../../batch.js';
import { ValueFormat } from '../../wire/index.js';

/** The values of a {@link Column} in minimal memory, in the same lanes: unused ones are empty. */
export interface KeptValues {
  /** Each is exact unless there is a wide lane. */
  readonly numbers: ExactNumbers;
  /** The bits of 64-bit integers when one of them leaves ±2^53. */
  readonly wide: BigInt64Array | undefined;
  readonly texts: readonly string[];
  readonly bytes: readonly Uint8Array[];
}

const NO_NUMBERS = new Int32Array(0);
const NO_TEXTS: readonly string[] = [];
const NO_BYTES: readonly Uint8Array[] = [];

/** A copy of a column's values; shares only texts and the bytes of aggregates. */
export function keepValues({ type, length, numbers, wide, texts, bytes }: Column): KeptValues {
  if (texts.length > 0) return { numbers: NO_NUMBERS, wide: undefined, texts: texts.slice(), bytes: NO_BYTES };
  if (bytes.length > 0) return { numbers: NO_NUMBERS, wide: undefined, texts: NO_TEXTS, bytes: bytes.slice() };
  return {
    numbers: keepNumbers(type, numbers, length),
    wide: wide?.slice(0, length),
    texts: NO_TEXTS,
    bytes: NO_BYTES,
  };
}

function keepNumbers(type: MetricType, numbers: Float64Array, length: number): ExactNumbers {
  if (type === MetricType.FLOAT) return new Float32Array(numbers.subarray(0, length));
  // A double may be a zero with a sign, which integers do not have.
  return (type === MetricType.DOUBLE ? undefined : asInt32(numbers, length)) ?? numbers.slice(0, length);
}

function asInt32(numbers: Float64Array, length: number): Int32Array | undefined {
  const integers = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const number = numbers[i]!;
    integers[i] = number;
    if (integers[i] !== number) return undefined;
  }
  return integers;
}

/** A value set in memory: its bytes begin at `at`, and were checked to be there. */
export interface FixedValues {
  readonly view: DataView;
  readonly at: number;
}

export interface FixedBlocks {
  readonly view: DataView;
  readonly start: number;
  readonly end: number;
  /** What to add to a pointer's bytes to get an offset in the view. */
  readonly shift: number;
}

const BLOCK_BYTES_64 = 12;
/** Bytes of a value set before its values, and of each: its instance, and the value or a pointer. */
export const [SET_HEADER_BYTES, VALUE_BYTES] = [12, 8];

/**
 * Decode the values of a set when all is as it should be and fits into numbers: 32-bit integers and reals in place, 64-bit
 * integers and doubles in blocks of their own type. Writes to both arrays from `into` on, which have room. False, with nothing
 * to be relied on behind `into`, for everything else: that is for decodeValueSet, which says what it is.
 */
export function decodeFixed(
  type: MetricType,
  count: number,
  { view, at }: FixedValues,
  blocks: FixedBlocks | undefined,
  instances: Int32Array,
  numbers: Float64Array,
  into: number,
): boolean {
  const from = at + SET_HEADER_BYTES;
  const end = from + count * VALUE_BYTES;
  const format = view.getInt32(at + 8);
  if (format === ValueFormat.INSITU) {
    if (type !== MetricType.U32 && type !== MetricType.I32 && type !== MetricType.FLOAT) return false;
    for (let value = from, i = into; value < end; value += VALUE_BYTES, i++) {
      instances[i] = view.getInt32(value);
      numbers[i] =
        type === MetricType.U32
          ? view.getUint32(value + 4)
          : type === MetricType.I32
            ? view.getInt32(value + 4)
            : view.getFloat32(value + 4);
    }
    return true;
  }
  if (format !== ValueFormat.DPTR && format !== ValueFormat.SPTR) return false;
  if (type !== MetricType.U64 && type !== MetricType.I64 && type !== MetricType.DOUBLE) return false;
  // Blocks that overlap would let a small record unfold into a huge one.
  if (!blocks || blocks.start + count * BLOCK_BYTES_64 > blocks.end) return false;
  const header = type * 0x1000000 + BLOCK_BYTES_64;
  const values = blocks.view;
  const limit = blocks.end - BLOCK_BYTES_64;
  for (let value = from, i = into; value < end; value += VALUE_BYTES, i++) {
    const block = 4 * view.getUint32(value + 4) + blocks.shift;
    if (block < blocks.start || block > limit || values.getUint32(block) !== header) return false;
    instances[i] = view.getInt32(value);
    if (type === MetricType.DOUBLE) {
      numbers[i] = values.getFloat64(block + 4);
      continue;
    }
    const high = type === MetricType.U64 ? values.getUint32(block + 4) : values.getInt32(block + 4);
    if (high >= 0x200000 || high <= -0x200000) return false;
    numbers[i] = high * 0x100000000 + values.getUint32(block + 8);
  }
  return true;
}
