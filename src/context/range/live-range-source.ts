import { bisect } from '../../kit/index.js';
import { compareTimestamps, MetricType, PM_ERR, Semantics, ValueSet } from '../../pmapi/index.js';
import type { InstanceDomain, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import { addValueBetween, markAt, RowBatch } from '../../sources/index.js';
import type {
  Batch,
  InstanceNeighbours,
  InstanceProfile,
  InterpolationOptions,
  InterpolationRules,
  NeighbourOfMoment,
  Observation,
  PreparedFetch,
  ReadMoment,
  ReadWindow,
} from '../../sources/index.js';
import { timeOf, type LiveChunk, type LiveRow, type LiveRows, type LiveHistory } from './live-ring.js';
import type { RangeSource } from './metric-pipeline.js';

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

  async *batches({ pmids }: PreparedFetch, ...[profile, from, to]: ReadWindow): AsyncGenerator<Batch, void> {
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

export interface RememberedSamples {
  readonly samples: readonly LiveRows[];
  readonly marks: readonly Timestamp[];
}

/** Domains from this size on are limited, as in archives, to instances of the sample before the moment. */
const MANY_INSTANCES = 16;

const BEFORE_ALL: Timestamp = { sec: -Infinity, nsec: 0 };
const AFTER_ALL: Timestamp = { sec: Infinity, nsec: 0 };

/** The value of an instance next to a moment; without a column, a mark or nothing. */
interface LiveNeighbour extends Observation {
  readonly column: LiveChunk | undefined;
}

/** One instance with its neighbours, from the moment of the one to that of the other. */
interface LiveNeighbourhood {
  readonly instance: number;
  readonly low: LiveNeighbour;
  readonly high: LiveNeighbour;
}

/** A place between samples: before `row` of `samples[index]`. */
interface Place {
  readonly index: number;
  readonly row: number;
}

/** Values between remembered samples, as in archives; over gaps and errors, not over marks. Moments must ascend. */
export class LiveInterpolator {
  readonly #descriptor: MetricDescriptor;
  readonly #samples: readonly LiveRows[];
  readonly #marks: readonly Timestamp[];
  readonly #rules: InterpolationRules;
  /** All instances that the profile lets through, in order of appearance. */
  readonly #instances = new Set<number>();
  readonly #isMany: boolean;
  #tracks = new Map<number, LiveNeighbourhood>();
  #lastAt: Timestamp | undefined;

  constructor(
    descriptor: MetricDescriptor,
    { samples, marks }: RememberedSamples,
    profile: InstanceProfile,
    rules: InterpolationRules,
  ) {
    this.#descriptor = descriptor;
    this.#samples = samples.filter(({ first, end }) => first < end);
    this.#marks = marks;
    this.#rules = rules;
    const all = new Set<number>();
    for (const { chunk } of samples) for (const instance of chunk.instances) all.add(instance);
    for (const instance of all) if (profile.includes(descriptor.indom, instance)) this.#instances.add(instance);
    this.#isMany = all.size >= MANY_INSTANCES;
  }

  fill(at: Timestamp, set: ValueSet): void {
    const { pmid, type, semantics } = this.#descriptor;
    set.reset(pmid, type);
    const crosses = this.#lastAt !== undefined && this.#isMarkBetween(this.#lastAt, at);
    if (!crosses || semantics !== Semantics.COUNTER) this.#fill(at, set);
    this.#lastAt = set.status > 0 ? at : undefined;
  }

  #fill(at: Timestamp, set: ValueSet): void {
    for (const { instance, low, high } of this.neighbourhoods(at)) {
      if (low.column && compareTimestamps(low, at) === 0) low.column.copyValue(low.index, instance, set);
      else addValueBetween(low, high, instance, at, this.#descriptor, this.#rules, set);
    }
  }

  *neighbourhoods(at: Timestamp): Generator<LiveNeighbourhood, void> {
    let place: Place | undefined;
    for (const instance of this.#isMany ? this.#instancesAt(at) : this.#instances) {
      let track = this.#tracks.get(instance);
      if (!track || compareTimestamps(at, track.low) < 0 || compareTimestamps(at, track.high) >= 0) {
        place ??= this.#placeOf(at);
        track = { instance, low: this.#findLow(place, instance, at), high: this.#findHigh(place, instance, at) };
        this.#tracks.set(instance, track);
      }
      yield track;
    }
  }

  /** The instances of the last sample without an error; forgets others. */
  #instancesAt(at: Timestamp): readonly number[] {
    const { index, row } = this.#placeOf(at);
    for (let i = index; i >= 0; i--) {
      const rows = this.#samples[i];
      if (!rows || rows.chunk.status < 0 || (i === index && row === rows.first)) continue;
      const alive = [...rows.chunk.instances].filter((instance) => this.#instances.has(instance));
      if (this.#tracks.size > 2 * alive.length) {
        this.#tracks = new Map(alive.flatMap((one) => (this.#tracks.has(one) ? [[one, this.#tracks.get(one)!]] : [])));
      }
      return alive;
    }
    return [];
  }

  /** The place behind all samples at or before a moment. */
  #placeOf(at: Timestamp): Place {
    const index = bisect(0, this.#samples.length, (i) => {
      const { chunk, end } = this.#samples[i]!;
      return chunk.times.compare(end - 1, at) > 0;
    });
    const rows = this.#samples[index];
    if (!rows) return { index, row: 0 };
    return { index, row: bisect(rows.first, rows.end, (row) => rows.chunk.times.compare(row, at) > 0) };
  }

  #findLow({ index, row }: Place, instance: number, at: Timestamp): LiveNeighbour {
    const mark = this.#marks.findLast((one) => compareTimestamps(one, at) <= 0);
    for (let i = index; i >= 0; i--) {
      const rows = this.#samples[i];
      if (!rows) continue;
      const last = (i === index ? row : rows.end) - 1;
      if (last < rows.first) continue;
      if (mark && rows.chunk.times.compare(last, mark) < 0) break;
      const found = neighbourIn({ chunk: rows.chunk, row: last }, instance);
      if (found) return found;
    }
    return nothingAt(mark ?? BEFORE_ALL);
  }

  #findHigh({ index, row }: Place, instance: number, at: Timestamp): LiveNeighbour {
    const mark = this.#marks.find((one) => compareTimestamps(one, at) > 0);
    for (let i = index; i < this.#samples.length; i++) {
      const rows = this.#samples[i]!;
      const first = i === index ? row : rows.first;
      if (mark && rows.chunk.times.compare(first, mark) >= 0) break;
      const found = neighbourIn({ chunk: rows.chunk, row: first }, instance);
      if (found) return found;
    }
    return nothingAt(mark ?? AFTER_ALL);
  }

  #isMarkBetween(after: Timestamp, upTo: Timestamp): boolean {
    return this.#marks.some((mark) => compareTimestamps(mark, after) > 0 && compareTimestamps(mark, upTo) <= 0);
  }
}

function neighbourIn(sample: LiveRow, instance: number): LiveNeighbour | undefined {
  const { chunk, row } = sample;
  const place = chunk.instances.indexOf(instance);
  if (place < 0) return undefined;
  return { ...timeOf(sample), column: chunk, index: row * chunk.instances.length + place };
}

function nothingAt({ sec, nsec }: Timestamp): LiveNeighbour {
  return { sec, nsec, column: undefined, index: -1 };
}
