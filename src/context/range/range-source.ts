import type { FetchResult, InstanceDomain, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import type { Program } from '../../derived/index.js';
import type {
  HeldSample,
  InstanceProfile,
  InterpolationOptions,
  PreparedFetch,
  RangeEstimate,
  ReadingOptions,
  ReadMoment,
  RecordBlock,
  RecordRun,
} from '../../sources/index.js';
import type { FetchPlan } from '../plans/fetch-plan.js';

/** A record of a source with a past. Where it cannot tell what it holds, a metric without values counts as one that it does not. */
export type RangeRecord = HeldSample;

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
    options?: ReadingOptions,
  ): AsyncIterable<RangeRecord>;
  /** About how much {@link records} would give, where that can be said without reading all of it. */
  estimate?(
    prepared: PreparedFetch,
    profile: InstanceProfile,
    from: Timestamp,
    to: Timestamp,
    options?: Pick<ReadingOptions, 'signal'>,
  ): Promise<RangeEstimate>;
  /**
   * The same records in runs that need no waiting, where there are such: a run is iterated over once, and to its end before the
   * next is asked for; or else taken as a block.
   */
  recordRuns?(
    prepared: PreparedFetch,
    profile: InstanceProfile,
    from: Timestamp,
    to: Timestamp,
    options?: ReadingOptions,
  ): AsyncIterable<RecordRun>;
  /** A reader of interpolated values at moments in ascending order. */
  range(prepared: PreparedFetch, profile: InstanceProfile, options?: InterpolationOptions): ReadMoment;
  /** Instances at a moment, for derived metrics that select by name. */
  instances(indom: number, at?: Timestamp): Promise<InstanceDomain>;
}

/** A metric of a range. The name and PMID are what answers say; a derived metric brings its program. */
export interface RangeMetric {
  readonly name: string;
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  /** For a derived metric: what computes it, the PMIDs of its operands by operand index, and the memory that the program takes. */
  readonly computed?:
    { readonly program: Program; readonly operands: readonly number[]; readonly bytes?: number } | undefined;
}

/** One sample of a range. Scratch: good until the next one is asked for. */
export interface RangeSample {
  /** Whether this is a mark instead of a sample; then no value set has values. */
  readonly isMark: boolean;
  /** The moment, and one value set per metric of the range, in order: what a fetch of these metrics would answer. */
  readonly result: FetchResult;
  /** Whether a metric has values in what was read, be it none at all; absent where a metric without values counts as one that has not. */
  readonly holds?: ((metric: number) => boolean) | undefined;
}

/** Samples in time order, and what their values are: rates and rescaled values have descriptors of their own. */
export interface RangeSamples extends AsyncIterable<RangeSample> {
  readonly metrics: readonly RangeMetric[];
  /**
   * The same samples in runs that need no waiting, for who takes many; in place of iterating. A run is iterated over once, and
   * before the next is asked for.
   */
  runs?(): AsyncIterable<Iterable<RangeSample>>;
  /** As {@link runs}, with blocks in place of runs where there are such, for who takes whole columns. A block holds no mark. */
  blocks?(): AsyncIterable<Iterable<RangeSample> | SampleBlock>;
}

/** Consecutive samples in columns, one per metric of the range. Good until the next block or run is asked for. */
export type SampleBlock = RecordBlock;

/** Tells a block from a run. */
export function isBlock(item: Iterable<RangeSample> | SampleBlock): item is SampleBlock {
  return 'columns' in item;
}

/** Samples in blocks and runs, or in whatever they come in. */
export function inBlocks(samples: RangeSamples): AsyncIterable<Iterable<RangeSample> | SampleBlock> {
  return samples.blocks?.() ?? inRuns(samples.runs?.(), samples);
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

/** The metrics of a fetch plan as those of a range, in order; derived ones bring their programs. */
export function metricsOfPlan(plan: Pick<FetchPlan, 'entries' | 'computation'>): RangeMetric[] {
  return plan.entries.map(({ name, pmid, descriptor }, i) => {
    const computed = plan.computation?.entries[i];
    return { name, pmid, descriptor, ...(typeof computed === 'object' ? { computed } : {}) };
  });
}

/** The PMIDs that the values of some metrics are read from, each once: their own, or those of their operands. */
export function basePmids(metrics: readonly RangeMetric[]): number[] {
  return [...new Set(metrics.flatMap(({ pmid, computed }) => computed?.operands ?? [pmid]))];
}
