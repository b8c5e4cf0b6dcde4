/** What decimation may keep of a bucket. */
export const DECIMATIONS = ['min', 'max', 'average', 'last'] as const;
/** One of {@link DECIMATIONS}. */
export type DecimationKind = (typeof DECIMATIONS)[number];

/** How a range is decimated: into how many buckets, and what is kept of each. */
export interface Decimation {
  readonly points: number;
  readonly kind: DecimationKind;
}
