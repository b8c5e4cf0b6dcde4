/** The cost of opening a file, in bytes that could have been read meanwhile. */
export const FILE_COST_BYTES = 32 * 1024;

const MIB = 1024 * 1024;

/** Limits of a directory of MMV files: anyone who may write to it decides about its content. They are maximums, not reservations. */
export const MMV_LIMITS = Object.freeze({
  /** Entries of the directory that are read. */
  entries: 2000,
  /** Files that are served; each keeps a file descriptor. */
  files: 1000,
  /** Bytes of one file, and of all together. */
  fileBytes: 16 * MIB,
  totalBytes: 256 * MIB,
  /** Bytes of memory for what is kept of one file, and of all together. */
  layoutBytes: 4 * MIB,
  totalLayoutBytes: 32 * MIB,
  /** Bytes of files that one check reads, each file counting as at least {@link FILE_COST_BYTES}; the rest is for the next checks. */
  checkBytes: 16 * MIB,
});
export type MmvLimits = Readonly<Record<keyof typeof MMV_LIMITS, number>>;
