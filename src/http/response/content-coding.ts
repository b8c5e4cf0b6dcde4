import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** A content coding for bodies. @see RFC 9110, 8.4.1 */
export type Coding = 'br' | 'gzip';

/** Smaller bodies fit in one packet anyway. */
export const COMPRESSED_FROM_BYTES = 1400;
/** Larger bodies are compressed in the thread pool; smaller ones take less than 0.1 ms, which is also the cost of using the pool. */
const AT_ONCE_BYTES = 65_536;

const QUICK = { gzip: { level: 1 }, br: { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } } };
/** For bodies that are compressed once and sent many times. */
const THOROUGH = { gzip: { level: 9 }, br: { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } } };

const gzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);

/** Compresses in the thread pool. */
async function compressAside(bytes: Uint8Array, coding: Coding, level: typeof QUICK): Promise<Uint8Array> {
  return coding === 'gzip' ? await gzip(bytes, level.gzip) : await brotli(bytes, level.br);
}

/** Compresses a body quickly: small ones at once, large ones in the thread pool. */
export function compress(bytes: Uint8Array, coding: Coding): Uint8Array | Promise<Uint8Array> {
  if (bytes.byteLength > AT_ONCE_BYTES) return compressAside(bytes, coding, QUICK);
  return coding === 'gzip' ? zlib.gzipSync(bytes, QUICK.gzip) : zlib.brotliCompressSync(bytes, QUICK.br);
}

const kept = {
  gzip: new WeakMap<Uint8Array, Promise<Uint8Array>>(),
  br: new WeakMap<Uint8Array, Promise<Uint8Array>>(),
};

/** Makes {@link compressOnce} return an existing compressed body. */
export function keepCompressed(bytes: Uint8Array, coding: Coding, compressed: Uint8Array): void {
  kept[coding].set(bytes, Promise.resolve(compressed));
}

/** Compresses an unchanging body thoroughly and once; cached for as long as the body exists. */
export function compressOnce(bytes: Uint8Array, coding: Coding): Promise<Uint8Array> {
  let compressed = kept[coding].get(bytes);
  if (!compressed) {
    compressed = compressAside(bytes, coding, THOROUGH);
    kept[coding].set(bytes, compressed);
  }
  return compressed;
}

/** Compresses a body that is made piece by piece: the client can read each piece at once. Close it in the end. */
export class StreamCoder {
  readonly #stream: zlib.Gzip | zlib.BrotliCompress;
  #made: Uint8Array[] = [];

  constructor(coding: Coding) {
    this.#stream = coding === 'gzip' ? zlib.createGzip(QUICK.gzip) : zlib.createBrotliCompress(QUICK.br);
    this.#stream.on('data', (chunk: Uint8Array) => this.#made.push(chunk));
  }

  /** All compressed bytes of a piece. */
  async push(bytes: Uint8Array): Promise<Uint8Array> {
    this.#stream.write(bytes);
    await new Promise<void>((resolve) => this.#stream.flush(() => resolve()));
    return this.#take();
  }

  /** The end of the body. */
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
