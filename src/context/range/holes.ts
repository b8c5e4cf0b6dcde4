import { addSeconds, secondsBetween, Semantics } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { markAt, timeOfRow } from '../../sources/index.js';
import type { Batch } from '../../sources/index.js';
import type { MetricPipeline } from './metric-pipeline.js';

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
  last: Timestamp | undefined;
  /** Whether the hole after the last sample has its mark. */
  isTold = false;

  /** Whether a sample at a moment would be far later than usual; undefined if that is not known yet. */
  isHoleBefore(at: Timestamp): boolean | undefined {
    if (!this.last || this.#count < LEAST_INTERVALS) return undefined;
    const gap = secondsBetween(at, this.last);
    if (gap <= LEAST_HOLE_SEC) return false;
    const usual = this.#intervals.slice().sort().at(-2)!;
    return gap > HOLE_INTERVALS * usual;
  }

  push(at: Timestamp): void {
    if (this.last) this.#intervals[this.#count++ % INTERVALS_KEPT] = secondsBetween(at, this.last);
    this.last = at;
    this.isTold = false;
  }
}

/** Times without a sample of any metric for far longer than usual: lines end there. Discrete metrics do not count. */
export class Holes {
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
