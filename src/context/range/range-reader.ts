import type { EventLoopTurns } from '../../kit/index.js';
import { eventLoopTurns } from '../../kit/index.js';
import {
  FetchResult,
  formatTimestamp,
  GatewayError,
  INDOM_NULL,
  onPmError,
  PM_ERR,
  PmError,
} from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import type { InstanceProfile, ReadMoment, RecordBlock, RecordRun } from '../../sources/index.js';
import { decimate } from './decimate.js';
import { MetricPipeline } from './metric-pipeline.js';
import { DEFAULT_RANGE_LIMITS, moments } from './range-request.js';
import type { RangeLimits, RangeRequest } from './range-request.js';
import { basePmids, inRuns } from './range-source.js';
import { RangeInstances } from './derived-evaluation.js';
import type { RangeMetric, RangeRecord, RangeSample, RangeSamples, RangeSource, SampleBlock } from './range-source.js';

/** What a range is read from, and for whom. */
export interface RangeOptions {
  readonly source: RangeSource;
  /** The instances that count. A copy of the context's profile, when that may change meanwhile. */
  readonly profile: InstanceProfile;
  readonly metrics: readonly RangeMetric[];
  readonly request: RangeRequest;
  /** Aborted when the client leaves: reading then stops by throwing the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told of damage in what is read, maybe more than once of the same: the samples leave it out. */
  readonly onDamage?: ((damage: PmError) => void) | undefined;
  /** Take counters that go down for ones that wrapped. */
  readonly wrap?: boolean | undefined;
  readonly limits?: RangeLimits | undefined;
  readonly turns?: EventLoopTurns | undefined;
}

/**
 * The samples of a range, read as they are asked for: nothing is read ahead, and whoever stops asking stops the reading.
 * Recorded samples without an interval, interpolated ones with it; then derived metrics, rates, units and decimation, in this
 * order. Each range has its own history, and leaves the context's position alone. May be iterated once.
 *
 * Iterating throws what the source throws, the signal's reason, and LIMIT_EXCEEDED when more is read than one range may.
 * @throws GatewayError CONVERSION at once, when a metric cannot be given in the request's units
 */
export function readRange(options: RangeOptions): RangeSamples {
  const reader = new RangeReader(options);
  const { decimation } = options.request;
  return decimation ? decimate(reader, options.request, decimation) : reader;
}

/**
 * How many values a sample of some metrics has at most, as far as one moment tells: one for each singular metric and for each
 * instance that the profile lets through. For checkRangeCost().
 */
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

/** How many samples are made between two looks at the clock. */
const SAMPLES_PER_LOOK = 8;

class RangeReader implements RangeSamples {
  readonly metrics: readonly RangeMetric[];
  readonly #options: RangeOptions;
  readonly #pmids: readonly number[];
  readonly #pipelines: readonly MetricPipeline[];
  readonly #instances: RangeInstances;
  readonly #limits: RangeLimits;
  readonly #turns: EventLoopTurns;
  readonly #result = new FetchResult();
  readonly #holdsMetric = (metric: number): boolean => this.#pipelines[metric]!.isHeldBy(this.#holds);
  /** Of the sample that was given last. */
  #holds: (i: number) => boolean = always;
  #valuesRead = 0;
  #samplesRead = 0;

  constructor(options: RangeOptions) {
    const { source, metrics, request, wrap, limits = DEFAULT_RANGE_LIMITS, turns = eventLoopTurns } = options;
    this.#options = options;
    this.#limits = limits;
    this.#turns = turns;
    this.#pmids = basePmids(metrics);
    const places = new Map(this.#pmids.map((pmid, i) => [pmid, i]));
    this.#instances = new RangeInstances(source, metrics);
    this.#pipelines = metrics.map(
      (metric) =>
        new MetricPipeline(metric, {
          places,
          instances: this.#instances,
          rate: request.rate ? { wrap } : undefined,
          units: request.units,
        }),
    );
    this.metrics = this.#pipelines.map(({ metric }) => metric);
    this.#result.sets.push(...this.#pipelines.map(({ values }) => values));
  }

  [Symbol.asyncIterator](): AsyncIterator<RangeSample> {
    return each(this.runs());
  }

  runs(): AsyncGenerator<Iterable<RangeSample>, void> {
    return this.#options.request.interval ? this.#interpolated() : this.#recorded();
  }

  blocks(): AsyncIterable<Iterable<RangeSample> | SampleBlock> {
    const takesBlocks = this.#pipelines.every((pipeline) => pipeline.takesBlocks);
    return this.#options.request.interval || !takesBlocks ? this.runs() : this.#recordedBlocks();
  }

  async *#interpolated(): AsyncGenerator<Iterable<RangeSample>, void> {
    const { source, profile, request, wrap, signal, onDamage } = this.#options;
    const read = source.range(source.prepare(this.#pmids), profile, { wrap, signal, onDamage });
    const reading = new MomentReading(moments(request), read);
    const movesInstances = this.#instances.indoms.length > 0;
    for (;;) {
      const turn = this.#turn();
      if (turn) await turn;
      const isRead = reading.next();
      if (!(isRead instanceof Promise ? await isRead : isRead)) return;
      if (movesInstances) await this.#instances.moveTo(reading.raw.timestamp);
      yield movesInstances ? [this.#sample(reading.raw, always)] : this.#samplesAt(reading);
    }
  }

  /** The sample of the moment that was read and those of further ones, until one has to be waited for or this turn of the event loop is over. */
  *#samplesAt(reading: MomentReading): Generator<RangeSample, void> {
    do yield this.#sample(reading.raw, always);
    while (!this.#turns.isOver && reading.nextHere());
  }

  async *#recorded(): AsyncGenerator<Iterable<RangeSample>, void> {
    for await (const run of this.#runs()) yield* this.#samplesOf(run);
  }

  async *#recordedBlocks(): AsyncGenerator<Iterable<RangeSample> | SampleBlock, void> {
    for await (const run of this.#runs()) {
      const block = run.takeBlock?.();
      if (block) {
        yield* this.#convertBlock(block);
        if (this.#samplesRead >= this.#options.request.samples) return;
        const turn = this.#turn();
        if (turn) await turn;
      } else yield* this.#samplesOf(run);
    }
  }

  /** The recorded samples, in the runs that the source gives them in, until there are as many as were asked for. */
  async *#runs(): AsyncGenerator<RecordRun, void> {
    const { source, profile, request, signal, onDamage, metrics } = this.#options;
    const { origin, finish, samples } = request;
    if (metrics.length === 0) return;
    if (origin.sec > finish.sec || (origin.sec === finish.sec && origin.nsec > finish.nsec)) return;
    const prepared = source.prepare(this.#pmids);
    signal?.throwIfAborted();
    const given = [prepared, profile, origin, finish, { signal, onDamage }] as const;
    for await (const run of inRuns(source.recordRuns?.(...given), source.records(...given))) {
      yield run;
      if (this.#samplesRead >= samples) return;
    }
  }

  async *#samplesOf(run: Iterable<RangeRecord>): AsyncGenerator<Iterable<RangeSample>, void> {
    const movesInstances = this.#instances.indoms.length > 0;
    const records = run[Symbol.iterator]();
    for (let next = records.next(); next.done !== true; next = records.next()) {
      const record = next.value;
      if (movesInstances && !record.isMark) await this.#instances.moveTo(record.timestamp);
      yield this.#samplesFrom(record, movesInstances ? NOTHING_MORE : records);
      if (this.#samplesRead >= this.#options.request.samples) return;
      const turn = this.#turn();
      if (turn) await turn;
    }
  }

  /** A block as it is answered, no longer than what may be read; what is too much throws, as it does sample by sample. */
  *#convertBlock(block: RecordBlock): Generator<SampleBlock, void> {
    const each = block.columns.reduce((sum, column) => sum + Math.max(column?.instances.length ?? 0, 1), 0);
    const readable = Math.floor((this.#limits.values - this.#valuesRead) / each);
    const length = Math.min(block.length, this.#options.request.samples - this.#samplesRead, readable);
    if (length > 0) {
      const columns = this.#pipelines.map((pipeline) => pipeline.convertBlock(block));
      this.#valuesRead += length * each;
      this.#samplesRead += length;
      yield { length, secs: block.secs.subarray(0, length), nsecs: block.nsecs.subarray(0, length), columns };
    }
    if (length < block.length && this.#samplesRead < this.#options.request.samples) {
      throw this.#tooMuch({ sec: block.secs[length]!, nsec: block.nsecs[length]! });
    }
  }

  /** The sample of a record and those of the records behind it, until this turn of the event loop is over. */
  *#samplesFrom(first: RangeRecord, more: Iterator<RangeRecord>): Generator<RangeSample, void> {
    const { samples } = this.#options.request;
    let record: RangeRecord | undefined = first;
    for (let i = 0; record; i++) {
      yield record.isMark ? this.#mark(record.timestamp) : this.#sample(record.result, holdsOf(record));
      if (this.#samplesRead >= samples || (i % SAMPLES_PER_LOOK === 0 && this.#turns.isOver)) return;
      const next: IteratorResult<RangeRecord, unknown> = more.next();
      record = next.done === true ? undefined : next.value;
    }
  }

  /** What to wait for before going on, if anything: waiting costs, even for what is there. Throws the signal's reason. */
  #turn(): Promise<void> | undefined {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    return this.#turns.next()?.then(() => {
      signal?.throwIfAborted();
    });
  }

  #mark(at: Timestamp): RangeSample {
    this.#result.timestamp = at;
    for (let i = 0; i < this.#pipelines.length; i++) {
      this.#pipelines[i]!.crossMark();
      this.#result.sets[i] = this.#pipelines[i]!.values;
    }
    return { isMark: true, result: this.#result };
  }

  #sample(raw: FetchResult, holds: (i: number) => boolean): RangeSample {
    this.#result.timestamp = raw.timestamp;
    for (const set of raw.sets) this.#valuesRead += Math.max(set.status, 1);
    // Metrics that are computed from nothing have values all the same.
    if (raw.sets.length === 0) this.#valuesRead += this.#pipelines.length;
    for (let i = 0; i < this.#pipelines.length; i++) this.#result.sets[i] = this.#pipelines[i]!.convert(raw, holds);
    if (this.#valuesRead > this.#limits.values) throw this.#tooMuch(raw.timestamp);
    this.#samplesRead++;
    this.#holds = holds;
    return { isMark: false, result: this.#result, holds: this.#holdsMetric };
  }

  #tooMuch(at: Timestamp): GatewayError {
    const fits = `the ${this.#samplesRead} samples before ${formatTimestamp(at)} would fit: shorten the window, or set an interval`;
    return new GatewayError(
      'LIMIT_EXCEEDED',
      `the range has more than ${this.#limits.values} values (archives.rangeValues); ${fits}`,
      { parameter: 'finish', expected: fits },
    );
  }
}

/** Reads one moment of an interpolated range after the other. */
class MomentReading {
  readonly raw = new FetchResult();
  readonly #moments: Iterator<Timestamp, void>;
  readonly #read: ReadMoment;
  /** Of a moment that {@link nextHere} began with. */
  #outcome: boolean | Promise<boolean> | undefined;

  constructor(moments: Iterator<Timestamp, void>, read: ReadMoment) {
    this.#moments = moments;
    this.#read = read;
  }

  /** Read the next moment into `raw`. Returns whether there is one. */
  next(): boolean | Promise<boolean> {
    const outcome = this.#outcome ?? this.#begin();
    this.#outcome = undefined;
    return outcome;
  }

  /** Read the next moment into `raw` unless it has to be waited for: then {@link next} goes on with it. Returns whether it was read. */
  nextHere(): boolean {
    const outcome = this.#begin();
    if (outcome === true) return true;
    // It fails unheard if no one asks for more.
    if (outcome instanceof Promise) outcome.catch(() => undefined);
    this.#outcome = outcome;
    return false;
  }

  #begin(): boolean | Promise<boolean> {
    const next = this.#moments.next();
    if (next.done === true) return false;
    try {
      const reading = this.#read(next.value, this.raw);
      return reading instanceof Promise ? reading.then(() => true, isNoMore) : true;
    } catch (error) {
      return isNoMore(error);
    }
  }
}

const NOTHING_MORE: Iterator<RangeRecord> = { next: () => ({ done: true, value: undefined }) };

async function* each<T>(runs: AsyncIterable<Iterable<T>>): AsyncGenerator<T, void> {
  for await (const run of runs) yield* run;
}

/** False for the end of what there is; throws any other error. */
function isNoMore(error: unknown): false {
  if (error instanceof PmError && error.pmErr === PM_ERR.EOL) return false;
  throw error;
}

function always(): boolean {
  return true;
}

function holdsOf(record: RangeRecord): (i: number) => boolean {
  return (i) => record.holds?.(i) ?? record.result.sets[i]!.status !== 0;
}
