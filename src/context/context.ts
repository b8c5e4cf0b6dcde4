import { throughInTurns } from '../kit/index.js';
import { FetchResult, GatewayError, PM_ERR, PmError, sourceId } from '../pmapi/index.js';
import type { Clock, InstanceDomain, Label, LabelSet, LabelTarget, Timestamp } from '../pmapi/index.js';
import type { DerivedDefinition, DerivedScope, MemoryQuota } from '../derived/index.js';
import { InstanceProfile, isRecorded } from '../sources/index.js';
import type {
  DescriptorResult,
  MetricSource,
  NameResult,
  PmnsChildren,
  RecordedModeChange,
  RecordedSample,
  RecordedSource,
  SourceInfo,
  SourceKind,
  SourceSpec,
} from '../sources/index.js';
import { DerivedMetrics } from './names/derived-metrics.js';
import { openRange } from './context-range.js';
import type { OpenRange, RangeSettings } from './context-range.js';
import { dryRun } from './dry-run.js';
import type { DryRun } from './dry-run.js';
import { ContextViews, orEmpty } from './context-views.js';
import { EventNames } from './names/event-names.js';
import { Fetcher } from './plans/fetcher.js';
import type { FetchObserver, ReadResult } from './plans/fetcher.js';
import type { FetchPlan, MetricSelector } from './plans/fetch-plan.js';
import { FetchPlans } from './plans/fetch-plans.js';
import type { IndomMetadata, MetricMetadata } from './names/metadata-cache.js';
import { MeantNames } from './names/meant-names.js';
import type { MeantKind } from './names/meant-names.js';
import { NameResolver } from './names/name-resolver.js';
import { basePmids, LiveRangeSource, metricsOfPlan } from './range/index.js';
import type { LiveHistory, RangeParameters } from './range/index.js';
import type { ResultPool } from './plans/result-pool.js';
import { SelectionView } from './selection/index.js';
import type { FetchView, Selection, SeriesDirectory } from './selection/index.js';
import type { SharedSource } from './shared-source.js';
import { storeText } from './store.js';

/** Views kept per context for the rates of single fetches, as long as there is memory for them; each holds a sample of its metrics. */
const VIEWS_PER_CONTEXT = 8;
/** Views kept for the context that requests without a context share. */
const VIEWS_PER_SHARED_CONTEXT = 64;
/** Before the first record of every archive. */
const ARCHIVE_START: Timestamp = { sec: 0, nsec: 0 };
const NOTHING_BEFORE: Promise<unknown> = Promise.resolve();

/**
 * When metadata is asked for: at the context's `position` (now, for a live source), at a moment of an archive, or over the whole
 * `archive`: every instance that ever was, and the last labels.
 */
export type MetadataMoment = 'position' | 'archive' | Timestamp;

/** What a context is made from; the manager fills it in. */
export interface ContextOptions {
  readonly id: number;
  readonly spec: SourceSpec;
  readonly source: MetricSource;
  readonly shared: SharedSource;
  readonly results: ResultPool;
  readonly clock: Clock;
  readonly pollTimeoutMs: number;
  readonly isShared: boolean;
  readonly profile?: InstanceProfile;
  readonly owner?: string | undefined;
  readonly observer?: FetchObserver | undefined;
  /** What is remembered of the live source, for ranges. */
  readonly history?: LiveHistory | undefined;
  /** It takes the place of one whose spec leads elsewhere now: its first fetch says so. */
  readonly isSuccessor?: boolean;
}

/** Why a context is no more: it was let go, or its spec leads elsewhere now and another took its place. */
export type ContextEnd = 'destroyed' | 'moved';

/**
 * A PMAPI context: one client's view of one source. It owns what is particular to the client (instance profile, derived metrics)
 * and shares the rest (the source's connections, metadata, fetch plans) with other contexts on the same source. There may be thousands:
 * what is seldom needed is made when it is.
 * @see pmNewContext(3)
 */
export class Context {
  readonly id: number;
  readonly spec: SourceSpec;
  /** Disuse after which the context expires, in milliseconds. */
  readonly pollTimeoutMs: number;
  /** Whether requests without a context use it; such a context cannot be changed by clients. */
  readonly isShared: boolean;
  /** Whoever it was made for; undefined for a shared one and for clients that nobody knows by name. */
  readonly owner: string | undefined;
  /** Monotonic time of the last use, kept by the manager. */
  lastUsedMs: number;
  readonly #source: MetricSource;
  readonly #recorded: RecordedSource | undefined;
  readonly #shared: SharedSource;
  readonly #history: LiveHistory | undefined;
  readonly #profile: InstanceProfile;
  #profileQuota: MemoryQuota | undefined;
  readonly #derived: DerivedMetrics;
  readonly #resolver: NameResolver;
  #meant: MeantNames | undefined;
  /** Names of the parameters in event values that fetches gave; those of other results have to be learnt. */
  readonly eventNames: EventNames;
  readonly #clock: Clock;
  readonly #plans: FetchPlans;
  readonly #fetcher: Fetcher;
  #ownViews: ContextViews | undefined;
  #held = 0;
  #closeListeners: Set<(reason: ContextEnd) => void> | undefined;
  #end: ContextEnd | undefined;
  #lastFetch = NOTHING_BEFORE;

  constructor(options: ContextOptions) {
    this.id = options.id;
    this.spec = options.spec;
    this.pollTimeoutMs = options.pollTimeoutMs;
    this.isShared = options.isShared;
    this.owner = options.owner;
    this.#clock = options.clock;
    this.lastUsedMs = this.#clock.monotonicMs();
    this.#source = options.source;
    this.#recorded = isRecorded(options.source) ? options.source : undefined;
    this.#shared = options.shared;
    this.#history = options.history;
    this.#profile = options.profile ?? new InstanceProfile();
    if (!this.#profile.isAll) this.#quotaOfProfile().take(this.#profile.bytes);
    const { metadata, plans: sharedPlans } = options.shared;
    this.#derived = new DerivedMetrics(this.#source, options.shared, options.isSuccessor);
    this.#resolver = new NameResolver(this.#source, metadata, this.#derived);
    this.eventNames = new EventNames(this.#resolver, this.#source);
    this.#plans = new FetchPlans({
      source: this.#source,
      metadata,
      resolver: this.#resolver,
      derived: this.#derived,
      clock: this.#clock,
      shared: sharedPlans,
      budget: options.shared.memory.kept,
    });
    this.#fetcher = new Fetcher({
      source: this.#source,
      profile: this.#profile,
      derived: this.#derived,
      eventNames: this.eventNames,
      history: this.#history,
      observer: options.observer,
      results: options.results,
    });
  }

  get kind(): SourceKind {
    return this.#source.kind;
  }

  /** Fetches that have not been answered yet; a context does not expire while there are any. */
  get fetchesUnderWay(): number {
    return this.#held + this.#fetcher.underWay;
  }

  info(): Promise<SourceInfo> {
    return this.#source.info();
  }

  /** Labels of the source as a whole; of an archive, the last ones. */
  async contextLabels(): Promise<readonly Label[]> {
    return this.#shared.metadata.contextLabels(this.#source, await this.#recorded?.end());
  }

  /** Equal for contexts on the same source, however they name it. */
  get origin(): object | string {
    return this.#shared.origin;
  }

  /** The identity of the source, 40 hex digits. */
  async sourceHash(): Promise<string> {
    const { metadata } = this.#shared;
    const labelsAt = (end?: Timestamp): Promise<readonly Label[]> => metadata.contextLabels(this.#source, end);
    return sourceId(await metadata.identity(this.#source, await labelsAt(), labelsAt));
  }

  /** The archive that the context is on; undefined for a live source. */
  get archive(): RecordedSource | undefined {
    return this.#recorded;
  }

  /** The archive that the context is on. Throws WRONG_CONTEXT for a live source. */
  requireArchive(): RecordedSource {
    if (this.#recorded) return this.#recorded;
    throw new GatewayError('WRONG_CONTEXT', `context ${this.id} is not on an archive`, {
      context: this.id,
      pmErr: PM_ERR.NOTARCHIVE,
    });
  }

  /**
   * Set how fetches on the archive go on and from where. Derived metrics start over when the position was set. Differs from
   * PCP: there a delta reaches across the jump. Throws WRONG_CONTEXT for a live source. @see pmSetMode(3)
   */
  async setMode(change: RecordedModeChange): Promise<void> {
    const archive = this.requireArchive();
    this.refuseIfShared();
    await this.#serially(async () => {
      archive.setMode(change);
      if (change.time) this.#derived.forget();
      this.#ownViews?.forget();
      return Promise.resolve();
    });
  }

  /**
   * Raw records from the position on, in the direction of the mode, marks included, until the archive ends; the position
   * moves along. Each record is scratch. Throws WRONG_CONTEXT for a live source, PM_ERR_MODE when interpolating, and PM_ERR_EOL
   * when there is not one.
   * @see pmFetchArchive(3)
   */
  async *records(): AsyncGenerator<RecordedSample, void> {
    const archive = this.requireArchive();
    this.refuseIfShared();
    const into = new FetchResult();
    let isBegun = false;
    const release = this.hold();
    try {
      yield await this.#serially(() => archive.nextRecord(into));
      isBegun = true;
      for (;;) yield await this.#serially(() => archive.nextRecord(into));
    } catch (error) {
      if (!isBegun || !(error instanceof PmError) || error.pmErr !== PM_ERR.EOL) throw error;
    } finally {
      release();
    }
  }

  /**
   * The values of a plan's metrics over a window of time, with a history of their own for derived metrics; the position stays. Of a
   * live source these are the values that were seen in earlier fetches. The instances are those that the profile lets through now.
   * Throws BAD_PARAMETER, CONVERSION and LIMIT_EXCEEDED, and WRONG_CONTEXT when nothing is remembered of live sources.
   */
  async range(plan: FetchPlan, parameters: RangeParameters, settings: RangeSettings = {}): Promise<OpenRange> {
    const own = { profile: this.copyProfile(), clock: this.#clock, directory: this.#directory() };
    const archive = this.#history ? this.#recorded : this.requireArchive();
    if (archive) {
      const instancesEver = (indom: number): Promise<InstanceDomain> => archive.instancesEver(indom);
      return openRange(
        { ...own, source: archive, info: await archive.info(), instancesEver, isRecorded: true },
        plan,
        parameters,
        settings,
      );
    }
    const pmids = basePmids(metricsOfPlan(plan));
    const instancesEver = (indom: number): Promise<InstanceDomain> => this.instances(indom);
    const source = new LiveRangeSource(
      this.#history!,
      plan.base.map(({ descriptor }) => descriptor),
      instancesEver,
    );
    const { timezone } = await this.info();
    const info = { ...this.#history!.bounds(pmids), ...(timezone === undefined ? {} : { timezone }) };
    return openRange({ ...own, source, info, instancesEver, isRecorded: false }, plan, parameters, settings);
  }

  /** Keep the context from expiring until what is returned is called: an answer takes its time. */
  hold(): () => void {
    this.#held++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held--;
      this.lastUsedMs = this.#clock.monotonicMs();
    };
  }

  /** PMIDs of names, in order, or PM_ERR codes. @see pmLookupName(3) */
  lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    return this.#resolver.lookupNames(names);
  }

  /** All names of a PMID. Throws PM_ERR_PMID. @see pmNameAll(3) */
  namesOf(pmid: number): Promise<readonly string[]> {
    return this.#resolver.namesOf(pmid);
  }

  /** Children of a PMNS node, '' being the root. Throws PM_ERR_NAME, and the reason of `signal` when the client leaves. @see pmGetChildrenStatus(3) */
  children(prefix: string, signal?: AbortSignal): Promise<PmnsChildren> {
    return this.#resolver.children(prefix, signal);
  }

  /** Full names at or below a node, '' being the root. Throws PM_ERR_NAME, and the reason of `signal`. @see pmTraversePMNS(3) */
  traverse(prefix: string, signal?: AbortSignal): Promise<readonly string[]> {
    return this.#resolver.traverse(prefix, signal);
  }

  /** What unknown names were probably meant to be: see {@link MeantNames.of}. */
  meantNames(unknown: readonly string[], kind: MeantKind): Promise<ReadonlyMap<string, readonly string[]>> {
    this.#meant ??= new MeantNames(() => this.#resolver.possibleNames());
    return this.#meant.of(unknown, kind);
  }

  /** Descriptors of PMIDs, in order, or PM_ERR codes. Throws the reason of `signal`. @see pmLookupDescs(3) */
  describe(pmids: readonly number[], signal?: AbortSignal): Promise<readonly DescriptorResult[]> {
    return this.#resolver.describe(pmids, signal);
  }

  /** Descriptor, names, labels and help of one metric. Throws PmError when it has no descriptor. */
  async metadata(pmid: number, at?: MetadataMoment): Promise<MetricMetadata> {
    return this.#resolver.metadata(pmid, await this.#labelMoment(at));
  }

  /**
   * The instances of an instance domain, whatever the profile says: now, or `at` a moment of an archive. Throws PM_ERR_INDOM.
   * @see pmGetInDom(3), pmGetInDomArchive(3)
   */
  instances(indom: number, at: MetadataMoment = this.#usualMoment): Promise<InstanceDomain> {
    if (at === 'archive' && this.#recorded) return this.#recorded.instancesEver(indom);
    return this.#source.instances(indom, typeof at === 'object' ? at : undefined);
  }

  /** The labels of one target of the source, now, not merged with those of others. @see pmLookupLabels(3) */
  labels(target: LabelTarget): Promise<readonly LabelSet[]> {
    return this.#source.labels(target);
  }

  /** Labels and help of an instance domain. */
  async indomMetadata(indom: number, at?: MetadataMoment): Promise<IndomMetadata> {
    return this.#shared.metadata.indom(this.#source, indom, await this.#labelMoment(at));
  }

  /**
   * Let instances through; without instances the whole indom, without indom everything.
   * @throws GatewayError SHARED_CONTEXT, and MEMORY_FULL when there is no room for so many instances
   * @see pmAddProfile(3)
   */
  addProfile(indom?: number, instances?: readonly number[]): void {
    this.#changeProfile('add', indom, instances);
  }

  /** Keep instances out; see {@link addProfile}. @see pmDelProfile(3) */
  deleteProfile(indom?: number, instances?: readonly number[]): void {
    this.#changeProfile('delete', indom, instances);
  }

  /** Throw SHARED_CONTEXT when requests without a context use this one: it must look the same to all of them. */
  refuseIfShared(): void {
    if (!this.isShared) return;
    throw new GatewayError(
      'SHARED_CONTEXT',
      `context ${this.id} is shared by requests without a context: create one of your own with /pmapi/context`,
      { context: this.id },
    );
  }

  /** Equal for contexts that show the same names and metadata: one that has, or had, derived metrics of its own is like no other. */
  get viewKey(): object | string {
    return this.#derived.scope.isGlobal ? this.origin : this;
  }

  /** Changes when derived metrics that the context shows were defined or forgotten. */
  get viewVersion(): number {
    return this.#derived.scope.version;
  }

  /** Moves when the source's names or metadata may have changed. */
  get generation(): number {
    return this.#source.generation;
  }

  /** The derived metrics that are visible here, and the context's own among them. */
  get derived(): DerivedScope {
    return this.#derived.scope;
  }

  /**
   * Define a derived metric for this context alone. Throws BAD_PARAMETER, DUPLICATE_NAME, LIMIT_EXCEEDED, SYNTAX_ERROR and
   * SEMANTIC_ERROR; then nothing is kept. @see pmAddDerivedMetric(3)
   */
  async addDerived(name: string, expression: string): Promise<readonly DerivedDefinition[]> {
    this.refuseIfShared();
    return await this.#derived.add(this.#derived.scope.parse(name, expression));
  }

  /**
   * Define the derived metrics of a little file for this context alone: all of them, or after any error none. Throws as
   * {@link addDerived} does. @see pmLoadDerivedConfig(3)
   * @param signal aborted when the client leaves: nothing is kept then
   */
  async addDerivedFile(text: string, signal?: AbortSignal): Promise<readonly DerivedDefinition[]> {
    this.refuseIfShared();
    return await this.#derived.add(await throughInTurns(this.#derived.scope.parseFileInSteps(text), signal), signal);
  }

  /** Everything that can be said about an expression here without registering it. Never throws for what the text holds. */
  checkExpression(text: string, signal?: AbortSignal): Promise<DryRun> {
    return dryRun(text, {
      source: this.#source,
      bindings: this.#shared.bindings,
      scope: this.#derived.scope,
      profile: this.#profile,
      names: () => this.traverse('', signal),
    });
  }

  /** Why metrics are missing here although their names are known, by name: derived metrics that do not bind. */
  explainMissing(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#resolver.explainMissing(names);
  }

  /**
   * Change a metric's value, for some instances or (of a metric without instances) altogether; the text is read as the
   * metric's type. Throws PmError: PM_ERR_PMID, PM_ERR_TYPE, PM_ERR_INST, PM_ERR_PERMISSION, -ERANGE, and what the source says.
   * @see pmStore(3)
   */
  async store(pmid: number, text: string, instances?: readonly number[]): Promise<void> {
    const [resolved] = await this.#resolver.resolve([pmid]);
    if (resolved?.kind === 'missing') throw new PmError(resolved.pmErr);
    if (resolved?.kind !== 'base') throw new PmError(PM_ERR.PERMISSION);
    await storeText(this.#source, resolved.descriptor, text, instances);
  }

  /**
   * Connect to the source again at once, whatever back-off says. A source without a connection (an archive, this machine) has nothing to
   * do. @see pmReconnectContext(3)
   */
  async reconnect(): Promise<void> {
    await this.#source.reconnect?.();
  }

  /** An independent copy of the profile, for pmDupContext(3). */
  copyProfile(): InstanceProfile {
    return this.#profile.clone();
  }

  /**
   * Make a request ready, or find it made ready already, at once. Metrics that cannot be had are listed in the plan's `missing`.
   * @param untilGone called where there is something to wait for; its signal is aborted when the client leaves: rejects with its reason then
   */
  plan(selector: MetricSelector, untilGone?: () => AbortSignal): FetchPlan | Promise<FetchPlan> {
    return this.#plans.plan(selector, untilGone);
  }

  /**
   * Fetch the metrics of a plan and hand the result to `read`, which must take from it all it needs before it returns: value
   * sets are reused by later fetches. Live fetches of one context may overlap; those of an archive are serial.
   * @see pmFetch(3)
   */
  fetch<T>(plan: FetchPlan, read: ReadResult<T>): Promise<T> {
    return this.#fetch(plan, read);
  }

  /**
   * Have a listener called when the context is to be closed, before its source goes, until what is returned is called. Who comes too
   * late for that is called in a moment.
   */
  onClose(listener: (reason: ContextEnd) => void): () => void {
    const listeners = (this.#closeListeners ??= new Set());
    listeners.add(listener);
    const end = this.#end;
    if (end !== undefined) {
      queueMicrotask(() => {
        if (listeners.delete(listener)) listener(end);
      });
    }
    return () => void listeners.delete(listener);
  }

  /**
   * How fetches of a plan are answered when something of them is selected or converted: a view of the caller's own, whose rates are
   * those between the results that it shapes. Good for later plans of the same request while they hold the same metrics.
   * @throws GatewayError CONVERSION when a metric cannot be given in the selection's units
   */
  view(plan: FetchPlan, selection: Selection | undefined): FetchView {
    return this.#views.make(plan, selection);
  }

  /**
   * As {@link view}, but one that all single fetches of this plan with this selection share. On a context that requests without a
   * context share, rates are those since a sample that is remembered of the source, whoever caused it, where there is one: for a
   * derived metric, of all its operands at one moment. Otherwise they are those since the last fetch with this view.
   */
  keptView(plan: FetchPlan, selection: Selection): FetchView {
    return this.#views.kept(plan, selection);
  }

  /** As {@link fetch}; `read` is given what the view makes of the result. The view is one of this context and of the plan's metrics. */
  fetchView<T>(plan: FetchPlan, view: FetchView, read: ReadResult<T>): Promise<T> {
    if (!(view instanceof SelectionView)) throw new TypeError('a view is made by its context');
    return this.#fetch(plan, read, view).finally(() => this.#ownViews?.noteUse(view));
  }

  #fetch<T>(plan: FetchPlan, read: ReadResult<T>, view?: SelectionView): Promise<T> {
    if (this.#source.kind !== 'archive') return this.#fetcher.fetch(plan, read, view);
    return this.#serially(() => {
      this.#rewindIfShared();
      return this.#fetcher.fetch(plan, read, view);
    });
  }

  /** Finish what is under way, then let go of the source. */
  close(): Promise<void> {
    this.announceEnd('destroyed');
    this.#derived.close();
    this.#plans.close();
    this.#ownViews?.close();
    this.#profileQuota?.close();
    return this.#source.close();
  }

  /** Tell whoever uses the context for long that it is to be closed. */
  announceEnd(reason: ContextEnd): void {
    this.#end ??= reason;
    const listeners = [...(this.#closeListeners ?? [])];
    this.#closeListeners?.clear();
    for (const listener of listeners) listener(reason);
  }

  #changeProfile(how: 'add' | 'delete', indom: number | undefined, instances: readonly number[] = []): void {
    this.refuseIfShared();
    const quota = this.#quotaOfProfile();
    if (indom !== undefined) quota.require(InstanceProfile.bytesOf(instances.length));
    const before = this.#profile.bytes;
    this.#profile[how](indom, instances);
    quota.take(this.#profile.bytes - before);
  }

  #quotaOfProfile(): MemoryQuota {
    const { profiles, profileBytesPerContext } = this.#shared.memory;
    return (this.#profileQuota ??= profiles.part(
      "the rules of the context's instance profile",
      profileBytesPerContext,
    ));
  }

  /** Do what moves the position of an archive, after all that was asked for earlier. */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    const release = this.hold();
    const mine = this.#lastFetch.then(work, work).finally(release);
    this.#lastFetch = mine;
    return mine;
  }

  /** Requests without a context must not move one another's position: each of them begins at the start. */
  #rewindIfShared(): void {
    if (!this.isShared || !this.#recorded) return;
    this.#recorded.setMode({ mode: 'forward', time: ARCHIVE_START });
    this.#derived.forget();
    this.#ownViews?.forget();
  }

  get #views(): ContextViews {
    return (this.#ownViews ??= new ContextViews({
      directory: this.#directory(),
      profile: this.#profile,
      derived: this.#derived,
      history: this.isShared ? this.#history : undefined,
      most: this.isShared ? VIEWS_PER_SHARED_CONTEXT : VIEWS_PER_CONTEXT,
      budget: this.#shared.memory.kept,
    }));
  }

  /** What metadata is asked for when nothing is said; requests without a context have no position. */
  get #usualMoment(): MetadataMoment {
    return this.#recorded && this.isShared ? 'archive' : 'position';
  }

  /** The moment that labels are asked for; undefined: the position, or now. */
  async #labelMoment(at: MetadataMoment = this.#usualMoment): Promise<Timestamp | undefined> {
    if (typeof at === 'object') return at;
    return at === 'archive' ? this.#recorded?.end() : undefined;
  }

  /** Where selections learn what instances are called and labelled: now, or over the whole archive. */
  #directory(): SeriesDirectory {
    const at = this.#recorded ? 'archive' : 'position';
    const source = this.#source;
    return {
      get generation() {
        return source.generation;
      },
      instances: (indom) =>
        orEmpty(
          this.instances(indom, at).then(({ instances }) => instances),
          [],
        ),
      metricLabels: async (descriptor) => orEmpty(this.#resolver.labels(descriptor, await this.#labelMoment(at)), []),
      instanceLabels: async (indom) =>
        orEmpty(this.#shared.metadata.instanceLabels(source, indom, await this.#labelMoment(at)), new Map()),
    };
  }
}
