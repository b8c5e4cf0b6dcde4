import type { DisplayHints } from '../../derived/index.js';
import {
  END_OF_TIME,
  INDOM_NULL,
  PM_ERR,
  PmError,
  indomDomain,
  labelTargetKey,
  makeLabel,
  mergeLabels,
  pmidDomain,
} from '../../pmapi/index.js';
import type { Label, LabelTarget, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import { lookAtVolatile, type DescriptorResult, type MetricSource, type NameResult } from '../../sources/index.js';
import { BudgetedMap, MemoryBudget, type Kept } from '../memory-budget.js';

/** A cache with a size in bytes, evicted least recently used. Concurrent requests share one load; failed loads are not cached. */
export class SizedCache<K extends string | number, V extends object> {
  readonly #loading = new Map<K, Promise<V>>();
  readonly #budget: MemoryBudget;
  readonly #kept: BudgetedMap<K, V>;
  readonly #bytesOf: (value: V) => number;

  /** `bytesOf` gives the size of a value: one above `maxBytes` is not cached. `whole` is a budget of many caches. */
  constructor(maxBytes: number, bytesOf: (value: V) => number, whole?: MemoryBudget) {
    this.#budget = new MemoryBudget(maxBytes, whole);
    this.#kept = new BudgetedMap(this.#budget);
    this.#bytesOf = bytesOf;
  }

  get bytes(): number {
    return this.#budget.bytes;
  }

  async get(key: K, load: () => Promise<V>): Promise<V> {
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const underWay = this.#loading.get(key);
    if (underWay) return underWay;
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      if (this.#loading.get(key) === loading) this.#kept.set(key, value, this.#bytesOf(value));
      return value;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }

  clear(): void {
    this.#loading.clear();
    this.#kept.clear();
  }
}

/** The limit of one source's descriptors with help texts and merged labels, in bytes: a host with 3,000 metrics has 5 MB of them. */
const METRIC_BYTES_KEPT = 16 * 1024 * 1024;
/** The limit of one source's labels, in bytes: clients may request any instance domain. */
const LABEL_BYTES_KEPT = 4 * 1024 * 1024;
const FOUND_BYTES_KEPT = 16 * 1024 * 1024;
const ALL_BYTES_KEPT = 80 * 1024 * 1024;
/** The approximate size of a name with its PMID besides its text, and of a descriptor. */
const NAME_BYTES = 80;
const DESCRIPTOR_BYTES = 200;
/** The approximate size of an object besides its texts. */
const OBJECT_BYTES = 64;
/** The approximate size of a metric besides its texts and labels. */
const METRIC_BYTES = 400;

/** Targets with labels that seldom change. */
export type SharedTarget = Exclude<LabelTarget, { readonly kind: 'instances' }>;

export interface MetricMetadata {
  readonly descriptor: MetricDescriptor;
  /** All names of the PMID: more than one if the PMNS has aliases. */
  readonly names: readonly string[];
  /** Labels merged from context, domain, indom, cluster and item, without instance labels. */
  readonly labels: readonly Label[];
  /** Labels of the metric's identifier: those at the archive's end, whatever the moment. */
  readonly identity: readonly Label[];
  readonly oneline: string;
  /** Full help; falls back to the one-line text, '' when there is neither. */
  readonly help: string;
  readonly display?: DisplayHints | undefined;
}

export interface IndomMetadata {
  /** Labels merged from context, domain and indom. */
  readonly labels: readonly Label[];
  readonly instanceLabels: ReadonlyMap<number, readonly Label[]>;
  readonly oneline?: string;
  readonly help?: string;
}

/**
 * Metadata of one source for all its contexts, cached until the source's generation changes; concurrent requests are joined. Not cached:
 * instances, which change without notice, and labels of archives, which depend on `at` and are in memory.
 */
export class MetadataCache {
  #generation = -1;
  readonly #pmids = new Map<string, number>();
  readonly #descriptors = new Map<number, MetricDescriptor>();
  readonly #metrics: SizedCache<number, MetricMetadata>;
  readonly #labels: SizedCache<string, readonly Label[]>;
  readonly #budget: MemoryBudget;
  /** All names and descriptors are one entry of the budget: they are requested by the thousand. */
  readonly #found: Kept = { drop: () => this.#forgetFound() };
  #foundBytes = 0;

  /** @param budget for the metadata of all sources: the least recently used is evicted */
  constructor(budget = new MemoryBudget(ALL_BYTES_KEPT)) {
    this.#budget = budget;
    this.#metrics = new SizedCache(METRIC_BYTES_KEPT, bytesOfMetric, budget);
    this.#labels = new SizedCache(LABEL_BYTES_KEPT, bytesOfLabels, budget);
  }

  get bytes(): number {
    return this.#metrics.bytes + this.#labels.bytes + this.#foundBytes;
  }

  close(): void {
    this.#forget();
  }

  async lookupNames(source: MetricSource, names: readonly string[]): Promise<readonly NameResult[]> {
    return this.#complete(source, this.#pmids, names, (unknown) => source.lookupNames(unknown), PM_ERR.NAME);
  }

  /** Descriptors of PMIDs, in order; each is a PM_ERR code when the source has none. */
  async describe(source: MetricSource, pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    return this.#complete(source, this.#descriptors, pmids, (unknown) => source.describe(unknown), PM_ERR.PMID);
  }

  /** All metadata of one metric. Throws PmError for a PMID without a descriptor. */
  metric(source: MetricSource, pmid: number, at?: Timestamp): Promise<MetricMetadata> {
    this.#validate(source, [pmid]);
    if (source.archive) return this.#loadMetric(source, pmid, at);
    return this.#metrics.get(pmid, () => this.#loadMetric(source, pmid));
  }

  /** Labels and help of one instance domain. Instance labels change with the instances, so they are requested each time. */
  async indom(source: MetricSource, indom: number, at?: Timestamp): Promise<IndomMetadata> {
    const [context, domain, own, instanceLabels, oneline, help] = await Promise.all([
      this.targetLabels(source, { kind: 'context' }, at),
      this.targetLabels(source, { kind: 'domain', domain: indomDomain(indom) }, at),
      this.targetLabels(source, { kind: 'indom', indom }, at),
      this.instanceLabels(source, indom, at),
      source.helpText({ kind: 'indom', indom }, 'oneline'),
      source.helpText({ kind: 'indom', indom }, 'help'),
    ]);
    return {
      labels: mergeLabels([context, domain, own]),
      instanceLabels,
      ...(oneline === undefined ? {} : { oneline }),
      ...(help === undefined ? {} : { help }),
    };
  }

  async metricLabels(source: MetricSource, descriptor: MetricDescriptor, at?: Timestamp): Promise<readonly Label[]> {
    const { pmid, indom } = descriptor;
    return mergeLabels(
      await Promise.all([
        this.targetLabels(source, { kind: 'context' }, at),
        this.targetLabels(source, { kind: 'domain', domain: pmidDomain(pmid) }, at),
        indom === INDOM_NULL ? [] : this.targetLabels(source, { kind: 'indom', indom }, at),
        this.targetLabels(source, { kind: 'cluster', pmid }, at),
        this.targetLabels(source, { kind: 'item', pmid }, at),
      ]),
    );
  }

  /** Labels of identifiers: of an archive those at its end; the host's name without context labels. */
  async identity(
    source: MetricSource,
    shown: readonly Label[],
    labelsAt: (end: Timestamp) => Promise<readonly Label[]>,
  ): Promise<readonly Label[]> {
    const end = source.archive ? END_OF_TIME : undefined;
    const [labels, context] = await Promise.all([
      end ? labelsAt(end) : shown,
      this.targetLabels(source, { kind: 'context' }, end),
    ]);
    if (context.length > 0) return labels;
    const { hostName } = await source.info();
    return mergeLabels([[makeLabel('hostname', hostName)], labels]);
  }

  async instanceLabels(
    source: MetricSource,
    indom: number,
    at?: Timestamp,
  ): Promise<ReadonlyMap<number, readonly Label[]>> {
    const instances = await source.labels({ kind: 'instances', indom }, at);
    return new Map(instances.map((set) => [set.instance, set.labels]));
  }

  async #loadMetric(source: MetricSource, pmid: number, at?: Timestamp): Promise<MetricMetadata> {
    const [[descriptor], names] = await Promise.all([this.describe(source, [pmid]), source.namesOf(pmid)]);
    if (typeof descriptor !== 'object') throw new PmError(descriptor ?? PM_ERR.PMID);
    const [labels, oneline, help] = await Promise.all([
      this.metricLabels(source, descriptor, at),
      source.helpText({ kind: 'metric', pmid }, 'oneline'),
      source.helpText({ kind: 'metric', pmid }, 'help'),
    ]);
    return {
      descriptor,
      names,
      labels,
      identity: await this.identity(source, labels, (end) => this.metricLabels(source, descriptor, end)),
      oneline: oneline ?? '',
      help: help ?? oneline ?? '',
    };
  }

  /** Labels of one target, without those of the levels above it. A source without label support has none. */
  async targetLabels(source: MetricSource, target: SharedTarget, at?: Timestamp): Promise<readonly Label[]> {
    this.#validate(source, 'indom' in target ? [target.indom] : 'pmid' in target ? [target.pmid] : []);
    const load = async (): Promise<readonly Label[]> => (await source.labels(target, at))[0]?.labels ?? [];
    return source.archive ? load() : this.#labels.get(labelTargetKey(target), load);
  }

  /** Completes results from the cache by one request to the source. */
  async #complete<K extends string | number, V extends number | MetricDescriptor>(
    source: MetricSource,
    cache: Map<K, V>,
    keys: readonly K[],
    ask: (unknown: readonly K[]) => Promise<readonly (V | number)[]>,
    failure: number,
  ): Promise<readonly (V | number)[]> {
    this.#validate(source, keys);
    const unknown = [...new Set(keys.filter((key) => !cache.has(key)))];
    if (unknown.length === 0) {
      this.#budget.touch(this.#found);
      return keys.map((key) => cache.get(key)!);
    }
    const generation = this.#generation;
    // The cache may be cleared while this waits.
    const known = keys.map((key) => cache.get(key));
    const answers = await ask(unknown);
    const fresh = new Map(unknown.map((key, i) => [key, answers[i] ?? failure]));
    if (generation === this.#generation) {
      for (const [key, answer] of fresh) {
        if ((typeof answer === 'number' && answer < 0) || cache.has(key)) continue;
        cache.set(key, answer as V);
        this.#foundBytes += typeof key === 'string' ? NAME_BYTES + 2 * key.length : DESCRIPTOR_BYTES;
      }
      if (this.#foundBytes <= FOUND_BYTES_KEPT) this.#budget.note(this.#found, this.#foundBytes);
      else this.#found.drop();
    }
    return keys.map((key, i) => known[i] ?? fresh.get(key)!);
  }

  /** Clears the cache if the source has changed; `subjects` are the request's PMIDs. */
  #validate(source: MetricSource, subjects: readonly (string | number)[]): void {
    lookAtVolatile(source, subjects);
    if (source.generation === this.#generation) return;
    this.#generation = source.generation;
    this.#forget();
  }

  #forget(): void {
    this.#forgetFound();
    this.#metrics.clear();
    this.#labels.clear();
  }

  #forgetFound(): void {
    this.#pmids.clear();
    this.#descriptors.clear();
    this.#foundBytes = 0;
    this.#budget.forget(this.#found);
  }
}

/** Two bytes per character: most texts take one. */
function bytesOfLabels(labels: readonly Label[]): number {
  return labels.reduce((sum, { name, json }) => sum + 2 * (name.length + json.length) + OBJECT_BYTES, OBJECT_BYTES);
}

function bytesOfMetric({ names, labels, oneline, help }: MetricMetadata): number {
  const characters = names.reduce((sum, name) => sum + name.length, oneline.length + help.length);
  return METRIC_BYTES + 2 * characters + bytesOfLabels(labels);
}
