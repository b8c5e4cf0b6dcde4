import { constants, createGunzip, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import { inflateGzip } from '../../../../src/sources/archive/files/inflate-gzip.js';
import { Random } from '../../../support/random.js';

/** What comes of gzip data that come in pieces, and what is wrong with them. */
async function inflate(data: Uint8Array, pieceBytes = 20_000) {
  const pieces: Uint8Array[] = [];
  async function* input() {
    for (let at = 0; at < data.length; at += pieceBytes)
      yield await Promise.resolve(data.subarray(at, at + pieceBytes));
  }
  try {
    for await (const piece of inflateGzip(input())) pieces.push(piece);
    return { bytes: Buffer.concat(pieces), error: undefined };
  } catch (error) {
    return { bytes: Buffer.concat(pieces), error: (error as Error).message };
  }
}

const random = new Random(1);
const words = Array.from({ length: 16_000 }, () => `${Math.floor(random.between(0, 300)) ** 2} `).join('');
const PLAIN: Readonly<Record<string, Buffer>> = {
  nothing: Buffer.alloc(0),
  'a byte': Buffer.from('a'),
  words: Buffer.from(words),
  noise: Buffer.from(Array.from({ length: 50_000 }, () => Math.floor(random.between(0, 256)))),
  zeros: Buffer.alloc(100_000),
  'what repeats from far': Buffer.concat([Buffer.from(words), Buffer.alloc(5000, 'ab'), Buffer.from(words)]),
};
const HOW = {
  stored: { level: 0 },
  fast: { level: 1 },
  best: { level: 9, memLevel: 9 },
  'small blocks': { memLevel: 1 },
  'one kind of codes': { strategy: constants.Z_FIXED },
  'no copies': { strategy: constants.Z_HUFFMAN_ONLY },
  'near copies': { strategy: constants.Z_RLE },
} as const;

describe('inflateGzip', () => {
  it.each(
    Object.entries(PLAIN).flatMap(([what, plain]) =>
      Object.entries(HOW).map(([how, o]) => [what, how, plain, o] as const),
    ),
  )('inflates %s, %s, whatever the pieces', async (_what, _how, plain, options) => {
    const packed = gzipSync(plain, options);
    for (const pieceBytes of [777, 100_000]) {
      const { bytes, error } = await inflate(packed, pieceBytes);
      expect(error).toBeUndefined();
      expect(bytes.equals(plain)).toBe(true);
    }
  });

  it('goes on with further members, and leaves out what is none', async () => {
    const members = Buffer.concat([gzipSync('a'), gzipSync(''), gzipSync('bc'), Buffer.alloc(100)]);
    expect(await inflate(members, 3)).toEqual({ bytes: Buffer.from('abc'), error: undefined });
    for (const rest of ['x', '\u001f', 'something else'])
      expect(await inflate(Buffer.concat([gzipSync('a'), Buffer.from(rest)]))).toEqual({
        bytes: Buffer.from('a'),
        error: undefined,
      });
  });

  it('skips all that a header may have', async () => {
    const head = [
      0x1f,
      0x8b,
      8,
      2 | 4 | 8 | 16,
      1,
      2,
      3,
      4,
      0,
      3,
      3,
      0,
      9,
      9,
      9,
      ...Buffer.from('name\0comment\0'),
      7,
      7,
    ];
    const trailer = gzipSync('text').subarray(-8);
    const packed = Buffer.concat([Buffer.from(head), deflateRawSync('text'), trailer]);
    for (const pieceBytes of [1, 1000]) expect((await inflate(packed, pieceBytes)).bytes.toString()).toBe('text');
  });

  it('gives up where a header has no end', async () => {
    const head = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
    const { bytes, error } = await inflate(Buffer.concat([head, Buffer.alloc(3_000_000, 'n')]));
    expect([bytes.length, error]).toEqual([0, 'damaged gzip data: a header']);
  });

  it('gives all that lies before the end of what was cut off', async () => {
    const plain = PLAIN['words']!;
    const packed = gzipSync(plain);
    let before = 0;
    for (let length = 0; length < packed.length; length += 997) {
      const { bytes, error } = await inflate(packed.subarray(0, length));
      expect(error).toBeDefined();
      expect(plain.subarray(0, bytes.length).equals(bytes)).toBe(true);
      const expected =
        length < 10 ? 0 : gunzipSync(packed.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH }).length;
      expect(bytes.length).toBe(expected);
      before = bytes.length;
    }
    expect(before).toBeGreaterThan(plain.length - 10_000);
  });

  it('gives what lies before damage, and finds it where the bytes are others', async () => {
    const wrong = { found: 0, sums: 0 };
    for (let i = 0; i < 150; i++) {
      const [plain, options] = [random.pick(Object.values(PLAIN)), random.pick(Object.values(HOW))];
      const packed = gzipSync(plain, options);
      packed[Math.floor(random.between(10, packed.length))]! ^= 1 << Math.floor(random.between(0, 8));
      const theirs: Buffer[] = [];
      const failure = await new Promise<Error | undefined>((resolve) => {
        const gunzip = createGunzip().on('data', (chunk: Buffer) => theirs.push(chunk));
        gunzip
          .on('error', resolve)
          .on('end', () => resolve(undefined))
          .end(packed);
      });
      const { bytes, error } = await inflate(packed);
      const known = Buffer.concat(theirs);
      // All may be there, though zlib expects more behind it.
      if (error === undefined) expect(bytes.equals(plain)).toBe(true);
      else expect(failure).toBeDefined();
      const common = Math.min(known.length, bytes.length);
      expect(bytes.subarray(0, common).equals(known.subarray(0, common))).toBe(true);
      wrong.found += error === undefined ? 0 : 1;
      wrong.sums += error?.includes('check sums') === true ? 1 : 0;
    }
    expect(wrong.found).toBeGreaterThan(120);
    expect(wrong.sums).toBeGreaterThan(10);
  });

  it('ends its input when it is left early', async () => {
    let isEnded = false;
    async function* input() {
      try {
        for (;;) yield await Promise.resolve(gzipSync(PLAIN['zeros']!));
      } finally {
        isEnded = true;
      }
    }
    for await (const piece of inflateGzip(input())) if (piece.length > 0) break;
    expect(isEnded).toBe(true);
  });
});
