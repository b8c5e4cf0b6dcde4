import { attempt, type Timers } from '../kit/index.js';
import { GatewayError } from '../pmapi/index.js';
import type { FleetStatus, LinkAddress, Peer } from './contracts.js';
import { idOf, leadsTo, nextVersion, NO_DOCUMENT, type SharedDocument } from './document.js';
import { EngineError, ignoreEngineError, type Engine, type Renewal } from './engine.js';

/** What is the same at all members. Times are in milliseconds. */
export interface FleetSettings {
  readonly leaseMs: number;
  /** How much earlier than the engine a member lets its lease end: clocks do not run equally fast. */
  readonly marginMs: number;
  readonly renewMs: number;
  /** After a failover, how long nothing is changed: members store what the engine lost. */
  readonly settleMs: number;
  /** How long a change waits, from the time when it was asked for. */
  readonly changeMs: number;
}

const SETTINGS: FleetSettings = { leaseMs: 3000, marginMs: 400, renewMs: 700, settleMs: 3000, changeMs: 5000 };

/** What the shared document says, in force at a member. */
export interface Replica {
  /** Puts a version in force in place of the one before. Throws an Error that says why if it cannot be read, and changes nothing. */
  take(text: string): void;
  /** Keeps a copy of a version that is in force. Never rejects. */
  keep(document: SharedDocument): Promise<void>;
}

export interface MemberOptions {
  /** Unique, also among the processes that had the same name before. */
  readonly id: string;
  readonly engine: Engine;
  readonly replica: Replica;
  readonly timers: Timers;
  readonly settings?: FleetSettings;
  /** The version that is in force at the start: the copy of an earlier process. */
  readonly document?: SharedDocument | undefined;
  /** A hash of what must be equal at all members. */
  readonly digest: () => string;
  /** Where other members reach this one; undefined if they cannot. */
  readonly link?: LinkAddress | undefined;
  /** Reports what an administrator has to know. */
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** A change that was tried, and undone. */
export interface Proposal<T> {
  /** The next version; undefined if nothing changes. */
  readonly text: string | undefined;
  readonly result: T;
}

interface MemberDetails {
  readonly digest?: string;
  readonly link?: LinkAddress;
  /** Whether it is about to end: it gets nothing new to do. */
  readonly isLeaving: boolean;
}

/** How long a member waits after a failure, and at most between two looks at a condition. */
const RETRY_MS = 100;

/** One process of a fleet: holds a lease, follows the shared document, and changes it. README.md has the protocol. */
export class Member {
  readonly #options: MemberOptions;
  /** The other members that can be reached and are not about to end; the same list until one comes or goes. */
  peers: readonly Peer[] = [];
  /** Another number means: there was a time without a lease, or another node of the engine took over. */
  leaseNumber = 0;
  latencyMs = 0;
  readonly #settings: FleetSettings;
  readonly #timers: Timers;
  readonly #engine: Engine;
  readonly #waiting = new Set<() => void>();
  #document: SharedDocument;
  /** The version of the engine that cannot be read, and why. */
  #unreadable: { readonly id: string; readonly reason: string } | undefined;
  #isFull = false;
  #isClosed = false;
  #leaseUntilMs = -Infinity;
  #epoch: string | undefined;
  #settledAtMs = Infinity;
  #members: ReadonlyMap<string, { readonly value: string; readonly details: MemberDetails }> = new Map();
  #isLeaving = false;
  /** Renewals go one at a time, and those that are asked for meanwhile are one. */
  #renewal: Promise<void> = Promise.resolve();
  #nextRenewal: Promise<void> | undefined;
  #lastUpdate: Promise<unknown> = Promise.resolve();
  #mustRenew = false;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#settings = options.settings ?? SETTINGS;
    this.#timers = options.timers;
    this.#engine = options.engine;
    this.#document = options.document ?? NO_DOCUMENT;
  }

  start(): void {
    this.#engine.subscribe((version) => {
      if (Number(version) > this.#document.version) this.#renewSoon();
    });
    void this.#keepLease();
  }

  /** Whether others may have changed what this process does not know of: it has no lease. Compares two numbers. */
  get isAlone(): boolean {
    return this.#timers.nowMs() >= this.#leaseUntilMs;
  }

  get status(): FleetStatus {
    const { isAlone } = this;
    const mine = this.#options.digest();
    const differs = [...this.#members].filter(([, { details }]) => (details.digest ?? mine) !== mine);
    return {
      state: isAlone ? 'alone' : 'member',
      members: isAlone ? 1 : this.#members.size,
      version: this.version,
      differs: isAlone ? [] : differs.map(([id]) => id),
    };
  }

  get problems(): readonly string[] {
    const full = 'the memory of the Valkey server of the fleet is full: no contexts are created';
    const { reason } = this.#unreadable ?? {};
    return [...(this.#isFull ? [full] : []), ...(reason === undefined ? [] : [reason])];
  }

  get id(): string {
    return this.#options.id;
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
    const link = this.#members.get(id)?.details.link;
    return link && { id, link };
  }

  /** Announces that this member is about to end. */
  leave(): void {
    this.#isLeaving = true;
    this.#renewSoon();
  }

  get version(): number {
    return this.#document.version;
  }

  /** Resolves when a version is in force here, or the time is over: whether it is. */
  async reached(version: number, limitMs: number): Promise<boolean> {
    if (this.version >= version) return true;
    this.#renewSoon();
    return this.#until(() => this.version >= version, this.#timers.nowMs() + limitMs);
  }

  /** Resolves when this is a member, or the time is over: whether it is one. */
  async joined(limitMs: number): Promise<boolean> {
    return this.#until(() => !this.isAlone, this.#timers.nowMs() + limitMs);
  }

  /** Changes the document; README.md says how. `prepare` and its result may be called again. Throws UNAVAILABLE, OUTCOME_UNKNOWN. */
  update<T>(prepare: () => Promise<() => Proposal<T>>): Promise<T> {
    const deadlineMs = this.#timers.nowMs() + this.#settings.changeMs;
    const before = this.#lastUpdate;
    const mine = this.#update(prepare, before, deadlineMs);
    this.#lastUpdate = Promise.allSettled([before, mine]);
    return mine;
  }

  /** Leaves the fleet: the others take over the contexts of this member. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#leaseUntilMs = -Infinity;
    this.#wake();
    await this.#engine.release(this.#options.id).catch(ignoreEngineError);
    this.#engine.close();
  }

  async #update<T>(
    prepare: () => Promise<() => Proposal<T>>,
    before: Promise<unknown>,
    deadlineMs: number,
  ): Promise<T> {
    let isTurn = false;
    void before.then(() => {
      isTurn = true;
      this.#wake();
    });
    // Those before it may wait for an engine that does not answer.
    if (!(await this.#until(() => isTurn, deadlineMs))) throw this.#unavailable();
    for (; this.#timers.nowMs() < deadlineMs && !this.#isClosed;) {
      // What it is checked against was in force after it was asked for.
      const isFresh = await this.#renew().then(() => true, ignoreEngineError);
      const epoch = this.settledEpoch;
      if (isFresh !== true || epoch === undefined || this.#unreadable) {
        await this.#until(() => false, Math.min(deadlineMs, this.#timers.nowMs() + RETRY_MS));
        continue;
      }
      const known = this.#document;
      const make = await prepare();
      if (this.#document !== known) continue;
      const { text, result } = make();
      if (text === undefined) return result;
      const document = nextVersion(known, text, epoch);
      if ((await this.#put(document, known, epoch)) === 'overtaken') continue;
      // A renewal may have been faster, and found a later version.
      if (this.#document === known) await this.#apply(document);
      this.#engine.publish(String(document.version));
      return result;
    }
    throw this.#unavailable();
  }

  async #put(document: SharedDocument, known: SharedDocument, epoch: string): Promise<'stored' | 'overtaken'> {
    try {
      return await this.#engine.putDocument(document, idOf(known), epoch);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw error.mayHaveEffect ? outcomeUnknown(error) : this.#unavailable(error);
    }
  }

  /** Puts a version in force, unless it cannot be read. Resolves when a copy is kept. */
  async #apply(document: SharedDocument): Promise<void> {
    const id = idOf(document);
    if (id === idOf(this.#document) || id === this.#unreadable?.id) return;
    try {
      this.#options.replica.take(document.text);
    } catch (error) {
      this.#noteUnreadable(id, `version ${document.version}: ${(error as Error).message}`);
      return;
    }
    this.#unreadable = undefined;
    this.#document = document;
    this.#wake();
    await this.#options.replica.keep(document);
  }

  /** What is in force stays in force, and nothing is changed. */
  #noteUnreadable(id: string, what: string): void {
    if (this.#unreadable?.id === id) return;
    const hint =
      'unless a later release wrote them, delete that key: gateways store the definitions again from their copies';
    const reason = `cannot read the definitions of the fleet in ${this.#engine.documentKey} (${what}): ${hint}`;
    this.#unreadable = { id, reason };
    this.#options.warn(reason, {});
  }

  async #keepLease(): Promise<void> {
    while (!this.#isClosed) {
      this.#mustRenew = false;
      const startMs = this.#timers.nowMs();
      const isRenewed = await this.#renew().then(() => true, ignoreEngineError);
      const nextMs = startMs + (isRenewed === true ? this.#settings.renewMs : 0);
      await this.#until(() => this.#mustRenew && isRenewed === true, Math.max(nextMs, this.#timers.nowMs() + RETRY_MS));
    }
  }

  #renewSoon(): void {
    this.#mustRenew = true;
    this.#wake();
  }

  /** Renews the lease with a request that is sent after this call. Throws EngineError. */
  #renew(): Promise<void> {
    this.#nextRenewal ??= this.#renewal.catch(ignoreEngineError).then(() => {
      this.#nextRenewal = undefined;
      this.#renewal = this.#renewNow();
      return this.#renewal;
    });
    return this.#nextRenewal;
  }

  /** A function, so that TypeScript does not narrow it across an await. */
  #hasClosed(): boolean {
    return this.#isClosed;
  }

  async #renewNow(): Promise<void> {
    const { id, digest, link } = this.#options;
    const { leaseMs, marginMs, settleMs } = this.#settings;
    if (this.#isClosed) throw new EngineError('the lease is not renewed', false);
    const sentMs = this.#timers.nowMs();
    const known = this.#document;
    const value = JSON.stringify({ v: 1, digest: digest(), link, isLeaving: this.#isLeaving });
    const renewal = await this.#engine.renew({ name: id, value, ttlMs: leaseMs }, idOf(known));
    if (this.#hasClosed()) return;
    const nowMs = this.#timers.nowMs();
    const wasHeld = nowMs < this.#leaseUntilMs;
    const isFailover = renewal.epoch !== this.#epoch;
    this.latencyMs = nowMs - sentMs;
    this.#epoch = renewal.epoch;
    this.#settledAtMs = nowMs - renewal.ageMs + settleMs;
    this.#isFull = renewal.isFull;
    this.#takeMembers(renewal);
    const { document } = renewal;
    if (document === undefined) this.#unreadable = undefined;
    else if (document === 'damaged') this.#noteUnreadable(document, document);
    // What was stored from here meanwhile may be later than what the engine had.
    else if (this.#document === known || leadsTo(this.#document, document))
      await this.#compare(document, renewal.epoch);
    if (this.#hasClosed()) return;
    // A process that never had any definitions knows nothing of what others acknowledged.
    if (this.#unreadable && this.version === 0) return;
    if (!wasHeld || isFailover) this.leaseNumber++;
    this.#leaseUntilMs = Math.max(this.#leaseUntilMs, sentMs + leaseMs - marginMs);
    this.#wake();
  }

  /** Brings what the engine has and what is in force here together. */
  async #compare(document: SharedDocument, epoch: string): Promise<void> {
    const { warn } = this.#options;
    const mine = this.#document;
    const versions = { version: document.version, here: mine.version };
    if (!leadsTo(mine, document) && leadsTo(document, mine)) {
      warn('the engine lost the definitions of the fleet: storing them again', versions);
      await this.#engine.putDocument(mine, idOf(document), epoch);
      return;
    }
    if (!leadsTo(mine, document)) warn('the definitions of the fleet replace others that are in force here', versions);
    void this.#apply(document);
  }

  #takeMembers({ members }: Renewal): void {
    this.#members = new Map(
      [...members].map(([id, value]) => {
        const known = this.#members.get(id);
        return [id, known?.value === value ? known : { value, details: readDetails(value) }];
      }),
    );
    const peers = [...this.#members].flatMap(([id, { details }]) => {
      const { link, isLeaving } = details;
      return link && !isLeaving && id !== this.#options.id ? [{ id, link }] : [];
    });
    if (JSON.stringify(peers) !== JSON.stringify(this.peers)) this.peers = peers;
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
        cancel = this.#timers.after(leftMs, look);
      };
      this.#waiting.add(look);
      look();
    });
  }

  #unavailable(cause?: Error): GatewayError {
    const lost = 'this gateway does not reach the others of its fleet';
    const reason = this.#unreadable?.reason ?? lost;
    const message = `global derived metrics cannot be changed now: ${reason}`;
    return new GatewayError('UNAVAILABLE', message, { retryAfterSec: 3 }, { cause });
  }
}

function outcomeUnknown(cause: Error): GatewayError {
  const message = 'the change may or may not take effect: read the definition to see';
  return new GatewayError('OUTCOME_UNKNOWN', message, { retryAfterSec: 3 }, { cause });
}

/** What a lease says, as far as this release understands it. */
function readDetails(text: string): MemberDetails {
  const { digest, link: where, isLeaving } = attempt(() => JSON.parse(text) as Record<string, unknown> | null) ?? {};
  const { host, port } = (where ?? {}) as Partial<LinkAddress>;
  const isPort = Number.isInteger(port) && port! > 0 && port! < 65_536;
  return {
    ...(typeof digest === 'string' && { digest }),
    ...(typeof host === 'string' && isPort && { link: { host, port: port! } }),
    isLeaving: isLeaving === true,
  };
}
