/** What one range may ask for. */
export interface RangeLimits {
  /** Values that one range may read: samples × metrics × instances. */
  readonly values: number;
  /** Samples that a range may be decimated to. */
  readonly points: number;
  /** Bytes that one set of columns may take while it is collected. */
  readonly columnBytes: number;
}

/** Bounds for a gateway with a few hundred megabytes to spare. */
export const DEFAULT_RANGE_LIMITS: RangeLimits = Object.freeze({
  values: 20_000_000,
  points: 100_000,
  columnBytes: 64 * 1024 * 1024,
});
