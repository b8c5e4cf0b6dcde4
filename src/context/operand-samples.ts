import { pause, type Timers } from '../kit/index.js';
import {
  addSeconds,
  compareTimestamps,
  FetchResult,
  onPmError,
  PM_ERR,
  PmError,
  secondsBetween,
  Semantics,
} from '../pmapi/index.js';
import type { MetricDescriptor, Timestamp, ValueSet } from '../pmapi/index.js';
import type { InstanceNeighbours, InstanceProfile, MetricSource } from '../sources/index.js';
import type { RangeOrigin } from './open-range.js';
import type { LiveHistory, RangeSource } from './range/index.js';
import { StalePlanError } from './plans/fetch-plan.js';

/** The operands of an expression at a moment, by their places. */
export interface OperandSample {
  readonly timestamp: Timestamp;
  readonly sets: readonly ValueSet[];
}

/** The last sample, and the samples before it for delta() and rate(). */
export interface OperandSamples {
  readonly before: OperandSample | undefined;
  readonly now: OperandSample;
}

export interface SampledOperands {
  readonly descriptors: readonly MetricDescriptor[];
  /** Places of operands of delta() and rate(); undefined without any. */
  readonly rated: ReadonlySet<number> | undefined;
  readonly profile: InstanceProfile;
  readonly signal?: AbortSignal | undefined;
}

/** The time between two samples of a live source of which nothing is remembered, in milliseconds. */
const TWO_SAMPLES_MS = 250;

/** Samples a live source now; delta() and rate() compare with a remembered sample, or one taken 250 ms before. */
export async function sampleNow(
  source: MetricSource,
  { descriptors, rated, profile, signal }: SampledOperands,
  { history, timers }: { readonly history: LiveHistory | undefined; readonly timers: Pick<Timers, 'after'> },
): Promise<OperandSamples> {
  const prepared = source.prepare(descriptors.map(({ pmid }) => pmid));
  const metrics = descriptors.map((descriptor) => ({ descriptor }));
  const { numbering } = source;
  const take = async (): Promise<FetchResult> => {
    const result = new FetchResult();
    await source.fetch(prepared, profile, result);
    if (source.numbering !== numbering) throw new StalePlanError();
    history?.record(metrics, result, profile, source.reconnects);
    return result;
  };
  const first = await take();
  if (!rated) return { before: undefined, now: first };
  const remembered = history && rememberedBefore(history, first.timestamp, descriptors, rated, profile);
  if (remembered) return { before: remembered, now: first };
  await pause(TWO_SAMPLES_MS, timers, signal);
  signal?.throwIfAborted();
  return { before: first, now: await take() };
}

/** The operands of delta() and rate() in an earlier sample that had them all; the others are empty. */
function rememberedBefore(
  history: LiveHistory,
  moment: Timestamp,
  descriptors: readonly MetricDescriptor[],
  rated: ReadonlySet<number>,
  profile: InstanceProfile,
): OperandSample | undefined {
  const found = [...rated].map((place) => descriptors[place]!);
  const pmids = found.map(({ pmid }) => pmid);
  const indoms = found.map(({ indom }) => indom);
  const before = history.setsBefore(pmids, indoms, profile, moment);
  const places = [...rated];
  const sets = emptySample(moment, descriptors).sets.map((set, i) => before?.sets[places.indexOf(i)] ?? set);
  return before && { timestamp: before.at, sets };
}

/** Interpolates a moment (by default the last with values); rates begin the shortest recording interval before. */
export async function samplePast(
  { source, info }: Pick<RangeOrigin, 'source' | 'info'>,
  sampled: SampledOperands,
  at: Timestamp | undefined,
): Promise<OperandSamples> {
  const { descriptors, rated, profile, signal } = sampled;
  const pmids = descriptors.map(({ pmid }) => pmid);
  const last = new LastObservations({ ...sampled, source });
  const moment = at ?? (await last.together(info.end)) ?? info.end ?? { sec: 0, nsec: 0 };
  const start = rated && (await last.intervalBefore(moment));
  const read = source.range(source.prepare(pmids), profile, { signal });
  const sampleAt = async (time: Timestamp): Promise<OperandSample> => {
    const result = new FetchResult();
    try {
      await read(time, result);
    } catch (error) {
      if (!(error instanceof PmError) || error.pmErr !== PM_ERR.EOL) throw error;
      return emptySample(time, descriptors);
    }
    return { timestamp: time, sets: result.sets };
  };
  signal?.throwIfAborted();
  const before = start && (await sampleAt(start));
  return { before, now: await sampleAt(moment) };
}

class LastObservations {
  readonly #sampled: SampledOperands & { readonly source: RangeSource };
  readonly #pmids: readonly number[];

  constructor(sampled: SampledOperands & { readonly source: RangeSource }) {
    this.#sampled = sampled;
    // What is discrete keeps its value, however long ago it was recorded.
    const lasting = sampled.descriptors.filter(({ semantics }) => semantics !== Semantics.DISCRETE);
    this.#pmids = lasting.map(({ pmid }) => pmid);
  }

  /** The last moment up to `end` at which no recorded metric had ended. */
  async together(end: Timestamp | undefined): Promise<Timestamp | undefined> {
    const times = end ? await this.#before(this.#pmids, end) : [];
    return times.filter((time) => time !== undefined).sort(compareTimestamps)[0];
  }

  /** The moment before another by the interval of the metric observed most often. */
  async intervalBefore(moment: Timestamp): Promise<Timestamp | undefined> {
    const last = await this.#before(this.#pmids, moment);
    let nearest: { readonly from: Timestamp; readonly seconds: number } | undefined;
    for (const [i, to] of last.entries()) {
      if (!to) continue;
      const [from] = await this.#before([this.#pmids[i]!], addSeconds(to, -1e-9));
      if (!from) continue;
      const seconds = secondsBetween(to, from);
      // At an observation, the one before it: to the nanosecond.
      const start = compareTimestamps(to, moment) === 0 ? from : addSeconds(moment, -seconds);
      if (!nearest || seconds < nearest.seconds) nearest = { from: start, seconds };
    }
    return nearest?.from;
  }

  /** The last observation of each metric at or before a moment; undefined without one since the last mark. */
  async #before(pmids: readonly number[], moment: Timestamp): Promise<readonly (Timestamp | undefined)[]> {
    const { source, profile, signal } = this.#sampled;
    signal?.throwIfAborted();
    const finding = source.neighbours?.(pmids, profile, moment, signal);
    const found = await finding?.catch(onPmError(() => undefined));
    return pmids.map((_, i) => latestOf(found?.[i] ?? []));
  }
}

function latestOf(instances: readonly InstanceNeighbours[]): Timestamp | undefined {
  let latest: Timestamp | undefined;
  for (const { exact, low } of instances) {
    const time = exact[0]?.timestamp ?? (low.kind === 'value' ? low.timestamp : undefined);
    if (time && (!latest || compareTimestamps(time, latest) > 0)) latest = time;
  }
  return latest;
}

function emptySample(timestamp: Timestamp, descriptors: readonly MetricDescriptor[]): OperandSample {
  const empty = new FetchResult();
  empty.resize(descriptors.length);
  descriptors.forEach(({ pmid, type }, i) => empty.sets[i]!.reset(pmid, type));
  return { timestamp, sets: empty.sets };
}
