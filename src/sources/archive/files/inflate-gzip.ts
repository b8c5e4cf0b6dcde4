import { eventLoopTurns, once } from '../../../kit/index.js';
import { joinBytes } from '../../wire/index.js';

/** Bytes that are given at a time; those before them that may be copied; the longest copy; the longest code. */
const [PIECE_BYTES, WINDOW_BYTES, LONGEST_COPY, CODE_BITS] = [65_536, 32_768, 258, 15] as const;
/** The codes of a block take fewer bytes, a symbol with its copy fewer still. */
const [HEAD_BYTES, SYMBOL_BYTES] = [640, 8] as const;
const [MAGIC, DEFLATE, END_OF_BLOCK] = [0x8b1f, 8, 256] as const;
const HeaderFlag = { CRC: 2, EXTRA: 4, NAME: 8, COMMENT: 16 } as const;
/** In which order the lengths of the codes of lengths are written. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] as const;

/** By symbol: the least value, and how many bits follow that are added to it. */
type Values = readonly { readonly least: number; readonly bits: number }[];
type Codes = { readonly literals: Uint16Array; readonly distances: Uint16Array };

const valuesOf = (least: number, bits: readonly number[]): Values =>
  bits.map((more) => ({ least: (least += 2 ** more) - 2 ** more, bits: more }));
const tables = once(() => ({
  lengths: [
    ...valuesOf(
      3,
      Array.from({ length: 28 }, (_, i) => (i < 8 ? 0 : (i >> 2) - 1)),
    ),
    { least: LONGEST_COPY, bits: 0 },
  ],
  distances: valuesOf(1, Array.from({ length: 30 }, (_, i) => (i < 4 ? 0 : (i >> 1) - 1))), // prettier-ignore
  codes: {
    literals: codesOf(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
    distances: codesOf(new Array<number>(32).fill(5)),
  } satisfies Codes,
  /** CRC-32 of each byte. */
  sums: Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    return sum;
  }),
}));

/**
 * What gzip data inflate to: member by member, and all that lies before damage; then it throws an Error. What follows the last member and
 * begins no other is left out. @see RFC 1951, RFC 1952
 */
export async function* inflateGzip(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const bits = new Bits(input);
  const output = new Output();
  try {
    do {
      await skipHeader(bits);
      output.begin();
      for (let isLast = 0; isLast === 0;) {
        await bits.fill(HEAD_BYTES);
        isLast = bits.take(1);
        yield* inflateBlock(bits.take(2), bits, output);
      }
      yield output.take();
      bits.align();
      await bits.fill(10);
      for (const expected of [output.sum, output.length]) {
        if (bits.take(16) !== (expected & 0xffff) || bits.take(16) !== ((expected >>> 16) & 0xffff))
          damaged('its check sums');
      }
    } while (bits.peek(16) === MAGIC);
  } catch (error) {
    yield output.take();
    throw error;
  } finally {
    await bits.close();
  }
}

function damaged(what: string): never {
  throw new Error(`damaged gzip data: ${what}`);
}

async function skipHeader(bits: Bits): Promise<void> {
  await bits.fill(12);
  if (bits.take(16) !== MAGIC || bits.take(8) !== DEFLATE) damaged('a header');
  const flags = bits.take(8);
  const skip = async (bytes: number): Promise<void> => {
    for (let left = bytes; left > 0; left--) await bits.byte();
  };
  await skip(6);
  if (flags & HeaderFlag.EXTRA) await skip((await bits.byte()) + 256 * (await bits.byte()));
  for (const text of [HeaderFlag.NAME, HeaderFlag.COMMENT]) {
    let isOver = (flags & text) === 0;
    while (!isOver) isOver = (await bits.byte()) === 0;
  }
  if (flags & HeaderFlag.CRC) await skip(2);
}

async function* inflateBlock(kind: number, bits: Bits, output: Output): AsyncGenerator<Uint8Array, void> {
  if (kind === 3) damaged('a block of no kind');
  if (kind === 0) {
    bits.align();
    const length = bits.take(16);
    if ((length ^ bits.take(16)) !== 0xffff) damaged('the length of a block');
    for (let left = length; left > 0;) {
      await bits.fill(1);
      for (; left > 0 && !output.isFull && !bits.isLow(1); left--) output.put(bits.take(8));
      if (output.isFull) yield output.take();
    }
    return;
  }
  const codes = kind === 1 ? tables().codes : readCodes(bits);
  while (!inflateSymbols(codes, bits, output)) {
    await bits.fill(SYMBOL_BYTES);
    // Few bytes may inflate to many.
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    if (output.isFull) yield output.take();
  }
}

/** Returns whether the block is over; or else there is no room for more, or more has to come. */
function inflateSymbols(codes: Codes, bits: Bits, output: Output): boolean {
  const { lengths, distances } = tables();
  while (!output.isFull && !bits.isLow(SYMBOL_BYTES)) {
    const symbol = bits.symbol(codes.literals);
    if (symbol === END_OF_BLOCK) return true;
    if (symbol < END_OF_BLOCK) output.put(symbol);
    else {
      const length = bits.value(lengths, symbol - END_OF_BLOCK - 1);
      output.copy(bits.value(distances, bits.symbol(codes.distances)), length);
    }
  }
  return false;
}

/** By the bits that come next: the symbol, and in the lowest four bits how many of them are its code; 0 for what is none. */
function codesOf(lengths: readonly number[]): Uint16Array {
  const table = new Uint16Array(1 << CODE_BITS);
  let [code, used] = [0, 0];
  for (let length = 1; length <= CODE_BITS; length++, code <<= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      if ((used += table.length >> length) > table.length) damaged('too many codes');
      // A code comes with its highest bit first.
      let at = 0;
      for (let bit = 0; bit < length; bit++) at |= ((code >> bit) & 1) << (length - 1 - bit);
      for (; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
      code++;
    }
  }
  // One may be alone, or there are none.
  if (used < table.length && Math.max(...lengths) > 1) damaged('too few codes');
  return table;
}

function readCodes(bits: Bits): Codes {
  const [literals, distances, count] = [bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4];
  const own = new Array<number>(LENGTH_ORDER.length).fill(0);
  for (const place of LENGTH_ORDER.slice(0, count)) own[place] = bits.take(3);
  const codes = codesOf(own);
  const lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const symbol = bits.symbol(codes);
    const times =
      symbol < 16 ? 1 : symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    const length = symbol < 16 ? symbol : symbol === 16 ? (lengths.at(-1) ?? damaged('nothing to repeat')) : 0;
    for (let i = 0; i < times; i++) lengths.push(length);
  }
  if (lengths.length > literals + distances || lengths[END_OF_BLOCK] === 0) damaged('the codes of a block');
  return { literals: codesOf(lengths.slice(0, literals)), distances: codesOf(lengths.slice(literals)) };
}

/** The bits of bytes that come in pieces, the lowest first. */
class Bits {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #isOver = false;
  #held = 0;
  #count = 0;

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#pieces = input[Symbol.asyncIterator]();
  }

  /** Whether there are fewer bytes, and more may come. */
  isLow(count: number): boolean {
    return this.#bytes.length - this.#at < count && !this.#isOver;
  }

  /** Waits for so many bytes, or for the end. */
  async fill(count: number): Promise<void> {
    while (this.isLow(count)) {
      const next = await this.#pieces.next();
      if (next.done === true) this.#isOver = true;
      else {
        // Of held bytes, align() may go back to some.
        const held = this.#count >> 3;
        [this.#bytes, this.#at] = [joinBytes([this.#bytes.subarray(this.#at - held), next.value]), held];
      }
    }
  }

  /** The next bits, at most 16, without those beyond the end. */
  peek(count: number): number {
    for (; this.#count < count && this.#at < this.#bytes.length; this.#count += 8)
      this.#held |= this.#bytes[this.#at++]! << this.#count;
    return this.#held & ((1 << count) - 1);
  }

  take(count: number): number {
    const bits = this.peek(count);
    this.#skip(count);
    return bits;
  }

  symbol(codes: Uint16Array): number {
    const found = codes[this.peek(CODE_BITS)]!;
    if (found === 0) damaged('no such code');
    this.#skip(found & 15);
    return found >> 4;
  }

  value(values: Values, symbol: number): number {
    const { least, bits } = values[symbol] ?? damaged('no such symbol');
    return least + this.take(bits);
  }

  async byte(): Promise<number> {
    await this.fill(1);
    return this.take(8);
  }

  /** Goes on at a whole byte. */
  align(): void {
    this.#at -= this.#count >> 3;
    [this.#held, this.#count] = [0, 0];
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  #skip(count: number): void {
    if (count > this.#count) throw new Error('the gzip data end early');
    this.#held >>>= count;
    this.#count -= count;
  }
}

/** What was inflated and not given yet, behind what may be copied. */
class Output {
  /** Bytes of this member. */
  length = 0;
  readonly #bytes = new Uint8Array(WINDOW_BYTES + PIECE_BYTES + LONGEST_COPY);
  #at: number = WINDOW_BYTES;
  #sum = -1;

  get isFull(): boolean {
    return this.#at >= WINDOW_BYTES + PIECE_BYTES;
  }

  /** CRC-32 of what was taken of this member. */
  get sum(): number {
    return ~this.#sum;
  }

  begin(): void {
    [this.length, this.#sum] = [0, -1];
  }

  put(byte: number): void {
    this.#bytes[this.#at++] = byte;
    this.length++;
  }

  copy(distance: number, length: number): void {
    if (distance > this.length) damaged('a copy of nothing');
    const bytes = this.#bytes;
    for (const end = this.#at + length; this.#at < end; this.#at++) bytes[this.#at] = bytes[this.#at - distance]!;
    this.length += length;
  }

  take(): Uint8Array {
    const piece = this.#bytes.slice(WINDOW_BYTES, this.#at);
    this.#sum = summed(piece, this.#sum);
    this.#bytes.copyWithin(0, this.#at - WINDOW_BYTES, this.#at);
    this.#at = WINDOW_BYTES;
    return piece;
  }
}

/** CRC-32 with some bytes more. */
function summed(bytes: Uint8Array, before: number): number {
  const { sums } = tables();
  let sum = before;
  for (let i = 0; i < bytes.length; i++) sum = sums[(sum ^ bytes[i]!) & 0xff]! ^ (sum >>> 8);
  return sum;
}
