import { bisect } from '../../kit/index.js';
import { MetricType, PM_ERR, ValueSet, compareTimestamps } from '../../pmapi/index.js';
import type { InstanceDomain, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import { RowBatch, markAt } from '../../sources/index.js';
import type {
  Batch,
  InstanceNeighbours,
  InstanceProfile,
  InterpolationOptions,
  NeighbourOfMoment,
  PreparedFetch,
  ReadMoment,
} from '../../sources/index.js';
import type { LiveRow, LiveRows } from './live-chunk.js';
import { LiveInterpolator } from './live-interpolator.js';
import type { LiveNeighbour } from './live-interpolator.js';
import type { LiveHistory } from './live-ring.js';
import type { RangeSource } from './range-source.js';

/** The remembered samples of a live source, for reading ranges. */
export class LiveRangeSource implements RangeSource {
  readonly #history: LiveHistory;
  readonly #descriptors: ReadonlyMap<number, MetricDescriptor>;
  readonly #instances: (indom: number) => Promise<InstanceDomain>;

  /** `descriptors`: of metrics and operands; `instances` lists a domain of the source now. */
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
        if (sample && descriptor) sample.chunk.fill(sample.row, pmid, descriptor.indom, profile, set);
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
    const interpolators = this.#interpolators(pmids, profile, wrap);
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
    const interpolators = this.#interpolators(pmids, profile, false);
    return Promise.resolve(interpolators.map((interpolator) => (interpolator ? liveNeighbours(interpolator, at) : [])));
  }

  #interpolators(
    pmids: readonly number[],
    profile: InstanceProfile,
    wrap: boolean,
  ): readonly (LiveInterpolator | undefined)[] {
    const { marks } = this.#history;
    const start = this.#history.bounds(pmids)?.start ?? NO_TIME;
    return pmids.map((pmid) => {
      const descriptor = this.#descriptors.get(pmid);
      const remembered = { samples: this.#history.samples(pmid), marks };
      const rules = { stepRule: 'nearer', wrap, start } as const;
      return descriptor && new LiveInterpolator(descriptor, remembered, profile, rules);
    });
  }

  instances(indom: number): Promise<InstanceDomain> {
    return this.#instances(indom);
  }
}

const NO_TIME: Timestamp = { sec: 0, nsec: 0 };

class SampleCursor {
  readonly #samples: readonly LiveRows[];
  readonly #to: Timestamp;
  #index = 0;
  #row = 0;
  /** The next sample's time; undefined without one in the window. */
  time: Timestamp | undefined;

  constructor(samples: readonly LiveRows[], from: Timestamp, to: Timestamp) {
    this.#samples = samples;
    this.#to = to;
    this.#row = samples[0]?.first ?? 0;
    this.#skipTo(from);
  }

  takeAt(at: Timestamp): LiveRow | undefined {
    if (!this.time || compareTimestamps(this.time, at) !== 0) return undefined;
    const taken = { chunk: this.#samples[this.#index]!.chunk, row: this.#row++ };
    this.#skipTo(at);
    return taken;
  }

  #skipTo(from: Timestamp): void {
    this.time = undefined;
    for (; this.#index < this.#samples.length; this.#row = this.#samples[++this.#index]?.first ?? 0) {
      const { chunk, end } = this.#samples[this.#index]!;
      this.#row = bisect(this.#row, end, (row) => chunk.times.compare(row, from) >= 0);
      if (this.#row === end) continue;
      const time = chunk.times.at(this.#row);
      if (compareTimestamps(time, this.#to) <= 0) this.time = time;
      return;
    }
  }
}

function earliest(cursors: readonly SampleCursor[]): Timestamp | undefined {
  let found: Timestamp | undefined;
  for (const { time } of cursors) if (time && (!found || compareTimestamps(time, found) < 0)) found = time;
  return found;
}

function liveNeighbours(interpolator: LiveInterpolator, at: Timestamp): readonly InstanceNeighbours[] {
  return Array.from(interpolator.neighbourhoods(at), ({ instance, low, high }) => {
    const before = describe(instance, low);
    const isExact = before.kind === 'value' && compareTimestamps(low, at) === 0;
    return { instance, exact: isExact ? [before] : [], low: before, high: describe(instance, high) };
  });
}

function describe(instance: number, { column, index, sec, nsec }: LiveNeighbour): NeighbourOfMoment {
  const timestamp = { sec, nsec };
  if (!column) return Number.isFinite(sec) ? { kind: 'mark', timestamp } : { kind: 'none' };
  const set = new ValueSet();
  set.reset(set.pmid, column.type);
  column.copyValue(index, instance, set);
  return { kind: 'value', timestamp, value: set.column.atomAt(0) };
}
