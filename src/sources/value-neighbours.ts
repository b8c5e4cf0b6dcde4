import type { AtomValue, Timestamp } from '../pmapi/index.js';
import type { InstanceProfile } from './profile.js';

/** Where a record of an archive lies. */
export interface RecordLocation {
  /** The archive's base name, without directories. */
  readonly archive: string;
  readonly volume: number;
  /** Of the record in the (uncompressed) volume, in bytes. */
  readonly offset: number;
}

/** A value that was recorded or sampled. */
export interface ObservedValue {
  readonly timestamp: Timestamp;
  readonly value: AtomValue;
  readonly record?: RecordLocation | undefined;
}

/** What lies next to a moment, on one side of it: a value, a mark, or nothing at all. */
export type NeighbourOfMoment =
  | ({ readonly kind: 'value' } & ObservedValue)
  | { readonly kind: 'mark'; readonly timestamp: Timestamp; readonly damage?: string | undefined }
  | { readonly kind: 'none' };

/** An instance of a metric around a moment. */
export interface InstanceNeighbours {
  readonly instance: number;
  /** Values of the very moment, in their order. */
  readonly exact: readonly ObservedValue[];
  /** What lies before the moment, or at it. */
  readonly low: NeighbourOfMoment;
  /** What lies behind it. */
  readonly high: NeighbourOfMoment;
}

/**
 * Looks up between which observations some moment lies, for those who explain a value: one list per PMID, in order, with the instances
 * that there are around the moment.
 */
export type FindNeighbours = (
  pmids: readonly number[],
  profile: InstanceProfile,
  at: Timestamp,
  signal?: AbortSignal,
) => Promise<readonly (readonly InstanceNeighbours[])[]>;
