import { LRUCache } from 'lru-cache';
import { FetchResult, formatPmErr, formatPmid, GatewayError, PM_ERR, PmError } from '../pmapi/index.js';
import type { InstanceDomain, Label } from '../pmapi/index.js';
import { InstanceProfile } from '../sources/index.js';
import type {
  DescriptorResult,
  MetricSource,
  NameResult,
  PmnsChildren,
  SourceInfo,
  SourceKind,
  SourceSpec,
} from '../sources/index.js';
import { selectorKey } from './fetch-plan.js';
import type { FetchPlan, MetricSelector, PlanEntry, PlanMissing } from './fetch-plan.js';
import type { IndomMetadata, MetadataCache, MetricMetadata } from './metadata-cache.js';
import { NameResolver } from './name-resolver.js';
import { sourceHash } from './series.js';

/** Plans kept per context: dashboards repeat a few requests for ever. */
const PLANS_PER_CONTEXT = 16;
/** Plans kept for the context that requests without a context share. */
const PLANS_PER_SHARED_CONTEXT = 512;

/** What a context is made from; the manager fills it in. */
export interface ContextOptions {
  readonly id: number;
  readonly spec: SourceSpec;
  readonly source: MetricSource;
  readonly metadata: MetadataCache;
  readonly pollTimeoutMs: number;
  readonly isShared: boolean;
  readonly nowMs: number;
  readonly profile?: InstanceProfile;
  readonly observer?: FetchObserver | undefined;
}

/** Told of every fetch, for the gateway's own metrics. */
export interface FetchObserver {
  /** A fetch was answered: how long the source took, and the value sets it gave. */
  fetched(durationMs: number, result: FetchResult): void;
  /** A fetch failed as a whole. */
  fetchFailed(error: unknown): void;
}

/**
 * A PMAPI context: one client's view of one source. It owns what is particular to the client (instance profile, fetch plans)
 * and shares the rest (the source's connections, metadata) with other contexts on the same source.
 * @see pmNewContext(3)
 */
export class Context {
  readonly id: number;
  readonly spec: SourceSpec;
  /** Disuse after which the context expires, in milliseconds. */
  readonly pollTimeoutMs: number;
  /** Whether requests without a context use it; such a context cannot be changed by clients. */
  readonly isShared: boolean;
  /** Monotonic time of the last use, kept by the manager. */
  lastUsedMs: number;
  readonly #source: MetricSource;
  readonly #metadata: MetadataCache;
  readonly #observer: FetchObserver | undefined;
  readonly #profile: InstanceProfile;
  readonly #resolver: NameResolver;
  #plans: LRUCache<string, FetchPlan> | undefined;
  /** Results to fill, reused: a context has as many as it ever had fetches under way at once. */
  readonly #idleResults: FetchResult[] = [];
  #underWay = 0;
  #lastFetch: Promise<unknown> = Promise.resolve();

  constructor(options: ContextOptions) {
    this.id = options.id;
    this.spec = options.spec;
    this.pollTimeoutMs = options.pollTimeoutMs;
    this.isShared = options.isShared;
    this.lastUsedMs = options.nowMs;
    this.#source = options.source;
    this.#metadata = options.metadata;
    this.#observer = options.observer;
    this.#profile = options.profile ?? new InstanceProfile();
    this.#resolver = new NameResolver(this.#source, this.#metadata);
  }

  get kind(): SourceKind {
    return this.#source.kind;
  }

  /** Fetches that have not been answered yet; a context does not expire while there are any. */
  get fetchesUnderWay(): number {
    return this.#underWay;
  }

  info(): Promise<SourceInfo> {
    return this.#source.info();
  }

  contextLabels(): Promise<readonly Label[]> {
    return this.#metadata.contextLabels(this.#source);
  }

  /** The identity of the source, 40 hex digits. */
  async sourceHash(): Promise<string> {
    return sourceHash(await this.contextLabels());
  }

  /** PMIDs of names, in order, or PM_ERR codes. @see pmLookupName(3) */
  lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    return this.#resolver.lookupNames(names);
  }

  /** All names of a PMID. Throws PM_ERR_PMID. @see pmNameAll(3) */
  namesOf(pmid: number): Promise<readonly string[]> {
    return this.#resolver.namesOf(pmid);
  }

  /** Children of a PMNS node, '' being the root. Throws PM_ERR_NAME. @see pmGetChildrenStatus(3) */
  children(prefix: string): Promise<PmnsChildren> {
    return this.#resolver.children(prefix);
  }

  /** Full names at or below a node, '' being the root. Throws PM_ERR_NAME. @see pmTraversePMNS(3) */
  traverse(prefix: string): Promise<readonly string[]> {
    return this.#resolver.traverse(prefix);
  }

  /** Descriptors of PMIDs, in order, or PM_ERR codes. @see pmLookupDescs(3) */
  describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    return this.#resolver.describe(pmids);
  }

  /** Descriptor, names, labels and help of one metric. Throws PmError when it has no descriptor. */
  metadata(pmid: number): Promise<MetricMetadata> {
    return this.#resolver.metadata(pmid);
  }

  /** The instances of an instance domain, whatever the profile says. Throws PM_ERR_INDOM. @see pmGetInDom(3) */
  instances(indom: number): Promise<InstanceDomain> {
    return this.#source.instances(indom);
  }

  /** Labels and help of an instance domain. */
  indomMetadata(indom: number): Promise<IndomMetadata> {
    return this.#metadata.indom(this.#source, indom);
  }

  /** Let instances through; without instances the whole indom, without indom everything. @see pmAddProfile(3) */
  addProfile(indom?: number, instances?: readonly number[]): void {
    this.refuseIfShared();
    this.#profile.add(indom, instances);
  }

  /** Keep instances out; without instances the whole indom, without indom everything. @see pmDelProfile(3) */
  deleteProfile(indom?: number, instances?: readonly number[]): void {
    this.refuseIfShared();
    this.#profile.delete(indom, instances);
  }

  /** Throw SHARED_CONTEXT when requests without a context use this one: it must look the same to all of them. */
  refuseIfShared(): void {
    if (!this.isShared) return;
    throw new GatewayError(
      'SHARED_CONTEXT',
      `context ${this.id} is shared by requests without a context: make one of your own with /pmapi/context`,
      { context: this.id },
    );
  }

  /** An independent copy of the profile, for pmDupContext(3). */
  copyProfile(): InstanceProfile {
    return this.#profile.clone();
  }

  /** Make a request ready, or find it made ready already. Metrics that cannot be had are listed in the plan's `missing`. */
  async plan(selector: MetricSelector): Promise<FetchPlan> {
    const key = selectorKey(selector);
    const known = this.#plans?.get(key);
    if (known?.generation === this.#source.generation) return known;
    const plan = await this.#makePlan(selector);
    this.#plans ??= new LRUCache({ max: this.isShared ? PLANS_PER_SHARED_CONTEXT : PLANS_PER_CONTEXT });
    this.#plans.set(key, plan);
    return plan;
  }

  /**
   * Fetch the metrics of a plan and hand the result to `read`, which must take from it all it needs before it returns: value
   * sets are reused by later fetches. Live fetches of one context may overlap; those of an archive are serial.
   * @see pmFetch(3)
   */
  async fetch<T>(plan: FetchPlan, read: (result: FetchResult) => T): Promise<T> {
    const result = this.#idleResults.pop() ?? new FetchResult();
    this.#underWay++;
    try {
      await this.#sample(plan, result);
      return read(result);
    } finally {
      this.#underWay--;
      this.#idleResults.push(result);
    }
  }

  /** Finish what is under way, then let go of the source. */
  close(): Promise<void> {
    return this.#source.close();
  }

  async #sample(plan: FetchPlan, result: FetchResult): Promise<void> {
    const startMs = performance.now();
    try {
      if (this.#source.kind === 'archive') await this.#afterEarlierFetches(plan, result);
      else await this.#source.fetch(plan.prepared, this.#profile, result);
    } catch (error) {
      this.#observer?.fetchFailed(error);
      throw error;
    }
    this.#observer?.fetched(performance.now() - startMs, result);
  }

  #afterEarlierFetches(plan: FetchPlan, result: FetchResult): Promise<void> {
    const fetch = (): Promise<void> => this.#source.fetch(plan.prepared, this.#profile, result);
    const mine = this.#lastFetch.then(fetch, fetch);
    this.#lastFetch = mine;
    return mine;
  }

  async #makePlan(selector: MetricSelector): Promise<FetchPlan> {
    const generation = this.#source.generation;
    const requested = selector.names ?? selector.pmids.map(formatPmid);
    const pmids = selector.names ? await this.lookupNames(selector.names) : selector.pmids;
    const found = pmids.filter((pmid) => pmid >= 0);
    const descriptors = await this.describe(found);
    const described = new Map(found.map((pmid, i) => [pmid, descriptors[i] ?? PM_ERR.PMID]));

    const entries: PlanEntry[] = [];
    const missing: PlanMissing[] = [];
    for (const [i, pmid] of pmids.entries()) {
      const request = requested[i]!;
      const descriptor = pmid < 0 ? pmid : (described.get(pmid) ?? PM_ERR.PMID);
      if (typeof descriptor === 'number') {
        missing.push({ requested: request, pmErr: descriptor, message: formatPmErr(descriptor) });
      } else {
        const name = selector.names ? request : await this.#firstName(pmid, request);
        entries.push({ name, pmid, descriptor });
      }
    }
    const prepared = this.#source.prepare(entries.map((entry) => entry.pmid));
    return { entries, missing, prepared, generation };
  }

  /** The first name of a PMID; a metric that has lost its name is known by its PMID. */
  async #firstName(pmid: number, printed: string): Promise<string> {
    try {
      return (await this.namesOf(pmid))[0] ?? printed;
    } catch (error) {
      if (error instanceof PmError) return printed;
      throw error;
    }
  }
}
