import type { Timers } from '../kit/index.js';
import { GatewayError } from '../pmapi/index.js';
import { EMPTY, EngineError, entryAfter } from './engine.js';
import type { Engine, Head, LogEntry, LoggedState, Renewal } from './engine.js';
import { LogCopy } from './log-copy.js';
import type { Replica } from './log-copy.js';
import { formatMessage, parseDetails, parseMessage } from './messages.js';
import type { LinkAddress, MemberDetails } from './messages.js';

/** What is the same at all members. Times are in milliseconds. */
export interface FleetSettings {
  readonly leaseMs: number;
  /** How much earlier than the engine a member lets its lease end: clocks do not run equally fast. */
  readonly marginMs: number;
  readonly renewMs: number;
  /** After a failover, how long nothing new is appended: members append what the log lost. */
  readonly settleMs: number;
  /** How long a change may take before its outcome is unknown. */
  readonly changeMs: number;
  /** A snapshot replaces so many entries of the log, or so many characters of them. */
  readonly snapshotEntries: number;
  readonly snapshotCharacters: number;
}

const SETTINGS: FleetSettings = {
  leaseMs: 3000,
  marginMs: 400,
  renewMs: 700,
  settleMs: 3000,
  changeMs: 10_000,
  snapshotEntries: 1000,
  snapshotCharacters: 4 * 1024 * 1024,
};

/** What a member is made from. */
export interface MemberOptions {
  /** Unique, also among the processes that had the same name before. */
  readonly id: string;
  readonly engine: Engine;
  readonly replica: Replica;
  readonly timers: Timers;
  readonly settings?: FleetSettings;
  /** A hash of what must be equal at all members. */
  readonly digest: () => string;
  /** Where other members reach this one; undefined if they cannot. */
  readonly link?: LinkAddress | undefined;
  /** Reports what an administrator has to know. */
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** A change of the replica's state that was tried, and undone. */
export interface Proposal<T> {
  /** What to append to the log; undefined if nothing changes. */
  readonly text: string | undefined;
  readonly result: T;
}

/** Another member that can be reached. */
export interface Peer {
  readonly id: string;
  readonly link: LinkAddress;
}

/** How far a member is, for /readyz. */
export interface MemberStatus {
  readonly state: 'member' | 'alone' | 'joining';
  readonly members: number;
  readonly version: number;
  /** Members whose digest is another one. */
  readonly differs: readonly string[];
}

/** How long reading waits after a failure, and the longest wait between two looks at a condition. */
const RETRY_MS = 100;

/**
 * One process of a fleet: holds a lease, follows the shared log, and appends to it. The README of this room describes the protocol
 * and what it promises.
 */
export class Member {
  readonly #options: MemberOptions;
  readonly #settings: FleetSettings;
  readonly #timers: Timers;
  readonly #engine: Engine;
  readonly #log: LogCopy;
  readonly #waiting = new Set<() => void>();
  /** The last head that each other member said to have applied. */
  readonly #applied = new Map<string, Head>();
  #isJoined = false;
  #isClosed = false;
  #leaseUntilMs = -Infinity;
  /** What has to be applied before this counts as a member. */
  #joinAt: Head = EMPTY;
  /** What has to be applied before the next renewal. */
  #mustReach: Head = EMPTY;
  #epoch: string | undefined;
  #settledAtMs = Infinity;
  #members: ReadonlyMap<string, string> = new Map();
  /** The members of {@link #members} that get work, and this one. */
  #peers: readonly Peer[] = [];
  #leaseNumber = 0;
  #isLeaving = false;
  /** Another number ends the read in progress. */
  #round = 0;
  #announced: Head = EMPTY;
  #lastUpdate: Promise<unknown> = Promise.resolve();

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#settings = options.settings ?? SETTINGS;
    this.#timers = options.timers;
    this.#engine = options.engine;
    this.#log = new LogCopy(options.replica);
  }

  start(): void {
    this.#engine.subscribe((text) => this.#receive(text));
    void this.#keepLease();
    this.#restartReading();
  }

  /** Whether others may have changed what this process does not know of: it has no lease. Compares two numbers. */
  get isAlone(): boolean {
    return !this.#isJoined || this.#timers.nowMs() >= this.#leaseUntilMs;
  }

  get status(): MemberStatus {
    const { isAlone } = this;
    const isLeased = this.#timers.nowMs() < this.#leaseUntilMs;
    const mine = this.#options.digest();
    const differs = [...this.#members].filter(([, value]) => (parseDetails(value).digest ?? mine) !== mine);
    return {
      state: isAlone ? (isLeased ? 'joining' : 'alone') : 'member',
      members: isAlone ? 1 : this.#members.size,
      version: this.#log.head.version,
      differs: isAlone ? [] : differs.map(([id]) => id),
    };
  }

  get id(): string {
    return this.#options.id;
  }

  /** Another number means: there was a time without a lease, or another node of the engine took over. */
  get leaseNumber(): number {
    return this.#leaseNumber;
  }

  /** The node of the engine that the lease is from; undefined while this is alone. */
  get epoch(): string | undefined {
    return this.isAlone ? undefined : this.#epoch;
  }

  /** The same, but undefined also for a while after the engine failed over. */
  get settledEpoch(): string | undefined {
    return this.settledForMs < 0 ? undefined : this.epoch;
  }

  /** How long ago the engine had settled after its last failover; negative if it has not yet. */
  get settledForMs(): number {
    return this.#timers.nowMs() - this.#settledAtMs;
  }

  /** The other members that can be reached and are not about to end; the same list until one comes or goes. */
  get peers(): readonly Peer[] {
    return this.#peers;
  }

  /** All other members that had a lease at the last renewal of this one; undefined: it cannot be reached. */
  get others(): ReadonlyMap<string, Peer | undefined> {
    const ids = [...this.#members.keys()].filter((id) => id !== this.#options.id);
    return new Map(ids.map((id) => [id, this.peer(id)]));
  }

  /** Whether a member had a lease at the last renewal of this one. */
  isLeased(id: string): boolean {
    return this.#members.has(id);
  }

  /** Where another member is reached, also one that is about to end. */
  peer(id: string): Peer | undefined {
    const { link } = parseDetails(this.#members.get(id) ?? '');
    return link && { id, link };
  }

  /** Announces that this member is about to end. */
  leave(): void {
    this.#isLeaving = true;
    this.#renew().catch(ignoreEngineError);
  }

  /** The log up to which everything is applied. */
  get head(): Head {
    return this.#log.head;
  }

  /** Resolves when this is a member, or the time is over: whether it is one. */
  async joined(limitMs: number): Promise<boolean> {
    const deadlineMs = this.#timers.nowMs() + limitMs;
    return this.#until(() => !this.isAlone, deadlineMs);
  }

  /**
   * Changes the replica's state at all members, one change at a time. `prepare` may take its time; the function that it resolves
   * with makes the proposal at once, and may throw. Both may be called more than once: when another member was faster.
   * Resolves when every member has applied the change.
   * @throws GatewayError UNAVAILABLE if nothing was changed, OUTCOME_UNKNOWN if the change may still take effect
   */
  update<T>(prepare: () => Promise<() => Proposal<T>>): Promise<T> {
    const beginMs = this.#timers.nowMs();
    const mine = this.#lastUpdate.then(() => this.#update(prepare, beginMs));
    this.#lastUpdate = mine.catch(() => undefined);
    return mine;
  }

  /** Leaves the fleet: the others no longer wait for this member. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#round++;
    this.#leaseUntilMs = -Infinity;
    this.#wake();
    await this.#engine.release(this.#options.id).catch(ignoreEngineError);
    this.#engine.close();
  }

  async #update<T>(prepare: () => Promise<() => Proposal<T>>, beginMs: number): Promise<T> {
    const { changeMs } = this.#settings;
    const deadlineMs = beginMs + changeMs;
    for (;;) {
      // Half of the time is left for the change itself.
      if (!(await this.#until(() => this.#mayAppend(), beginMs + changeMs / 2))) throw unavailable();
      const { head } = this.#log;
      const make = await prepare();
      if (this.isAlone || this.#log.head !== head) continue;
      const { text, result } = make();
      if (text === undefined) {
        await this.#acknowledged(head, deadlineMs);
        return result;
      }
      const entry = entryAfter(head, text);
      if ((await this.#append(entry, head)) === 'overtaken') {
        await this.#until(() => this.#log.head !== head, this.#timers.nowMs() + RETRY_MS);
        continue;
      }
      this.#engine.publish(formatMessage({ kind: 'replicated', head: headOf(entry) }));
      // Reading may have been faster.
      this.#log.confirm(headOf(entry));
      if (this.#log.tail.version < entry.version) this.#log.add(entry);
      this.#advance();
      await this.#acknowledged(entry, deadlineMs);
      await this.#shorten();
      return result;
    }
  }

  #mayAppend(): boolean {
    return !this.isAlone && this.#timers.nowMs() >= this.#settledAtMs && this.#log.tail === this.#log.head;
  }

  async #append(entry: LogEntry, head: Head): Promise<'appended' | 'overtaken'> {
    try {
      return await this.#engine.append(entry, head, this.#epoch ?? '');
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw error.mayHaveEffect ? outcomeUnknown(error) : unavailable(error);
    }
  }

  /** Waits until every member has applied the log up to a place, or has lost its lease. The place is replicated. */
  async #acknowledged(head: Head, deadlineMs: number): Promise<void> {
    for (;;) {
      // Read after the entry was replicated: a member that takes a lease later applies the entry before it counts as one.
      const renewal = await this.#renew().catch(ignoreEngineError);
      if (!this.#log.has(head)) throw outcomeUnknown();
      const isSettled = renewal?.epoch === this.#epoch && this.#timers.nowMs() >= this.#settledAtMs;
      if (renewal && isSettled) {
        const others = [...renewal.members.keys()].filter((id) => id !== this.#options.id);
        const areAll = (): boolean => others.every((id) => this.#hasApplied(id, head));
        if (areAll() || (await this.#until(areAll, this.#timers.nowMs() + RETRY_MS))) return;
      } else {
        await this.#until(() => false, this.#timers.nowMs() + RETRY_MS);
      }
      if (this.#timers.nowMs() >= deadlineMs || this.#isClosed) throw outcomeUnknown();
    }
  }

  #hasApplied(id: string, head: Head): boolean {
    const applied = this.#applied.get(id);
    // A later place counts only if it follows this one, which is known once it is applied here.
    return applied !== undefined && applied.version >= head.version && this.#log.has(applied);
  }

  /** Replaces the entries of the engine's log by a snapshot, once there are many. */
  async #shorten(): Promise<void> {
    const { entries, characters } = this.#log.sinceSnapshot;
    const { snapshotEntries, snapshotCharacters } = this.#settings;
    if (entries < snapshotEntries && characters < snapshotCharacters) return;
    this.#log.noteSnapshot();
    await this.#engine.putSnapshot(this.#log.snapshot()).catch(ignoreEngineError);
  }

  /** Renews the lease again and again. */
  async #keepLease(): Promise<void> {
    while (!this.#isClosed) {
      const startMs = this.#timers.nowMs();
      // A member that reads nothing would hold up every change, so it lets its lease end before it takes another.
      const isOver = startMs >= this.#leaseUntilMs + this.#settings.marginMs;
      if (isOver) this.#mustReach = EMPTY;
      if (!this.#log.has(this.#mustReach)) this.#restartReading();
      const renewal = await this.#renew().catch(ignoreEngineError);
      if (renewal) this.#mustReach = renewal.head;
      const nextMs = renewal ? this.#settings.renewMs - (this.#timers.nowMs() - startMs) : RETRY_MS;
      await this.#pause(Math.max(nextMs, 0));
    }
  }

  /** Renews the lease once; throws EngineError, also when this member has not applied what it had to. */
  async #renew(): Promise<Renewal> {
    const { id, digest, link } = this.#options;
    if (this.#isClosed || !this.#log.has(this.#mustReach)) throw new EngineError('the lease is not renewed', false);
    const sentMs = this.#timers.nowMs();
    const details: MemberDetails = { head: headOf(this.#log.head), digest: digest(), link, isLeaving: this.#isLeaving };
    const value = JSON.stringify({ v: 1, ...details });
    const renewal = await this.#engine.renew({ name: id, value, ttlMs: this.#settings.leaseMs });
    this.#take(renewal, sentMs);
    return renewal;
  }

  #take(renewal: Renewal, sentMs: number): void {
    if (this.#isClosed) return;
    const nowMs = this.#timers.nowMs();
    const wasHeld = nowMs < this.#leaseUntilMs;
    const isFailover = renewal.epoch !== this.#epoch;
    if (isFailover) {
      this.#epoch = renewal.epoch;
      this.#settledAtMs = nowMs + this.#settings.settleMs;
      this.#mustReach = EMPTY;
      this.#restartReading();
    }
    if (!wasHeld || isFailover) this.#leaseNumber++;
    this.#leaseUntilMs = Math.max(this.#leaseUntilMs, sentMs + this.#settings.leaseMs - this.#settings.marginMs);
    for (const [id, value] of renewal.members) {
      if (this.#members.get(id) !== value) this.#learn(id, parseDetails(value).head);
    }
    this.#members = renewal.members;
    this.#notePeers();
    for (const id of this.#applied.keys()) if (!renewal.members.has(id)) this.#applied.delete(id);
    this.#log.confirm(renewal.head);
    if (!wasHeld) this.#isJoined = false;
    if (!this.#isJoined && (!wasHeld || isFailover)) this.#joinAt = renewal.head;
    this.#advance();
  }

  #notePeers(): void {
    const peers = [...this.#members].flatMap(([id, value]) => {
      const { link, isLeaving } = parseDetails(value);
      return link && isLeaving !== true && id !== this.#options.id ? [{ id, link }] : [];
    });
    if (JSON.stringify(peers) !== JSON.stringify(this.#peers)) this.#peers = peers;
  }

  #learn(id: string, head: Head | undefined): void {
    const known = this.#applied.get(id) ?? EMPTY;
    // One that started over from the log has a lower version than before.
    if (head && (head.version >= known.version || !this.#log.has(known))) this.#applied.set(id, head);
  }

  #receive(text: string): void {
    const message = parseMessage(text);
    if (message?.kind === 'replicated') this.#log.confirm(message.head);
    // Of members that are not known, a renewal tells.
    if (message?.kind === 'applied' && this.#members.has(message.member)) this.#learn(message.member, message.head);
    this.#advance();
  }

  #restartReading(): void {
    this.#round++;
    void this.#follow(this.#round);
  }

  /** Reads the log until another round begins. */
  async #follow(round: number): Promise<void> {
    while (round === this.#round) {
      try {
        const logged = await this.#engine.load();
        if (round !== this.#round) return;
        if (await this.#reconcile(logged)) await this.#readOn(round);
      } catch (error) {
        ignoreEngineError(error);
      }
      await this.#pause(RETRY_MS);
    }
  }

  /** Reads until an entry does not follow the others. */
  async #readOn(round: number): Promise<void> {
    for (;;) {
      this.#advance();
      const entries = await this.#engine.read(this.#log.tail.version);
      if (round !== this.#round || !entries.every((entry) => this.#log.add(entry))) return;
    }
  }

  /** Brings the engine's log and this member's copy together. False if the log has to be loaded again. */
  async #reconcile(logged: LoggedState): Promise<boolean> {
    const { warn } = this.#options;
    this.#log.forgetPending();
    const comparison = this.#log.compare(logged);
    switch (comparison.kind) {
      case 'continues':
        return comparison.entries.every((entry) => this.#log.add(entry));
      case 'empty':
        warn('the engine lost the log of the fleet: writing it again', { version: this.#log.head.version });
        await this.#engine.putSnapshot(this.#log.snapshot());
        // Another member may have been faster, with an earlier or a later version.
        return false;
      case 'lost':
        warn('the engine lost entries of the log: appending them again', { entries: comparison.entries.length });
        return this.#appendAgain(comparison.entries, logged);
      case 'other': {
        if (comparison.isConflict) {
          warn('the log of the fleet differs from what this member applied: starting over from the log', {});
          this.#isJoined = false;
          this.#joinAt = headOf(logged.entries.at(-1) ?? logged.snapshot ?? EMPTY);
        }
        const isWhole = this.#log.reset(logged);
        if (!isWhole) warn('the log of the fleet is damaged', { version: this.#log.tail.version });
        return isWhole;
      }
    }
  }

  async #appendAgain(lost: readonly LogEntry[], { snapshot, entries, epoch }: LoggedState): Promise<boolean> {
    let last: Head = entries.at(-1) ?? snapshot ?? EMPTY;
    for (const entry of lost) {
      if ((await this.#engine.append(entry, headOf(last), epoch)) === 'overtaken') return false;
      last = entry;
    }
    return true;
  }

  /** What follows from a later head, a lease or a message. */
  #advance(): void {
    const { head } = this.#log;
    if (!this.#isJoined && this.#timers.nowMs() < this.#leaseUntilMs && this.#log.has(this.#joinAt)) {
      this.#isJoined = true;
    }
    if (head !== this.#announced) {
      this.#announced = head;
      this.#engine.publish(formatMessage({ kind: 'applied', member: this.#options.id, head: headOf(head) }));
    }
    this.#wake();
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves with true once a condition holds, and with false when the time is over. */
  #until(holds: () => boolean, deadlineMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      let cancel: () => void = () => undefined;
      const look = (): void => {
        const leftMs = deadlineMs - this.#timers.nowMs();
        const isTrue = !this.#isClosed && holds();
        cancel();
        if (isTrue || leftMs <= 0 || this.#isClosed) {
          this.#waiting.delete(look);
          resolve(isTrue);
          return;
        }
        cancel = this.#timers.after(Math.min(leftMs, RETRY_MS), look);
      };
      this.#waiting.add(look);
      look();
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#timers.after(ms, resolve));
  }
}

/** Without the text of an entry. */
function headOf({ version, hash }: Head): Head {
  return { version, hash };
}

/** For calls that are repeated: what the engine does not do now, it may do later. */
function ignoreEngineError(error: unknown): undefined {
  if (!(error instanceof EngineError)) throw error;
  return undefined;
}

function unavailable(cause?: Error): GatewayError {
  const message = 'global derived metrics cannot be changed now: this gateway does not reach the others of its fleet';
  return new GatewayError('UNAVAILABLE', message, { retryAfterSec: 3 }, { cause });
}

function outcomeUnknown(cause?: Error): GatewayError {
  const message = 'the change may or may not take effect: read the definition to see';
  return new GatewayError('OUTCOME_UNKNOWN', message, { retryAfterSec: 3 }, { cause });
}
