const NEWLINE = 10;
const TAB = 9;
const BLANK = 32;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
/** 15 decimal digits always fit a double exactly. */
const EXACT_DIGITS = 15;
/** No 64-bit integer has more digits; longer ones become the largest or the smallest one, as with strtoull(3). */
const MAX_DIGITS = 20;
const LARGEST = 2n ** 64n - 1n;
const SMALLEST = -(2n ** 63n);

const NO_BYTES = new Uint8Array(0);

/** A cursor over text files of the kernel, in bytes. Only {@link nextLine} moves it beyond the end of the line. */
export class ByteScanner {
  bytes: Uint8Array = NO_BYTES;
  pos = 0;
  end = 0;
  /** The result of {@link integer}; exact unless {@link wide} is set. */
  value = 0;
  /** The result of {@link integer}, if it has more than 15 digits and exceeds ±2^53. */
  wide: bigint | undefined = undefined;

  start(bytes: Uint8Array, length: number): void {
    this.bytes = bytes;
    this.pos = 0;
    this.end = Math.min(length, bytes.length);
  }

  get atEnd(): boolean {
    return this.pos >= this.end;
  }

  get atLineEnd(): boolean {
    this.skipBlanks();
    return this.pos >= this.end || this.bytes[this.pos] === NEWLINE;
  }

  lineEnd(): number {
    const found = this.bytes.indexOf(NEWLINE, this.pos);
    return found < 0 || found >= this.end ? this.end : found;
  }

  nextLine(): boolean {
    this.pos = Math.min(this.lineEnd() + 1, this.end);
    return this.pos < this.end;
  }

  skipBlanks(): void {
    const { bytes, end } = this;
    let pos = this.pos;
    while (pos < end && (bytes[pos] === BLANK || bytes[pos] === TAB)) pos++;
    this.pos = pos;
  }

  skipWords(count: number): void {
    for (let i = 0; i < count; i++) {
      this.skipBlanks();
      this.pos = this.wordEnd();
    }
  }

  /** The end of the word at `pos`: a blank or the end of the line. */
  wordEnd(): number {
    const { bytes, end } = this;
    let pos = this.pos;
    while (pos < end && bytes[pos]! !== NEWLINE && bytes[pos]! !== BLANK && bytes[pos]! !== TAB) pos++;
    return pos;
  }

  /** The next position of `byte` on this line, or -1. */
  find(byte: number): number {
    const { bytes, end } = this;
    for (let pos = this.pos; pos < end && bytes[pos] !== NEWLINE; pos++) if (bytes[pos] === byte) return pos;
    return -1;
  }

  startsWith(key: Uint8Array): boolean {
    const { bytes, pos } = this;
    if (pos + key.length > this.end) return false;
    for (let i = 0; i < key.length; i++) if (bytes[pos + i] !== key[i]) return false;
    return true;
  }

  /** Reads an integer behind blanks into {@link value} and {@link wide}. False, having moved only past blanks, if there is none. */
  integer(): boolean {
    this.skipBlanks();
    const { bytes, end } = this;
    let pos = this.pos;
    const isNegative = pos < end && bytes[pos] === MINUS;
    if (isNegative) pos++;
    const first = pos;
    let value = 0;
    while (pos < end) {
      const digit = bytes[pos]! - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      pos++;
    }
    if (pos === first) return false;
    this.value = isNegative ? -value : value;
    this.wide = undefined;
    if (pos - first > MAX_DIGITS) {
      this.wide = isNegative ? SMALLEST : LARGEST;
      this.value = Number(this.wide);
    } else if (pos - first > EXACT_DIGITS) {
      this.wide = this.#wideOf(this.pos, pos);
    }
    this.pos = pos;
    return true;
  }

  /** Reads a decimal number such as `0.25` after blanks; NaN, having moved only past blanks, if there is none. */
  decimal(): number {
    this.skipBlanks();
    const { bytes, end } = this;
    const first = this.pos;
    let pos = first;
    while (pos < end) {
      const byte = bytes[pos]!;
      if ((byte < ZERO || byte > NINE) && byte !== DOT && byte !== MINUS) break;
      pos++;
    }
    if (pos === first) return NaN;
    const number = Number(this.text(first, pos));
    if (!Number.isFinite(number)) return NaN;
    this.pos = pos;
    return number;
  }

  word(): string {
    this.skipBlanks();
    const first = this.pos;
    this.pos = this.wordEnd();
    return this.text(first, this.pos);
  }

  /** Reads the rest of the line, without blanks at both ends. */
  rest(): string {
    const lineEnd = this.lineEnd();
    const text = this.text(this.pos, lineEnd).trim();
    this.pos = lineEnd;
    return text;
  }

  text(start: number, end: number): string {
    return decodeText(this.bytes, start, end);
  }

  #wideOf(start: number, end: number): bigint | undefined {
    const wide = BigInt(this.text(start, end));
    return Number.isSafeInteger(Number(wide)) ? undefined : wide;
  }
}

/** Bytes as a unique name: of names that are not UTF-8, as interfaces may have, bytes beyond ASCII are `\xff`. */
export function decodeName(bytes: Uint8Array, start: number, end: number): string {
  const name = decodeText(bytes, start, end);
  if (!name.includes('\ufffd')) return name;
  const latin1 = Buffer.from(bytes.subarray(start, end)).toString('latin1');
  return latin1.replace(/[\x80-\xff]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
}

/** Bytes from `start` to `end` as UTF-8 text; fast for short ASCII, which is nearly everything in /proc. */
export function decodeText(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte >= 128) return Buffer.from(bytes.subarray(start, end)).toString('utf8');
    text += String.fromCharCode(byte);
  }
  return text;
}
