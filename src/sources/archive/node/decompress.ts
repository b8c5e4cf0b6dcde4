import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { stat, type FileHandle } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import pLimit from 'p-limit';
import { once, unlessAborted } from '../../../kit/index.js';
import { PM_ERR, PmError } from '../../../pmapi/index.js';
import { SharedWork } from '../../shared-work.js';
import type { ArchiveLimits } from '../archive-memory.js';
import type { Compression } from '../files/archive-files.js';
import type { ByteFile } from '../files/byte-file.js';
import { DECODERS } from '../files/decoder-guards.js';
import { EMFILE, ENOSPC, throwErrno, openNameless, readAt, removeLeftovers, type OpenFiles } from './open-files.js';

interface Copy {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly damage: PmError | undefined;
}

interface SharedCopy {
  users: number;
  readonly made: SharedWork<Copy>;
}

/** Files inflated at a time: each takes a processor, and its decoder's memory. */
const AT_ONCE = 2;

/** Memory of xz, whatever a file asks for: `xz -9` needs 65 MiB. */
const XZ_MEMORY = '--memlimit-decompress=128MiB';

const READ_BYTES = 64 * 1024;

/** Inflated bytes gathered per write: decoders give them in small pieces. */
const WRITE_BYTES = 1024 * 1024;

/** Programs that inflate from standard input to standard output; used when installed, because they are faster. */
const PROGRAMS: Readonly<Partial<Record<Compression, readonly string[]>>> = {
  xz: ['xz', '--decompress', '--stdout', '--format=xz', XZ_MEMORY],
  lzma: ['xz', '--decompress', '--stdout', '--format=lzma', XZ_MEMORY],
  bzip2: ['bzip2', '--decompress', '--stdout'],
  compress: ['gzip', '--decompress', '--stdout'],
  zstd: ['zstd', '--decompress', '--stdout', '--quiet', '--memory=128MiB'],
};

/** Inflates compressed files to shared, nameless temporary copies, with a bound on the bytes of one and of all. */
export class Inflater {
  readonly #limits: ArchiveLimits;
  readonly #files: OpenFiles;
  readonly #parent: string;
  readonly #copies = new Map<string, SharedCopy>();
  readonly #inTurn = pLimit(AT_ONCE);
  #totalBytes = 0;

  /** @param parent the directory of copies */
  constructor(limits: ArchiveLimits, files: OpenFiles, parent: string = os.tmpdir()) {
    this.#limits = limits;
    this.#files = files;
    this.#parent = parent;
    // Not waited for: a copy that is made meanwhile has another name.
    void removeLeftovers(parent);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /**
   * The inflated copy of a file; the last one to close it deletes it. Throws PM_ERR_TOOBIG beyond `mostBytes` or the limit of one file,
   * ENOSPC or EMFILE without room, and the signal's reason.
   */
  async open(file: string, compression: Compression, mostBytes = Infinity, signal?: AbortSignal): Promise<ByteFile> {
    const found = await stat(file).catch(throwErrno(file));
    const key = `${file}\0${found.size}\0${found.mtimeMs}\0${found.ino}`;
    let shared = this.#copies.get(key);
    if (!shared || shared.made.isGivenUp) {
      this.#requireDescriptor(file);
      const most = Math.min(mostBytes, this.#limits.inflatedFileBytes);
      shared = { users: 0, made: this.#start(file, compression, most) };
      this.#copies.set(key, shared);
    }
    const own = shared;
    own.users++;
    const release = this.#releaser(key, own);
    try {
      const { handle, bytes: size, damage } = await own.made.join(signal);
      const name = path.basename(file);
      const read = (offset: number, length: number, take?: () => Uint8Array): Promise<Uint8Array> => {
        const reading = this.#files.inTurn(() => readAt(handle, offset, length, take));
        return reading.catch(throwErrno(name, `: reading at offset ${offset}`));
      };
      return { name, size, damage, read, close: release };
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Cancels all inflating. */
  giveUp(): void {
    for (const { made } of this.#copies.values()) made.giveUp(new PmError(PM_ERR.NOCONTEXT));
  }

  #requireDescriptor(file: string): void {
    const { inflatedFiles } = this.#limits;
    if (this.#copies.size < inflatedFiles) return;
    const message = `${path.basename(file)}: ${inflatedFiles} compressed files are in use, which is the maximum`;
    throw new PmError(EMFILE, message);
  }

  #start(source: string, compression: Compression, mostBytes: number): SharedWork<Copy> {
    return new SharedWork((stop) =>
      this.#inTurn(async () => {
        stop.throwIfAborted();
        const work = this.#inflate(source, compression, mostBytes, stop);
        try {
          // Whatever its disk does, cancelled work keeps no one waiting.
          return await unlessAborted(stop, work);
        } catch (error) {
          const drop = ({ handle, bytes }: Copy): Promise<void> => this.#drop(handle, bytes);
          work.then(drop).catch(() => undefined);
          throw error;
        }
      }),
    );
  }

  #releaser(key: string, shared: SharedCopy): () => Promise<void> {
    return once(async () => {
      if (--shared.users > 0) return;
      if (this.#copies.get(key) === shared) this.#copies.delete(key);
      const copy = await shared.made.result.catch(() => undefined);
      if (copy) await this.#drop(copy.handle, copy.bytes);
    });
  }

  async #drop(handle: FileHandle, bytes: number): Promise<void> {
    this.#totalBytes -= bytes;
    await handle.close();
  }

  async #inflate(source: string, compression: Compression, mostBytes: number, stop: AbortSignal): Promise<Copy> {
    const input = await this.#files.openAnew(source).catch(throwErrno(source));
    const throwNoRoom = throwErrno(source, ': no room for its inflated copy');
    const output = await openNameless(this.#parent).catch(async (error: unknown) => {
      await input.close();
      return throwNoRoom(error);
    });
    const pieces: Uint8Array[] = [];
    let gathered = 0;
    const write = (): Promise<void> => {
      gathered = 0;
      return output.writeFile(Buffer.concat(pieces.splice(0))).catch(throwNoRoom);
    };
    let bytes = 0;
    let damage: PmError | undefined;
    try {
      try {
        for await (const chunk of inflatedChunks(input, compression, stop)) {
          stop.throwIfAborted();
          bytes += chunk.length;
          this.#totalBytes += chunk.length;
          this.#checkBounds(source, bytes, mostBytes);
          gathered += chunk.length;
          pieces.push(chunk);
          if (gathered >= WRITE_BYTES) await write();
        }
      } catch (error) {
        if (stop.aborted || error instanceof PmError) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        const problem = `${path.basename(source)}: cannot be inflated beyond ${bytes} bytes (${reason})`;
        damage = new PmError(PM_ERR.LOGREC, problem, { cause: error });
      }
      await write();
      stop.throwIfAborted();
    } catch (error) {
      await this.#drop(output, bytes);
      throw error;
    } finally {
      await input.close();
    }
    return { handle: output, bytes, damage };
  }

  #checkBounds(source: string, bytes: number, mostBytes: number): void {
    const { inflatedTotalBytes } = this.#limits;
    const name = path.basename(source);
    if (bytes > mostBytes) throw new PmError(PM_ERR.TOOBIG, `${name}: inflates to more than ${mostBytes} bytes`);
    if (this.#totalBytes > inflatedTotalBytes) {
      throw new PmError(ENOSPC, `${name}: all inflated files together exceed ${inflatedTotalBytes} bytes`);
    }
  }
}

/** Unbounded pieces of what a file inflates to: the caller counts. Throws when it is damaged, and stops with `stop`. */
export async function* inflatedChunks(
  file: FileHandle,
  compression: Compression,
  stop: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const program = PROGRAMS[compression];
  if (program) {
    const started = await startProgram(program, file, stop);
    if (started) {
      yield* started;
      return;
    }
  }
  const inflate = DECODERS[compression];
  if (!inflate) throw new Error(`no program for .${compression} is installed`);
  let given = 0;
  if (compression === 'gzip') {
    try {
      for await (const chunk of pipeline(bytesOf(file), createGunzip(), () => undefined)) {
        given += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
      return;
    } catch {
      // zlib does not give all that lies before damage.
    }
  }
  for await (const chunk of inflate(bytesOf(file))) {
    if (chunk.length > given) yield chunk.subarray(given);
    given = Math.max(given - chunk.length, 0);
  }
}

/** From the beginning; a stream would close the file. */
async function* bytesOf(file: FileHandle): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await file.read(new Uint8Array(READ_BYTES), 0, READ_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The output of a program that inflates a file; undefined when the program is not installed. */
async function startProgram(
  program: readonly string[],
  file: FileHandle,
  stop: AbortSignal,
): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const child = spawn(program[0]!, program.slice(1), {
    stdio: [file.fd, 'pipe', 'pipe'],
    // No XZ_OPT and the like: the options are all above.
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const started = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  if (!started) return undefined;
  let complaint = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    complaint = (complaint + text).slice(0, 500);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  stop.addEventListener('abort', kill, { once: true });
  if (stop.aborted) kill();
  return (async function* output(): AsyncGenerator<Uint8Array> {
    try {
      yield* child.stdout as AsyncIterable<Buffer>;
      if ((await exited) !== 0) throw new Error(complaint.trim() || `${program[0] ?? ''} failed`);
    } finally {
      stop.removeEventListener('abort', kill);
      kill();
    }
  })();
}
