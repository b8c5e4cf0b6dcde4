import { eventLoopTurns } from '../kit/index.js';
import {
  FetchResult,
  ValueSet,
  MetricType,
  Semantics,
  counterRise,
  counterSpan,
  isArithmeticType,
  isWideType,
  wideCounterBetween,
  wrapCounter,
} from '../pmapi/index.js';
import type { Timestamp, AtomValue, MetricDescriptor } from '../pmapi/index.js';
import type { InstanceProfile } from './profile.js';

/** Numbers in the narrowest typed array that holds all of them exactly. */
export type ExactNumbers = Int32Array | Float32Array | Float64Array;

/** A metric's numbers in a batch whose rows all have the same instances. The arrays belong to the source; read only. */
export interface NumberBlock {
  readonly type: MetricType;
  /** The instances, INSTANCE_NULL for a singular metric; only those of the profile. */
  readonly instances: Int32Array;
  /** The value of instance `k` in row `i` is `numbers[i * stride + places[k]]`; each is exact. There may be more behind the last row. */
  readonly numbers: ExactNumbers;
  readonly stride: number;
  readonly places: Int32Array;
}

/** The values of one metric in the rows of a batch. */
export interface BatchColumn {
  /** All values at once, if every row has the same instances and every value is an exact number; otherwise undefined. */
  readonly block: NumberBlock | undefined;
  /** Whether a row's record has the metric, even without values or with an error. */
  holds(row: number): boolean;
  /** The number of values of a row, or the PM_ERR code in their place; 0 if the record does not have the metric. */
  status(row: number): number;
  /** The values of a row, valid until another is read. Ascending order, because rates continue; rereading gives the same values. */
  at(row: number): ValueSet;
}

/** Interrupted recording; another source of samples; or nothing recorded for far longer than usual. */
export type MarkReason = 'mark' | 'joint' | 'hole';

/** Consecutive records in columns, or a single mark. Valid until the next batch is requested; rows by {@link recordsOf}. */
export interface Batch {
  /** The number of rows; 1 for a mark. */
  readonly length: number;
  /** The recording was interrupted here: a mark has no columns. */
  readonly isMark: boolean;
  /** For a mark. */
  readonly reason?: MarkReason;
  /** When each row was recorded: whole seconds, and nanoseconds. */
  readonly secs: Float64Array;
  readonly nsecs: Int32Array;
  readonly columns: readonly BatchColumn[];
  /** How many rows come soon after these, where that is known: room for them can be made at once. */
  readonly following?: number;
}

/** A record. Reused: valid until the next one is requested. */
export interface RecordedSample {
  readonly timestamp: Timestamp;
  /** The recording was interrupted here: a mark has no value sets. */
  readonly isMark: boolean;
  readonly result: FetchResult;
}

/** A row of a batch. Reused: valid until the next one is requested. */
export interface BatchRecord extends RecordedSample {
  /** For a mark. */
  readonly reason: MarkReason | undefined;
  /** Whether the record has a metric, by its index, even without values or with an error. */
  holds(metric: number): boolean;
}

export function timeOfRow({ secs, nsecs }: Batch, row: number): Timestamp {
  return { sec: secs[row]!, nsec: nsecs[row]! };
}

export function markAt({ sec, nsec }: Timestamp, reason: MarkReason = 'mark'): Batch {
  return { length: 1, isMark: true, reason, secs: Float64Array.of(sec), nsecs: Int32Array.of(nsec), columns: [] };
}

/** How many rows are produced between two checks of the clock. */
const ROWS_PER_LOOK = 8;

/** The rows of batches one by one, marks included, in turns of the event loop. */
export async function* recordsOf(batches: AsyncIterable<Batch>): AsyncGenerator<BatchRecord, void> {
  const result = new FetchResult();
  for await (const batch of batches) {
    let row = 0;
    const holds = (metric: number): boolean => batch.columns[metric]!.holds(row);
    for (; row < batch.length; row++) {
      const turn = row % ROWS_PER_LOOK === ROWS_PER_LOOK - 1 ? eventLoopTurns.next() : undefined;
      if (turn) await turn;
      result.timestamp = timeOfRow(batch, row);
      result.sets.length = 0;
      for (const column of batch.columns) result.sets.push(column.at(row));
      yield { timestamp: result.timestamp, isMark: batch.isMark, reason: batch.reason, result, holds };
    }
  }
}

/** A batch of values that come row by row, such as interpolated ones. Its rows can be refilled once the batch is done with. */
export class RowBatch implements Batch {
  readonly isMark = false;
  readonly columns: readonly BatchColumn[];
  readonly #rows: FetchResult[] = [];
  readonly #secs: Float64Array<ArrayBuffer>;
  readonly #nsecs: Int32Array<ArrayBuffer>;
  length = 0;

  /**
   * @param metrics the number of columns
   * @param most the maximum number of rows
   * @param holds whether a row has a metric, if it may lack some
   */
  constructor(metrics: number, most = 1, holds: (row: number, metric: number) => boolean = () => true) {
    this.#secs = new Float64Array(most);
    this.#nsecs = new Int32Array(most);
    this.columns = Array.from({ length: metrics }, (_, metric) => ({
      block: undefined,
      holds: (row) => holds(row, metric),
      status: (row) => this.#rows[row]!.sets[metric]!.status,
      at: (row) => this.#rows[row]!.sets[metric]!,
    }));
  }

  get secs(): Float64Array {
    return this.#secs.subarray(0, this.length);
  }

  get nsecs(): Int32Array {
    return this.#nsecs.subarray(0, this.length);
  }

  /** The row being filled: {@link push} adds it. */
  get next(): FetchResult {
    return (this.#rows[this.length] ??= new FetchResult());
  }

  push(): void {
    const { sec, nsec } = this.next.timestamp;
    this.#secs[this.length] = sec;
    this.#nsecs[this.length++] = nsec;
  }

  /** Removes all rows; the one being filled becomes the first. */
  clear(): void {
    const { length } = this;
    [this.#rows[0], this.#rows[length]] = [this.next, this.#rows[0]!];
    this.length = 0;
  }
}

/** A metric whose values in a batch are a block's, one instance beside the other. */
export function columnOfBlock(pmid: number, block: NumberBlock): BatchColumn {
  const { instances } = block;
  const set = new ValueSet();
  const at = (row: number): ValueSet => {
    set.reset(pmid, block.type);
    set.addNumbers(instances, 0, block.numbers, row * block.stride, instances.length);
    return set;
  };
  return { block, holds: () => true, status: () => instances.length, at };
}

/** A metric that no record of a batch has. @param set its value set, empty or failed */
export function columnOfNothing(set: ValueSet = new ValueSet()): BatchColumn {
  return { block: undefined, holds: () => false, status: () => set.status, at: () => set };
}

export interface RecordLocation {
  /** The archive's base name, without directories. */
  readonly archive: string;
  readonly volume: number;
  /** In bytes, in the (uncompressed) volume. */
  readonly offset: number;
}

export interface ObservedValue {
  readonly timestamp: Timestamp;
  readonly value: AtomValue;
  readonly record?: RecordLocation | undefined;
}

/** A value, a mark, or nothing, on one side of a moment. */
export type NeighbourOfMoment =
  | ({ readonly kind: 'value' } & ObservedValue)
  | { readonly kind: 'mark'; readonly timestamp: Timestamp; readonly damage?: string | undefined }
  | { readonly kind: 'none' };

/** An instance of a metric around a moment. */
export interface InstanceNeighbours {
  readonly instance: number;
  readonly exact: readonly ObservedValue[];
  readonly low: NeighbourOfMoment;
  readonly high: NeighbourOfMoment;
}

/** Finds the observations around moments, for explanations: one list per PMID, with the instances around the moment. */
export type FindNeighbours = (
  pmids: readonly number[],
  profile: InstanceProfile,
  at: Timestamp,
  signal?: AbortSignal,
) => Promise<readonly (readonly InstanceNeighbours[])[]>;

/** Observed values of one metric, by index. */
export interface ObservedValues {
  readonly values: {
    readonly numbers: Int32Array | Float32Array | Float64Array;
    readonly wide: BigInt64Array | undefined;
  };
  /** Append value `index` to a value set of the same type. */
  copyValue(index: number, instance: number, set: ValueSet): void;
}

/** Value `index` of a column with its time; without a column, a mark or nothing. */
export interface Observation extends Timestamp {
  readonly column: ObservedValues | undefined;
  readonly index: number;
}

/** The neighbour that a non-counter takes: the nearer (libpcp from 6.3.2 on, and pmgate) or the earlier (before, for comparison). */
export type StepRule = 'nearer' | 'earlier';

/** How values between observations are computed. */
export interface InterpolationRules {
  readonly stepRule: StepRule;
  /** Counters that go down have wrapped (PCP_COUNTER_WRAP); else they lie on a falling line. @see PCPIntro(1) */
  readonly wrap: boolean;
  /** The start of the archive: times are counted from it, which decides rounding. */
  readonly start: Timestamp;
}

/**
 * Appends an instance's value between `low` and `high`, if any: counters on the line between, other numbers the nearer (at a tie the
 * earlier), all else the earlier. Only discrete values continue beyond the last observation. @see pmSetMode(3), PM_MODE_INTERP
 */
export function addValueBetween(
  low: Observation,
  high: Observation,
  instance: number,
  at: Timestamp,
  { semantics, type }: MetricDescriptor,
  { stepRule, wrap, start }: InterpolationRules,
  set: ValueSet,
): void {
  const { column: before } = low;
  const { column: after } = high;
  if (!before || (!after && semantics !== Semantics.DISCRETE)) return;
  if (!after || !isArithmeticType(type)) {
    before.copyValue(low.index, instance, set);
    return;
  }
  // As libpcp does it: every moment becomes seconds since the start before anything is subtracted.
  const lowSec = secondsSince(start, low);
  const span = secondsSince(start, high) - lowSec;
  const elapsed = secondsSince(start, at) - lowSec;
  if (semantics !== Semantics.COUNTER) {
    if (stepRule === 'earlier' || elapsed <= span / 2) before.copyValue(low.index, instance, set);
    else after.copyValue(high.index, instance, set);
    return;
  }
  const from = before.values.numbers[low.index]!;
  const to = after.values.numbers[high.index]!;
  const wrapped = wrap && to < from;
  if (isWideType(type) && (wrapped || !Number.isSafeInteger(from) || !Number.isSafeInteger(to))) {
    const fraction = span > 0 ? elapsed / span : 0;
    const [exactFrom, exactTo] = [integerOf(before, low.index, type), integerOf(after, high.index, type)];
    set.addInteger(instance, wideCounterBetween(exactFrom, exactTo, fraction, wrap, type));
    return;
  }
  const rise = counterRise(from, to, wrap ? counterSpan(type) : 0);
  const value = span > 0 ? from + (elapsed * rise) / span : from;
  if (type === MetricType.DOUBLE) set.addNumber(instance, value);
  else if (type === MetricType.FLOAT) set.addNumber(instance, Math.fround(value));
  else set.addNumber(instance, wrapped ? wrapCounter(Math.trunc(value + 0.5), type) : Math.trunc(value + 0.5));
}

/** A value is one of two observations, or on the line between them. */
export type BetweenRule = 'earlier' | 'later' | 'line';

/** Seconds from an observation to a moment, rounded as in {@link addValueBetween}. */
export function secondsBehind(low: Timestamp, at: Timestamp, start: Timestamp): number {
  return secondsSince(start, at) - secondsSince(start, low);
}

/** The rule of {@link addValueBetween} for a value, for explanations. @param span 0 where nothing follows */
export function ruleBetween({ semantics, type }: MetricDescriptor, elapsed: number, span: number): BetweenRule {
  if (span === 0 || !isArithmeticType(type)) return 'earlier';
  if (semantics === Semantics.COUNTER) return 'line';
  return elapsed <= span / 2 ? 'earlier' : 'later';
}

function integerOf({ values: { wide, numbers } }: ObservedValues, index: number, type: MetricType): bigint {
  const bits = wide ? wide[index]! : BigInt(numbers[index]!);
  return type === MetricType.U64 ? BigInt.asUintN(64, bits) : bits;
}

/** Seconds from one moment to another, rounded as libpcp rounds them. */
function secondsSince(start: Timestamp, moment: Timestamp): number {
  const borrow = moment.nsec < start.nsec ? 1 : 0;
  return moment.sec - start.sec - borrow + (moment.nsec - start.nsec + borrow * 1e9) / 1e9;
}
