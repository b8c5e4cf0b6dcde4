import { onPmError, PM_ERR, PmError, type Timestamp } from '../../pmapi/index.js';
import { doWaiting } from '../waits.js';
import type { ArchiveMemory } from './archive-memory.js';
import { lastPart, type ArchiveFile, type ArchiveFiles } from './files/archive-files.js';
import { BlockFile, claimedPlainSize } from './files/block-file.js';
import type { FileSystem } from './files/byte-file.js';
import { Member } from './member.js';
import { INDEX_VOLUME, META_VOLUME, readLabelRecord, requireSameArchive } from './metadata/label-record.js';
import type { LabelRecord } from './metadata/label-record.js';
import { countMetrics } from './metadata/metadata-records.js';
import { readLastEntry } from './metadata/temporal-index.js';
import { Volume } from './records/volume.js';

/** Where the files of an archive are, and the memory for reading them. */
export interface ArchivePlace {
  readonly files: FileSystem;
  readonly memory: ArchiveMemory;
}

/** Applies `use` to a file, inflated to at most `most` bytes. Throws a PmError, and the signal's reason. */
export async function withFile<T>(
  { files, memory }: ArchivePlace,
  file: ArchiveFile,
  most: number,
  use: (file: BlockFile) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const opened = new BlockFile(await files.open(file, most, signal), memory.blocks);
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** Applies `use` to a metadata file. Throws as {@link withFile}. */
export function withMeta<T>(
  place: ArchivePlace,
  meta: ArchiveFile,
  use: (file: BlockFile) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return withFile(place, meta, place.memory.limits.metadataBytes, use, signal);
}

/** The number of metrics in an archive. Throws as {@link withFile}. */
export function metricsIn(place: ArchivePlace, { meta }: ArchiveFiles, signal?: AbortSignal): Promise<number> {
  const { limits } = place.memory;
  const count = async (file: BlockFile): Promise<number> =>
    countMetrics(file, (await readLabelRecord(file, META_VOLUME)).version, limits, signal);
  return withMeta(place, meta, count, signal);
}

/** The stamp of an archive's last intact record, without opening the archive where that is possible. Throws a PmError. */
export async function endOfArchive(
  place: ArchivePlace,
  files: ArchiveFiles,
  label: Pick<LabelRecord, 'version' | 'pid' | 'hostName'> | undefined,
  signal?: AbortSignal,
): Promise<Timestamp> {
  return (await lastStamp(place, files, label, signal)) ?? searchEnd(place, files, signal);
}

/** The stamp of the last record, from a look at it or at the temporal index; undefined if it has to be searched for. */
async function lastStamp(
  place: ArchivePlace,
  files: ArchiveFiles,
  known: Parameters<typeof endOfArchive>[2],
  signal: AbortSignal | undefined,
): Promise<Timestamp | undefined> {
  const { file: last, number } = files.volumes.at(-1)!;
  const indexed = last.compression === undefined ? undefined : await indexedEnd(place, files);
  if (indexed) return indexed;
  const stampIn = async (file: BlockFile): Promise<Timestamp | undefined> => {
    const label = await readLabelRecord(file, number);
    if (known) requireSameArchive(known, label, file.name);
    return new Volume(file, label, [], place.memory).lastStamp();
  };
  return withFile(place, last, Infinity, stampIn, signal).catch(onPmError(() => undefined));
}

/** The last stamp in the temporal index, if it points to the end of the last volume, which is compressed; otherwise undefined. */
async function indexedEnd(place: ArchivePlace, { index, volumes }: ArchiveFiles): Promise<Timestamp | undefined> {
  if (!index || index.compression !== undefined) return undefined;
  const look = <T>({ path }: ArchiveFile, use: (file: BlockFile) => Promise<T>): Promise<T | undefined> =>
    withFile(place, { path, compression: undefined }, Infinity, use).catch(onPmError(() => undefined));
  const { file, number } = volumes.at(-1)!;
  const entry = await look(index, async (opened) =>
    readLastEntry(opened, (await readLabelRecord(opened, INDEX_VOLUME)).version),
  );
  if (entry?.volume !== number) return undefined;
  const size = await look(file, (opened) => claimedPlainSize(opened, file.compression));
  return size === entry.dataOffset ? entry.stamp : undefined;
}

async function searchEnd(
  { files: disk, memory }: ArchivePlace,
  files: ArchiveFiles,
  signal: AbortSignal | undefined,
): Promise<Timestamp> {
  const member = await Member.open(files, memory, disk, signal);
  try {
    if (member.volumeCount === 1 && member.peekVolume(0)?.segments.length === 0) {
      throw new PmError(PM_ERR.NODATA, lastPart(files.volumes[0]!.file.path));
    }
    return await doWaiting(member.end(signal));
  } finally {
    await member.close();
  }
}
