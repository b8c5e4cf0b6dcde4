import { once, throughInTurns } from '../kit/index.js';
import { FetchResult, GatewayError, INDOM_NULL, INSTANCE_NULL, parseValue, PM_ERR, PmError } from '../pmapi/index.js';
import type { MetricDescriptor } from '../pmapi/index.js';
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
import { dryRun, type DryRun, type DryRunOptions } from './dry-run.js';
import { Fetching } from './fetching.js';
import { DerivedMetrics } from './names/derived-metrics.js';
import { Namespace } from './names/namespace.js';
import { FetchPlans } from './plans/fetch-plans.js';
import type { OpenRange } from './open-range.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import type { ContextOptions, ContextParts } from './context-parts.js';
import { hasFilter, type Selection } from './selection/index.js';
import { explain, type Answered } from './why/explain.js';
import type { Why } from './why/why.js';

/** The input of {@link Context.explain}: a fetch of a plan or, with `range`, the last sample of a range. */
export interface ExplainedAnswer extends Pick<Answered, 'result' | 'trace' | 'viewer' | 'wrap' | 'signal'> {
  readonly plan: FetchPlan;
  readonly range?: OpenRange | undefined;
  readonly selection: Selection | undefined;
}

/** Why a context has ended: it was closed, or its spec means another source now and another context replaced it. */
export type ContextEnd = 'destroyed' | 'moved';

/** A client's view of one source. There may be thousands: what is seldom needed is made on demand. @see pmNewContext(3) */
export class Context {
  readonly id: number;
  readonly spec: SourceSpec;
  readonly kind: SourceKind;
  /** Disuse after which the context expires, in milliseconds. */
  readonly pollTimeoutMs: number;
  readonly isShared: boolean;
  readonly owner: string | undefined;
  /** Monotonic time of the last use, kept by the manager. */
  lastUsedMs: number;
  readonly names: Namespace;
  readonly plans: FetchPlans;
  readonly fetching: Fetching;
  readonly #parts: ContextParts;
  #profileQuota: MemoryQuota | undefined;
  #held = 0;
  #closeListeners: Set<(reason: ContextEnd) => void> | undefined;
  #end: ContextEnd | undefined;

  constructor(options: ContextOptions) {
    const { source, shared, clock, history } = options;
    this.id = options.id;
    this.spec = options.spec;
    this.kind = source.kind;
    this.pollTimeoutMs = options.pollTimeoutMs;
    this.isShared = options.isShared;
    this.owner = options.owner;
    this.lastUsedMs = clock.monotonicMs();
    const { profile = new InstanceProfile() } = options;
    const derived = new DerivedMetrics(source, shared);
    this.names = new Namespace(source, shared, derived, this.isShared);
    const parts = { ...options, profile, derived, names: this.names };
    this.plans = new FetchPlans(parts, () => history?.clear());
    this.#parts = { ...parts, plans: this.plans };
    if (!profile.isAll) this.#quotaOfProfile().take(profile.bytes);
    this.fetching = new Fetching(this, this.#parts);
  }

  /** Unanswered fetches; the context does not expire while there are any. */
  get fetchesUnderWay(): number {
    return this.#held + this.fetching.underWay;
  }

  /** Changes with all that {@link restore} brings back. */
  get revision(): number {
    return this.#parts.profile.version + this.#parts.derived.scope.ownVersion + this.fetching.moves;
  }

  /** Makes a new context like a recorded one. Throws GatewayError MEMORY_FULL. */
  restore(definitions: readonly KeptDefinition[], mode: RecordedModeChange | undefined): void {
    if (definitions.length > 0) this.#parts.derived.scope.restore(definitions);
    if (mode) this.#parts.source.archive?.setMode(mode);
  }

  info(): Promise<SourceInfo> {
    return this.#parts.source.info();
  }

  /** Equal for contexts on the same source, however they name it. */
  get origin(): object | string {
    return this.#parts.shared.origin;
  }

  /** Undefined for a live source. */
  get archive(): RecordedSource | undefined {
    return this.#parts.source.archive;
  }

  /** Throws WRONG_CONTEXT for a live source. */
  requireArchive(): RecordedSource {
    if (this.#parts.source.archive) return this.#parts.source.archive;
    const message = `context ${this.id} is not on an archive`;
    throw new GatewayError('WRONG_CONTEXT', message, { context: this.id, pmErr: PM_ERR.NOTARCHIVE });
  }

  /** Keeps the context from expiring until the result is called. */
  hold(): () => void {
    this.#held++;
    return once(() => {
      this.#held--;
      this.lastUsedMs = this.#parts.clock.monotonicMs();
    });
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
    const message = `context ${this.id} is shared by requests without a context: create one of your own with /pmapi/context`;
    throw new GatewayError('SHARED_CONTEXT', message, { context: this.id });
  }

  get derived(): DerivedScope {
    return this.#parts.derived.scope;
  }

  /** Defines a derived metric for this context. Throws BAD_PARAMETER, DUPLICATE_NAME, LIMIT_EXCEEDED, SYNTAX_ERROR, SEMANTIC_ERROR. */
  async addDerived(name: string, expression: string): Promise<readonly DerivedDefinition[]> {
    this.refuseIfShared();
    return await this.#parts.derived.add(this.#parts.derived.scope.parse(name, expression));
  }

  /** Defines the metrics of a file, all or none. Throws as {@link addDerived}, and the signal's reason. @see pmLoadDerivedConfig(3) */
  async addDerivedFile(text: string, signal?: AbortSignal): Promise<readonly DerivedDefinition[]> {
    this.refuseIfShared();
    return await this.#parts.derived.add(
      await throughInTurns(this.#parts.derived.scope.parseFileInSteps(text), signal),
      signal,
    );
  }

  /** Checks and evaluates an expression, here or in a host's `recorded` past; registers nothing. Throws only LIMIT_EXCEEDED. */
  async checkExpression(text: string, options: DryRunOptions = {}, recorded?: RecordedSource): Promise<DryRun> {
    const release = this.hold();
    try {
      const past = (operands: FetchPlan['base']): ReturnType<Fetching['past']> =>
        this.fetching.past(operands, recorded);
      return await dryRun(text, this.#parts, past, options);
    } finally {
      release();
    }
  }

  /** Explains the values of an answer. Rejects with the signal's reason, and errors of the source. */
  async explain({ plan, range, selection, ...answer }: ExplainedAnswer): Promise<Why> {
    const { archive } = this;
    const source = range?.source ?? archive;
    return explain(this.#parts, {
      ...answer,
      metrics: plan.entries,
      profile: range?.profile ?? this.#parts.profile,
      find: source?.neighbours?.bind(source),
      start: range ? range.start : (await archive?.info())?.start,
      isSelected: selection !== undefined && (hasFilter(selection) || selection.top !== undefined),
      isRemembered: range?.isRecorded === false,
      now: this.#parts.clock.now(),
    });
  }

  /** Sets a metric's value, for instances or as a whole. Throws PM_ERR_PMID, _TYPE, _INST, _PERMISSION, -ERANGE, … @see pmStore(3) */
  async store(pmid: number, text: string, instances?: readonly number[]): Promise<void> {
    const [resolved] = await this.names.resolve([pmid]);
    if (!resolved?.descriptor) throw new PmError(resolved?.pmErr ?? PM_ERR.PMID);
    if (resolved.computed) throw new PmError(PM_ERR.PERMISSION);
    await storeText(this.#parts.source, resolved.descriptor, text, instances);
  }

  /** Reconnects at once, whatever back-off says; derived metrics of a client's archive start over. @see pmReconnectContext(3) */
  async reconnect(): Promise<void> {
    await this.#parts.source.reconnect?.();
    if (this.#parts.source.archive && !this.isShared) await this.fetching.startOver();
  }

  copyProfile(): InstanceProfile {
    return this.#parts.profile.clone();
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
    this.#parts.derived.close();
    this.plans.close();
    this.fetching.close();
    this.#profileQuota?.close();
    return this.#parts.source.close();
  }

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
    const before = this.#parts.profile.bytes;
    this.#parts.profile[how](indom, instances);
    quota.take(this.#parts.profile.bytes - before);
  }

  #quotaOfProfile(): MemoryQuota {
    const { profiles, profileBytesPerContext } = this.#parts.shared.memory;
    const what = "the rules of the context's instance profile";
    return (this.#profileQuota ??= profiles.part(what, profileBytesPerContext));
  }
}

/** Sets a value, for instances or as a whole. Throws PM_ERR_TYPE, -ERANGE, PM_ERR_INST, _NOTHOST, _PERMISSION. @see pmStore(3) */
async function storeText(
  source: MetricSource,
  descriptor: MetricDescriptor,
  text: string,
  instances: readonly number[] | undefined,
): Promise<void> {
  const { pmid, indom, type } = descriptor;
  if (source.archive) throw new PmError(PM_ERR.NOTHOST);
  if (!source.store) throw new PmError(PM_ERR.PERMISSION);
  const hasInstances = instances !== undefined && instances.length > 0;
  if (hasInstances !== (indom !== INDOM_NULL)) throw new PmError(PM_ERR.INST);
  const value = parseValue(text, type);
  const values = new FetchResult();
  values.resize(1);
  const set = values.sets[0]!;
  set.reset(pmid, type);
  for (const instance of hasInstances ? new Set(instances) : [INSTANCE_NULL]) set.add(instance, value);
  await source.store(pmid, values);
}
