import { MetricType } from '../../../pmapi/index.js';
import type { Column } from '../../../pmapi/index.js';
import type { ExactNumbers } from '../../batch.js';

/** The values of a {@link Column} in no more room than they need, in the same lanes: those without values are empty. */
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

/** A copy of a column's values; only texts and the bytes of aggregates are shared with it. */
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

/** Numbers as 32-bit integers; undefined if one of them does not fit. */
function asInt32(numbers: Float64Array, length: number): Int32Array | undefined {
  const integers = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const number = numbers[i]!;
    integers[i] = number;
    if (integers[i] !== number) return undefined;
  }
  return integers;
}
