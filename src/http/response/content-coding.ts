import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { readQuality } from '../request/media-type.js';

/** A coding that bodies are compressed with. @see RFC 9110, 8.4.1 */
export type Coding = 'br' | 'gzip';

/** What a client takes. */
export interface CodingChoice {
  /** The best coding that both sides know; undefined: as it is. */
  readonly coding: Coding | undefined;
  /** Whether the client refuses a body as it is, however small. */
  readonly isRequired: boolean;
}

/** For clients that ask for nothing. */
export const AS_IT_IS: CodingChoice = { coding: undefined, isRequired: false };

/** In order of preference among equals: at these levels brotli is smaller and, for large bodies, twice as fast. */
const CODINGS = ['br', 'gzip'] as const;
/** Smaller bodies fit one packet anyway. */
export const COMPRESSED_FROM_BYTES = 1400;
/** Larger bodies are compressed in the thread pool; these take less than 0.1 ms, which a turn of the pool costs as well. */
const AT_ONCE_BYTES = 65_536;
const CHOICES_KEPT = 100;

const QUICK = { gzip: { level: 1 }, br: { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } } };
/** For bodies that are compressed once and sent for ever. */
const THOROUGH = { gzip: { level: 9 }, br: { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } } };

const gzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);

/** Compress in the thread pool. */
async function compressAside(bytes: Uint8Array, coding: Coding, level: typeof QUICK): Promise<Uint8Array> {
  return coding === 'gzip' ? await gzip(bytes, level.gzip) : await brotli(bytes, level.br);
}

const choices = new Map<string, CodingChoice | undefined>();

/**
 * Choose a coding by an `Accept-Encoding` header; undefined when it refuses them all, the body as it is included.
 * @see RFC 9110, 12.5.3
 */
export function chooseCoding(accept: string | undefined): CodingChoice | undefined {
  if (accept === undefined) return AS_IT_IS;
  if (choices.has(accept)) return choices.get(accept);
  const choice = chooseAnew(accept);
  // Clients of a kind all send the same header.
  if (choices.size >= CHOICES_KEPT) choices.clear();
  choices.set(accept, choice);
  return choice;
}

function chooseAnew(accept: string): CodingChoice | undefined {
  const qualities = readQualities(accept);
  const any = qualities.get('*');
  let best: Coding | undefined;
  let bestQuality = 0;
  for (const coding of CODINGS) {
    const quality = qualities.get(coding) ?? any ?? 0;
    if (quality > bestQuality) [best, bestQuality] = [coding, quality];
  }
  const asItIs = qualities.get('identity') ?? any;
  const isRequired = asItIs === 0;
  if (best === undefined) return isRequired ? undefined : AS_IT_IS;
  // Whoever says nothing of identity takes it, but would rather have what was named.
  const prefersAsItIs = qualities.has('identity') && asItIs !== undefined && asItIs > bestQuality;
  return prefersAsItIs ? AS_IT_IS : { coding: best, isRequired };
}

/** Qualities by lower-case name; elements that cannot be read are passed over. */
function readQualities(accept: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const element of accept.toLowerCase().split(',')) {
    const match = /^\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:;\s*q=([\d.]+)\s*)?$/.exec(element);
    if (!match) continue;
    const name = match[1] === 'x-gzip' ? 'gzip' : match[1]!;
    qualities.set(name, readQuality(match[2]));
  }
  return qualities;
}

/** Compress a body quickly: small ones at once, large ones aside. */
export function compress(bytes: Uint8Array, coding: Coding): Uint8Array | Promise<Uint8Array> {
  if (bytes.byteLength > AT_ONCE_BYTES) return compressAside(bytes, coding, QUICK);
  return coding === 'gzip' ? zlib.gzipSync(bytes, QUICK.gzip) : zlib.brotliCompressSync(bytes, QUICK.br);
}

const kept = {
  gzip: new WeakMap<Uint8Array, Promise<Uint8Array>>(),
  br: new WeakMap<Uint8Array, Promise<Uint8Array>>(),
};

/** Have {@link compressOnce} give what was compressed before, instead of compressing the body. */
export function keepCompressed(bytes: Uint8Array, coding: Coding, compressed: Uint8Array): void {
  kept[coding].set(bytes, Promise.resolve(compressed));
}

/** Compress a body that stays the same, thoroughly and once; kept for as long as the body is. */
export function compressOnce(bytes: Uint8Array, coding: Coding): Promise<Uint8Array> {
  let compressed = kept[coding].get(bytes);
  if (!compressed) {
    compressed = compressAside(bytes, coding, THOROUGH);
    kept[coding].set(bytes, compressed);
  }
  return compressed;
}

/** Compresses a body that is made piece by piece: whatever goes in can be read by the client at once. Close it in the end. */
export class StreamCoder {
  readonly #stream: zlib.Gzip | zlib.BrotliCompress;
  #made: Uint8Array[] = [];

  constructor(coding: Coding) {
    this.#stream = coding === 'gzip' ? zlib.createGzip(QUICK.gzip) : zlib.createBrotliCompress(QUICK.br);
    this.#stream.on('data', (chunk: Uint8Array) => this.#made.push(chunk));
  }

  /** All that is to be sent for a piece. */
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
