import { createHmac, randomBytes } from 'node:crypto';
import type { Timers } from '../kit/index.js';
import { tend, type ContextHolder, type Held } from './context-homes.js';
import { ignoreEngineError, NO_HOME, type Engine } from './engine.js';
import type { Member } from './member.js';

/** A shared context that is open in this process; the lease is that under which the engine last got its record. */
type Noted = Pick<Held, 'lease' | 'touchedMs' | 'ttlMs'>;

const SECRET_BYTES = 32;

/** Shared contexts: their numbers, the same at all members, and their records, without a home: any member opens them. */
export class SharedContexts {
  readonly #engine: Engine;
  readonly #member: Pick<Member, 'isAlone' | 'leaseNumber'>;
  readonly #timers: Timers;
  readonly #noted = new Map<number, Noted>();
  #holder: ContextHolder | undefined;
  #secret: string | undefined;
  /** The lease under which the engine last said what the secret is. */
  #lease = -1;
  readonly #closing = new AbortController();

  constructor(parts: {
    readonly engine: Engine;
    readonly member: Pick<Member, 'isAlone' | 'leaseNumber'>;
    readonly timers: Timers;
  }) {
    this.#engine = parts.engine;
    this.#member = parts.member;
    this.#timers = parts.timers;
  }

  /** Begins to keep the records of contexts. Called once. */
  start(holder: ContextHolder): void {
    this.#holder = holder;
    void tend({ member: this.#member, timers: this.#timers, isClosed: this.#closing.signal }, async () => {
      if (this.#lease !== this.#member.leaseNumber) await this.agree();
      await this.#keepRecords();
    });
  }

  /** Agrees with the other members on what numbers are made from. Throws EngineError. */
  async agree(): Promise<void> {
    const { leaseNumber } = this.#member;
    this.#secret = await this.#engine.secret(this.#secret ?? randomBytes(SECRET_BYTES).toString('base64'));
    this.#lease = leaseNumber;
  }

  /** The number of the context with this key; undefined as long as the members have not agreed. From 1 to 2^53 - 1. */
  idOf(key: string): number | undefined {
    if (this.#secret === undefined) return undefined;
    const hash = createHmac('sha256', this.#secret).update(key).digest();
    return (hash.readUInt32BE(0) & 0x1fffff) * 0x1_0000_0000 + hash.readUInt32BE(4) || 1;
  }

  /** Stores the record of a context that was opened here. What cannot be stored now is stored later. */
  async note(id: number): Promise<void> {
    const noted: Noted = { lease: -1, touchedMs: 0, ttlMs: 0 };
    this.#noted.set(id, noted);
    if (!this.#member.isAlone) await this.#put(id, noted).catch(ignoreEngineError);
  }

  close(): void {
    this.#closing.abort();
  }

  async #put(id: number, noted: Noted): Promise<void> {
    const record = this.#holder?.record(id);
    if (!record) return;
    const { text, ttlMs } = record;
    const { leaseNumber } = this.#member;
    const none = { home: NO_HOME, takeovers: 0, revision: 0 };
    await this.#engine.putContext(id, { ...none, text }, { ttlMs, isNew: true });
    noted.lease = leaseNumber;
    noted.touchedMs = this.#timers.nowMs();
    noted.ttlMs = ttlMs;
  }

  /** Prolongs the life of records whose contexts were used, and stores again what the engine may have lost. */
  async #keepRecords(): Promise<void> {
    const nowMs = this.#timers.nowMs();
    const lives = new Map<number, number>();
    for (const [id, noted] of [...this.#noted]) {
      const unusedMs = this.#holder!.unusedMs(id);
      const agoMs = nowMs - noted.touchedMs;
      if (unusedMs === Infinity) this.#noted.delete(id);
      else if (noted.lease !== this.#member.leaseNumber) await this.#put(id, noted);
      else if (agoMs >= noted.ttlMs / 2 && unusedMs <= agoMs) {
        lives.set(id, noted.ttlMs);
        noted.touchedMs = nowMs;
      }
    }
    await this.#engine.touchContexts(lives);
  }
}
