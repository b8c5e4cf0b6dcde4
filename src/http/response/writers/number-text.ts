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
  #end = 0;
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
    this.#end = 0;
    let long = 0;
    for (let i = 0; i < numbers.length; i++) {
      const value = numbers[i]!;
      this.#bytes[this.#end++] = COMMA;
      const size = Math.abs(value);
      const whole = Math.floor(size);
      const millionths = Math.round(size * MILLION);
      const isInteger = size <= Number.MAX_SAFE_INTEGER && whole === size;
      if (isInteger || (millionths > 0 && millionths < MOST_MILLIONTHS && millionths / MILLION === size)) {
        if (value < 0) this.#bytes[this.#end++] = MINUS;
        this.#putInteger(whole);
        if (isInteger) continue;
        this.#bytes[this.#end++] = POINT;
        this.#putDigits(millionths - whole * MILLION, 6);
        while (this.#bytes[this.#end - 1] === ZERO) this.#end--;
      } else if (++long > LONG + i / ONE_LONG_OF) return undefined;
      else this.#end += this.#bytes.write(Number.isFinite(value) ? String(value) : 'null', this.#end, 'latin1');
    }
    return this.#bytes.toString('latin1', 1, this.#end);
  }

  #putInteger(value: number): void {
    if (value < BILLION) {
      this.#putDigits(value, digitsOf(value));
      return;
    }
    const billions = Math.floor(value / BILLION);
    this.#putDigits(billions, digitsOf(billions));
    this.#putDigits(value - billions * BILLION, 9);
  }

  /** @param value below a billion */
  #putDigits(value: number, digits: number): void {
    const bytes = this.#bytes;
    let at = this.#end + digits;
    this.#end = at;
    let left = value;
    let count = digits;
    for (; count >= 2; count -= 2) {
      const rest = (left / 100) | 0;
      const pair = 2 * (left - 100 * rest);
      bytes[--at] = PAIRS[pair + 1]!;
      bytes[--at] = PAIRS[pair]!;
      left = rest;
    }
    if (count === 1) bytes[at - 1] = ZERO + left;
  }
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  return digits;
}
