import { crc32 } from 'node:zlib';
import { inflateXz, xzDictionaryGuard, zstdWindowGuard } from '../../../../src/sources/archive/files/decoder-guards.js';
import fc from '../../../support/properties.js';

/** What a file is made of: blocks of stored chunks, each with the dictionary's size as coded. */
interface Block {
  readonly dictionary: number;
  readonly chunks: readonly Uint8Array[];
  /** Whether the header says how long the block is. */
  readonly sized: boolean;
}

const CHECK_NONE = 0;
const DICTIONARY_64_MIB = 28;

function checked(bytes: Buffer): Buffer {
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(crc32(bytes));
  return Buffer.concat([bytes, crc]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

function integer(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}

function xzFile(blocks: readonly Block[]): Buffer {
  const records: Buffer[] = [];
  const parts = blocks.map(({ dictionary, chunks, sized }) => {
    const data = chunks.map((chunk, i) => {
      const head = Buffer.from([i === 0 ? 1 : 2, 0, 0]);
      head.writeUInt16BE(chunk.length - 1, 1);
      return Buffer.concat([head, chunk]);
    });
    const packed = Buffer.concat([...data, Buffer.of(0)]);
    const plain = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const sizes = sized ? [integer(packed.length), integer(plain)] : [];
    const fields = Buffer.concat([Buffer.of(0, sized ? 0xc0 : 0), ...sizes, Buffer.of(0x21, 1, dictionary)]);
    const header = padded(fields);
    header[0] = header.length / 4;
    records.push(integer(header.length + 4 + packed.length), integer(plain));
    return Buffer.concat([checked(header), padded(packed)]);
  });
  const index = checked(padded(Buffer.concat([Buffer.of(0), integer(blocks.length), ...records])));
  const flags = Buffer.of(0, CHECK_NONE);
  const backward = Buffer.alloc(4);
  backward.writeUInt32LE(index.length / 4 - 1);
  const tail = Buffer.concat([backward, flags]);
  const footer = Buffer.concat([checked(tail).subarray(-4), tail, Buffer.from('YZ')]);
  const head = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]);
  return Buffer.concat([head, checked(flags), ...parts, index, footer]);
}

async function inflate(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const input = async function* (): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield await Promise.resolve(piece);
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of inflateXz(input())) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

const TEXT = Buffer.from('some text');
const small = (dictionary: number): Block => ({ dictionary, chunks: [TEXT], sized: false });

test('what needs no large dictionary is inflated', async () => {
  expect(await inflate([xzFile([small(0), { ...small(18), sized: true }])])).toEqual(Buffer.concat([TEXT, TEXT]));
});

test('a dictionary as large as xz makes them is allowed, and no larger one', () => {
  xzDictionaryGuard().check(xzFile([small(DICTIONARY_64_MIB)]));
  expect(() => {
    xzDictionaryGuard().check(xzFile([small(DICTIONARY_64_MIB + 1)]));
  }).toThrow('it needs a dictionary of 100663296 bytes, and 67108864 are allowed');
});

test('the decoder never sees a block with too large a dictionary', async () => {
  await expect(inflate([xzFile([small(0), small(40)])])).rejects.toThrow('it needs a dictionary of 4294967295 bytes');
});

test('a large dictionary is found behind any blocks, in the next stream, and in pieces of any size', () => {
  const chunk = fc.uint8Array({ minLength: 1, maxLength: 40 });
  const block = fc.record({
    dictionary: fc.integer({ min: 0, max: DICTIONARY_64_MIB }),
    chunks: fc.array(chunk, { maxLength: 4 }),
    sized: fc.boolean(),
  });
  const file = fc.array(block, { maxLength: 4 });
  fc.assert(
    fc.property(file, file, fc.integer({ min: 1, max: 50 }), (first, second, pieceBytes) => {
      const check = (bytes: Buffer): void => {
        const guard = xzDictionaryGuard();
        for (let at = 0; at < bytes.length; at += pieceBytes) guard.check(bytes.subarray(at, at + pieceBytes));
      };
      check(Buffer.concat([xzFile(first), xzFile(second)]));
      const large = xzFile([...second, small(DICTIONARY_64_MIB + 1)]);
      expect(() => {
        check(Buffer.concat([xzFile(first), large]));
      }).toThrow('dictionary');
    }),
  );
});

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const RAW_LAST = (data: readonly number[]): number[] => [(data.length << 3) | 1, 0, 0, ...data];
const RLE = [(100 << 3) | 2, 3, 0, 65];
const WINDOW_1K = 0;
const WINDOW_2G = 21 << 3;

/** A frame with a window, a run and a raw block, and a checksum. */
const frame = (window: number): number[] => [...MAGIC, 0x04, window, ...RLE, ...RAW_LAST([1, 2, 3]), 9, 9, 9, 9];
/** A frame of one segment whose content has so many bytes, it says. */
const segment = (size: number): number[] => {
  const field = Buffer.alloc(4);
  field.writeUInt32LE(size);
  return [...MAGIC, 0xa0, ...field, ...RAW_LAST([1])];
};
const skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, ...MAGIC.slice(0, 3)];

function check(bytes: readonly number[], pieceBytes: number): void {
  const guard = zstdWindowGuard();
  for (let at = 0; at < bytes.length; at += pieceBytes) guard.check(Uint8Array.from(bytes.slice(at, at + pieceBytes)));
}

describe('ZstdWindowGuard', () => {
  const small = [...frame(WINDOW_1K), ...skippable, ...segment(1000), ...frame(WINDOW_1K)];

  it('lets frames with small windows pass, however they are cut', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: small.length }), (n) => check(small, n)));
  });

  it('finds a window that is too large in any frame, however it is cut', () => {
    for (const large of [frame(WINDOW_2G), segment(0x7fffffff)]) {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: small.length }), (n) => {
          expect(() => check(large, n)).toThrow(/needs a window of \d+ bytes/);
          expect(() => check([...small, ...large], n)).toThrow(/needs a window of \d+ bytes/);
        }),
      );
    }
  });

  it('leaves it to the decoder to say that data make no sense', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => check([1, ...bytes], 7)));
  });
});
