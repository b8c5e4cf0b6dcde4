/** Limits of a directory of MMV files: anyone who may write to it decides about its content. They are maximums, not reservations. */
export interface MmvLimits {
  /** Entries of the directory that are read. */
  readonly entries: number;
  /** Files that are served; each keeps a file descriptor. */
  readonly files: number;
  /** Bytes of one file, and of all together. */
  readonly fileBytes: number;
  readonly totalBytes: number;
  /** Bytes of memory for what is kept of one file, and of all together. */
  readonly layoutBytes: number;
  readonly totalLayoutBytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_MMV_LIMITS: MmvLimits = Object.freeze({
  entries: 10_000,
  files: 1000,
  fileBytes: 16 * MIB,
  totalBytes: 256 * MIB,
  layoutBytes: 16 * MIB,
  totalLayoutBytes: 128 * MIB,
});
