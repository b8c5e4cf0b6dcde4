import { compareTimestamps, INDOM_NULL, MetricType, PM_ERR } from '../../pmapi/index.js';
import type { InstanceDomain, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import { markAt, RowBatch } from '../../sources/index.js';
import type {
  Batch,
  InstanceNeighbours,
  InstanceProfile,
  InterpolationOptions,
  PreparedFetch,
  ReadMoment,
} from '../../sources/index.js';
import { LiveInterpolator } from './live-interpolator.js';
import { liveNeighbours } from './live-neighbours.js';
import type { LiveHistory } from './live-ring.js';
import { fillFromSample } from './live-sample.js';
import type { LiveSample } from './live-sample.js';
import type { RangeSource } from './range-source.js';

/** What is remembered of a live source, as something that ranges are read from. */
export class LiveRangeSource implements RangeSource {
  readonly #history: LiveHistory;
  readonly #descriptors: ReadonlyMap<number, MetricDescriptor>;
  readonly #instances: (indom: number) => Promise<InstanceDomain>;

  /**
   * @param descriptors of the metrics of the range, and of the operands of its derived metrics
   * @param instances lists an instance domain of the source as it is now
   */
  constructor(
    history: LiveHistory,
    descriptors: readonly MetricDescriptor[],
    instances: (indom: number) => Promise<InstanceDomain>,
  ) {
    this.#history = history;
    this.#descriptors = new Map(descriptors.map((descriptor) => [descriptor.pmid, descriptor]));
    this.#instances = instances;
  }

  prepare(pmids: readonly number[]): PreparedFetch {
    return { pmids };
  }

  async *batches(
    { pmids }: PreparedFetch,
    profile: InstanceProfile,
    from: Timestamp,
    to: Timestamp,
  ): AsyncGenerator<Batch, void> {
    const cursors = pmids.map((pmid) => new SampleCursor(this.#history.samples(pmid), from, to));
    const marks = this.#history.marks.filter((mark) => compareTimestamps(mark, from) > 0);
    let held: readonly boolean[] = [];
    const row = new RowBatch(pmids.length, 1, (_, metric) => held[metric]!);
    let at = earliest(cursors);
    while (at) {
      const now = at;
      for (let mark = marks[0]; mark && compareTimestamps(mark, now) <= 0; mark = marks[0]) {
        marks.shift();
        yield await Promise.resolve(markAt(mark));
      }
      row.clear();
      const result = row.next;
      result.resize(pmids.length);
      held = cursors.map((cursor, i) => {
        const sample = cursor.takeAt(now);
        const pmid = pmids[i]!;
        const descriptor = this.#descriptors.get(pmid);
        const set = result.sets[i]!;
        if (sample && descriptor) fillFromSample(sample, pmid, descriptor.indom, profile, set);
        else set.reset(pmid, descriptor?.type ?? MetricType.U32);
        return sample !== undefined;
      });
      result.timestamp = now;
      row.push();
      yield row;
      at = earliest(cursors);
    }
  }

  range({ pmids }: PreparedFetch, profile: InstanceProfile, { wrap = false }: InterpolationOptions = {}): ReadMoment {
    const { marks } = this.#history;
    const start = this.#history.bounds(pmids)?.start ?? NO_TIME;
    const interpolators = pmids.map((pmid) => {
      const descriptor = this.#descriptors.get(pmid);
      const remembered = { samples: this.#history.samples(pmid), marks };
      const rules = { stepRule: 'nearer', wrap, start } as const;
      return descriptor && new LiveInterpolator(descriptor, remembered, profile, rules);
    });
    return (time, into) => {
      into.timestamp = time;
      into.resize(pmids.length);
      interpolators.forEach((interpolator, i) => {
        const set = into.sets[i]!;
        if (interpolator) {
          interpolator.fill(time, set);
        } else {
          set.reset(pmids[i]!, MetricType.U32);
          set.fail(PM_ERR.PMID);
        }
      });
    };
  }

  neighbours(
    pmids: readonly number[],
    profile: InstanceProfile,
    at: Timestamp,
  ): Promise<readonly (readonly InstanceNeighbours[])[]> {
    const { marks } = this.#history;
    const found = pmids.map((pmid) => {
      const indom = this.#descriptors.get(pmid)?.indom ?? INDOM_NULL;
      return liveNeighbours({ samples: this.#history.samples(pmid), marks }, at).filter(({ instance }) =>
        profile.includes(indom, instance),
      );
    });
    return Promise.resolve(found);
  }

  instances(indom: number): Promise<InstanceDomain> {
    return this.#instances(indom);
  }
}

const NO_TIME: Timestamp = { sec: 0, nsec: 0 };

/** Goes through the samples of one metric in a window. */
class SampleCursor {
  readonly #samples: readonly LiveSample[];
  readonly #to: Timestamp;
  #next: number;

  constructor(samples: readonly LiveSample[], from: Timestamp, to: Timestamp) {
    this.#samples = samples;
    this.#to = to;
    const first = samples.findIndex(({ timestamp }) => compareTimestamps(timestamp, from) >= 0);
    this.#next = first < 0 ? samples.length : first;
  }

  /** The time of the next sample; undefined when there is none in the window. */
  get time(): Timestamp | undefined {
    const next = this.#samples[this.#next];
    return next && compareTimestamps(next.timestamp, this.#to) <= 0 ? next.timestamp : undefined;
  }

  /** Take the next sample when it is of this very moment. */
  takeAt(at: Timestamp): LiveSample | undefined {
    const { time } = this;
    return time && compareTimestamps(time, at) === 0 ? this.#samples[this.#next++] : undefined;
  }
}

function earliest(cursors: readonly SampleCursor[]): Timestamp | undefined {
  let found: Timestamp | undefined;
  for (const { time } of cursors) if (time && (!found || compareTimestamps(time, found) < 0)) found = time;
  return found;
}
