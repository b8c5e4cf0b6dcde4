import { END_OF_TIME, onPmError } from '../../pmapi/index.js';
import type { InstanceDomain, LabelSet, LabelTarget, MetricDescriptor } from '../../pmapi/index.js';
import type { ArchiveMemory } from './archive-memory.js';
import type { ArchiveFiles } from './files/archive-files.js';
import { BlockFile } from './files/block-file.js';
import type { Inflater } from './files/decompress.js';
import { META_VOLUME, readLabelRecord } from './metadata/label-record.js';
import type { LabelRecord } from './metadata/label-record.js';
import { Metadata } from './metadata/metadata.js';

/** The content of an archive's `.meta` file, without its volumes. */
export class ArchiveMetadata {
  readonly label: LabelRecord;
  readonly #metadata: Metadata;

  constructor(label: LabelRecord, metadata: Metadata) {
    this.label = label;
    this.#metadata = metadata;
  }

  metrics(): Iterable<readonly [name: string, pmid: number]> {
    return this.#metadata.pmns.entries();
  }

  descriptor(pmid: number): MetricDescriptor | undefined {
    return this.#metadata.descriptor(pmid);
  }

  /** Every instance that ever was; empty for an unknown domain. */
  async instancesEver(indom: number): Promise<InstanceDomain['instances']> {
    const { instances } = await this.#metadata.instancesEver(indom).catch(onPmError(() => ({ instances: [] })));
    return instances;
  }

  /** The labels of a target at the archive's end. */
  lastLabels(target: LabelTarget): Promise<readonly LabelSet[]> {
    return this.#metadata.labelsAt(target, END_OF_TIME);
  }
}

/** Applies `use` to an archive's metadata, read alone. Throws a PmError for a damaged file, and the signal's reason. */
export async function withArchiveMetadata<T>(
  { meta }: ArchiveFiles,
  memory: ArchiveMemory,
  inflater: Inflater,
  use: (metadata: ArchiveMetadata) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { metadataBytes, inflatedFileBytes } = memory.limits;
  const plain = await inflater.open(meta, Math.min(metadataBytes, inflatedFileBytes), signal);
  try {
    const file = await BlockFile.open(meta.path, memory, plain.copy);
    try {
      const label = await readLabelRecord(file, META_VOLUME);
      const metadata = await Metadata.read([{ file, version: label.version }], label.hostName, memory.limits, signal);
      return await use(new ArchiveMetadata(label, metadata));
    } finally {
      await file.close();
    }
  } finally {
    await plain.release();
  }
}
