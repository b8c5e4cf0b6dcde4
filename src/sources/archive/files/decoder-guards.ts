import { Decompress as ZstdDecompress } from 'fzstd';
import bitReader from 'unbzip2-stream/lib/bit_iterator.js';
import bzip2 from 'unbzip2-stream/lib/bzip2.js';
import xzDecompress from 'xz-decompress';
import { eachOf, grown, streamOf } from '../../../kit/index.js';
import type { Compression } from './archive-files.js';
import { inflateGzip } from './inflate-gzip.js';

type Wanted = { readonly read: number } | { readonly skip: number };

/** Yields what it wants next and receives the bytes to read. Throws an Error for what is too much. */
type Walk = Generator<Wanted, void, readonly number[]>;

/** Checks compressed data on their way to a decoder that would allocate whatever they ask for. */
class StreamGuard {
  readonly #walk: Walk;
  #wanted: Wanted | undefined;
  #left = 0;
  #bytes: number[] = [];

  constructor(walk: Walk) {
    this.#walk = walk;
    this.#advance(this.#walk.next());
  }

  check(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#wanted;) {
      const taken = Math.min(this.#left, chunk.length - at);
      if ('read' in this.#wanted) this.#bytes.push(...chunk.subarray(at, at + taken));
      at += taken;
      this.#left -= taken;
      if (this.#left === 0) this.#goOn();
    }
  }

  #goOn(): void {
    do this.#advance(this.#walk.next(this.#bytes.splice(0)));
    while (this.#wanted && this.#left === 0);
  }

  #advance(step: IteratorResult<Wanted, void>): void {
    this.#wanted = step.done === true ? undefined : step.value;
    this.#left = this.#wanted ? ('read' in this.#wanted ? this.#wanted.read : this.#wanted.skip) : 0;
  }
}

/** Little-endian. */
function numberOf(bytes: readonly number[]): number {
  return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

/** Dictionaries up to that of `xz -9` are decoded. */
const MAX_DICTIONARY_BYTES = 64 * 1024 * 1024;

const STREAM_MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] as const;
const CHECK_BYTES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64] as const;
const CRC_BYTES = 4;
const FOOTER_BYTES = 12;
const LZMA2 = 0x21;
const LARGEST_DICTIONARY = 40;
const HAS_COMPRESSED_SIZE = 0x40;
const HAS_UNCOMPRESSED_SIZE = 0x80;
const MAX_INTEGER_BYTES = 9;

/** Limits the dictionary that a block's header may make the decoder allocate (up to 4 GiB). @see The .xz File Format 1.2.1, 2–5 */
export const xzDictionaryGuard = (): StreamGuard => new StreamGuard(walkStreams());

/** Inflate xz data in this process. Throws an Error for data that are damaged, or need too large a dictionary. */
export async function* inflateXz(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* eachOf(new xzDecompress.XzReadableStream(streamOf(guarded(input))) as ReadableStream<Uint8Array>);
  } catch (error) {
    const words = (error as Error).message.replace(/^get_next.*/, 'malformed xz data');
    throw new Error(words, { cause: error });
  }
}

async function* guarded(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const guard = xzDictionaryGuard();
  for await (const chunk of input) {
    guard.check(chunk);
    yield chunk;
  }
  // The decoder goes on with what came last, even if nothing did.
  yield new Uint8Array(0);
}

/** Ends where no further stream begins. Invalid data are left to the decoder, which throws. */
function* walkStreams(): Walk {
  for (;;) {
    const magic = yield { read: STREAM_MAGIC.length };
    if (!STREAM_MAGIC.every((byte, i) => byte === magic[i])) return;
    const flags = yield { read: 2 };
    yield { skip: CRC_BYTES };
    const checkBytes = CHECK_BYTES[flags[1]! & 0x0f]!;
    for (let size = yield* byte(); size !== 0; size = yield* byte()) {
      checkBlockHeader(yield { read: 4 * (size + 1) - 1 });
      const packedBytes = yield* walkChunks();
      yield { skip: paddingBehind(packedBytes) + checkBytes };
    }
    yield* walkIndex();
    yield { skip: FOOTER_BYTES };
  }
}

/** @param header a block's header behind its first byte, with its CRC */
function checkBlockHeader(header: readonly number[]): void {
  const fields = header.values();
  const flags = fields.next().value ?? 0;
  if ((flags & HAS_COMPRESSED_SIZE) !== 0) integerOf(fields);
  if ((flags & HAS_UNCOMPRESSED_SIZE) !== 0) integerOf(fields);
  for (let filters = (flags & 3) + 1; filters > 0; filters--) {
    const id = integerOf(fields);
    const length = integerOf(fields);
    const properties: number[] = [];
    while (properties.length < length) properties.push(fields.next().value ?? malformed('block header'));
    if (id === LZMA2) checkDictionary(properties[0] ?? malformed('block header'));
  }
}

function checkDictionary(coded: number): void {
  const needed = coded >= LARGEST_DICTIONARY ? 2 ** 32 - 1 : (2 + (coded & 1)) * 2 ** ((coded >> 1) + 11);
  if (needed > MAX_DICTIONARY_BYTES) {
    throw new Error(`it needs a dictionary of ${needed} bytes, and ${MAX_DICTIONARY_BYTES} are allowed`);
  }
}

/** Walks the LZMA2 chunks of a block; returns their bytes. */
function* walkChunks(): Generator<{ readonly read: number } | { readonly skip: number }, number, readonly number[]> {
  let bytes = 1;
  for (let control = yield* byte(); control !== 0; control = yield* byte()) {
    const isPacked = control >= 0x80;
    if (!isPacked && control > 2) malformed('LZMA2 chunk');
    const sizes = yield { read: isPacked ? 4 : 2 };
    const [high, low] = sizes.slice(-2) as [number, number];
    const length = high * 256 + low + 1 + (control >= 0xc0 ? 1 : 0);
    yield { skip: length };
    bytes += 1 + sizes.length + length;
  }
  return bytes;
}

/** The index behind the blocks, whose first byte was read. */
function* walkIndex(): Walk {
  let bytes = 1;
  const integer = function* (): Generator<{ readonly read: number }, number, readonly number[]> {
    const coded: number[] = [];
    do {
      coded.push(yield* byte());
      bytes++;
    } while (coded.at(-1)! >= 0x80 && coded.length < MAX_INTEGER_BYTES);
    return integerOf(coded.values());
  };
  for (let left = 2 * (yield* integer()); left > 0; left--) yield* integer();
  yield { skip: paddingBehind(bytes) + CRC_BYTES };
}

function* byte(): Generator<{ readonly read: number }, number, readonly number[]> {
  return numberOf(yield { read: 1 });
}

function paddingBehind(bytes: number): number {
  return (4 - (bytes % 4)) % 4;
}

/** The next integer, seven bits a byte, least significant first. */
function integerOf(bytes: Iterator<number>): number {
  let value = 0;
  for (let i = 0; i < MAX_INTEGER_BYTES; i++) {
    const next = bytes.next();
    if (next.done === true) break;
    value += (next.value & 0x7f) * 2 ** (7 * i);
    if (next.value < 0x80) return value;
  }
  return malformed('integer');
}

function malformed(what: string): never {
  throw new Error(`malformed xz data: ${what}`);
}

/** Windows up to that of `zstd --ultra -20` are decoded. */
const MAX_WINDOW_BYTES = 32 * 1024 * 1024;

const FRAME_MAGIC = 0xfd2fb528;
/** The lowest four bits are free. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CHECKSUM_BYTES = 4;
const RESERVED_BLOCK = 3;
const RLE_BLOCK = 1;

/** Limits the window that a frame may make the decoder allocate (up to 2 GiB, in a file of a few bytes). @see RFC 8878, section 3.1.1 */
export const zstdWindowGuard = (): StreamGuard => new StreamGuard(walkFrames());

/** Ends where the data no longer make sense: the decoder will report it. */
function* walkFrames(): Walk {
  for (;;) {
    const magic = numberOf(yield { read: 4 });
    if (magic >= SKIPPABLE_MAGIC && magic < SKIPPABLE_MAGIC + 16) {
      yield { skip: numberOf(yield { read: 4 }) };
      continue;
    }
    if (magic !== FRAME_MAGIC) return;
    const descriptor = numberOf(yield { read: 1 });
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const sizeBytes = descriptor >> 6 === 0 ? Number(isSingleSegment) : 1 << (descriptor >> 6);
    const window = isSingleSegment ? 0 : windowBytes(numberOf(yield { read: 1 }));
    yield { skip: DICTIONARY_ID_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3] };
    const content = numberOf(yield { read: sizeBytes }) + (sizeBytes === 2 ? 256 : 0);
    const needed = isSingleSegment ? content : window;
    if (needed > MAX_WINDOW_BYTES) {
      throw new Error(`it needs a window of ${needed} bytes, and ${MAX_WINDOW_BYTES} are allowed`);
    }
    for (let isLast = false; !isLast;) {
      const block = numberOf(yield { read: 3 });
      const type = (block >> 1) & 3;
      if (type === RESERVED_BLOCK) return;
      isLast = (block & 1) === 1;
      yield { skip: type === RLE_BLOCK ? 1 : block >> 3 };
    }
    if ((descriptor & 4) !== 0) yield { skip: CHECKSUM_BYTES };
  }
}

function windowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** Input per step of the zstd decoder, which is synchronous: four bytes may stand for a block of 128 KiB. */
const ZSTD_PUSH_BYTES = 512;

/** Inflate zstd data in this process. Throws an Error for data that are damaged, or need too large a window. */
async function* inflateZstd(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const inflater = new ZstdDecompress((chunk) => {
    if (chunk.length > 0) ready.push(chunk.slice());
  });
  const guard = zstdWindowGuard();
  for await (const chunk of input) {
    guard.check(chunk);
    for (let at = 0; at < chunk.length; at += ZSTD_PUSH_BYTES) {
      inflater.push(chunk.subarray(at, at + ZSTD_PUSH_BYTES));
      yield* ready.splice(0);
    }
  }
  inflater.push(new Uint8Array(0), true);
  yield* ready.splice(0);
}

/** Output of one bzip2 block, while all else waits: 45 bytes may stand for 46 MB. */
const BURST_BYTES = 32 * 1024 * 1024;
/** A block's compressed bytes at most: so many for each hundred thousand of its level, and some. */
const LEVEL_BYTES = 100_000;
const BLOCK_HEAD_BYTES = 25_000;

/** Inflate bzip2 data in this process, block by block. Throws an Error for data that are damaged, or unfold too far. */
async function* inflateBzip2(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [new Uint8Array(0)];
  let arrived = 0;
  const read = bitReader(() => {
    const chunk = chunks.shift();
    if (!chunk) throw new Error('the bzip2 data end early');
    return chunk;
  });
  let block = new Int32Array(0);
  /** The check sum of the blocks so far; null between streams. */
  let sum = null as number | null;
  const advance = (): Uint8Array => {
    let bytes = new Uint8Array(block.length);
    let length = 0;
    const take = (byte: number): void => {
      if (length === BURST_BYTES) throw new Error(`more than ${BURST_BYTES} bytes at once`);
      if (length === bytes.length) bytes = grown(bytes, Math.min(2 * length, BURST_BYTES));
      bytes[length++] = byte;
    };
    if (sum === null) {
      block = new Int32Array(LEVEL_BYTES * bzip2.header(read));
      sum = 0;
    } else sum = bzip2.decompress(read, take, block, block.length, sum);
    return bytes.subarray(0, length);
  };
  for await (const chunk of input) {
    if (chunk.length === 0) continue;
    chunks.push(chunk);
    arrived += chunk.length;
    while (arrived - read.bytesRead > block.length + BLOCK_HEAD_BYTES) yield advance();
  }
  while (arrived > read.bytesRead) yield advance();
  if (sum !== null) throw new Error('the bzip2 data end early');
}

/** Inflates in this process. */
export const DECODERS: Readonly<
  Partial<Record<Compression, (input: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>>>
> = { gzip: inflateGzip, xz: inflateXz, zstd: inflateZstd, bzip2: inflateBzip2 };
