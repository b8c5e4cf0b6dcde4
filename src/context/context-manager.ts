import { DefinitionStore, ShownDefinitions } from '../derived/index.js';
import { getOrMake, inNextTurn, systemTimers, type Timers } from '../kit/index.js';
import { badParameter, GatewayError, PM_ERR, type Clock } from '../pmapi/index.js';
import { filterSource, SharedWork } from '../sources/index.js';
import type { MetricSource, SourceFactory, SourceKind, SourceSpec } from '../sources/index.js';
import { Context } from './context.js';
import type { ContextOptions, FetchObserver } from './context-parts.js';
import { writeRecord, type ContextDirectory, type RecordedContext } from './context-record.js';
import { ResultPool } from './plans/fetcher.js';
import type { LiveHistory, LiveMemory } from './range/index.js';
import { ContextMemory, closeSharedSource, makeSharedSource } from './shared-source.js';
import type { ContextMemoryLimits, SharedSource } from './shared-source.js';

/** Limits on contexts. All times in milliseconds. */
export interface ContextLimits {
  /** Open contexts, shared ones included. */
  readonly contexts: number;
  /** Default time-out of unused contexts. PMWEBAPI's default is 5 seconds. */
  readonly pollTimeoutMs: number;
  readonly maxPollTimeoutMs: number;
}

export interface ContextManagerOptions {
  readonly sources?: SourceFactory;
  readonly clock: Clock;
  readonly timers?: Timers;
  readonly limits: ContextLimits;
  /** The global derived metrics, which every context sees; none by default. */
  readonly definitions?: DefinitionStore;
  /** Receives errors of sources of expired contexts, for which there is no other listener. */
  readonly onCloseError?: (error: unknown, context: Context) => void;
  readonly observer?: FetchObserver;
  /** Samples of live sources, for ranges over them. */
  readonly memory?: LiveMemory | undefined;
  /** Memory for clients of all contexts; 208 MiB in all by default. */
  readonly memoryLimits?: Partial<ContextMemoryLimits>;
  readonly directory?: ContextDirectory | undefined;
}

export interface ContextStatistics {
  made: number;
  expired: number;
  destroyed: number;
}

/** Shared by contexts; released with the last of them. */
interface UsedSource {
  readonly shared: SharedSource;
  users: number;
}

/** The remembered samples of a live source, shared by requests with the same credentials. */
export interface RememberedSource {
  readonly spec: SourceSpec;
  readonly history: LiveHistory;
}

interface Remembered extends RememberedSource {
  readonly kind: SourceKind;
  /** Of the source that it was last seen through. */
  origin: unknown;
  users: number;
}

/** Ends of contexts that are remembered, to tell expired from unknown ids: at least so many, at most twice. */
const ENDS_REMEMBERED = 4096;
/** Contexts closed in one go of the sweep; the rest waits for the next turn of the event loop. */
const CLOSED_PER_TURN = 256;
/** How much longer than twice its time-out a context's record is kept. */
const RECORD_MORE_MS = 10_000;

interface CreateOptions extends Partial<Pick<ContextOptions, 'pollTimeoutMs' | 'owner'>> {
  /** Aborted when the client leaves: opening is cancelled then, by throwing the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Why a context ended that was not destroyed: it was unused, or its host is no longer configured. */
type End = 'expired' | 'withdrawn';

/** Makes, finds, expires and destroys contexts. No timer per context: use() compares times, and a sweep closes unused ones. */
export class ContextManager {
  readonly statistics: ContextStatistics = { made: 0, expired: 0, destroyed: 0 };
  readonly definitions: DefinitionStore;
  /** A change concerns later contexts. */
  limits: ContextLimits;
  sources: SourceFactory | undefined;
  readonly #options: ContextManagerOptions;
  readonly #contexts = new Map<number, Context>();
  readonly #shared = new Map<string, Context>();
  readonly #openingShared = new Map<string, SharedWork<Context>>();
  /** Keys of shared contexts closed because their specs mean other sources, until replaced. */
  readonly #moved = new Set<string>();
  /** Contexts of such keys until their requests are done. */
  readonly #retired = new Set<Context>();
  /** By the source's origin, or its spec. */
  readonly #used = new Map<object | string, UsedSource>();
  readonly #results = new ResultPool();
  readonly #kept: ContextMemory;
  /** By spec. Outlives the contexts, so that later requests find earlier values. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #rememberedFor = new WeakMap<Context, Remembered>();
  /** Shared contexts whose specs can come to mean other sources. */
  readonly #movable = new WeakSet<Context>();
  /** The revisions that the directory has. */
  readonly #saved = new WeakMap<Context, number>();
  /** Members of records that this release does not know. */
  readonly #unknown = new WeakMap<Context, RecordedContext['unknown']>();
  /** Contexts that other gateways have now; requests may still be at work on them. */
  readonly #dropped = new WeakSet<Context>();
  /** How contexts ended recently, by id, oldest first. */
  readonly #ends = new Map<number, End>();
  /** Contexts being opened, which count against the limit. */
  #opening = 0;
  #isClosed = false;

  constructor(options: ContextManagerOptions) {
    this.#options = options;
    this.definitions = options.definitions ?? new DefinitionStore();
    this.#kept = new ContextMemory(options.memoryLimits);
    this.limits = options.limits;
    this.sources = options.sources;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get keptBytes(): Readonly<Record<'kept' | 'programs' | 'metadata' | 'definitions' | 'profiles', number>> {
    const { kept, programs, metadata, definitions, profiles } = this.#kept;
    return {
      kept: kept.bytes,
      programs: programs.budget.bytes,
      metadata: metadata.bytes,
      definitions: definitions.bytes,
      profiles: profiles.bytes,
    };
  }

  get size(): number {
    return this.#contexts.size;
  }

  /** Makes a client's own context. Throws BAD_PARAMETER for the time-out, TOO_MANY_CONTEXTS, … @see pmNewContext(3) */
  create(spec: SourceSpec, { pollTimeoutMs, owner, signal }: CreateOptions = {}): Promise<Context> {
    return this.#open(spec, { pollTimeoutMs: this.#pollTimeout(pollTimeoutMs), isShared: false, owner }, signal);
  }

  /** The context for requests without one: one per source. `untilGone` gives the client's signal if there is waiting. */
  shared(spec: SourceSpec, untilGone?: () => AbortSignal): Context | Promise<Context> {
    const key = specKey(spec);
    const known = this.#shared.get(key);
    if (known && this.#isUsable(known)) return known;
    let opening = this.#openingShared.get(key);
    if (!opening || opening.isGivenUp) opening = this.#beginShared(spec, key);
    return opening.join(untilGone?.());
  }

  /** Finds a context and restarts its time-out. Throws UNKNOWN_CONTEXT for one that expired, ended, or never was. */
  use(id: number): Context {
    const context = this.#contexts.get(id);
    // What is put together for requests is theirs alone.
    if (!context || isPutTogether(context.spec)) throw unknownContext(id, this.#ends.get(id));
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#hasExpired(context, nowMs)) {
      this.#expire(context);
      throw unknownContext(id, 'expired');
    }
    context.lastUsedMs = nowMs;
    return context;
  }

  /** Copies source, time-out, profile and position; the copy is private. Throws MEMORY_FULL. @see pmDupContext(3) */
  async duplicate(id: number, owner = this.use(id).owner, signal?: AbortSignal): Promise<Context> {
    const original = this.use(id);
    const { spec, pollTimeoutMs } = original;
    const profile = original.copyProfile();
    this.#kept.profiles.require(profile.bytes);
    const how = { pollTimeoutMs, isShared: false, owner, profile };
    const copy = await this.#open(spec, how, signal);
    if (original.archive) copy.archive?.standLike(original.archive);
    await this.#options.directory?.save(copy.id);
    return copy;
  }

  /** Closes a context at once. Throws UNKNOWN_CONTEXT, and SHARED_CONTEXT. */
  async destroy(id: number): Promise<void> {
    const context = this.use(id);
    context.refuseIfShared();
    this.#forget(context);
    const noting = this.#options.directory?.end(id, 'destroyed');
    await context.close();
    await noting;
  }

  /** Live sources with remembered samples, with or without contexts. */
  get remembered(): readonly RememberedSource[] {
    return [...this.#remembered.values()].filter(({ history }) => !history.isEmpty);
  }

  openAs(id: number): 'own' | 'shared' | undefined {
    const context = this.#contexts.get(id);
    return context && (context.isShared ? 'shared' : 'own');
  }

  /** As {@link SourceFactory.placeOf}. */
  placeOf(spec: SourceSpec): string | undefined {
    return this.sources?.placeOf?.(spec);
  }

  /** A record for other gateways; undefined for a context that is not open. */
  record(id: number): { readonly text: string; readonly ttlMs: number } | undefined {
    const context = this.#contexts.get(id);
    if (!context) return undefined;
    const text = writeRecord(context, {
      isOnlyHere: this.sources?.isOnlyHere?.(context.spec),
      unknown: this.#unknown.get(context),
    });
    return { text, ttlMs: 2 * context.pollTimeoutMs + RECORD_MORE_MS };
  }

  unusedMs(id: number): number {
    const context = this.#contexts.get(id);
    if (!context) return Infinity;
    return context.fetchesUnderWay > 0 ? 0 : this.#options.clock.monotonicMs() - context.lastUsedMs;
  }

  async restore(id: number, spec: SourceSpec, recorded: RecordedContext, signal?: AbortSignal): Promise<Context> {
    const { owner, profile, definitions, mode } = recorded;
    const pollTimeoutMs = Math.min(recorded.pollTimeoutMs, this.limits.maxPollTimeoutMs);
    this.#kept.profiles.require(profile.bytes);
    const context = await this.#open(spec, { id, pollTimeoutMs, isShared: false, owner, profile }, signal);
    try {
      context.restore(definitions, mode);
    } catch (error) {
      this.drop(id);
      throw error;
    }
    this.#saved.set(context, context.revision);
    this.#unknown.set(context, recorded.unknown);
    return context;
  }

  /** Notes changes of a context for other gateways, if there are any. Throws as {@link ContextDirectory.save}; UNAVAILABLE. */
  save(context: Context): Promise<void> | undefined {
    const { directory } = this.#options;
    const saved = this.#saved.get(context);
    if (!directory || saved === undefined || saved === context.revision) return undefined;
    if (this.#dropped.has(context)) {
      throw new GatewayError('UNAVAILABLE', `context ${context.id} is at another gateway now`, { retryAfterSec: 1 });
    }
    this.#saved.set(context, context.revision);
    return directory.save(context.id);
  }

  /** Closes a context that another gateway has. */
  drop(id: number): void {
    const context = this.#contexts.get(id);
    if (!context) return;
    this.#dropped.add(context);
    this.#forget(context);
    this.#closeInTurns([context]);
  }

  list(): readonly Context[] {
    return [...this.#contexts.values()];
  }

  /** Closes expired contexts and shared ones whose spec means another source, in several turns; returns how many expired. */
  sweep(): number {
    const nowMs = this.#options.clock.monotonicMs();
    this.#options.memory?.sweep();
    for (const [key, { users, history }] of this.#remembered) {
      if (users === 0 && history.isEmpty) this.#remembered.delete(key);
    }
    // Streams ask for their context but once.
    for (const context of this.list()) if (this.#hasMoved(context)) this.#retire(context);
    const expired: Context[] = [];
    for (const context of this.#contexts.values()) if (this.#hasExpired(context, nowMs)) expired.push(context);
    for (const context of expired) this.#end(context, 'expired');
    const unused = [...this.#retired].filter((context) => this.#hasExpired(context, nowMs));
    for (const context of unused) this.#retired.delete(context);
    this.#closeInTurns([...expired, ...unused]);
    return expired.length;
  }

  /** After a change of configuration: closes contexts whose spec means another source, or none; returns how many. */
  withdraw(): number {
    const withdrawn = this.list().filter(({ spec }) => this.#isWithdrawn(spec));
    for (const context of withdrawn) {
      if (context.isShared) this.#retire(context);
      else this.#end(context, 'withdrawn');
    }
    this.#closeInTurns(withdrawn.filter(({ isShared }) => !isShared));
    return withdrawn.length;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.list(), ...this.#retired];
    for (const context of this.list()) this.#forget(context);
    this.#retired.clear();
    await Promise.allSettled(all.map((context) => context.close()));
  }

  async #open(spec: SourceSpec, { id, ...how }: OpenHow, signal: AbortSignal | undefined): Promise<Context> {
    const { clock, timers = systemTimers, observer } = this.#options;
    const limits = this.limits;
    if (this.#isClosed) throw shuttingDown();
    if (this.#contexts.size + this.#opening >= limits.contexts) {
      const message = `too many open contexts (limits.contexts is ${limits.contexts}): destroy some, or wait for them to expire`;
      throw new GatewayError('TOO_MANY_CONTEXTS', message, { retryAfterSec: 1 });
    }
    this.#opening++;
    try {
      const source = await this.#openSource(spec, signal);
      // A hostspec may mean another source than before: pmcd may have started where the embedded collector replaced it.
      const origin: object | string = source.origin ?? specKey(spec);
      const remembered = this.#remember(spec, source, origin, how.isSuccessor === true);
      const context = new Context({
        id: id ?? this.#newId(spec, how.isShared),
        spec,
        source,
        shared: this.#joinShared(origin, spec),
        results: this.#results,
        clock,
        timers,
        observer,
        history: remembered?.history,
        ...how,
      });
      if (remembered) {
        remembered.users++;
        this.#rememberedFor.set(context, remembered);
      }
      if (how.isShared && this.sources?.canMove?.(spec) !== false) this.#movable.add(context);
      this.#contexts.set(context.id, context);
      this.statistics.made++;
      if (id === undefined) await this.#note(context);
      return context;
    } finally {
      this.#opening--;
    }
  }

  /** A context that could not be noted is closed: clients would look for it elsewhere. */
  async #note(context: Context): Promise<void> {
    const { directory } = this.#options;
    if (!directory || isPutTogether(context.spec)) return;
    if (context.isShared) {
      // It serves requests whether it can be noted or not.
      if (this.#isEverywhere(context.spec)) await directory.shared?.note(context.id);
      else if (this.#hasHome(context)) await directory.create(context.id).catch(() => undefined);
      return;
    }
    this.#saved.set(context, context.revision);
    try {
      await directory.create(context.id);
    } catch (error) {
      this.drop(context.id);
      throw error;
    }
  }

  async #openSource(spec: SourceSpec, signal: AbortSignal | undefined): Promise<MetricSource> {
    const source = isPutTogether(spec) ? await spec.open(signal) : await this.#openAt(spec, signal);
    const isWanted = !this.#isClosed && signal?.aborted !== true;
    if (isWanted && !this.#isWithdrawn(spec)) return spec.filter ? filterSource(source, spec.filter) : source;
    await source.close();
    signal?.throwIfAborted();
    if (this.#isClosed) throw shuttingDown();
    // The configuration changed while it was opened.
    return this.#openSource(spec, signal);
  }

  #openAt(spec: SourceSpec, signal: AbortSignal | undefined): Promise<MetricSource> {
    if (!this.sources) throw new Error('no source can be opened before there is a factory');
    return this.sources.open(spec, signal);
  }

  #remember(spec: SourceSpec, source: MetricSource, origin: unknown, isSuccessor: boolean): Remembered | undefined {
    const { memory } = this.#options;
    if (!memory || source.archive) return undefined;
    const key = specKey(spec);
    const known = this.#remembered.get(key);
    if (known?.origin === origin) return known;
    if (known?.users === 0 && known.kind === source.kind && !isSuccessor) {
      // The same again, over other connections: changes in between were missed.
      known.origin = origin;
      known.history.interrupt();
      return known;
    }
    // Something else answers there now: what was seen of the other is not its past.
    known?.history.clear();
    const made: Remembered = { kind: source.kind, spec, history: memory.history(), origin, users: 0 };
    this.#remembered.set(key, made);
    return made;
  }

  #beginShared(spec: SourceSpec, key: string): SharedWork<Context> {
    const isSuccessor = this.#moved.delete(key);
    const how = { pollTimeoutMs: this.#pollTimeout(undefined), isShared: true, isSuccessor };
    const opening = new SharedWork(async (stop) => {
      try {
        const context = await this.#open(spec, how, stop);
        this.#shared.set(key, context);
        return context;
      } catch (error) {
        if (isSuccessor) this.#moved.add(key);
        throw error;
      } finally {
        if (this.#openingShared.get(key) === opening) this.#openingShared.delete(key);
      }
    });
    this.#openingShared.set(key, opening);
    return opening;
  }

  /** Whether a shared context serves one more request; otherwise it is closed or replaced. */
  #isUsable(context: Context): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#hasMoved(context)) this.#retire(context);
    else if (this.#hasExpired(context, nowMs)) this.#expire(context);
    else {
      context.lastUsedMs = nowMs;
      return true;
    }
    return false;
  }

  #hasMoved(context: Context): boolean {
    return this.#movable.has(context) && this.sources?.hasMoved?.(context.spec, context.kind) === true;
  }

  #isWithdrawn(spec: SourceSpec): boolean {
    return this.sources?.isWithdrawn?.(spec) === true;
  }

  /** Retires a shared context whose spec means another source; requests in progress may still use its source. */
  #retire(context: Context): void {
    this.#moved.add(specKey(context.spec));
    this.#forget(context, 'expired');
    this.#retired.add(context);
    context.announceEnd('moved');
  }

  #hasExpired(context: Context, nowMs: number): boolean {
    return nowMs - context.lastUsedMs > context.pollTimeoutMs && context.fetchesUnderWay === 0;
  }

  #expire(context: Context): void {
    this.#end(context, 'expired');
    this.#closeInTurns([context]);
  }

  #end(context: Context, how: End): void {
    this.#forget(context, how);
    // What could not be noted is noted later.
    if (this.#hasHome(context)) this.#options.directory?.end(context.id, how).catch(() => undefined);
  }

  #forget(context: Context, end?: End): void {
    this.#contexts.delete(context.id);
    if (context.isShared) this.#shared.delete(specKey(context.spec));
    this.#leaveShared(context.origin);
    const remembered = this.#rememberedFor.get(context);
    if (remembered) remembered.users--;
    this.statistics[end === 'expired' ? 'expired' : 'destroyed']++;
    if (!end) return;
    this.#ends.set(context.id, end);
    // Many at a time: the way to the oldest leads past all that were removed before it.
    if (this.#ends.size >= 2 * ENDS_REMEMBERED) {
      for (const id of [...this.#ends.keys()].slice(0, ENDS_REMEMBERED)) this.#ends.delete(id);
    }
  }

  #closeInTurns(contexts: readonly Context[]): void {
    for (const context of contexts.slice(0, CLOSED_PER_TURN)) {
      context.close().catch((error: unknown) => this.#options.onCloseError?.(error, context));
    }
    const rest = contexts.slice(CLOSED_PER_TURN);
    if (rest.length > 0) inNextTurn(() => this.#closeInTurns(rest));
  }

  /** Whether all gateways of a fleet open the same by a spec: its shared contexts have one number. */
  #isEverywhere(spec: SourceSpec): boolean {
    return !isPutTogether(spec) && this.sources?.isOnlyHere?.(spec) !== true;
  }

  /** Whether only this gateway has a context: clients' own, and shared ones on sources that differ elsewhere. */
  #hasHome({ isShared, spec }: Context): boolean {
    return !isShared || (this.#options.directory?.shared !== undefined && !this.#isEverywhere(spec));
  }

  #newId(spec: SourceSpec, isShared: boolean): number {
    const { directory } = this.#options;
    const id = directory && isShared && this.#isEverywhere(spec) ? directory.shared?.idOf(specKey(spec)) : undefined;
    return id === undefined || this.#contexts.has(id) ? this.#freshId() : id;
  }

  #freshId(): number {
    for (;;) {
      const id = newContextId();
      if (!this.#contexts.has(id)) return id;
    }
  }

  #pollTimeout(asked: number | undefined): number {
    const { pollTimeoutMs, maxPollTimeoutMs } = this.limits;
    if (asked === undefined) return pollTimeoutMs;
    if (asked > 0 && asked <= maxPollTimeoutMs) return asked;
    const most = maxPollTimeoutMs / 1000;
    const message = `invalid timeout requested in polltimeout: ${asked / 1000} must be above 0 and at most ${most} seconds`;
    throw badParameter('polltimeout', message, `a number of seconds above 0, at most ${most}`);
  }

  #joinShared(origin: object | string, { filter }: SourceSpec): SharedSource {
    const used = getOrMake(this.#used, origin, () => {
      // Sources that are seen through another filter have another origin.
      const definitions = filter
        ? new ShownDefinitions(this.definitions, (name) => filter.allows(name))
        : this.definitions;
      return { shared: makeSharedSource(origin, definitions, this.#kept), users: 0 };
    });
    used.users++;
    return used.shared;
  }

  #leaveShared(origin: object | string): void {
    const used = this.#used.get(origin);
    if (!used || --used.users > 0) return;
    this.#used.delete(origin);
    closeSharedSource(used.shared);
  }
}

/** UNKNOWN_CONTEXT, and how it ended, if that is known. */
export function unknownContext(id: number, end = 'unknown'): GatewayError {
  const why = end === 'withdrawn' ? ': its host is no longer configured' : '';
  const message = `${end} context identifier: ${id}${why}`;
  return new GatewayError('UNKNOWN_CONTEXT', message, { context: id, pmErr: PM_ERR.NOCONTEXT });
}

function shuttingDown(): GatewayError {
  return new GatewayError('UNAVAILABLE', 'the gateway is shutting down');
}

/** How a context is opened; with an id, one that another gateway had. */
type OpenHow = Pick<ContextOptions, 'pollTimeoutMs' | 'isShared' | 'isSuccessor' | 'profile' | 'owner'> & {
  readonly id?: number;
};

type PutTogether = SourceSpec & { readonly open: (signal?: AbortSignal) => Promise<MetricSource> };

/** Whether a spec combines several sources for one kind of request. */
export function isPutTogether(spec: SourceSpec): spec is PutTogether {
  return spec.kind === 'archive' && spec.open !== undefined;
}

/** Equal for the same source and identity. */
function specKey(spec: SourceSpec): string {
  const filter = spec.filter?.key ?? null;
  return spec.kind === 'archive'
    ? JSON.stringify(['archive', spec.archive, filter])
    : JSON.stringify(['host', spec.hostspec, spec.username ?? null, spec.password ?? null, filter]);
}

/** A context identifier that cannot be guessed: 1..2^53-1 from the system's random source, exact in JSON. */
function newContextId(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number];
  const id = (high & 0x1fffff) * 0x1_0000_0000 + low;
  return id === 0 ? newContextId() : id;
}
