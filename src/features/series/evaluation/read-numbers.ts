import {
  compareTimestamps,
  GatewayError,
  INDOM_NULL,
  MetricType,
  Semantics,
  shortestDecimal,
  limitExceeded,
} from '../../../pmapi/index.js';
import type { Timestamp } from '../../../pmapi/index.js';
import { addTo, getOrMake } from '../../../kit/index.js';
import { InstanceProfile, recordsOf, type StoreReader } from '../../../sources/index.js';
import type { ArchiveSeries, CataloguedMetric } from '../catalogue/archive-series.js';
import type { NumberColumn } from './number-column.js';
import { ESTIMATE_SLACK, openEach, type ArchiveEnds, type ReadingBounds } from './read-values.js';

/** Instances of a metric in one archive whose numbers are wanted. */
export interface WantedNumbers {
  readonly archive: ArchiveSeries;
  readonly metric: CataloguedMetric;
  /** Destination of numbers by instance (INSTANCE_NULL if singular). Archives of one host share columns. */
  readonly columns: ReadonlyMap<number, NumberColumn>;
}

/** The moments of the numbers to read. */
export interface NumberWindow {
  readonly from: Timestamp;
  readonly to: Timestamp;
  /** Whether one sample of each column is enough. */
  readonly isOneEnough: boolean;
}

/** Reads numbers into columns, by the archives' starts; marks and gaps interrupt columns. Throws LIMIT_EXCEEDED, if possible before reading. */
export async function readNumbers(
  ends: ArchiveEnds,
  wanted: readonly WantedNumbers[],
  window: NumberWindow,
  bounds: ReadingBounds,
): Promise<void> {
  let values = 0;
  for await (const [source, metrics] of openEach(ends, byArchive(wanted), bounds)) {
    values += await readArchive(source, metrics, window, { ...bounds, values: bounds.values - values });
  }
}

function byArchive(wanted: readonly WantedNumbers[]): ReadonlyMap<ArchiveSeries, readonly WantedNumbers[]> {
  const archives = new Map<ArchiveSeries, WantedNumbers[]>();
  for (const one of wanted) addTo(archives, one.archive, one);
  return new Map([...archives].sort(([a], [b]) => compareTimestamps(a.start, b.start)));
}

async function readArchive(
  source: StoreReader,
  wanted: readonly WantedNumbers[],
  { from, to, isOneEnough }: NumberWindow,
  { values: most, signal }: ReadingBounds,
): Promise<number> {
  const prepared = source.prepare(wanted.map(({ metric }) => metric.descriptor.pmid));
  const profile = profileOf(wanted);
  const columns = wanted.flatMap((one) => [...one.columns.values()]);
  if (!isOneEnough) {
    const estimate = await source.estimate?.(prepared, profile, from, to, { signal });
    if (estimate && estimate.values > ESTIMATE_SLACK * most) throw tooMany();
  }
  const waiting = new Set(columns.filter(({ length }) => length === 0));
  for (const column of columns) column.beginArchive();
  let values = 0;
  for await (const { isMark, timestamp, result } of recordsOf(
    source.batches(prepared, profile, from, to, { signal }),
  )) {
    signal?.throwIfAborted();
    const atMs = timestamp.sec * 1000 + Math.floor(timestamp.nsec / 1_000_000);
    if (isMark) {
      if (!isOneEnough) for (const column of columns) column.end(atMs);
      continue;
    }
    for (const [i, { metric, columns: byInstance }] of wanted.entries()) {
      const set = result.sets[i]!;
      const { semantics, type } = metric.descriptor;
      const isCounter = semantics === Semantics.COUNTER;
      const exact = type === MetricType.FLOAT ? shortestDecimal : Number;
      for (let k = 0; k < set.status; k++) {
        const column = byInstance.get(set.instances[k]!);
        const number = exact(set.column.numbers[k]!);
        // Scrapes leave such counters out: OpenMetrics does not know them.
        if (!column || (isCounter && !(number >= 0))) continue;
        if (isOneEnough && !waiting.delete(column)) continue;
        column.push(atMs, number);
        values++;
      }
    }
    if (values > most) throw tooMany();
    if (isOneEnough && waiting.size === 0) break;
  }
  return values;
}

function profileOf(wanted: readonly WantedNumbers[]): InstanceProfile {
  const instances = new Map<number, Set<number>>();
  for (const { metric, columns } of wanted) {
    const { indom } = metric.descriptor;
    if (indom === INDOM_NULL) continue;
    const listed = getOrMake(instances, indom, () => new Set());
    for (const instance of columns.keys()) listed.add(instance);
  }
  const profile = new InstanceProfile();
  for (const [indom, listed] of instances) {
    profile.delete(indom);
    profile.add(indom, [...listed]);
  }
  return profile;
}

function tooMany(): GatewayError {
  const expected = 'fewer series, or a shorter time';
  return limitExceeded(`too many samples for one request: ask for ${expected}`, expected);
}
