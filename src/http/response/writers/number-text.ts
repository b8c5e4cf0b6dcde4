const [COMMA, MINUS, POINT] = [0x2c, 0x2d, 0x2e];
const ZERO = 0x30;
const BILLION = 1e9;
/** A comma and the longest text of a double. */
const MAX_TEXT_BYTES = 32;

/** A number that is so many millionths, and less than this, has no shorter text than its digits: doubles keep 15 of them. */
const [MILLION, MOST_MILLIONTHS] = [1e6, 1e15];
/** So many numbers with more digits, and one of so many beyond, make a piece one for JSON.stringify, which is faster for those. */
const [LONG, ONE_LONG_OF] = [8, 8];
/** The engine compiles the code that writes digits after some thousand numbers: meanwhile, one in LEARN_EVERY pieces uses it. */
const LEARNING_PIECES = 100;
const LEARN_EVERY = 8;

/** The two digits of each number below 100. */
const PAIRS = Buffer.from(Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0')).join(''), 'latin1');

/** Numbers as JSON, non-finite ones null. Most have few digits and are written one by one, which is faster once compiled. */
export class NumberText {
  readonly #maxNumbers: number;
  readonly #bytes: Buffer;
  #pieces = 0;

  /** @param maxNumbers the maximum number of numbers written at once */
  constructor(maxNumbers: number) {
    this.#maxNumbers = maxNumbers;
    this.#bytes = Buffer.allocUnsafeSlow(maxNumbers * MAX_TEXT_BYTES);
  }

  /** The text of some numbers. Throws RangeError for more than the maximum. */
  write(numbers: ArrayLike<number>): string {
    const { length } = numbers;
    if (length > this.#maxNumbers) throw new RangeError(`${length} numbers instead of ${this.#maxNumbers} at most`);
    const text = this.#isDigitsTurn() ? this.#writeDigits(numbers) : undefined;
    return text ?? JSON.stringify(Array.from(numbers)).slice(1, -1);
  }

  #isDigitsTurn(): boolean {
    return this.#pieces >= LEARNING_PIECES || this.#pieces++ % LEARN_EVERY === 0;
  }

  /** Undefined for too many numbers with many digits. */
  #writeDigits(numbers: ArrayLike<number>): string | undefined {
    const bytes = this.#bytes;
    let [end, long] = [0, 0];
    for (let i = 0; i < numbers.length; i++) {
      const value = numbers[i]!;
      bytes[end++] = COMMA;
      const small = value | 0;
      if (small === value && small >= 0) {
        end = putDigits(bytes, end, small, digitsOf(small));
        continue;
      }
      const size = Math.abs(value);
      const whole = Math.floor(size);
      const millionths = Math.round(size * MILLION);
      const isInteger = size <= Number.MAX_SAFE_INTEGER && whole === size;
      if (isInteger || (millionths > 0 && millionths < MOST_MILLIONTHS && millionths / MILLION === size)) {
        if (value < 0) bytes[end++] = MINUS;
        end = putInteger(bytes, end, whole);
        if (isInteger) continue;
        bytes[end++] = POINT;
        end = putDigits(bytes, end, millionths - whole * MILLION, 6);
        while (bytes[end - 1] === ZERO) end--;
      } else if (++long > LONG + i / ONE_LONG_OF) return undefined;
      else end += bytes.write(Number.isFinite(value) ? String(value) : 'null', end, 'latin1');
    }
    return bytes.toString('latin1', 1, end);
  }
}

function putInteger(bytes: Buffer, at: number, value: number): number {
  if (value < BILLION) return putDigits(bytes, at, value, digitsOf(value));
  const billions = Math.floor(value / BILLION);
  return putDigits(bytes, putDigits(bytes, at, billions, digitsOf(billions)), value - billions * BILLION, 9);
}

/** Writes the digits of an integer below 2^31. Returns where they end. */
function putDigits(bytes: Buffer, from: number, value: number, digits: number): number {
  const end = from + digits;
  let at = end;
  let left = value;
  while (at - from >= 2) {
    const rest = (left / 100) | 0;
    const pair = 2 * (left - 100 * rest);
    bytes[--at] = PAIRS[pair + 1]!;
    bytes[--at] = PAIRS[pair]!;
    left = rest;
  }
  if (at > from) bytes[from] = ZERO + left;
  return end;
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  return digits;
}
