import {
  compareTimestamps,
  INDOM_NULL,
  INSTANCE_NULL,
  makeIndom,
  makePmid,
  makeUnits,
  MetricType,
  PM_ERR,
  PmError,
  Semantics,
  timestampFromSeconds,
  timestampToSeconds,
} from '../../../../src/pmapi/index.js';
import type { AtomValue, MetricDescriptor, Timestamp, Units } from '../../../../src/pmapi/index.js';
import { markAt, RowBatch } from '../../../../src/sources/index.js';
import type { Batch, InstanceProfile, PreparedFetch, ReadMoment } from '../../../../src/sources/index.js';
import type { RangeMetric, RangeSource } from '../../../../src/context/range/index.js';

export const DISKS = makeIndom(60, 1);

/** Values of one metric: a single one, or by instance id; a PM_ERR code as `{ error }`. */
export type FakeValues = AtomValue | ReadonlyMap<number, AtomValue> | { readonly error: number };

/** A record: seconds, and values by metric name; `mark` for a mark. */
export type FakeRecord = readonly [sec: number, values: Readonly<Record<string, FakeValues>> | 'mark'];

/** A metric named `name` with an item number of its own. */
export function fakeMetric(
  name: string,
  item: number,
  rest: Partial<Omit<MetricDescriptor, 'units'>> & { readonly units?: Partial<Units> } = {},
): RangeMetric {
  const pmid = makePmid(60, 0, item);
  const units = makeUnits(rest.units ?? {});
  const defaults = { type: MetricType.U32, indom: INDOM_NULL, semantics: Semantics.INSTANT };
  return { name, pmid, descriptor: { ...defaults, ...rest, pmid, units } };
}

/** An archive made up for a test, which counts what is read of it. */
export class FakeArchive implements RangeSource {
  readonly metrics: readonly RangeMetric[];
  readonly #records: readonly FakeRecord[];
  readonly #valuesAt: (sec: number) => Readonly<Record<string, FakeValues>>;
  instanceNames: readonly (readonly [number, string])[] = [];
  recordsRead = 0;
  interpolations = 0;
  /** Readers of records that have not been let go of. */
  openReaders = 0;

  /** @param valuesAt what is interpolated at a moment */
  constructor(
    metrics: readonly RangeMetric[],
    records: readonly FakeRecord[],
    valuesAt: (sec: number) => Readonly<Record<string, FakeValues>> = () => ({}),
  ) {
    this.metrics = metrics;
    this.#records = records;
    this.#valuesAt = valuesAt;
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
    let held: readonly boolean[] = [];
    const row = new RowBatch(pmids.length, 1, (_, metric) => held[metric]!);
    this.openReaders++;
    try {
      for (const [sec, values] of this.#records) {
        const timestamp = timestampFromSeconds(sec);
        if (compareTimestamps(timestamp, from) < 0 || compareTimestamps(timestamp, to) > 0) continue;
        held = pmids.map((pmid) => values !== 'mark' && this.#nameOf(pmid) in values);
        if (values !== 'mark' && pmids.length > 0 && !held.includes(true)) continue;
        this.recordsRead++;
        if (values === 'mark') {
          yield await Promise.resolve(markAt(timestamp));
          continue;
        }
        row.clear();
        this.#fill(row.next, pmids, profile, values);
        row.next.timestamp = timestamp;
        row.push();
        yield await Promise.resolve(row);
      }
    } finally {
      this.openReaders--;
    }
  }

  range({ pmids }: PreparedFetch, profile: InstanceProfile): ReadMoment {
    return (at, into) => {
      this.interpolations++;
      this.#fill(into, pmids, profile, this.#valuesAt(timestampToSeconds(at)));
      into.timestamp = at;
      return Promise.resolve();
    };
  }

  instances(indom: number): ReturnType<RangeSource['instances']> {
    if (indom !== DISKS) return Promise.reject(new PmError(PM_ERR.INDOM_LOG));
    return Promise.resolve({ indom, instances: this.instanceNames.map(([id, name]) => ({ id, name })) });
  }

  #fill(
    into: RowBatch['next'],
    pmids: readonly number[],
    profile: InstanceProfile,
    values: Readonly<Record<string, FakeValues>>,
  ): void {
    into.resize(pmids.length);
    pmids.forEach((pmid, i) => {
      const { descriptor, name } = this.metrics.find((metric) => metric.pmid === pmid)!;
      const set = into.sets[i]!;
      set.reset(pmid, descriptor.type);
      const found = values[name];
      if (found === undefined) return;
      if (found instanceof Map) {
        for (const [instance, value] of found as ReadonlyMap<number, AtomValue>) {
          if (profile.includes(descriptor.indom, instance)) set.add(instance, value);
        }
      } else if (typeof found === 'object' && 'error' in found) {
        set.fail(found.error);
      } else {
        set.add(INSTANCE_NULL, found as AtomValue);
      }
    });
  }

  #nameOf(pmid: number): string {
    return this.metrics.find((metric) => metric.pmid === pmid)?.name ?? '';
  }
}
