import type { EventLoopTurns } from '../../kit/index.js';
import { eventLoopTurns } from '../../kit/index.js';
import {
  compareTimestamps,
  formatTimestamp,
  INDOM_NULL,
  limitExceeded,
  onPmError,
  PM_ERR,
  PmError,
} from '../../pmapi/index.js';
import type { GatewayError, Timestamp } from '../../pmapi/index.js';
import { RowBatch, timeOfRow } from '../../sources/index.js';
import type { Batch, InstanceProfile, ReadMoment } from '../../sources/index.js';
import { decimate } from './decimate.js';
import { Holes } from './holes.js';
import { MetricPipeline } from './metric-pipeline.js';
import { DEFAULT_RANGE_LIMITS, moments } from './range-request.js';
import type { RangeLimits, RangeRequest } from './range-request.js';
import { basePmids } from './range-source.js';
import type { RangeTrace } from './range-trace.js';
import { RangeInstances } from './derived-evaluation.js';
import type { RangeMetric, RangeSamples, RangeSource } from './range-source.js';

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

/**
 * Maximum values per batch, which is processed in one turn of the event loop; a metric without values counts as one. With derived metrics each
 * counts as often as there are steps of their evaluation for each metric that is read.
 */
const BATCH_VALUES = 4096;
const [MOMENTS_AT_ONCE, SETS_AT_ONCE] = [64, 64];

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
    const reading = new MomentReading(moments(request), read, new RowBatch(this.#pmids.length, most));
    for (;;) {
      const turn = this.#turn();
      if (turn) await turn;
      const isRead = reading.next();
      if (!(isRead instanceof Promise ? await isRead : isRead)) return;
      while (reading.batch.length < most && !this.#turns.isOver && reading.nextHere());
      yield reading.batch;
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
    const counts = new Float64Array(length).fill(columns.length === 0 ? this.#pipelines.length : columns.length);
    for (const column of columns) {
      const width = column.block?.instances.length;
      if (width !== undefined && width <= 1) continue;
      for (let i = 0; i < length; i++) {
        const count = width ?? column.status(from + i);
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
    return limitExceeded('finish', message, fits);
  }
}

class MomentReading {
  /** The moments read since the last {@link next}. */
  readonly batch: RowBatch;
  readonly #moments: Iterator<Timestamp, void>;
  readonly #read: ReadMoment;
  /** The outcome for a moment begun by {@link nextHere}. */
  #outcome: boolean | Promise<boolean> | undefined;

  constructor(moments: Iterator<Timestamp, void>, read: ReadMoment, batch: RowBatch) {
    this.#moments = moments;
    this.#read = read;
    this.batch = batch;
  }

  /** Read the next moment into an empty batch. Returns whether there is one. */
  next(): boolean | Promise<boolean> {
    this.batch.clear();
    const outcome = this.#outcome ?? this.#begin();
    this.#outcome = undefined;
    return outcome instanceof Promise ? outcome.then(this.#take) : this.#take(outcome);
  }

  /** Reads the next moment if it need not wait, else {@link next} continues. Returns whether it was read. */
  nextHere(): boolean {
    const outcome = this.#begin();
    if (outcome === true) return this.#take(true);
    // It fails unheard if no one asks for more.
    if (outcome instanceof Promise) outcome.catch(() => undefined);
    this.#outcome = outcome;
    return false;
  }

  readonly #take = (isRead: boolean): boolean => {
    if (isRead) this.batch.push();
    return isRead;
  };

  #begin(): boolean | Promise<boolean> {
    const next = this.#moments.next();
    if (next.done === true) return false;
    try {
      const reading = this.#read(next.value, this.batch.next);
      return reading instanceof Promise ? reading.then(() => true, isNoMore) : true;
    } catch (error) {
      return isNoMore(error);
    }
  }
}

/** False at the end of the recording; throws other errors. */
function isNoMore(error: unknown): false {
  if (error instanceof PmError && error.pmErr === PM_ERR.EOL) return false;
  throw error;
}
