import { PM_ERR, PmError } from '../pmapi/index.js';
import { inflateXz, inflateZstd, type ByteFile, type Compression } from '../sources/archive/index.js';
import { blobFile, type Inflate } from './given-files.js';

/** Compressed bytes that are read at a time. */
const CHUNK_BYTES = 256 * 1024;
/** Inflated bytes that are gathered before they are left to the browser, which may keep them on disk. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Inflates a file to memory of the browser; what lies before damage is there. Throws PM_ERR_TOOBIG, and the signal's reason. */
export const inflateInPage: Inflate = async (file, compression, mostBytes, signal) => {
  const { name } = file;
  let whole = new Blob([]);
  let gathered: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let damage: PmError | undefined;
  try {
    for await (const chunk of inflated(chunksOf(file, signal), compression)) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      if (bytes > mostBytes) throw new PmError(PM_ERR.TOOBIG, `${name}: inflates to more than ${mostBytes} bytes`);
      gathered.push(Uint8Array.from(chunk));
      if (bytes - whole.size < PIECE_BYTES) continue;
      whole = new Blob([whole, ...gathered]);
      gathered = [];
    }
  } catch (error) {
    if (signal?.aborted === true || error instanceof PmError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `${name}: cannot be inflated beyond ${bytes} bytes (${reason})`;
    damage = new PmError(PM_ERR.LOGREC, problem, { cause: error });
  }
  return { ...blobFile(name, new Blob([whole, ...gathered])), damage };
};

async function* chunksOf(file: ByteFile, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    signal?.throwIfAborted();
    yield file.read(at, CHUNK_BYTES);
  }
}

function inflated(input: AsyncGenerator<Uint8Array, void>, compression: Compression): AsyncIterable<Uint8Array> {
  switch (compression) {
    case 'gzip':
      return gunzipped(input);
    case 'xz':
      return inflateXz(input);
    case 'zstd':
      return inflateZstd(input);
    default:
      throw new Error(`pages cannot inflate ${compression}`);
  }
}

async function* gunzipped(input: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  const { readable, writable } = new DecompressionStream('gzip');
  const writer = writable.getWriter();
  const writing = (async () => {
    for await (const chunk of input) await writer.write(chunk);
    await writer.close();
  })();
  // The reader gets the error, too.
  writing.catch((error: unknown) => writer.abort(error)).catch(() => undefined);
  const reader = readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value as Uint8Array;
    await writing;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
