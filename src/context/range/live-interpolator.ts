import { bisect } from '../../kit/index.js';
import { compareTimestamps, Semantics } from '../../pmapi/index.js';
import type { MetricDescriptor, Timestamp, ValueSet } from '../../pmapi/index.js';
import { addValueBetween } from '../../sources/index.js';
import type { InstanceProfile, InterpolationRules, Observation } from '../../sources/index.js';
import { timeOf } from './live-chunk.js';
import type { LiveChunk, LiveRow, LiveRows } from './live-chunk.js';

export interface RememberedSamples {
  readonly samples: readonly LiveRows[];
  readonly marks: readonly Timestamp[];
}

/** Domains from this size on are limited, as in archives, to instances of the sample before the moment. */
const MANY_INSTANCES = 16;

const BEFORE_ALL: Timestamp = { sec: -Infinity, nsec: 0 };
const AFTER_ALL: Timestamp = { sec: Infinity, nsec: 0 };

/** The value of an instance next to a moment; without a column, a mark or nothing. */
export interface LiveNeighbour extends Observation {
  readonly column: LiveChunk | undefined;
}

/** One instance with its neighbours, from the moment of the one to that of the other. */
export interface LiveNeighbourhood {
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
