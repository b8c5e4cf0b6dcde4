import { throughInTurns } from '../kit/index.js';
import type { Timers } from '../kit/index.js';
import { GatewayError, PM_ERR, PmError } from '../pmapi/index.js';
import type { Clock } from '../pmapi/index.js';
import type { DerivedDefinition, DerivedScope, KeptDefinition, MemoryQuota } from '../derived/index.js';
import { InstanceProfile } from '../sources/index.js';
import type {
  MetricSource,
  RecordedModeChange,
  RecordedSource,
  SourceInfo,
  SourceKind,
  SourceSpec,
} from '../sources/index.js';
import { dryRun } from './dry-run.js';
import type { DryRun, DryRunOptions } from './dry-run.js';
import { Fetching } from './fetching.js';
import { DerivedMetrics } from './names/derived-metrics.js';
import { Namespace } from './names/namespace.js';
import { FetchPlans } from './plans/fetch-plans.js';
import type { OpenRange } from './open-range.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import type { FetchServices } from './plans/fetcher.js';
import { metricsOfPlan } from './range/index.js';
import type { LiveHistory } from './range/index.js';
import type { SharedSource } from './shared-source.js';
import { hasFilter } from './selection/index.js';
import type { Selection } from './selection/index.js';
import { storeText } from './store.js';
import { explain } from './why/explain.js';
import type { Answered } from './why/explain.js';
import type { Why } from './why/why.js';

export interface ContextOptions extends FetchServices {
  readonly id: number;
  readonly spec: SourceSpec;
  readonly source: MetricSource;
  readonly shared: SharedSource;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly pollTimeoutMs: number;
  readonly isShared: boolean;
  readonly profile?: InstanceProfile;
  readonly owner?: string | undefined;
}

/** The input of {@link Context.explain}: a fetch of a plan or, with `range`, the last sample of a range. */
export interface ExplainedAnswer extends Pick<Answered, 'result' | 'trace' | 'viewer' | 'wrap' | 'signal'> {
  readonly plan: FetchPlan;
  readonly range?: OpenRange | undefined;
  readonly selection: Selection | undefined;
}

/** Why a context has ended: it was closed, or its spec means another source now and another context replaced it. */
export type ContextEnd = 'destroyed' | 'moved';

/**
 * A client's view of one source: it owns the instance profile and derived metrics, and shares connections, metadata and plans with others.
 * There may be thousands: what is seldom needed is made on demand. @see pmNewContext(3)
 */
export class Context {
  readonly id: number;
  readonly spec: SourceSpec;
  readonly kind: SourceKind;
  /** Disuse after which the context expires, in milliseconds. */
  readonly pollTimeoutMs: number;
  /** Requests without a context use it; clients cannot change it. */
  readonly isShared: boolean;
  /** The client; undefined for shared contexts and anonymous clients. */
  readonly owner: string | undefined;
  /** Monotonic time of the last use, kept by the manager. */
  lastUsedMs: number;
  readonly names: Namespace;
  readonly plans: FetchPlans;
  readonly fetching: Fetching;
  readonly #source: MetricSource;
  readonly #shared: SharedSource;
  readonly #profile: InstanceProfile;
  #profileQuota: MemoryQuota | undefined;
  readonly #derived: DerivedMetrics;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #history: LiveHistory | undefined;
  #held = 0;
  #closeListeners: Set<(reason: ContextEnd) => void> | undefined;
  #end: ContextEnd | undefined;

  constructor({ source, shared, clock, history, observer, results, isSuccessor, ...options }: ContextOptions) {
    this.id = options.id;
    this.spec = options.spec;
    this.kind = source.kind;
    this.pollTimeoutMs = options.pollTimeoutMs;
    this.isShared = options.isShared;
    this.owner = options.owner;
    this.lastUsedMs = clock.monotonicMs();
    this.#clock = clock;
    this.#timers = options.timers;
    this.#history = history;
    this.#source = source;
    this.#shared = shared;
    this.#profile = options.profile ?? new InstanceProfile();
    if (!this.#profile.isAll) this.#quotaOfProfile().take(this.#profile.bytes);
    this.#derived = new DerivedMetrics(source, shared);
    this.names = new Namespace(source, shared, this.#derived, this.isShared);
    this.plans = new FetchPlans(source, this.names, this.#derived, shared, clock, () => history?.clear());
    const own = { source, names: this.names, plans: this.plans, derived: this.#derived, profile: this.#profile, clock };
    this.fetching = new Fetching(this, {
      ...own,
      history,
      observer,
      results,
      isSuccessor,
      budget: shared.memory.kept,
    });
  }

  /** Unanswered fetches; the context does not expire while there are any. */
  get fetchesUnderWay(): number {
    return this.#held + this.fetching.underWay;
  }

  /** Changes with all that {@link restore} brings back. */
  get revision(): number {
    return this.#profile.version + this.#derived.scope.ownVersion + this.fetching.moves;
  }

  /** Makes a new context like a recorded one. Throws GatewayError MEMORY_FULL. */
  restore(definitions: readonly KeptDefinition[], mode: RecordedModeChange | undefined): void {
    if (definitions.length > 0) this.#derived.scope.restore(definitions);
    if (mode) this.#source.archive?.setMode(mode);
  }

  info(): Promise<SourceInfo> {
    return this.#source.info();
  }

  /** Equal for contexts on the same source, however they name it. */
  get origin(): object | string {
    return this.#shared.origin;
  }

  /** Undefined for a live source. */
  get archive(): RecordedSource | undefined {
    return this.#source.archive;
  }

  /** Throws WRONG_CONTEXT for a live source. */
  requireArchive(): RecordedSource {
    if (this.#source.archive) return this.#source.archive;
    throw new GatewayError('WRONG_CONTEXT', `context ${this.id} is not on an archive`, {
      context: this.id,
      pmErr: PM_ERR.NOTARCHIVE,
    });
  }

  /** Keeps the context from expiring until the result is called. */
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

  /** Includes instances, all of an indom, or everything. Throws SHARED_CONTEXT, and MEMORY_FULL. @see pmAddProfile(3) */
  addProfile(indom?: number, instances?: readonly number[]): void {
    this.#changeProfile('add', indom, instances);
  }

  deleteProfile(indom?: number, instances?: readonly number[]): void {
    this.#changeProfile('delete', indom, instances);
  }

  /** Throws SHARED_CONTEXT when requests without a context use this one: it must look the same to all. */
  refuseIfShared(): void {
    if (!this.isShared) return;
    throw new GatewayError(
      'SHARED_CONTEXT',
      `context ${this.id} is shared by requests without a context: create one of your own with /pmapi/context`,
      { context: this.id },
    );
  }

  get derived(): DerivedScope {
    return this.#derived.scope;
  }

  /** Defines a derived metric for this context. Throws BAD_PARAMETER, DUPLICATE_NAME, LIMIT_EXCEEDED, SYNTAX_ERROR, SEMANTIC_ERROR. */
  async addDerived(name: string, expression: string): Promise<readonly DerivedDefinition[]> {
    this.refuseIfShared();
    return await this.#derived.add(this.#derived.scope.parse(name, expression));
  }

  /** Defines the metrics of a file, all or none. Throws as {@link addDerived}, and the signal's reason. @see pmLoadDerivedConfig(3) */
  async addDerivedFile(text: string, signal?: AbortSignal): Promise<readonly DerivedDefinition[]> {
    this.refuseIfShared();
    return await this.#derived.add(await throughInTurns(this.#derived.scope.parseFileInSteps(text), signal), signal);
  }

  /** Checks and evaluates an expression, here or in a host's `recorded` past; registers nothing. Throws only LIMIT_EXCEEDED. */
  async checkExpression(text: string, options: DryRunOptions = {}, recorded?: RecordedSource): Promise<DryRun> {
    const release = this.hold();
    try {
      const parts = {
        source: this.#source,
        bindings: this.#shared.bindings,
        scope: this.#derived.scope,
        profile: this.#profile,
        timers: this.#timers,
        history: this.#history,
        past: (operands: FetchPlan['base']) => this.fetching.past(operands, recorded),
        names: () => this.names.traverse('', options.signal),
      };
      return await dryRun(text, parts, options);
    } finally {
      release();
    }
  }

  /** Explains the values of an answer. Rejects with the signal's reason, and errors of the source. */
  async explain({ plan, range, selection, ...answer }: ExplainedAnswer): Promise<Why> {
    const { archive } = this;
    const parts = {
      source: this.#source,
      names: this.names,
      scope: this.#derived.scope,
      bindings: this.#shared.bindings,
    };
    const source = range?.source ?? archive;
    return explain(parts, {
      ...answer,
      metrics: metricsOfPlan(plan),
      profile: range?.profile ?? this.#profile,
      find: source?.neighbours?.bind(source),
      start: range ? range.start : (await archive?.info())?.start,
      isSelected: selection !== undefined && (hasFilter(selection) || selection.top !== undefined),
      isRemembered: range?.isRecorded === false,
      now: this.#clock.now(),
    });
  }

  /** Sets a metric's value, for instances or as a whole. Throws PM_ERR_PMID, _TYPE, _INST, _PERMISSION, -ERANGE, … @see pmStore(3) */
  async store(pmid: number, text: string, instances?: readonly number[]): Promise<void> {
    const [resolved] = await this.names.resolve([pmid]);
    if (resolved?.kind === 'missing') throw new PmError(resolved.pmErr);
    if (resolved?.kind !== 'base') throw new PmError(PM_ERR.PERMISSION);
    await storeText(this.#source, resolved.descriptor, text, instances);
  }

  /** Reconnects at once, whatever back-off says; derived metrics of a client's archive start over. @see pmReconnectContext(3) */
  async reconnect(): Promise<void> {
    await this.#source.reconnect?.();
    if (this.#source.archive && !this.isShared) await this.fetching.startOver();
  }

  /** An independent copy of the profile, for pmDupContext(3). */
  copyProfile(): InstanceProfile {
    return this.#profile.clone();
  }

  /** Calls `listener` before the source is closed. Returns a function that removes it. If closed already, calls it in the next turn. */
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

  close(): Promise<void> {
    this.announceEnd('destroyed');
    this.#derived.close();
    this.plans.close();
    this.fetching.close();
    this.#profileQuota?.close();
    return this.#source.close();
  }

  /** Notifies long-term users of the context. */
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
}
