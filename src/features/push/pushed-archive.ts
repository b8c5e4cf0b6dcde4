import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rename, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { ifThere } from '../../kit/node/index.js';
import { GatewayError, PM_ERR, PmError, type MetricDescriptor } from '../../pmapi/index.js';
import { labelFor, readReceivedLabel, wholeRecords, type ReceivedKind } from '../../sources/archive/writing/index.js';
import { contradiction, type LabelRecord } from '../../sources/archive/index.js';

const MAX_RECORD_BYTES = 10 * 1024 * 1024;
/** Metrics of one archive, at most: their descriptors are kept in memory. */
const MAX_METRICS = 10_000;
/** A body on another connection that repeats the previous one of at least this size is the same request. */
const MIN_REPEATED_BYTES = 16;
const SCAN_BYTES = 4 * 1024 * 1024;
/** Files are never opened by way of a symbolic link. */
const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const MODE = 0o640;

/** The parts of an archive that bodies belong to: `meta`, `index`, or the number of a volume. */
export type PushedPart = 'meta' | 'index' | number;

/** A file of the archive: its whole records on disk, and an incomplete one. */
interface PushedFile {
  length: number;
  tail: Buffer;
}

/** Saved beside a file with an incomplete record: the states around its last write. */
interface SavedTail extends Record<'before' | 'after', { readonly length: number; readonly tail: string }> {
  readonly digest: string;
}

interface Appended {
  readonly grown: number;
  readonly refusal: GatewayError | undefined;
}

interface LastBody {
  readonly part: PushedPart;
  readonly digest: string;
  readonly connection: WeakRef<object>;
  /** The refusal of a damaged record; records before it were kept. */
  readonly refusal?: GatewayError | undefined;
}

/** A pushed archive, with whole records only, so that every tool can read it at any time. Continues after a restart or `kill -9`. */
export class PushedArchive {
  readonly base: string;
  readonly label: LabelRecord;
  readonly #labelBytes: Buffer;
  readonly #files = new Map<PushedPart, PushedFile>();
  readonly #descriptors = new Map<number, MetricDescriptor>();
  /** The number of the volume that records are appended to; -1 before the first. */
  volume = -1;
  #last: LastBody | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** @param volume the number of the last volume on disk; -1 for none */
  constructor(base: string, labelBytes: Buffer, volume = -1) {
    this.base = base;
    this.#labelBytes = labelBytes;
    this.label = readReceivedLabel(labelBytes);
    this.volume = volume;
  }

  tailBytes(part: PushedPart): number {
    return this.#files.get(part)?.tail.length ?? 0;
  }

  /**
   * Appends a body; returns the growth in bytes, and the refusal of an invalid record: those before it stay, and the same body is refused
   * again. A repeated body (lost response) is not appended. Throws VOLUME_CLOSED for earlier volumes, system errors. Calls are serial.
   * @param connection identifies the client's connection
   */
  append(part: PushedPart, body: Buffer, connection: object): Promise<Appended> {
    const mine = this.#queue.then(() => this.#append(part, body, connection));
    this.#queue = mine.catch(() => undefined);
    return mine;
  }

  async #append(part: PushedPart, body: Buffer, connection: object): Promise<Appended> {
    if (typeof part === 'number' && part < this.volume) {
      throw new GatewayError('VOLUME_CLOSED', `volume ${part} was closed when volume ${this.volume} began`);
    }
    const digest = createHash('sha256').update(body).digest('base64');
    const file = await this.#file(part, body, digest);
    if (this.#isRepeated(part, body, digest, connection)) {
      const { refusal } = this.#last!;
      this.#last = { part, digest, connection: new WeakRef(connection), refusal };
      return { grown: 0, refusal };
    }
    const bytes = file.tail.length === 0 ? body : Buffer.concat([file.tail, body]);
    const added: MetricDescriptor[] = [];
    const kind: ReceivedKind = typeof part === 'number' ? 'volume' : part;
    const describe = (descriptor: MetricDescriptor): void => {
      this.#requireConsistent(descriptor);
      if (!this.#descriptors.has(descriptor.pmid)) added.push(descriptor);
      this.#descriptors.set(descriptor.pmid, descriptor);
    };
    const { length, problem } = wholeRecords(kind, this.label.version, bytes, MAX_RECORD_BYTES, describe);
    const tail = problem ? Buffer.alloc(0) : Buffer.from(bytes.subarray(length));
    let grown: number;
    try {
      grown = await this.#write(part, file, bytes.subarray(0, length), tail, problem ? '' : digest);
    } catch (error) {
      for (const { pmid } of added) this.#descriptors.delete(pmid);
      throw error;
    }
    if (typeof part === 'number' && file.length + tail.length > 0) this.volume = part;
    const refusal = problem && new GatewayError('BAD_BODY', `refused: ${problem.message}`, { pmErr: problem.pmErr });
    // A refused body of which nothing was kept may be good the next time.
    this.#last = refusal && length === 0 ? undefined : { part, digest, connection: new WeakRef(connection), refusal };
    return { grown, refusal };
  }

  #isRepeated(part: PushedPart, body: Buffer, digest: string, connection: object): boolean {
    const last = this.#last;
    if (!last || body.length < MIN_REPEATED_BYTES) return false;
    const isSame = last.part === part && last.digest === digest;
    return isSame && (last.refusal !== undefined || last.connection.deref() !== connection);
  }

  #requireConsistent(descriptor: MetricDescriptor): void {
    const known = this.#descriptors.get(descriptor.pmid);
    const conflict = known && contradiction(known, descriptor);
    if (conflict !== undefined) throw new PmError(conflict);
    if (!known && this.#descriptors.size >= MAX_METRICS) {
      throw new PmError(PM_ERR.TOOBIG, `more than ${MAX_METRICS} metrics`);
    }
  }

  /** Writes whole records, and the incomplete one; returns the growth in bytes. */
  async #write(part: PushedPart, file: PushedFile, records: Buffer, tail: Buffer, digest: string): Promise<number> {
    const path = `${this.base}.${part}`;
    const isNew = file.length === 0;
    const label = labelFor(this.#labelBytes, part === 'meta' ? -1 : part === 'index' ? -2 : part);
    const piece = isNew && records.length > 0 ? Buffer.concat([label, records]) : records;
    const length = file.length + piece.length;
    const hasTail = tail.length > 0 || file.tail.length > 0;
    if (hasTail) {
      const saved = (state: PushedFile) => ({ length: state.length, tail: state.tail.toString('base64') });
      await saveTail(path, { before: saved(file), after: saved({ length, tail }), digest });
    }
    if (piece.length > 0) {
      try {
        await writeAt(path, file.length, piece);
      } catch (error) {
        // Later bodies without a tail would be cut off by it after a restart.
        if (file.tail.length === 0) await unlink(tailPath(path)).catch(() => undefined);
        throw error;
      }
    }
    const grown = piece.length + tail.length - file.tail.length;
    file.length = length;
    file.tail = tail;
    if (hasTail && tail.length === 0) await unlink(tailPath(path)).catch(() => undefined);
    return grown;
  }

  /** A part's file as on disk; the first body after a restart may have been written already. */
  async #file(part: PushedPart, body: Buffer, digest: string): Promise<PushedFile> {
    const known = this.#files.get(part);
    if (known) return known;
    const path = `${this.base}.${part}`;
    const saved = await readTail(path);
    const onDisk = await this.#scan(part, path);
    const { length, tail } = resumedState(onDisk.length, saved);
    if (length < onDisk.size) await truncate(path, length);
    const file = { length, tail };
    this.#files.set(part, file);
    const isWritten = saved?.after.length === length ? saved.digest === digest : await endsWith(path, length, body);
    // A connection that no longer is: whatever comes now is on another one.
    if (isWritten) this.#last ??= { part, digest, connection: new WeakRef({}) };
    return file;
  }

  /** A file's size, and that of its whole records; takes up descriptors. */
  async #scan(part: PushedPart, path: string): Promise<{ readonly size: number; readonly length: number }> {
    const handle = await openExisting(path);
    if (!handle) return { size: 0, length: 0 };
    try {
      const { size } = await handle.stat();
      const kind: ReceivedKind = typeof part === 'number' ? 'volume' : part;
      let length = Math.min(this.#labelBytes.length, size);
      let chunkBytes = SCAN_BYTES;
      while (length < size) {
        const chunk = Buffer.alloc(Math.min(chunkBytes, size - length));
        await handle.read(chunk, 0, chunk.length, length);
        const take = (descriptor: MetricDescriptor): void => void this.#descriptors.set(descriptor.pmid, descriptor);
        const found = wholeRecords(kind, this.label.version, chunk, MAX_RECORD_BYTES, take);
        length += found.length;
        if (found.problem || (found.length === 0 && chunk.length < chunkBytes)) break;
        chunkBytes = found.length === 0 ? chunkBytes + MAX_RECORD_BYTES : SCAN_BYTES;
      }
      return { size, length: length < this.#labelBytes.length ? 0 : length };
    } finally {
      await handle.close();
    }
  }
}

/** The state after a restart: before or after the last write, or whole records alone. */
function resumedState(length: number, saved: SavedTail | undefined): PushedFile {
  const { before, after } = saved ?? {};
  if (before && after && length >= before.length && length <= after.length) {
    const state = length === after.length ? after : before;
    return { length: state.length, tail: Buffer.from(state.tail, 'base64') };
  }
  return { length, tail: Buffer.alloc(0) };
}

function tailPath(path: string): string {
  return `${path}.part`;
}

async function saveTail(path: string, saved: SavedTail): Promise<void> {
  const unfinished = `${tailPath(path)}.tmp`;
  await unlink(unfinished).catch(() => undefined);
  await writeFile(unfinished, JSON.stringify(saved), { flag: 'wx', mode: MODE });
  await rename(unfinished, tailPath(path));
}

async function readTail(path: string): Promise<SavedTail | undefined> {
  try {
    return JSON.parse(await readFile(tailPath(path), 'utf8')) as SavedTail;
  } catch {
    return undefined;
  }
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  return ifThere(open(path, O_RDWR | O_NOFOLLOW));
}

/** Writes behind the first `length` bytes of a file. Throws a system error; the file is as long as before then. */
async function writeAt(path: string, length: number, piece: Buffer): Promise<void> {
  const handle = await open(path, length === 0 ? O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW : O_RDWR | O_NOFOLLOW, MODE);
  try {
    for (let done = 0; done < piece.length;) {
      const { bytesWritten } = await handle.write(piece, done, piece.length - done, length + done);
      done += bytesWritten;
    }
  } catch (error) {
    await handle.truncate(length).catch(() => undefined);
    if (length === 0) await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

async function truncate(path: string, length: number): Promise<void> {
  if (length === 0) return unlink(path);
  const handle = await openExisting(path);
  try {
    await handle?.truncate(length);
  } finally {
    await handle?.close();
  }
}

async function endsWith(path: string, length: number, body: Buffer): Promise<boolean> {
  if (body.length < MIN_REPEATED_BYTES || body.length > length) return false;
  const handle = await openExisting(path);
  if (!handle) return false;
  try {
    const end = Buffer.alloc(body.length);
    await handle.read(end, 0, end.length, length - end.length);
    return end.equals(body);
  } finally {
    await handle.close();
  }
}
