import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { FetchResult, MetricType, type Timestamp, type ValueSet } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import { ArchiveStore } from '../../../src/sources/archive/node/index.js';
import type { ArchiveLimits, ArchiveSource } from '../../../src/sources/archive/index.js';
import { FakeClock } from '../../support/fake-clock.js';

const benches = new Set<ArchiveBench>();

/** For suites with benches: `afterEach(disposeOfBenches)`. */
export async function disposeOfBenches(): Promise<void> {
  await Promise.all([...benches].map((bench) => bench.dispose()));
}

/** A directory and a store that are gone when they are disposed of. */
export class ArchiveBench {
  readonly directory = mkdtempSync(path.join(os.tmpdir(), 'archive-test-'));
  readonly clock = new FakeClock();
  readonly store: ArchiveStore;

  constructor(limits: Partial<ArchiveLimits> = {}) {
    this.store = new ArchiveStore({ clock: this.clock, limits, tempDirectory: this.directory });
    benches.add(this);
  }

  /** Leave it to the caller to dispose of it: several tests use it. */
  kept(): this {
    benches.delete(this);
    return this;
  }

  open(...paths: string[]): Promise<ArchiveSource> {
    return this.store.open(paths);
  }

  async dispose(): Promise<void> {
    benches.delete(this);
    await this.store.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Every instance. */
export const EVERYTHING = new InstanceProfile();

/** Moments of tests: so many seconds after this one. */
const EPOCH_SEC = 1_700_000_000;

export function at(seconds: number): Timestamp {
  const whole = Math.floor(seconds);
  return { sec: EPOCH_SEC + whole, nsec: Math.round((seconds - whole) * 1e9) };
}

/** The same for the archive builder. */
export function stamp(seconds: number): readonly [number, number] {
  const { sec, nsec } = at(seconds);
  return [sec, nsec];
}

/** A set's values by instance, or its error code. */
export function valuesOf(set: ValueSet): number | Record<number, unknown> {
  if (set.status < 0) return set.status;
  const { column } = set;
  const values: Record<number, unknown> = {};
  for (let i = 0; i < set.status; i++) {
    const instance = set.instances[i]!;
    if (column.texts.length > 0) values[instance] = column.texts[i];
    else if (column.bytes.length > 0) values[instance] = Buffer.from(column.bytes[i]!).toString('hex');
    else if (set.type === MetricType.I64 || set.type === MetricType.U64) values[instance] = column.integerAt(i);
    else values[instance] = column.numbers[i];
  }
  return values;
}

/** Seconds of a moment after the tests' own. */
export function secondsOf({ sec, nsec }: Timestamp): number {
  return sec - EPOCH_SEC + nsec / 1e9;
}

/** Fetch until the end, or `limit` times: the moment and the values of each metric, and the error that ended it. */
export async function fetchAll(
  source: ArchiveSource,
  pmids: readonly number[],
  limit = 1000,
): Promise<{ readonly fetches: readonly [number, ...unknown[]][]; readonly error: unknown }> {
  const prepared = source.prepare(pmids);
  const into = new FetchResult();
  const fetches: [number, ...unknown[]][] = [];
  try {
    while (fetches.length < limit) {
      await source.fetch(prepared, EVERYTHING, into);
      fetches.push([secondsOf(into.timestamp), ...into.sets.map(valuesOf)]);
    }
  } catch (error) {
    return { fetches, error };
  }
  return { fetches, error: undefined };
}

/** All whole records: moments, and `mark` or the number of value sets; and the error that ended it. */
export async function recordsOf(
  source: ArchiveSource,
): Promise<{ readonly records: readonly (readonly [number, 'mark' | number])[]; readonly error: unknown }> {
  const into = new FetchResult();
  const records: (readonly [number, 'mark' | number])[] = [];
  try {
    for (;;) {
      const { timestamp, isMark } = await source.nextRecord(into);
      records.push([secondsOf(timestamp), isMark ? 'mark' : into.sets.length]);
    }
  } catch (error) {
    return { records, error };
  }
}
