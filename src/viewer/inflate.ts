import { PM_ERR, PmError } from '../pmapi/index.js';
import { DECODERS, type ByteFile, type Compression } from '../sources/archive/index.js';
import { blobFile, type Inflate } from './given-files.js';

/** Compressed bytes that are read at a time. */
const CHUNK_BYTES = 256 * 1024;
/** Bytes that are gathered before they are left to the browser. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Bytes that are left to the browser, which may keep them on disk. */
export class KeptBytes {
  readonly #pieces: Blob[] = [];
  #gathered: Uint8Array<ArrayBuffer>[] = [];
  #gatheredBytes = 0;
  size = 0;

  /** Adds a copy of some bytes. */
  add(chunk: Uint8Array): void {
    this.#gathered.push(new Uint8Array(chunk));
    this.#gatheredBytes += chunk.length;
    this.size += chunk.length;
    if (this.#gatheredBytes >= PIECE_BYTES) this.#leave();
  }

  blob(): Blob {
    this.#leave();
    return new Blob(this.#pieces);
  }

  #leave(): void {
    this.#pieces.push(new Blob(this.#gathered));
    this.#gathered = [];
    this.#gatheredBytes = 0;
  }
}

/** Inflates a file to memory of the browser; what lies before damage is there. Throws PM_ERR_TOOBIG, and the signal's reason. */
export const inflateInPage: Inflate = async (file, compression, mostBytes, signal) => {
  const { name } = file;
  const kept = new KeptBytes();
  let damage: PmError | undefined;
  try {
    for await (const chunk of inflated(chunksOf(file, signal), compression)) {
      signal?.throwIfAborted();
      if (kept.size + chunk.length > mostBytes)
        throw new PmError(PM_ERR.TOOBIG, `${name}: inflates to more than ${mostBytes} bytes`);
      kept.add(chunk);
    }
  } catch (error) {
    if (signal?.aborted === true || error instanceof PmError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `${name}: cannot be inflated beyond ${kept.size} bytes (${reason})`;
    damage = new PmError(PM_ERR.LOGREC, problem, { cause: error });
  }
  return { ...blobFile(name, kept.blob()), damage };
};

const GZIP_MAGIC = [0x1f, 0x8b, 8] as const;
/** A member of gzip data ends with the length of what it inflates to. */
const LENGTH_BYTES = 4;

/** Inflates gzip data member by member: browsers refuse what follows the first, as `cat a.gz b.gz` has it. */
async function* inflateGzip(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let member = gzipMember();
  let held = new Uint8Array(0);
  const inflate = async function* (bytes: Uint8Array<ArrayBuffer>, upTo: number): AsyncGenerator<Uint8Array, void> {
    const find = (from: number): number => bytes.subarray(0, upTo + LENGTH_BYTES).indexOf(GZIP_MAGIC[0], from);
    let given = 0;
    for (let at = find(LENGTH_BYTES); at >= 0; at = find(at + 1)) {
      if (!GZIP_MAGIC.every((byte, i) => bytes[at + i] === byte)) continue;
      yield* member.inflate(bytes.subarray(given, at));
      given = at;
      // The magic bytes are in the midst of members, too.
      if (new DataView(bytes.buffer).getUint32(at - LENGTH_BYTES, true) !== member.size % 2 ** 32) continue;
      yield* member.inflate();
      member = gzipMember();
    }
    const end = Math.max(given, upTo);
    yield* member.inflate(bytes.subarray(given, end));
    held = bytes.slice(end);
  };
  try {
    // A chunk waits for the next: two members may meet between them.
    for await (const chunk of input) {
      const bytes = new Uint8Array(held.length + chunk.length);
      bytes.set(held);
      bytes.set(chunk, held.length);
      yield* inflate(bytes, held.length);
    }
    yield* inflate(held, held.length);
    yield* member.inflate();
  } finally {
    await member.cancel();
  }
}

/** A member of gzip data, and how much it has inflated to. */
function gzipMember() {
  const { readable, writable } = new DecompressionStream('gzip');
  const [reader, writer] = [(readable as ReadableStream<Uint8Array>).getReader(), writable.getWriter()];
  let next = reader.read();
  const member = {
    size: 0,
    /** What comes of some bytes, as far as it has come; without them, what is still to come. */
    async *inflate(bytes?: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array, void> {
      const written = bytes && writer.write(bytes);
      if (!bytes) writer.close().catch(() => undefined);
      for (;;) {
        const read = await (written ? Promise.race([next, written]) : next);
        if (!read || read.done) return;
        next = reader.read();
        member.size += read.value.length;
        yield read.value;
      }
    },
    cancel: () => reader.cancel().catch(() => undefined),
  };
  return member;
}

/** The bytes of a file. Throws as its `read` does, and the signal's reason. */
export async function* chunksOf(file: ByteFile, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    signal?.throwIfAborted();
    yield file.read(at, CHUNK_BYTES);
  }
}

/** Unbounded pieces of what bytes inflate to: the caller counts. Throws when they are damaged, and for what pages cannot inflate. */
export function inflated(input: AsyncIterable<Uint8Array>, compression: Compression): AsyncIterable<Uint8Array> {
  const inflate = compression === 'gzip' ? inflateGzip : DECODERS[compression];
  if (!inflate) throw new Error(`pages cannot inflate ${compression}`);
  return inflate(input);
}
