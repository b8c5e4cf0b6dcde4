import { getOrMake, pause, type Timers } from '../kit/index.js';
import { GatewayError } from '../pmapi/index.js';
import type { ContextWork, Peer } from './contracts.js';
import { EngineError, ignoreEngineError, NO_HOME, type Engine } from './engine.js';
import type { Member } from './member.js';

/** What other members need of a context when its home is gone. */
export interface ContextRecord {
  readonly text: string;
  /** How long the engine keeps it after its last use. */
  readonly ttlMs: number;
}

export interface ContextHolder {
  /** The record of a context as it is now; undefined for one that is no longer here. */
  record(id: number): ContextRecord | undefined;
  /** How long a context has not been used; 0 while it is in use. */
  unusedMs(id: number): number;
  /** Closes a context that has another home now, or has ended there. */
  drop(id: number): void;
}

export interface Held {
  readonly takeovers: number;
  revision: number;
  /** The revision that is known to be replicated. */
  written: number;
  /** The lease under which the engine last said that this is the home; -1: it never did. */
  lease: number;
  touchedMs: number;
  ttlMs: number;
  verifying: Promise<boolean> | undefined;
}

interface Known {
  readonly peer: Peer;
  /** The home did not respond; ask the engine again while it is reachable. */
  isDoubted: boolean;
}

/** How long a call waits for the lease of a home that does not answer, or for an engine that failed over. */
const WAIT_MS = 7000;
const RETRY_MS = 100;
/** After a failover has settled, how long homes take to store again what the engine lost. */
const HOMES_STORE_MS = 3000;
/** Homes of contexts that are remembered. */
const HOMES_KNOWN = 100_000;

/** Which member answers for a context: its home, which alone may change its record. README.md has the protocol. */
export class ContextHomes {
  readonly #engine: Engine;
  readonly #member: Member;
  readonly #timers: Timers;
  readonly #holder: ContextHolder;
  readonly #held = new Map<number, Held>();
  /** The homes of contexts that are not here, as far as they were looked up. */
  readonly #known = new Map<number, Known>();
  readonly #finding = new Map<number, Promise<Place>>();
  /** Contexts that ended here, of which the engine does not know yet. */
  readonly #ending = new Map<number, { readonly takeovers: number; readonly how: string }>();
  #checkedLease = -1;
  adopted = 0;
  readonly #closing = new AbortController();

  constructor(parts: {
    readonly engine: Engine;
    readonly member: Member;
    readonly timers: Timers;
    readonly holder: ContextHolder;
  }) {
    this.#engine = parts.engine;
    this.#member = parts.member;
    this.#timers = parts.timers;
    this.#holder = parts.holder;
    void tend({ ...parts, isClosed: this.#closing.signal }, async () => {
      for (const id of [...this.#ending.keys()]) await this.#tellEnd(id);
      await this.#touch();
      await this.#verifyAll();
    });
  }

  /** Stores the record of a context that was opened here, later without the engine. Throws UNAVAILABLE: it must be closed. */
  async create(id: number): Promise<void> {
    const held = this.#hold(id, { takeovers: 0, revision: 0, lease: -1 });
    if (this.#member.isAlone) return;
    const lease = this.#member.leaseNumber;
    try {
      if ((await this.#write(id, held, true)) === 'stored') {
        held.lease = lease;
        return;
      }
    } catch (error) {
      this.#held.delete(id);
      throw asGatewayError(error, unavailable);
    }
    this.#held.delete(id);
    throw unavailable();
  }

  /** Stores a changed record. Throws UNAVAILABLE if the context has another home, OUTCOME_UNKNOWN if it may be lost. */
  async save(id: number): Promise<void> {
    const held = this.#held.get(id);
    if (!held) return;
    held.revision++;
    if (this.#member.isAlone) return;
    try {
      const outcome = await this.#write(id, held, false);
      if (outcome === 'stored' || (outcome === 'missing' && (await this.#verified(id, held)))) return;
    } catch (error) {
      throw asGatewayError(error, outcomeUnknown);
    }
    this.#drop(id, held);
    throw unavailable();
  }

  /** Notes that a context ended here. Throws OUTCOME_UNKNOWN if the engine could not be told yet. */
  async end(id: number, how: string): Promise<void> {
    const held = this.#held.get(id);
    if (!held) return;
    this.#held.delete(id);
    this.#ending.set(id, { takeovers: held.takeovers, how });
    if (this.#member.isAlone) return;
    try {
      await this.#tellEnd(id);
    } catch (error) {
      throw asGatewayError(error, outcomeUnknown);
    }
  }

  /** Whether this member may answer for a context that it has: at once while it keeps its lease. Throws UNAVAILABLE. */
  isHome(id: number): boolean | Promise<boolean> {
    const held = this.#held.get(id);
    if (!held) return false;
    if (this.#member.isAlone || held.lease === this.#member.leaseNumber) return true;
    return this.#verified(id, held).catch((error: unknown) => {
      throw asGatewayError(error, unavailable);
    });
  }

  /** Does something with a context at its home; becomes the home if there is none. */
  async at<T extends object>(id: number, work: ContextWork<T>): Promise<T> {
    const deadlineMs = this.#timers.nowMs() + WAIT_MS;
    for (;;) {
      const wasAlone = this.#member.isAlone;
      const place = await this.#find(id, (text) => work.restore(text));
      if (place.kind === 'here') return work.here();
      if (place.kind === 'shared') return work.shared(place.text);
      if (place.kind === 'gone') return work.gone(place.how);
      const answer = place.kind === 'elsewhere' ? await work.hand(place.peer) : undefined;
      if (answer) return answer;
      const known = this.#known.get(id);
      if (known) known.isDoubted = true;
      // A member that is alone knows of no other home, and waits for none.
      const isOver = this.#timers.nowMs() >= deadlineMs || (wasAlone && this.#member.isAlone);
      if (isOver || this.#closing.signal.aborted) throw unavailable();
      await pause(RETRY_MS, this.#timers);
    }
  }

  close(): void {
    this.#closing.abort();
  }

  #hold(id: number, { takeovers, revision, lease }: Pick<Held, 'takeovers' | 'revision' | 'lease'>): Held {
    const touchedMs = this.#timers.nowMs();
    const held: Held = { takeovers, revision, lease, written: -1, touchedMs, ttlMs: 0, verifying: undefined };
    this.#held.set(id, held);
    this.#known.delete(id);
    return held;
  }

  async #find(id: number, restore: (text: string) => Promise<void>): Promise<Place> {
    const known = this.#knownPlace(id);
    if (known) return known;
    return getOrMake(this.#finding, id, () => this.#lookUp(id, restore).finally(() => this.#finding.delete(id)));
  }

  #knownPlace(id: number): Place | undefined {
    const ending = this.#ending.get(id);
    if (ending) return { kind: 'gone', how: ending.how };
    const known = this.#known.get(id);
    if (!known) return undefined;
    // Without the engine nothing newer is known, even if that member's lease has ended.
    if (this.#member.isAlone) return { kind: 'elsewhere', peer: known.peer };
    const peer = known.isDoubted ? undefined : this.#member.peer(known.peer.id);
    return peer && { kind: 'elsewhere', peer };
  }

  /** For a member that is alone. Throws GatewayError UNAVAILABLE. */
  #lastKnown(id: number, cause?: Error): Place {
    const known = this.#knownPlace(id);
    if (!known) throw unavailable(cause);
    return known;
  }

  async #lookUp(id: number, restore: (text: string) => Promise<void>): Promise<Place> {
    try {
      if (await this.isHome(id)) return { kind: 'here' };
      // What cannot be looked up now is not unknown.
      if (this.#member.isAlone) return this.#lastKnown(id);
      const { epoch: node, found } = await this.#engine.getContext(id);
      if (found.kind === 'ended') return { kind: 'gone', how: found.how };
      if (found.kind === 'open' && found.home === NO_HOME) return { kind: 'shared', text: found.text };
      const { epoch: current, settledEpoch: epoch, settledForMs } = this.#member;
      if (found.kind === 'none') {
        const isSettled = node === current && settledForMs >= HOMES_STORE_MS;
        return isSettled ? { kind: 'gone', how: undefined } : UNSETTLED;
      }
      if (epoch === undefined) return this.#placeOf(id, found.home);
      const { id: self } = this.#member;
      if (found.home !== self && this.#member.peer(found.home)) return this.#placeOf(id, found.home);
      // It lives, and cannot be reached from here.
      if (found.home !== self && this.#member.isLeased(found.home)) throw unavailable();
      const lease = this.#member.leaseNumber;
      const adopted = await this.#engine.adoptContext({ id, expected: found, home: self, epoch });
      if (adopted.kind !== 'open') return UNSETTLED;
      if (adopted.home !== self || adopted.takeovers === found.takeovers) return this.#placeOf(id, adopted.home);
      const held = this.#hold(id, { ...adopted, lease });
      held.written = adopted.revision;
      this.adopted++;
      return await this.#restored(id, held, () => restore(adopted.text));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // While the engine fails over: it is found out soon, or this member is alone.
      return this.#member.isAlone ? this.#lastKnown(id, error) : UNSETTLED;
    }
  }

  /** A context that cannot be opened here is not held: the next call tries it again. */
  async #restored(id: number, held: Held, restore: () => Promise<void>): Promise<Place> {
    try {
      await restore();
    } catch (error) {
      if (this.#held.get(id) === held) this.#held.delete(id);
      throw error;
    }
    held.ttlMs = this.#holder.record(id)?.ttlMs ?? 0;
    // Its life is prolonged soon: it may be nearly over.
    held.touchedMs = -Infinity;
    return { kind: 'here' };
  }

  #placeOf(id: number, home: string): Place {
    const peer = this.#member.peer(home);
    if (!peer) return UNSETTLED;
    this.#known.delete(id);
    this.#known.set(id, { peer, isDoubted: false });
    if (this.#known.size > HOMES_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    return { kind: 'elsewhere', peer };
  }

  /** Looks whether this is still the home of a context, after a time without a lease or a failover of the engine. */
  #verified(id: number, held: Held): Promise<boolean> {
    held.verifying ??= this.#verify(id, held).finally(() => (held.verifying = undefined));
    return held.verifying;
  }

  async #verify(id: number, held: Held): Promise<boolean> {
    const deadlineMs = this.#timers.nowMs() + WAIT_MS;
    for (;;) {
      try {
        return await this.#verifyNow(id, held, deadlineMs);
      } catch (error) {
        // A failover breaks connections: the next attempt has new ones.
        const isOver = this.#timers.nowMs() >= deadlineMs || this.#closing.signal.aborted;
        if (!(error instanceof EngineError) || isOver) throw error;
        await pause(RETRY_MS, this.#timers);
      }
    }
  }

  async #verifyNow(id: number, held: Held, deadlineMs: number): Promise<boolean> {
    for (;;) {
      if (this.#held.get(id) !== held) return false;
      const { leaseNumber, epoch, settledEpoch } = this.#member;
      if (epoch === undefined) return true;
      const answer = await this.#engine.getContext(id);
      const { found } = answer;
      const isMine = found.kind === 'open' && found.home === this.#member.id && found.takeovers === held.takeovers;
      if (answer.epoch === epoch && isMine) {
        if (found.revision < held.revision && (await this.#write(id, held, false)) !== 'stored') continue;
        held.lease = leaseNumber;
        if (leaseNumber === this.#member.leaseNumber) return true;
      } else if (answer.epoch === epoch && found.kind !== 'none') {
        this.#drop(id, held);
        return false;
      } else if (answer.epoch === settledEpoch) {
        await this.#write(id, held, true);
      } else {
        // Another member may have been its home, and stores it again first; or the connection is still one to the server of before.
        if (this.#timers.nowMs() >= deadlineMs)
          throw new EngineError('this is still a connection to an earlier server', false);
        await pause(RETRY_MS, this.#timers);
        if (this.#closing.signal.aborted) return false;
      }
    }
  }

  async #write(id: number, held: Held, isNew: boolean): Promise<'stored' | 'missing' | 'lost'> {
    const record = this.#holder.record(id);
    if (!record) return 'lost';
    const { takeovers, revision } = held;
    const { text, ttlMs } = record;
    const { id: home } = this.#member;
    const outcome = await this.#engine.putContext(id, { home, takeovers, revision, text }, { ttlMs, isNew });
    if (outcome === 'stored') {
      held.written = Math.max(held.written, revision);
      held.touchedMs = this.#timers.nowMs();
      held.ttlMs = ttlMs;
    }
    return outcome;
  }

  #drop(id: number, held: Held): void {
    if (this.#held.get(id) !== held) return;
    this.#held.delete(id);
    this.#holder.drop(id);
  }

  async #tellEnd(id: number): Promise<void> {
    const ending = this.#ending.get(id);
    // The engine was told meanwhile.
    if (!ending) return;
    const { takeovers, how } = ending;
    await this.#engine.endContext(id, { home: this.#member.id, takeovers }, how);
    this.#ending.delete(id);
  }

  async #verifyAll(): Promise<void> {
    const { leaseNumber } = this.#member;
    const isDue = ({ lease, revision, written }: Held): boolean => lease !== leaseNumber || written < revision;
    if (leaseNumber === this.#checkedLease && ![...this.#held.values()].some(isDue)) return;
    for (const [id, held] of [...this.#held]) if (isDue(held)) await this.#verified(id, held);
    this.#checkedLease = leaseNumber;
  }

  async #touch(): Promise<void> {
    const nowMs = this.#timers.nowMs();
    const lives = new Map<number, number>();
    for (const [id, held] of this.#held) {
      const agoMs = nowMs - held.touchedMs;
      if (held.ttlMs === 0 || agoMs < held.ttlMs / 2 || this.#holder.unusedMs(id) > agoMs) continue;
      lives.set(id, held.ttlMs);
      held.touchedMs = nowMs;
    }
    await this.#engine.touchContexts(lives);
  }
}

/** Where a context is; `unsettled`: it is not known yet. */
type Place =
  | { readonly kind: 'here' | 'unsettled' }
  | { readonly kind: 'shared'; readonly text: string }
  | { readonly kind: 'gone'; readonly how: string | undefined }
  | { readonly kind: 'elsewhere'; readonly peer: Peer };

const UNSETTLED: Place = { kind: 'unsettled' };

function asGatewayError(error: unknown, make: (cause: Error) => GatewayError): unknown {
  if (!(error instanceof EngineError)) return error;
  if (!error.isFull) return make(error);
  const message = 'the memory of the Valkey server of the fleet is full';
  return new GatewayError('UNAVAILABLE', message, { retryAfterSec: 3 }, { cause: error });
}

function unavailable(cause?: Error): GatewayError {
  const message = 'the gateway of the fleet that has this context cannot be reached now';
  return new GatewayError('UNAVAILABLE', message, { retryAfterSec: 1 }, { cause });
}

function outcomeUnknown(cause: Error): GatewayError {
  const message = 'the change of the context was made here, and may be lost if this gateway ends now';
  return new GatewayError('OUTCOME_UNKNOWN', message, { retryAfterSec: 3 }, { cause });
}

const TEND_MS = 700;

/** Does something now and then while this is a member, until the signal is aborted. */
export async function tend(
  { isClosed, member, timers }: { isClosed: AbortSignal; member: Pick<Member, 'isAlone'>; timers: Timers },
  work: () => Promise<void>,
): Promise<void> {
  while (!isClosed.aborted) {
    if (!member.isAlone) await work().catch(ignoreEngineError);
    await pause(TEND_MS, timers, isClosed);
  }
}
