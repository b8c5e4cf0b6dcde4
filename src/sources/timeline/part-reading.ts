import { bisect, getOrMake } from '../../kit/index.js';
import {
  compareTimestamps,
  FetchResult,
  formatPmErr,
  INSTANCE_NULL,
  MetricType,
  PM_ERR,
  PmError,
  Semantics,
  ValueSet,
  earlier,
  later,
  addSeconds,
  INDOM_NULL,
  isLess,
  onPmError,
  secondsBetween,
} from '../../pmapi/index.js';
import type { AtomValue, Timestamp, MetricDescriptor } from '../../pmapi/index.js';
import { columnOfNothing, markAt, recordsOf, RowBatch, timeOfRow } from '../batch.js';
import type {
  Batch,
  BatchColumn,
  BatchRecord,
  NumberBlock,
  InstanceNeighbours,
  NeighbourOfMoment,
  ObservedValue,
} from '../batch.js';
import type { ReadingOptions, ReadMoment } from '../metric-source.js';
import { waitFor, type Waits } from '../waits.js';
import type { JoinedMetric, PartMetric } from './joined-metrics.js';
import type { Stretch } from './merge-rule.js';
import type { TimelinePart, ArchivePart } from './timeline-part.js';
import { InstanceProfile } from '../profile.js';

export interface PartReading {
  readonly positions: readonly number[];
  readonly metrics: readonly PartMetric[];
}

export interface PartBatches extends PartReading {
  readonly batches: AsyncIterable<Batch>;
}

export interface PartMoments extends PartReading {
  readonly part: TimelinePart;
  readonly read: ReadMoment;
  readonly onDamage: ReadingOptions['onDamage'];
}

type Metrics = readonly (JoinedMetric | undefined)[];

/** The records of a part; unreadable ones are reported as damage that names the part, and become a mark. */
export async function* despiteTrouble(
  { name }: TimelinePart,
  batches: AsyncIterable<Batch>,
  from: Timestamp,
  { signal, onDamage }: ReadingOptions,
): AsyncGenerator<Batch, void> {
  let last = from;
  try {
    for await (const batch of batches) {
      last = timeOfRow(batch, batch.length - 1);
      yield batch;
    }
  } catch (error) {
    if (!(error instanceof PmError) || signal?.aborted === true) throw error;
    onDamage?.(troubleOf(name, error));
    yield markAt(last);
  }
}

function troubleOf(name: string, error: PmError): PmError {
  const reason = formatPmErr(error.pmErr);
  const detail = error.message.replace(` - ${reason}`, '');
  return new PmError(error.pmErr, detail === reason ? name : `${name}: ${detail}`, { cause: error });
}

/** The records of parts, in order of time and in the numbering of the timeline; records of the same moment are joined. */
export async function* mergeParts(
  metrics: Metrics,
  pmids: readonly number[],
  parts: readonly PartBatches[],
): AsyncGenerator<Batch, void> {
  const empties = emptySets(metrics, pmids);
  const translated = parts.map((part) => translateBatches(metrics, empties, part));
  if (translated.length === 1) yield* translated[0]!;
  else yield* mergeRecords(parts, empties, translated);
}

/** The batches of one part, translated to the timeline: whole columns stay whole. */
async function* translateBatches(
  metrics: Metrics,
  empties: readonly ValueSet[],
  { positions, metrics: own, batches }: PartBatches,
): AsyncGenerator<Batch, void> {
  const nothing = empties.map((set) => columnOfNothing(set));
  const translations = own.map((metric, j) => new ColumnTranslation(metrics[positions[j]!]!, metric));
  for await (const batch of batches) {
    if (batch.isMark) {
      yield batch;
      continue;
    }
    const { length, secs, nsecs } = batch;
    const columns: BatchColumn[] = [...nothing];
    for (let j = 0; j < positions.length; j++) columns[positions[j]!] = translations[j]!.column(batch.columns[j]!);
    yield { length, isMark: false, secs, nsecs, columns };
  }
}

async function* mergeRecords(
  parts: readonly PartReading[],
  empties: readonly ValueSet[],
  translated: readonly AsyncIterable<Batch>[],
): AsyncGenerator<Batch, void> {
  const held = empties.map(() => false);
  const row = new RowBatch(empties.length, 1, (_, metric) => held[metric]!);
  const sources = translated.map((batches) => recordsOf(batches));
  try {
    const heads = await Promise.all(sources.map(async (source) => next(source)));
    for (let first = earliest(heads); first; first = earliest(heads)) {
      const { timestamp } = first;
      if (first.isMark) {
        yield markAt(timestamp);
        const place = heads.indexOf(first);
        heads[place] = await next(sources[place]!);
        continue;
      }
      const taken = [...heads.keys()].filter((place) => {
        const head = heads[place];
        return head && !head.isMark && compareTimestamps(head.timestamp, timestamp) === 0;
      });
      row.clear();
      const { next: result } = row;
      result.timestamp = timestamp;
      result.sets.splice(0, result.sets.length, ...empties);
      held.fill(false);
      for (const place of taken) {
        const head = heads[place]!;
        for (const i of parts[place]!.positions) {
          result.sets[i] = head.result.sets[i]!;
          held[i] = head.holds(i);
        }
      }
      row.push();
      yield row;
      for (const place of taken) heads[place] = await next(sources[place]!);
    }
  } finally {
    for (const source of sources) await source.return();
  }
}

async function next(source: AsyncIterator<BatchRecord, unknown>): Promise<BatchRecord | undefined> {
  const step = await source.next();
  return step.done === true ? undefined : step.value;
}

function earliest(heads: readonly (BatchRecord | undefined)[]): BatchRecord | undefined {
  let found: BatchRecord | undefined;
  for (const head of heads)
    if (head && (!found || compareTimestamps(head.timestamp, found.timestamp) < 0)) found = head;
  return found;
}

function emptySets(metrics: Metrics, pmids: readonly number[]): ValueSet[] {
  return pmids.map((pmid, i) => {
    const set = new ValueSet();
    set.reset(pmid, metrics[i]?.descriptor.type ?? MetricType.NOSUPPORT);
    if (!metrics[i]) set.fail(PM_ERR.PMID);
    return set;
  });
}

/** Translates values of a metric from a part to the timeline: PMIDs, instance numbers, units and types. */
class SetTranslation {
  readonly #joined: JoinedMetric;
  readonly #own: PartMetric;
  readonly #set = new ValueSet();

  constructor(joined: JoinedMetric, own: PartMetric) {
    this.#joined = joined;
    this.#own = own;
  }

  /** The sets differ in the PMID only. */
  get isSame(): boolean {
    return !this.#own.instances && !this.#own.conversion;
  }

  /** The set itself if only the PMID differs; otherwise a copy, which is valid until the next call. */
  translate(from: ValueSet): ValueSet {
    if (!this.isSame) return this.copy(from, this.#set);
    from.pmid = this.#joined.pmid;
    return from;
  }

  copy(from: ValueSet, into: ValueSet): ValueSet {
    const { instances, conversion } = this.#own;
    const { pmid, descriptor } = this.#joined;
    into.reset(pmid, descriptor.type);
    if (from.status < 0) into.fail(from.status);
    for (let k = 0; k < from.status; k++) {
      const instance = from.instances[k]!;
      const number = instances ? instances.get(instance) : instance;
      if (number === undefined) continue;
      if (conversion) conversion.add(from, k, number, into);
      else into.addFrom(from, k, number);
    }
    return into;
  }
}

/** The observations around a moment in a part, in the numbering of the timeline; records are those of the part. */
export function translateNeighbours(
  joined: JoinedMetric,
  own: PartMetric,
  { name }: TimelinePart,
  found: readonly InstanceNeighbours[],
): InstanceNeighbours[] {
  const { type } = own.descriptor;
  const translation = new SetTranslation(joined, { ...own, instances: undefined });
  const observed = (one: ObservedValue): ObservedValue[] => {
    const record = one.record && { ...one.record, archive: name };
    if (!own.conversion) return [{ ...one, record }];
    const { status, column } = translation.translate(setOf(type, one.value));
    return status > 0 ? [{ ...one, value: column.atomAt(0), record }] : [];
  };
  const neighbour = (one: NeighbourOfMoment): NeighbourOfMoment => {
    if (one.kind !== 'value') return one;
    const [value] = observed(one);
    return value ? { kind: 'value', ...value } : { kind: 'none' };
  };
  return found.flatMap(({ instance: ownInstance, exact, low, high }) => {
    const instance = own.instances ? own.instances.get(ownInstance) : ownInstance;
    if (instance === undefined) return [];
    return [{ instance, exact: exact.flatMap(observed), low: neighbour(low), high: neighbour(high) }];
  });
}

function setOf(type: MetricType, value: AtomValue): ValueSet {
  const set = new ValueSet();
  set.reset(-1, type);
  set.add(INSTANCE_NULL, value);
  return set;
}

class ColumnTranslation {
  readonly #own: PartMetric;
  readonly #sets: SetTranslation;
  /** The last instances that were renumbered: batches share them. */
  #renumbered: { readonly from: Int32Array; readonly to: Int32Array } | undefined;

  constructor(joined: JoinedMetric, own: PartMetric) {
    this.#own = own;
    this.#sets = new SetTranslation(joined, own);
  }

  column(from: BatchColumn): BatchColumn {
    return {
      block: from.block && this.#block(from.block),
      holds: (row) => from.holds(row),
      status: (row) => (this.#sets.isSame ? from.status(row) : this.#sets.translate(from.at(row)).status),
      at: (row) => this.#sets.translate(from.at(row)),
    };
  }

  #block(block: NumberBlock): NumberBlock | undefined {
    const { instances, conversion } = this.#own;
    if (conversion) return undefined;
    if (!instances) return block;
    if (this.#renumbered?.from !== block.instances) {
      const numbers = [...block.instances].map((instance) => instances.get(instance));
      // An instance without a number is left out of the sets.
      if (numbers.includes(undefined)) return undefined;
      this.#renumbered = { from: block.instances, to: Int32Array.from(numbers as number[]) };
    }
    return { ...block, instances: this.#renumbered.to };
  }
}

/** Reads moments in ascending order, each metric from the part that its moment belongs to. */
export class MomentReader {
  readonly #metrics: Metrics;
  readonly #stretches: readonly Stretch[];
  readonly #readers: readonly (PartMoments | undefined)[];
  readonly #translations: readonly (readonly SetTranslation[])[];
  readonly #results = new Map<number, FetchResult>();
  readonly #pmids: readonly number[];
  /** The run of the last value of each metric; -1 without one. */
  readonly #runs: number[];

  constructor(
    pmids: readonly number[],
    metrics: Metrics,
    stretches: readonly Stretch[],
    readers: readonly (PartMoments | undefined)[],
  ) {
    this.#metrics = metrics;
    this.#stretches = stretches;
    this.#readers = readers;
    this.#translations = readers.map((reader) =>
      (reader?.metrics ?? []).map((own, j) => new SetTranslation(metrics[reader!.positions[j]!]!, own)),
    );
    this.#pmids = pmids;
    this.#runs = pmids.map(() => -1);
  }

  /** Throws PM_ERR_EOL after the end. */
  *read(time: Timestamp, into: FetchResult): Waits<void> {
    const stretches = this.#stretches;
    const i = bisect(0, stretches.length, (k) => compareTimestamps(stretches[k]!.until, time) > 0);
    const stretch = stretches[i];
    if (!stretch) throw new PmError(PM_ERR.EOL);
    into.timestamp = time;
    into.resize(this.#metrics.length);
    for (const [m, metric] of this.#metrics.entries()) {
      const set = into.sets[m]!;
      set.reset(this.#pmids[m]!, metric?.descriptor.type ?? MetricType.NOSUPPORT);
      if (!metric) set.fail(PM_ERR.PMID);
    }
    if (compareTimestamps(stretch.from, time) > 0) {
      this.#runs.fill(-1);
      return;
    }
    for (const [m, owner] of stretch.owners.entries()) if (owner < 0) this.#runs[m] = -1;
    for (const place of new Set(stretch.owners)) if (place >= 0) yield* this.#readPart(place, stretch, time, into);
  }

  *#readPart(place: number, { owners, runs }: Stretch, time: Timestamp, into: FetchResult): Waits<void> {
    const { read, positions, part, onDamage } = this.#readers[place]!;
    const own = getOrMake(this.#results, place, () => new FetchResult());
    try {
      const reading = read(time, own);
      if (reading instanceof Promise) yield* waitFor(reading);
    } catch (error) {
      if (!(error instanceof PmError)) throw error;
      if (error.pmErr !== PM_ERR.EOL) onDamage?.(troubleOf(part.name, error));
      return;
    }
    for (const [j, i] of positions.entries()) {
      if (owners[i] !== place) continue;
      const set = own.sets[j]!;
      const run = this.#runs[i]!;
      this.#runs[i] = set.status > 0 ? runs[i]! : -1;
      // A counter starts again after a seam: how much it grew since the previous value is unknown.
      if (run >= 0 && run !== runs[i] && this.#metrics[i]!.descriptor.semantics === Semantics.COUNTER) continue;
      const translation = this.#translations[place]![j]!;
      if (translation.isSame) [own.sets[j], into.sets[i]] = [into.sets[i]!, translation.translate(set)];
      else translation.copy(set, into.sets[i]!);
    }
  }
}

/** What differs from machine to machine, and not from moment to moment. */
const IDENTITY = ['kernel.all.boottime', 'kernel.uname.nodename', 'hinv.ncpu', 'hinv.physmem'];
/** Whose counters are of a program rather than of the machine. */
const OF_PROGRAMS = /^(?:pm|mmv|proc\.|hotproc\.)/;
/** The counters that are compared, and the moments of an overlap at which they are. */
const [COUNTERS, MOMENTS] = [8, 5];
/** Two archives contradict each other if this share of what is compared does. */
const LEAST_SHARE = 0.25;

/** Where they overlap, what never changes differs, or counters are lower at a later moment, which neither archive lets fall. */
export async function contradict(a: ArchivePart, b: ArchivePart): Promise<boolean> {
  const [from, to] = [later(a.start, b.start), earlier(a.end, b.end)];
  const seconds = secondsBetween(to, from);
  if (seconds <= 0) return false;
  const [ofA, ofB] = [await comparable(a), await comparable(b)];
  const common = [...ofA].filter(([name, { units, type }]) => {
    const other = ofB.get(name);
    return other?.type === type && JSON.stringify(other.units) === JSON.stringify(units);
  });
  const constants = common.filter(([name]) => IDENTITY.includes(name));
  const counters = common.filter(([, { semantics }]) => semantics === Semantics.COUNTER).slice(0, COUNTERS);
  const compared = [...constants, ...counters];
  const moments = Array.from({ length: MOMENTS }, (_, i) => addSeconds(from, (seconds * (i + 1)) / (MOMENTS + 1)));
  const pmids = (of: ReadonlyMap<string, MetricDescriptor>): number[] => compared.map(([name]) => of.get(name)!.pmid);
  const [seenInA, seenInB] = [await observe(a, pmids(ofA), moments), await observe(b, pmids(ofB), moments)];
  const pairs = compared.map((_, i) => [seenInA[i]!, seenInB[i]!] as const);
  const known = pairs.filter(([one, other]) => one.length > 0 && other.length > 0);
  const conflicts = pairs.filter(([one, other], i) => (i < constants.length ? differ(one, other) : cross(one, other)));
  return conflicts.length > 0 && conflicts.length >= known.length * LEAST_SHARE;
}

/** The metrics of an archive, without instances, that tell machines from each other. */
async function comparable({ source }: ArchivePart): Promise<ReadonlyMap<string, MetricDescriptor>> {
  const names = await source.traverse('').catch(onPmError((): readonly string[] => []));
  const own = names.filter((name) => !OF_PROGRAMS.test(name)).sort();
  const descriptors = await source.describe(await source.lookupNames(own));
  return new Map(
    own.flatMap((name, i) => {
      const descriptor = descriptors[i]!;
      if (typeof descriptor === 'number' || descriptor.indom !== INDOM_NULL) return [];
      return descriptor.semantics === Semantics.COUNTER || IDENTITY.includes(name) ? [[name, descriptor] as const] : [];
    }),
  );
}

async function observe(
  { source }: ArchivePart,
  pmids: readonly number[],
  moments: readonly Timestamp[],
): Promise<readonly (readonly ObservedValue[])[]> {
  const seen = pmids.map((): ObservedValue[] => []);
  for (const at of moments) {
    const found = await source.neighbours?.(pmids, new InstanceProfile(), at).catch(onPmError(() => undefined));
    for (const [i, [instance]] of (found ?? []).entries()) {
      for (const one of [instance?.low, instance?.high]) if (one?.kind === 'value') seen[i]!.push(one);
    }
  }
  return seen.map((values) => values.sort((a, b) => compareTimestamps(a.timestamp, b.timestamp)));
}

function differ(a: readonly ObservedValue[], b: readonly ObservedValue[]): boolean {
  const [ofA, ofB] = [new Set(a.map(({ value }) => value)), new Set(b.map(({ value }) => value))];
  return ofA.size === 1 && ofB.size === 1 && [...ofA][0] !== [...ofB][0];
}

/** Whether a counter that falls in neither list is lower at a later moment of the other one. */
function cross(a: readonly ObservedValue[], b: readonly ObservedValue[]): boolean {
  const falls = (values: readonly ObservedValue[]): boolean =>
    values.some(({ value }, i) => i > 0 && isLess(value, values[i - 1]!.value));
  const isBelow = (early: readonly ObservedValue[], late: readonly ObservedValue[]): boolean =>
    early.some((one) =>
      late.some((other) => compareTimestamps(one.timestamp, other.timestamp) < 0 && isLess(other.value, one.value)),
    );
  return !falls(a) && !falls(b) && (isBelow(a, b) || isBelow(b, a));
}
