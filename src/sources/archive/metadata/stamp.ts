import { makeTimestamp } from '../../../pmapi/index.js';
import type { Timestamp } from '../../../pmapi/index.js';

/** The versions of the archive format that exist outside of museums. */
export type ArchiveVersion = 2 | 3;

/** Bytes of a time stamp on disk. */
export const STAMP_BYTES: Readonly<Record<ArchiveVersion, number>> = { 2: 8, 3: 12 };

/**
 * The seconds of a stamp on disk; the caller has checked that it is there. Version 3 writes the low word of the 64-bit
 * seconds before the high one. @see LOGARCHIVE(5)
 */
export function stampSeconds(view: DataView, offset: number, version: ArchiveVersion): number {
  if (version === 2) return view.getInt32(offset);
  return view.getInt32(offset + 4) * 0x100000000 + view.getUint32(offset);
}

/** The nanoseconds of a stamp on disk. */
export function stampNanoseconds(view: DataView, offset: number, version: ArchiveVersion): number {
  return version === 2 ? view.getInt32(offset + 4) * 1000 : view.getInt32(offset + 8);
}

/** A whole stamp; nanoseconds out of range are carried into the seconds. */
export function readStamp(view: DataView, offset: number, version: ArchiveVersion): Timestamp {
  return makeTimestamp(stampSeconds(view, offset, version), stampNanoseconds(view, offset, version));
}
