import type { FetchResult, MetricType, Timestamp } from '../pmapi/index.js';

/** A record as it was read. Scratch: good until the next one is asked for. */
export interface RecordedSample {
  readonly timestamp: Timestamp;
  /** Whether it is a mark: the recording was interrupted here. Marks have no value sets. */
  readonly isMark: boolean;
  readonly result: FetchResult;
}

/** A record of a range. Scratch: good until the next one is asked for. */
export interface HeldSample extends RecordedSample {
  /** For all but marks, where the source can tell: whether the record holds prepared metric `i`, be it with no values. */
  holds?(i: number): boolean;
}

/** The numbers of one metric in a block of records, all of which have the same instances of it. */
export interface BlockColumn {
  readonly type: MetricType;
  /** The instances, INSTANCE_NULL for a singular metric; as far as the profile lets them through. */
  readonly instances: Int32Array;
  /** The value of instance `k` in record `i` is `numbers[i * stride + places[k]]`; each is exact. */
  readonly numbers: ArrayLike<number>;
  readonly stride: number;
  readonly places: Int32Array;
}

/**
 * Consecutive records, none of them a mark, that hold the same metrics with the same instances: what can be read in whole
 * columns. The arrays are the source's own: not to be changed, and good until the next run is asked for.
 */
export interface RecordBlock {
  readonly length: number;
  /** When each record was taken: whole seconds, and nanoseconds. */
  readonly secs: Float64Array;
  readonly nsecs: Int32Array;
  /** One per prepared PMID; undefined for a metric that none of the records holds. */
  readonly columns: readonly (BlockColumn | undefined)[];
}

/** Records that need no waiting: iterated over once, and to the end before the next run is asked for; or else taken at once. */
export interface RecordRun<Sample = HeldSample> extends Iterable<Sample> {
  /**
   * The run as a block, in place of iterating; the records of the run behind the block then come in the next run. Undefined
   * where its records are not so much alike: then nothing was taken.
   */
  takeBlock?(): RecordBlock | undefined;
}
