import { PM_ERR, PmError } from '../../../pmapi/index.js';
import type { BlockFile } from '../files/block-file.js';
import type { ArchiveLimits } from '../limits.js';
import { LABEL_RECORD_BYTES } from './label-record.js';
import { META_HEADER_BYTES, MetaRecordType } from './metadata-records.js';
import type { ArchiveVersion } from './stamp.js';

const CHUNK_BYTES = 64 * 1024;
/** Bytes of a record's header, and of the PMID that follows it in a descriptor. */
const HEAD_BYTES = META_HEADER_BYTES + 4;

/**
 * How many metrics a metadata file describes: only the heads of its records are decoded. Throws PM_ERR_LOGREC for records of impossible
 * lengths, PM_ERR_NODATA for a file without descriptors, and PM_ERR_TOOBIG.
 * @param signal aborted when the caller leaves: throws its reason
 */
export async function countMetrics(
  file: BlockFile,
  version: ArchiveVersion,
  { metadataBytes, recordBytes }: Pick<ArchiveLimits, 'metadataBytes' | 'recordBytes'>,
  signal?: AbortSignal,
): Promise<number> {
  if (file.size > metadataBytes) throw new PmError(PM_ERR.TOOBIG, `${file.name}: metadata of ${file.size} bytes`);
  const pmids = new Set<number>();
  let chunk: Buffer = Buffer.alloc(0);
  let chunkStart = 0;
  let offset = LABEL_RECORD_BYTES[version];
  while (offset + HEAD_BYTES <= file.size) {
    if (offset + HEAD_BYTES > chunkStart + chunk.length) {
      signal?.throwIfAborted();
      chunk = await file.readExact(offset, Math.min(CHUNK_BYTES, file.size - offset));
      chunkStart = offset;
    }
    const at = offset - chunkStart;
    const length = chunk.readUInt32BE(at);
    if (length < HEAD_BYTES || length > recordBytes || offset + length > file.size) {
      throw new PmError(PM_ERR.LOGREC, `${file.name} at offset ${offset}: a record of ${length} bytes`);
    }
    if (chunk.readUInt32BE(at + 4) === MetaRecordType.DESC) pmids.add(chunk.readUInt32BE(at + META_HEADER_BYTES));
    offset += length;
  }
  if (pmids.size === 0) throw new PmError(PM_ERR.NODATA, file.name);
  return pmids.size;
}
