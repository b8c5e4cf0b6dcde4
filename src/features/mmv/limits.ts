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
  /** Bytes of files that one check reads, each file counting as at least {@link FILE_COST_BYTES}; the rest is for the next checks. */
  readonly checkBytes: number;
}

/** The cost of opening a file, in bytes that could have been read meanwhile. */
export const FILE_COST_BYTES = 32 * 1024;

const MIB = 1024 * 1024;

export const DEFAULT_MMV_LIMITS: MmvLimits = Object.freeze({
  entries: 2000,
  files: 1000,
  fileBytes: 16 * MIB,
  totalBytes: 256 * MIB,
  layoutBytes: 4 * MIB,
  totalLayoutBytes: 32 * MIB,
  checkBytes: 16 * MIB,
});
