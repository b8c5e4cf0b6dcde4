import { createHash } from 'node:crypto';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { getOrMake } from '../../kit/index.js';

/** A content coding for bodies. @see RFC 9110, 8.4.1 */
export type Coding = 'br' | 'gzip' | 'zstd';

/** Smaller bodies fit in one packet anyway. */
export const COMPRESSED_FROM_BYTES = 1400;
/** Larger bodies are compressed in the thread pool; smaller ones take less than 0.1 ms, which is also the cost of using the pool. */
const AT_ONCE_BYTES = 65_536;

type Options = zlib.ZlibOptions & zlib.BrotliOptions;
type Coder = readonly [
  inPool: (bytes: Uint8Array, options: Options, done: (error: Error | null, coded: Buffer) => void) => void,
  atOnce: (bytes: Uint8Array, options: Options) => Buffer,
  inPieces: (options: Options) => Transform & Pick<zlib.Gzip, 'flush'>,
];

/** From Node 22.15 on; the types are those of Node 20. */
const { zstdCompress, zstdCompressSync, createZstdCompress } = zlib as Partial<{
  zstdCompress: Coder[0];
  zstdCompressSync: Coder[1];
  createZstdCompress: Coder[2];
}>;

/** In order of preference among equals: at these levels brotli is smaller and, for large bodies, twice as fast as gzip. */
export const CODINGS: readonly Coding[] = zstdCompress ? ['br', 'gzip', 'zstd'] : ['br', 'gzip'];

const CODERS: Readonly<Record<Coding, Coder>> = {
  br: [zlib.brotliCompress, zlib.brotliCompressSync, zlib.createBrotliCompress],
  gzip: [zlib.gzip, zlib.gzipSync, zlib.createGzip],
  zstd: [zstdCompress!, zstdCompressSync!, createZstdCompress!],
};

const { BROTLI_PARAM_QUALITY } = zlib.constants;
/** ZSTD_c_compressionLevel. */
const ZSTD_LEVEL = 100;
const levelOf = (level: number): Readonly<Record<Coding, Options>> => ({
  gzip: { level },
  br: { params: { [BROTLI_PARAM_QUALITY]: level } },
  zstd: { params: { [ZSTD_LEVEL]: level } },
});
const QUICK = levelOf(1);
/** For bodies that are compressed once and sent many times. */
const THOROUGH = levelOf(9);

async function compressAside(bytes: Uint8Array, coding: Coding, level: typeof QUICK): Promise<Uint8Array> {
  return await promisify(CODERS[coding][0])(bytes, level[coding]);
}

/** Compresses a body quickly: small ones at once, large ones in the thread pool. */
export function compress(bytes: Uint8Array, coding: Coding): Uint8Array | Promise<Uint8Array> {
  if (bytes.byteLength > AT_ONCE_BYTES) return compressAside(bytes, coding, QUICK);
  return CODERS[coding][1](bytes, QUICK[coding]);
}

const kept: Readonly<Record<Coding, WeakMap<Uint8Array, Promise<Uint8Array>>>> = {
  gzip: new WeakMap(),
  br: new WeakMap(),
  zstd: new WeakMap(),
};

/** Makes {@link compressOnce} return an existing compressed body. */
export function keepCompressed(bytes: Uint8Array, coding: Coding, compressed: Uint8Array): void {
  kept[coding].set(bytes, Promise.resolve(compressed));
}

/** Compresses an unchanging body thoroughly and once; cached for as long as the body exists. */
export function compressOnce(bytes: Uint8Array, coding: Coding): Promise<Uint8Array> {
  return getOrMake(kept[coding], bytes, () => compressAside(bytes, coding, THOROUGH));
}

/** Compresses a body that is made piece by piece: the client can read each piece at once. Close it in the end. */
export class StreamCoder {
  readonly #stream: ReturnType<Coder[2]>;
  #made: Uint8Array[] = [];

  constructor(coding: Coding) {
    this.#stream = CODERS[coding][2](QUICK[coding]);
    this.#stream.on('data', (chunk: Uint8Array) => this.#made.push(chunk));
  }

  async push(bytes: Uint8Array): Promise<Uint8Array> {
    this.#stream.write(bytes);
    await new Promise<void>((resolve) => this.#stream.flush(() => resolve()));
    return this.#take();
  }

  async finish(): Promise<Uint8Array> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.once('end', resolve).once('error', reject);
      this.#stream.end();
    });
    return this.#take();
  }

  close(): void {
    this.#stream.destroy();
  }

  #take(): Uint8Array {
    const made = this.#made;
    this.#made = [];
    return made.length === 1 ? made[0]! : Buffer.concat(made);
  }
}

const keptTags = new WeakMap<Uint8Array, string>();

/** The hash of a body's bytes. Hashes of binary bodies, which do not change, are cached. */
export function contentHash(body: string | Uint8Array): string {
  return typeof body === 'string' ? hash(body) : getOrMake(keptTags, body, () => hash(body));
}

function hash(body: string | Uint8Array): string {
  return createHash('sha1').update(body).digest('base64url');
}

/** The size and hash of a body in pieces, before it is sent. */
export interface Digest {
  /** As {@link contentHash} of the whole. */
  readonly hash: string;
  readonly sizeBytes: number;
}

/** Goes through a body in pieces; undefined if the client leaves meanwhile. */
export async function digestOf(
  pieces: AsyncIterable<string | Uint8Array>,
  isUnwanted: () => boolean,
): Promise<Digest | undefined> {
  const sha = createHash('sha1');
  let sizeBytes = 0;
  for await (const piece of pieces) {
    if (isUnwanted()) return undefined;
    sha.update(piece);
    sizeBytes += Buffer.byteLength(piece);
  }
  return { hash: sha.digest('base64url'), sizeBytes };
}

/** A strong entity tag: different bytes, even by another coding, have different tags. @see RFC 9110, 8.8.3 */
export function entityTag(hash: string, coding: Coding | undefined): string {
  return coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`;
}

/** The tag in an `If-None-Match` header for a body with this hash, in any coding. `*` matches any. @see RFC 9110, 13.1.2 */
export function matchingTag(ifNoneMatch: string, hash: string): string | undefined {
  if (ifNoneMatch.trim() === '*') return entityTag(hash, undefined);
  for (const [, tag] of ifNoneMatch.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) {
    if ([undefined, ...CODINGS].some((coding) => tag === entityTag(hash, coding))) return tag;
  }
  return undefined;
}
