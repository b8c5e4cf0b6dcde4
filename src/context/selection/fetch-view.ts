import { FetchResult, ValueSet, type Timestamp } from '../../pmapi/index.js';
import { MetricPipeline, type RangeTrace } from '../range/metric-pipeline.js';
import type { RangeMetric } from '../range/index.js';
import { pickInstances, pickTop } from './selected-samples.js';
import { hasFilter, type Selection } from './selection.js';
import { SeriesFilter, type SeriesDirectory } from './series-filter.js';

/** Fills a set with earlier values, where a rate may begin, and returns their time; undefined without any. */
export type EarlierLookup = (metric: RangeMetric, before: Timestamp, into: ValueSet) => Timestamp | undefined;

export interface ViewOptions {
  readonly metrics: readonly RangeMetric[];
  readonly selection: Selection | undefined;
  readonly directory: SeriesDirectory;
  /** Looked up for every result, if given: rates are then since those values. */
  readonly earlier?: EarlierLookup | undefined;
  /** Results closer than this repeat the previous rates. */
  readonly leastSec?: number | undefined;
}

const VIEW_BYTES = 2_000;
const PLACE_BYTES = 200;

/** Selects, converts and ranks fetch results, in two steps ({@link prepare}, {@link convert}), so that overlapping fetches may share it. */
export class FetchView {
  /** The metrics as answered: a rate is a DOUBLE per second. */
  readonly metrics: readonly RangeMetric[];
  /** The name of an instance by the metric's place, if names are requested. */
  readonly instanceName: ((m: number, instance: number) => string | undefined) | undefined;
  readonly #selection: Selection | undefined;
  readonly #filter: SeriesFilter | undefined;
  readonly #earlier: EarlierLookup | undefined;
  readonly #fetched: readonly RangeMetric[];
  /** Each metric's first place: repeated ones are converted once. */
  readonly #firsts: Uint32Array;
  readonly #pipelines: readonly (MetricPipeline | undefined)[] | undefined;
  readonly #picked: ValueSet[] = [];
  readonly #greatest: ValueSet[] = [];
  readonly #selected = new FetchResult();
  readonly #answer = new FetchResult();
  readonly #before = new ValueSet();
  #reconnects: number | undefined;

  /** @throws GatewayError CONVERSION for the selection's units */
  constructor({ metrics, selection, directory, earlier, leastSec }: ViewOptions) {
    this.#selection = selection;
    this.#fetched = metrics;
    this.#earlier = earlier;
    this.#filter =
      selection && (hasFilter(selection) || selection.inames)
        ? new SeriesFilter(selection, metrics, directory)
        : undefined;
    const filter = this.#filter;
    this.instanceName = selection?.inames === true ? (m, instance) => filter?.nameOf(m, instance) : undefined;
    this.#firsts = firstPlaces(metrics);
    this.#pipelines = this.#makePipelines(leastSec);
    this.metrics = this.#pipelines ? metrics.map((metric, m) => this.#answered(metric, m)) : metrics;
  }

  /** The same, so that a view stands for a plan. */
  get entries(): readonly RangeMetric[] {
    return this.metrics;
  }

  /** Requested names without an instance, known after a result. */
  get unmatched(): readonly string[] {
    return this.#filter?.unmatched ?? [];
  }

  get bytes(): number {
    let bytes = VIEW_BYTES + PLACE_BYTES * this.#fetched.length + (this.#selection?.bytes ?? 0);
    bytes += (this.#filter?.bytes ?? 0) + this.#before.bytes;
    for (const [m, { name, computed }] of this.#fetched.entries()) {
      bytes += 2 * name.length;
      if (this.#firsts[m] !== m) continue;
      bytes += (computed?.bytes ?? 0) + (this.#pipelines?.[m]?.bytes ?? 0);
      bytes += (this.#picked[m]?.bytes ?? 0) + (this.#greatest[m]?.bytes ?? 0);
    }
    return bytes;
  }

  noteReconnects(reconnects: number | undefined): void {
    if (reconnects === this.#reconnects) return;
    if (this.#reconnects !== undefined) this.forget();
    this.#reconnects = reconnects;
  }

  suits(metrics: readonly RangeMetric[]): boolean {
    return (
      metrics.length === this.#fetched.length &&
      metrics.every(({ name, pmid, descriptor, computed }, m) => {
        const own = this.#fetched[m]!;
        const isSame = own.name === name && own.pmid === pmid && sameDescriptor(own.descriptor, descriptor);
        return isSame && own.computed?.program === computed?.program;
      })
    );
  }

  /** The converted result, valid until the next call; may be the result itself. A promise only when instances must be looked up. */
  shape(result: FetchResult): FetchResult | Promise<FetchResult> {
    return this.prepare(result)?.then(() => this.convert(result)) ?? this.convert(result);
  }

  /** Loads what {@link convert} needs, if anything. */
  prepare(result: FetchResult): Promise<void> | undefined {
    return this.#filter?.prepare(result);
  }

  /** Converts a prepared result. @param starts whether metric `m` was computed from nothing: no rate from or to such a value */
  convert(result: FetchResult, starts?: (m: number) => boolean): FetchResult {
    if (!this.#selection) return result;
    let current = result;
    if (this.#filter) {
      current = this.#selected;
      current.timestamp = result.timestamp;
      for (let m = 0; m < result.sets.length; m++) {
        const first = this.#firsts[m]!;
        current.sets[m] = first < m ? current.sets[first]! : this.#pick(m, result.sets[m]!);
      }
    }
    const { top, rest } = this.#selection;
    if (!this.#pipelines && top === undefined) return current;
    this.#answer.timestamp = result.timestamp;
    for (let m = 0; m < result.sets.length; m++) {
      const first = this.#firsts[m]!;
      if (first < m) {
        this.#answer.sets[m] = this.#answer.sets[first]!;
        continue;
      }
      const set = this.#pipelines ? this.#converted(m, current, starts?.(m) ?? false) : current.sets[m]!;
      this.#answer.sets[m] = top === undefined ? set : pickTop(set, (this.#greatest[m] ??= new ValueSet()), top, rest);
    }
    return this.#answer;
  }

  /** Records how values of results are converted from now on; undefined: no longer. */
  watch(trace: RangeTrace | undefined): void {
    if (!this.#pipelines) return;
    for (const [m, pipeline] of this.#pipelines.entries()) if (pipeline) pipeline.trace = trace?.metrics[m];
    if (!trace) return;
    trace.factors = this.#pipelines.map((pipeline) => pipeline?.factors);
    trace.answered = this.metrics;
  }

  forget(): void {
    for (const pipeline of this.#pipelines ?? []) pipeline?.crossMark();
  }

  #converted(m: number, current: FetchResult, starts: boolean): ValueSet {
    const pipeline = this.#pipelines![m]!;
    if (!pipeline.isRate) return pipeline.convert(current.sets[m]!, current.timestamp);
    const earlier = this.#earlier?.(this.#fetched[m]!, current.timestamp, this.#before);
    if (earlier) pipeline.startFrom(this.#before, earlier);
    if (starts) pipeline.crossMark();
    const set = pipeline.convert(current.sets[m]!, current.timestamp);
    if (starts) pipeline.crossMark();
    return set;
  }

  #pick(m: number, set: ValueSet): ValueSet {
    const into = (this.#picked[m] ??= new ValueSet());
    return pickInstances(set, into, (instance) => this.#filter!.includes(m, instance));
  }

  #answered(fetched: RangeMetric, m: number): RangeMetric {
    const { metric } = this.#pipelines![this.#firsts[m]!]!;
    return metric.name === fetched.name ? metric : { ...metric, name: fetched.name };
  }

  #makePipelines(leastSec: number | undefined): readonly (MetricPipeline | undefined)[] | undefined {
    const { rate, units } = this.#selection ?? {};
    if (!rate && !units) return undefined;
    return this.#fetched.map((metric, m) => {
      if (this.#firsts[m] !== m) return undefined;
      return new MetricPipeline(metric, { rate: rate && { ...rate, repeat: true }, units, leastSec });
    });
  }
}

function firstPlaces(metrics: readonly RangeMetric[]): Uint32Array {
  const firsts = new Map<number, number>();
  return Uint32Array.from(metrics, ({ pmid }, m) => {
    const first = firsts.get(pmid) ?? m;
    if (first === m) firsts.set(pmid, m);
    return first;
  });
}

function sameDescriptor(a: RangeMetric['descriptor'], b: RangeMetric['descriptor']): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
