import { eventLoopTurns, type EventLoopTurns } from '../../kit/index.js';
import {
  addSeconds,
  compareTimestamps,
  formatTimestamp,
  INDOM_NULL,
  limitExceeded,
  onPmError,
  PM_ERR,
  PmError,
  secondsBetween,
  Semantics,
} from '../../pmapi/index.js';
import type { GatewayError, Timestamp } from '../../pmapi/index.js';
import { markAt, RowBatch, timeOfRow, type Batch, type InstanceProfile } from '../../sources/index.js';
import { decimate } from './decimate.js';
import { MetricPipeline, RangeInstances, basePmids } from './metric-pipeline.js';
import type { RangeTrace, RangeMetric, RangeSamples, RangeSource } from './metric-pipeline.js';
import { DEFAULT_RANGE_LIMITS, moments, type RangeLimits, type RangeRequest } from './range-request.js';

export interface RangeOptions {
  readonly source: RangeSource;
  /** A copy of the context's profile, if that may change meanwhile. */
  readonly profile: InstanceProfile;
  readonly metrics: readonly RangeMetric[];
  readonly request: RangeRequest;
  /** Stops reading by throwing its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with damage that samples leave out; may repeat. */
  readonly onDamage?: ((damage: PmError) => void) | undefined;
  readonly wrap?: boolean | undefined;
  /** Samples closer than this make no rate; 0 by default. */
  readonly leastSec?: number | undefined;
  /** Marks holes between recorded samples, for lines; rates still reach across, as in PCP. */
  readonly holes?: boolean | undefined;
  readonly trace?: RangeTrace | undefined;
  readonly limits?: RangeLimits | undefined;
  readonly turns?: EventLoopTurns | undefined;
}

/** Samples of a range, read once, on demand; own history. Throws CONVERSION; iterating also LIMIT_EXCEEDED and the signal's reason. */
export function readRange(options: RangeOptions): RangeSamples {
  const reader = new RangeReader(options);
  const { decimation } = options.request;
  return decimation ? decimate(reader, options.request, decimation) : reader;
}

/** Maximum values per sample at one moment: one per singular metric and included instance. For checkRangeCost(). */
export async function countSeries(
  source: Pick<RangeSource, 'instances'>,
  profile: InstanceProfile,
  metrics: readonly RangeMetric[],
  at: Timestamp,
): Promise<number> {
  const sizes = new Map<number, number>([[INDOM_NULL, 1]]);
  let series = 0;
  for (const { descriptor } of metrics) {
    const { indom } = descriptor;
    const size = sizes.get(indom) ?? (await countInstances(source, profile, indom, at));
    sizes.set(indom, size);
    series += size;
  }
  return series;
}

async function countInstances(
  source: Pick<RangeSource, 'instances'>,
  profile: InstanceProfile,
  indom: number,
  at: Timestamp,
): Promise<number> {
  const domain = await source.instances(indom, at).catch(onPmError(() => undefined));
  return domain?.instances.filter(({ id }) => profile.includes(indom, id)).length ?? 1;
}

/** Maximum values per batch, which is one turn of the event loop: fewer if each is the operand of many steps of evaluation. */
const BATCH_VALUES = 4096;
const [MOMENTS_AT_ONCE, SETS_AT_ONCE] = [64, 64];
/** How many moments a source may read at once in blocks, of which it decides the length. */
const MOMENTS_AHEAD = 256;

class RangeReader implements RangeSamples {
  readonly metrics: readonly RangeMetric[];
  readonly #options: RangeOptions;
  readonly #pmids: readonly number[];
  readonly #pipelines: readonly MetricPipeline[];
  readonly #instances: RangeInstances;
  readonly #limits: RangeLimits;
  readonly #turns: EventLoopTurns;
  readonly #batchValues: number;
  #valuesRead = 0;
  #samplesRead = 0;

  constructor(options: RangeOptions) {
    const { source, metrics, request, wrap, leastSec, limits = DEFAULT_RANGE_LIMITS, turns = eventLoopTurns } = options;
    this.#options = options;
    this.#limits = limits;
    this.#turns = turns;
    this.#pmids = basePmids(metrics);
    const steps = metrics.reduce((sum, { computed }) => sum + (computed?.program.steps.length ?? 0), 0);
    this.#batchValues = Math.floor(BATCH_VALUES / Math.max(steps / Math.max(this.#pmids.length, 1), 1));
    const places = new Map(this.#pmids.map((pmid, i) => [pmid, i]));
    this.#instances = new RangeInstances(
      source,
      metrics.flatMap(({ computed }) => computed?.program.indoms ?? []),
    );
    this.#pipelines = metrics.map(
      (metric) =>
        new MetricPipeline(metric, {
          places,
          instances: this.#instances,
          rate: request.rate ? { wrap } : undefined,
          units: request.units,
          leastSec,
        }),
    );
    this.metrics = this.#pipelines.map(({ metric }) => metric);
    options.trace?.watch(this.#pipelines);
  }

  async *batches(): AsyncGenerator<Batch, void> {
    const { interval, samples } = this.#options.request;
    const holes = this.#options.holes === true && !interval ? new Holes(this.#pipelines) : undefined;
    for await (const batch of interval ? this.#interpolated() : this.#recorded()) {
      if (batch.isMark) {
        for (const pipeline of this.#pipelines) pipeline.crossMark();
        holes?.forget();
        yield batch;
        continue;
      }
      for (let row = 0; row < batch.length;) {
        const hole = holes?.before(batch, row);
        if (hole) yield hole;
        const length = this.#countReadable(batch, row, holes?.rowsWithout(row));
        if (this.#instances.indoms.length > 0) await this.#instances.moveTo(timeOfRow(batch, row));
        yield this.#answer(batch, row, length);
        row += length;
        if (this.#samplesRead >= samples) return;
        const turn = this.#turn();
        if (turn) await turn;
      }
    }
  }

  /** Recorded samples, possibly too many. */
  #recorded(): AsyncIterable<Batch> | readonly Batch[] {
    const { source, profile, request, signal, onDamage, metrics } = this.#options;
    const { origin, finish } = request;
    if (metrics.length === 0 || compareTimestamps(origin, finish) > 0) return [];
    signal?.throwIfAborted();
    return source.batches(source.prepare(this.#pmids), profile, origin, finish, { signal, onDamage });
  }

  /** Interpolated samples: batches end where waiting is needed or the turn is over. */
  async *#interpolated(): AsyncGenerator<Batch, void> {
    const { source, profile, request, wrap, signal, onDamage } = this.#options;
    const read = source.range(source.prepare(this.#pmids), profile, { wrap, signal, onDamage });
    const most = Math.max(1, Math.min(MOMENTS_AT_ONCE, Math.floor(SETS_AT_ONCE / Math.max(this.#pmids.length, 1))));
    const times = moments(request);
    const batch = new RowBatch(this.#pmids.length, most);
    const ahead: Timestamp[] = [];
    const block = (): Batch | undefined => {
      while (ahead.length < MOMENTS_AHEAD) {
        const next = times.next();
        if (next.done === true) break;
        ahead.push(next.value);
      }
      const found = read.block?.(ahead);
      ahead.splice(0, found?.length ?? 0);
      return found;
    };
    /** Reads the next moment into the batch's next row. Returns whether there is one. */
    const begin = (): boolean | Promise<boolean> => {
      const next = ahead.shift() ?? times.next().value;
      if (!next) return false;
      try {
        const reading = read(next, batch.next);
        return reading instanceof Promise ? reading.then(() => true, isNoMore) : true;
      } catch (error) {
        return isNoMore(error);
      }
    };
    let begun: boolean | Promise<boolean> | undefined;
    for (;;) {
      const turn = this.#turn();
      if (turn) await turn;
      batch.clear();
      const isRead = begun ?? begin();
      begun = undefined;
      if (!(isRead instanceof Promise ? await isRead : isRead)) return;
      batch.push();
      let inBlocks = block();
      while (!inBlocks && begun === undefined && batch.length < most && !this.#turns.isOver) {
        const here = begin();
        if (here !== true) begun = here;
        else {
          batch.push();
          inBlocks = block();
        }
      }
      // It fails unheard if no one asks for more.
      if (begun instanceof Promise) begun.catch(() => undefined);
      yield batch;
      for (; inBlocks; inBlocks = block()) yield inBlocks;
    }
  }

  /** How many rows from one on fit into a batch. Throws if not one may be read. */
  #countReadable(batch: Batch, from: number, rows = batch.length - from): number {
    const { samples } = this.#options.request;
    const least = Math.max(batch.columns.length, this.#pipelines.length > 0 ? 1 : 0);
    const most = this.#instances.indoms.length > 0 ? 1 : Math.max(1, Math.floor(this.#batchValues / least));
    const wanted = Math.min(rows, samples - this.#samplesRead, most);
    const counts = this.#countValues(batch, from, wanted);
    const left = this.#limits.values - this.#valuesRead;
    let [length, values] = [0, 0];
    while (length < wanted && values + counts[length]! <= (length === 0 ? left : Math.min(left, this.#batchValues))) {
      values += counts[length++]!;
    }
    if (length === 0) throw this.#tooMuch(timeOfRow(batch, from));
    this.#valuesRead += values;
    this.#samplesRead += length;
    return length;
  }

  /** The number of values of some rows; a metric without any counts as one. */
  #countValues({ columns }: Batch, from: number, length: number): Float64Array {
    // Metrics that are computed from nothing have values all the same.
    let each = columns.length === 0 ? this.#pipelines.length : columns.length;
    for (const { block } of columns) if (block && block.instances.length > 1) each += block.instances.length - 1;
    const counts = new Float64Array(length).fill(each);
    for (const column of columns) {
      if (column.block) continue;
      for (let i = 0; i < length; i++) {
        const count = column.status(from + i);
        if (count > 1) counts[i]! += count - 1;
      }
    }
    return counts;
  }

  #answer(batch: Batch, from: number, length: number): Batch {
    const { secs, nsecs } = batch;
    const end = from + length;
    for (const pipeline of this.#pipelines) pipeline.take(batch, from, length);
    return {
      length,
      isMark: false,
      secs: secs.subarray(from, end),
      nsecs: nsecs.subarray(from, end),
      columns: this.#pipelines,
      following: Math.min(batch.length - end, this.#options.request.samples - this.#samplesRead),
    };
  }

  #turn(): Promise<void> | undefined {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    return this.#turns.next()?.then(() => {
      signal?.throwIfAborted();
    });
  }

  #tooMuch(at: Timestamp): GatewayError {
    const fits = `the ${this.#samplesRead} samples before ${formatTimestamp(at)} would fit: shorten the window, or set an interval`;
    const message = `the range has more than ${this.#limits.values} values (archives.rangeValues); ${fits}`;
    return limitExceeded(message, fits, 'finish');
  }
}

/** False at the end of the recording; throws other errors. */
function isNoMore(error: unknown): false {
  if (error instanceof PmError && error.pmErr === PM_ERR.EOL) return false;
  throw error;
}

/** How many intervals without a sample are a hole, and the seconds that it has at least. */
const [HOLE_INTERVALS, LEAST_HOLE_SEC] = [5, 5];
/** How many of the last intervals tell the usual one, and how many it takes. */
const [INTERVALS_KEPT, LEAST_INTERVALS] = [5, 4];
/** How many samples' times are looked at in one turn of the event loop. */
const TIMES_AT_ONCE = 4096;
/** How long after the last sample the mark of a hole stands: as long as those of pmlogger. */
const MARK_SEC = 0.001;

/** Times of one metric's samples. The usual interval is the second longest of five: no hole lengthens, no fetch shortens it. */
class SampleTimes {
  readonly #intervals = new Float64Array(INTERVALS_KEPT);
  #count = 0;
  #wasHole = false;
  last: Timestamp | undefined;
  /** Whether the hole after the last sample has its mark. */
  isTold = false;

  /** Whether a sample at a moment would be far later than usual; undefined if that is not known yet. */
  isHoleBefore(at: Timestamp): boolean | undefined {
    if (!this.last || this.#count < LEAST_INTERVALS) return undefined;
    const gap = secondsBetween(at, this.last);
    if (gap <= LEAST_HOLE_SEC) return false;
    let longer = 0;
    for (const interval of this.#intervals) if (HOLE_INTERVALS * interval >= gap) longer++;
    return longer < 2;
  }

  push(at: Timestamp): void {
    if (this.last) {
      const isHole = this.isHoleBefore(at) === true;
      // A hole is an interval only where another follows at once: short stretches between holes have few of their own.
      if (!isHole || this.#wasHole) this.#intervals[this.#count++ % INTERVALS_KEPT] = secondsBetween(at, this.last);
      this.#wasHole = isHole;
    }
    this.last = at;
    this.isTold = false;
  }
}

/** Times without a sample of any metric for far longer than usual: lines end there. Discrete metrics do not count. */
class Holes {
  readonly #metrics: readonly { readonly pipeline: MetricPipeline; times: SampleTimes }[];
  #end = 0;
  /** The rows found there after holes, in order, and the last sample before each. */
  #found: { readonly row: number; readonly after: Timestamp }[] = [];
  #last: Timestamp | undefined;

  constructor(pipelines: readonly MetricPipeline[]) {
    const drawn = pipelines.filter(({ metric }) => metric.descriptor.semantics !== Semantics.DISCRETE);
    this.#metrics = drawn.map((pipeline) => ({ pipeline, times: new SampleTimes() }));
  }

  forget(): void {
    this.#last = undefined;
    for (const metric of this.#metrics) metric.times = new SampleTimes();
  }

  /** The mark of the hole before a row of a batch, if there is one. Asked for the first row, and then for those that {@link rowsWithout} leads to. */
  before(batch: Batch, row: number): Batch | undefined {
    if (row === 0 || row === this.#end) this.#search(batch, row);
    const hole = this.#found.find((one) => one.row === row);
    return hole && markAt(addSeconds(hole.after, MARK_SEC), 'hole');
  }

  /** The number of rows of that batch from one on up to the next hole, as far as it was searched. */
  rowsWithout(row: number): number {
    return (this.#found.find((one) => one.row > row)?.row ?? this.#end) - row;
  }

  #search(batch: Batch, from: number): void {
    this.#end = Math.min(batch.length, from + Math.ceil(TIMES_AT_ONCE / Math.max(this.#metrics.length, 1)));
    this.#found = [];
    for (let row = from; row < this.#end; row++) {
      const at = timeOfRow(batch, row);
      if (this.#last && this.#isHole(at)) this.#found.push({ row, after: this.#last });
      for (const { pipeline, times } of this.#metrics) if (pipeline.isHeldBy(batch, row)) times.push(at);
      this.#last = at;
    }
  }

  /** Whether it is one for each metric of which the usual interval is known. */
  #isHole(at: Timestamp): boolean {
    let isHole = false;
    for (const { times } of this.#metrics) {
      const isOwn = times.isHoleBefore(at);
      if (isOwn === false) return false;
      isHole ||= isOwn === true && !times.isTold;
    }
    if (isHole) for (const { times } of this.#metrics) times.isTold = true;
    return isHole;
  }
}
