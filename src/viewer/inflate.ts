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

/** The bytes of a file. Throws as its `read` does, and the signal's reason. */
export async function* chunksOf(file: ByteFile, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    signal?.throwIfAborted();
    yield file.read(at, CHUNK_BYTES);
  }
}

/** Unbounded pieces of what bytes inflate to: the caller counts. Throws when they are damaged, and for what pages cannot inflate. */
export function inflated(input: AsyncIterable<Uint8Array>, compression: Compression): AsyncIterable<Uint8Array> {
  const inflate = DECODERS[compression];
  if (!inflate) throw new Error(`pages cannot inflate ${compression}`);
  return inflate(input);
}
