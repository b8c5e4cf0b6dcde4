import { Readable } from 'node:stream';
import xzDecompress from 'xz-decompress';
import { numberOf, StreamGuard } from './stream-guard.js';
import type { Walk } from './stream-guard.js';

/** A dictionary that a decoder must be able to hold: that of `xz -9`. */
const MAX_DICTIONARY_BYTES = 64 * 1024 * 1024;

const STREAM_MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] as const;
/** Bytes of a block's check, by its kind. */
const CHECK_BYTES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64] as const;
const CRC_BYTES = 4;
const FOOTER_BYTES = 12;
const LZMA2 = 0x21;
const LARGEST_DICTIONARY = 40;
const HAS_COMPRESSED_SIZE = 0x40;
const HAS_UNCOMPRESSED_SIZE = 0x80;
/** Multibyte integers have no more bytes. */
const MAX_INTEGER_BYTES = 9;

/**
 * Looks at xz data on their way to a decoder that allocates the dictionary which a block's header names: up to four gigabytes.
 * @see The .xz File Format 1.2.1, sections 2 to 5
 */
export class XzDictionaryGuard extends StreamGuard {
  constructor() {
    super(walkStreams());
  }
}

/** Inflate xz data in this process. Throws an Error for data that are damaged, or need too large a dictionary. */
export function inflateXz(input: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const checked = Readable.from(guarded(input), { objectMode: false });
  const stream = Readable.toWeb(checked) as ReadableStream<Uint8Array>;
  return new xzDecompress.XzReadableStream(stream) as AsyncIterable<Uint8Array>;
}

async function* guarded(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const guard = new XzDictionaryGuard();
  for await (const chunk of input) {
    guard.check(chunk);
    yield chunk;
  }
}

/** Ends where no further stream begins. What the decoder cannot make sense of either throws. */
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

/** The LZMA2 chunks of a block; how many bytes they take. */
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

/** Fields are filled up to a multiple of four bytes. */
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
