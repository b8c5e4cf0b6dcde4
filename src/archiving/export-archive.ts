import { packTar } from 'modern-tar';
import { compareTimestamps, GatewayError, PM_ERR, PmError } from '../pmapi/index.js';
import type { Context, OpenRange } from '../context/index.js';
import { recordsOf } from '../sources/index.js';
import { ArchiveWriter, type WritableDirectory, type WritableFile } from '../sources/archive/writing/index.js';
import { SampleWriter } from './sample-writer.js';

/** Bytes of a volume: what an export keeps in memory beside its metadata. */
const VOLUME_BYTES = 1024 * 1024;
/** A tar ends with two blocks of zeros. */
const TAR_END_BYTES = 1024;

export interface ExportOptions {
  readonly context: Context;
  readonly range: OpenRange;
  /** The name of the archive: that of its files without their suffixes. */
  readonly name: string;
  /** Bytes of metadata and temporal index, which are kept in memory to the end. */
  readonly maxMetadataBytes: number;
}

/** A range as a tar of a PCP archive: complete volumes, then metadata and index. Throws if there are no samples, and what reading throws. */
export async function* exportArchive(options: ExportOptions): AsyncGenerator<Uint8Array, void> {
  // A tar of each file without its end, and one end for all: nothing is read before the next piece is requested.
  for await (const { name, bytes } of archiveFiles(options)) {
    const tar = await packTar([{ header: { name, size: bytes.length, mode: 0o644, mtime: new Date() }, body: bytes }]);
    yield tar.subarray(0, -TAR_END_BYTES);
  }
  yield new Uint8Array(TAR_END_BYTES);
}

async function* archiveFiles({ context, range, name, maxMetadataBytes }: ExportOptions): AsyncGenerator<NamedFile> {
  const files = new FilesInMemory();
  const { hostName, timezone = 'UTC' } = await context.info();
  const zoneinfo = context.archive?.label().zoneinfo ?? '';
  const writer = ArchiveWriter.create(name, { pid: process.pid, hostName, timezone, zoneinfo }, files);
  const { samples, damage } = range;
  const sampleWriter = new SampleWriter({ writer, context, recordsDerived: () => true, isExport: true });
  const plan = { entries: samples.metrics };
  for await (const record of recordsOf(samples.batches())) {
    const { isMark, result } = record;
    const { timestamp } = result;
    if (writer.end && compareTimestamps(timestamp, writer.end) < 0) {
      damage.add(new PmError(PM_ERR.LOGREC, 'records that are older than the one before them were left out'));
      continue;
    }
    if (isMark) await writer.mark(timestamp);
    else await sampleWriter.write(plan, result, (i) => record.holds(i));
    if (writer.volumeBytes >= VOLUME_BYTES) await writer.rotate();
    requireRoom(files.openBytes - writer.volumeBytes, maxMetadataBytes);
    yield* files.takeClosed();
  }
  if (!writer.end) throw new GatewayError('END_OF_ARCHIVE', 'there are no samples in this time window');
  await writer.close();
  yield* files.takeClosed();
}

function requireRoom(bytes: number, most: number): void {
  if (bytes <= most) return;
  const message = `the metadata of the archive exceeds ${most} bytes (archives.columnBytes)`;
  throw new GatewayError('LIMIT_EXCEEDED', message, { expected: 'fewer metrics or a shorter window' });
}

interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Files that are kept in memory until they are closed and taken. */
class FilesInMemory implements WritableDirectory {
  readonly #open = new Map<string, FileInMemory>();
  readonly #closed: NamedFile[] = [];

  get openBytes(): number {
    let bytes = 0;
    for (const file of this.#open.values()) bytes += file.bytes.length;
    return bytes;
  }

  open(name: string): Promise<WritableFile> {
    const file = new FileInMemory(() => {
      for (const [name, open] of this.#open) {
        if (open !== file) continue;
        this.#open.delete(name);
        this.#closed.push({ name, bytes: file.bytes });
      }
    });
    this.#open.set(name, file);
    return Promise.resolve(file);
  }

  rename(from: string, to: string): Promise<void> {
    this.#open.set(to, this.#open.get(from)!);
    this.#open.delete(from);
    return Promise.resolve();
  }

  *takeClosed(): Generator<NamedFile, void> {
    yield* this.#closed.splice(0);
  }
}

class FileInMemory implements WritableFile {
  readonly #onClose: () => void;
  #buffer = Buffer.alloc(4096);
  #length = 0;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  write(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }> {
    const end = position + length;
    if (end > this.#buffer.length) {
      const grown = Buffer.alloc(Math.max(end, 2 * this.#buffer.length));
      this.#buffer.copy(grown);
      this.#buffer = grown;
    }
    this.#buffer.set(buffer.subarray(offset, offset + length), position);
    this.#length = Math.max(this.#length, end);
    return Promise.resolve({ bytesWritten: length });
  }

  truncate(length: number): Promise<void> {
    this.#length = length;
    return Promise.resolve();
  }

  datasync(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#onClose();
    return Promise.resolve();
  }
}
