import type { FetchResult, InstanceDomain, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import type { Program } from '../../derived/index.js';
import type { InstanceProfile, PreparedFetch } from '../../sources/index.js';

/** A record of a source with a past. Scratch: good until the next one is asked for. */
export interface RangeRecord {
  readonly timestamp: Timestamp;
  /** Whether recording was interrupted here: what comes after cannot be compared with what came before. */
  readonly isMark: boolean;
  /** One value set per prepared PMID; none for a mark. */
  readonly result: FetchResult;
  /**
   * Whether the record holds prepared metric `i`, be it with no values. Where a source cannot tell, a metric without values
   * counts as one that the record does not hold.
   */
  holds?(i: number): boolean;
}

/**
 * What ranges are read from: an archive, or what is remembered of a live source. An ArchiveSource is one as it stands.
 * Nothing here moves a context's position.
 */
export interface RangeSource {
  prepare(pmids: readonly number[]): PreparedFetch;
  /** Records from one moment to another, both included, that hold a prepared metric, and the marks between them. */
  records(
    prepared: PreparedFetch,
    profile: InstanceProfile,
    from: Timestamp,
    to: Timestamp,
  ): AsyncIterable<RangeRecord>;
  /**
   * The same records in runs that need no waiting, where there are such: a run is iterated over once, and to its end before the
   * next is asked for.
   */
  recordRuns?(
    prepared: PreparedFetch,
    profile: InstanceProfile,
    from: Timestamp,
    to: Timestamp,
  ): AsyncIterable<Iterable<RangeRecord>>;
  /** A reader of interpolated values at moments in ascending order; PM_ERR_EOL outside of what there is. */
  range(prepared: PreparedFetch, profile: InstanceProfile): (time: Timestamp, into: FetchResult) => Promise<void>;
  /** Instances at a moment, for derived metrics that select by name. */
  instances(indom: number, at?: Timestamp): Promise<InstanceDomain>;
}

/** A metric of a range. The name and PMID are what answers say; a derived metric brings its program. */
export interface RangeMetric {
  readonly name: string;
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  /** For a derived metric: what computes it, and the PMIDs of its operands by operand index. */
  readonly computed?: { readonly program: Program; readonly operands: readonly number[] } | undefined;
}

/** One sample of a range. Scratch: good until the next one is asked for. */
export interface RangeSample {
  /** Whether this is a mark instead of a sample; then no value set has values. */
  readonly isMark: boolean;
  /** The moment, and one value set per metric of the range, in order: what a fetch of these metrics would answer. */
  readonly result: FetchResult;
}

/** Samples in time order, and what their values are: rates and rescaled values have descriptors of their own. */
export interface RangeSamples extends AsyncIterable<RangeSample> {
  readonly metrics: readonly RangeMetric[];
  /**
   * The same samples in runs that need no waiting, for who takes many; in place of iterating. A run is iterated over once, and
   * before the next is asked for.
   */
  runs?(): AsyncIterable<Iterable<RangeSample>>;
}

/** Anything in runs: those that it comes in, or else one item each. */
export function inRuns<T>(
  runs: AsyncIterable<Iterable<T>> | undefined,
  single: AsyncIterable<T>,
): AsyncIterable<Iterable<T>> {
  return runs ?? oneByOne(single);
}

async function* oneByOne<T>(items: AsyncIterable<T>): AsyncGenerator<Iterable<T>, void> {
  for await (const item of items) yield [item];
}
