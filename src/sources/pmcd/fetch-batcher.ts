import { getOrMake } from '../../kit/index.js';
import { PM_ERR, PmError, secondsBetween, systemClock, type Timestamp } from '../../pmapi/index.js';
import type { InstanceProfile } from '../profile.js';
import type { ConnectionPool } from './connection-pool.js';
import type { PmcdConnection } from './connection.js';
import { EventRelay, type EventReader } from './event-relay.js';
import { MAX_FETCH_PMIDS, PROFILE_SLOTS } from './pdu-types.js';
import { decodeResult, type ResultReply, type Steps } from './replies.js';
import { encodeFetch, encodeProfile } from './requests.js';

/** How far apart results of fetches that overtook each other may be, in seconds. */
const MAX_OVERTAKEN_SEC = 1;
/** How far the host's clock may be ahead without a warning, in seconds. */
const MAX_AHEAD_SEC = 3600;

/** Part of a fetch's result: which value set of the reply belongs to which of the caller's PMIDs. */
export interface FetchPart {
  readonly reply: ResultReply;
  readonly from: number;
  /** For each of the part's PMIDs, the index of its value set; undefined if they are in the same order. */
  readonly positions: Int32Array | undefined;
  readonly count: number;
}

interface EncodedFetch {
  readonly slot: number;
  readonly pmids: readonly number[];
  readonly isHighres: boolean;
  readonly bytes: Uint8Array;
}

interface Caller {
  readonly reader: EventReader;
  readonly pmids: readonly number[];
  readonly from: number;
  readonly resolve: (part: FetchPart) => void;
  readonly reject: (error: Error) => void;
}

/** Callers whose fetches have the same instances. */
interface Group {
  readonly key: string;
  readonly profile: InstanceProfile;
  readonly callers: Caller[];
  isSending: boolean;
}

/**
 * Joins fetches. Callers with equal profiles form a group; while a group's fetch is in flight, later callers wait, and the next
 * PDU requests the union of their metrics. So a caller always gets a sample that was taken after its request, and pmcd answers at
 * its own speed, however many callers there are.
 *
 * A caller's list is never split over PDUs unless it is longer than one PDU allows.
 */
export class FetchBatcher {
  readonly events = new EventRelay();
  readonly #pool: ConnectionPool;
  readonly #maxPmids: number;
  readonly #groups = new Map<string, Group>();
  readonly #slots = new WeakMap<PmcdConnection, ProfileSlots>();
  #latest: Timestamp | undefined;
  #encoded: EncodedFetch | undefined;

  constructor(pool: ConnectionPool, maxPmids = MAX_FETCH_PMIDS) {
    this.#pool = pool;
    this.#maxPmids = maxPmids;
  }

  fetch(pmids: readonly number[], profile: InstanceProfile, reader: EventReader): Promise<readonly FetchPart[]> {
    if (pmids.length > 0 && pmids.length <= this.#maxPmids) {
      return new Promise((resolve, reject) => {
        this.#join({ reader, pmids, from: 0, resolve: (part) => resolve([part]), reject }, profile);
      });
    }
    const parts: Promise<FetchPart>[] = [];
    for (let from = 0; from < pmids.length; from += this.#maxPmids) {
      const some = pmids.slice(from, from + this.#maxPmids);
      parts.push(new Promise((resolve, reject) => this.#join({ reader, pmids: some, from, resolve, reject }, profile)));
    }
    return Promise.all(parts);
  }

  /** What is doubtful about the time of a result: it lies in the future, or before an earlier one. */
  doubts(timestamp: Timestamp): PmError | undefined {
    const aheadSec = secondsBetween(timestamp, systemClock.now());
    const behindSec = this.#latest ? secondsBetween(this.#latest, timestamp) : 0;
    if (behindSec > 0 && behindSec < MAX_OVERTAKEN_SEC) return undefined;
    this.#latest = timestamp;
    if (behindSec > 0)
      return new PmError(PM_ERR.IPC, `the host's clock was set back by ${Math.round(behindSec)} seconds`);
    if (aheadSec < MAX_AHEAD_SEC) return undefined;
    return new PmError(PM_ERR.IPC, `the host's clock is ${Math.round(aheadSec)} seconds ahead of the gateway's`);
  }

  #join(caller: Caller, profile: InstanceProfile): void {
    const key = profileKey(profile);
    const make = (): Group => ({ key, profile: profile.clone(), callers: [], isSending: false });
    const group = getOrMake(this.#groups, key, make);
    group.callers.push(caller);
    if (!group.isSending) void this.#pump(group);
  }

  /** Sends what waits, after all callers of this microtask queue have been added. Never rejects. */
  async #pump(group: Group): Promise<void> {
    group.isSending = true;
    do {
      await Promise.resolve();
      await this.#answer(group, this.#nextBatch(group));
    } while (group.callers.length > 0);
    group.isSending = false;
    // A Map that loses its entry and gets it back for each fetch is copied over and over.
    if (group.key !== ALL_INSTANCES) this.#groups.delete(group.key);
  }

  #nextBatch(group: Group): Batch {
    const batch = new Batch(group.callers[0]!);
    let taken = 1;
    while (taken < group.callers.length && batch.add(group.callers[taken]!, this.#maxPmids)) taken++;
    group.callers.splice(0, taken);
    return batch;
  }

  /** Settles every caller of the batch; never rejects. */
  async #answer(group: Group, batch: Batch): Promise<void> {
    let slots: ProfileSlots | undefined;
    try {
      const pmids = batch.pmids;
      const reply = await this.#pool.fetching((connection) => {
        slots = getOrMake(this.#slots, connection, () => new ProfileSlots());
        return this.#send(connection, slots, group, pmids);
      });
      this.events.keep(reply, batch.callers);
      batch.resolve(reply);
    } catch (error) {
      slots?.forget(group.key);
      if (error instanceof PmError && batch.callers.length > 1) {
        // pmcd rejects the fetch as a whole: the others must not suffer for one caller's list.
        await Promise.all(batch.callers.map((caller) => this.#answer(group, new Batch(caller))));
      } else batch.reject(error as Error);
    }
  }

  #send(
    connection: PmcdConnection,
    slots: ProfileSlots,
    { key, profile }: Group,
    pmids: readonly number[],
  ): Promise<ResultReply> {
    const { slot, isNew } = slots.assign(key);
    const fetch = this.#encode(slot, pmids, connection.has('HIGHRES'));
    const bytes = isNew ? Buffer.concat([encodeProfile(slot, profile), fetch]) : fetch;
    return connection.requestList(bytes, (frame) => checkedResult(frame, pmids));
  }

  #encode(slot: number, pmids: readonly number[], isHighres: boolean): Uint8Array {
    const last = this.#encoded;
    if (last?.pmids === pmids && last.slot === slot && last.isHighres === isHighres) return last.bytes;
    const bytes = encodeFetch(slot, pmids, isHighres);
    this.#encoded = { slot, pmids, isHighres, bytes };
    return bytes;
  }
}

/** A result whose value sets are the requested ones, in order. */
function* checkedResult(frame: Buffer, pmids: readonly number[]): Steps<ResultReply> {
  const reply = yield* decodeResult(frame, pmids.length);
  const found = reply.pmids;
  for (let i = 0; i < found.length; i++) {
    if (found[i] !== pmids[i])
      throw new PmError(PM_ERR.IPC, `value set ${i} is for PMID ${found[i]!}, not ${pmids[i]!}`);
  }
  return reply;
}

/** Callers of one PDU, and the union of their PMIDs. */
class Batch {
  readonly callers: Caller[];
  readonly #first: readonly number[];
  /** Position of each PMID in the union; undefined while all callers share one list. */
  #union: Map<number, number> | undefined;

  constructor(first: Caller) {
    this.callers = [first];
    this.#first = first.pmids;
  }

  /** The union, in the order of first mention; a list that all callers share as it is. */
  get pmids(): readonly number[] {
    return this.#union ? [...this.#union.keys()] : this.#first;
  }

  /** Adds a caller unless the union would exceed `maxPmids`. */
  add(caller: Caller, maxPmids: number): boolean {
    if (this.#union || caller.pmids !== this.#first) {
      this.#union ??= unionOf(this.#first);
      const union = this.#union;
      const added: number[] = [];
      for (const pmid of caller.pmids) {
        if (union.has(pmid)) continue;
        union.set(pmid, union.size);
        added.push(pmid);
      }
      if (union.size > maxPmids) {
        for (const pmid of added) union.delete(pmid);
        return false;
      }
    }
    this.callers.push(caller);
    return true;
  }

  resolve(reply: ResultReply): void {
    const union = this.#union;
    for (const { pmids, from, resolve } of this.callers) {
      const positions = union ? Int32Array.from(pmids, (pmid) => union.get(pmid)!) : undefined;
      resolve({ reply, positions, from, count: pmids.length });
    }
  }

  reject(error: Error): void {
    for (const caller of this.callers) caller.reject(error);
  }
}

function unionOf(pmids: readonly number[]): Map<number, number> {
  const union = new Map<number, number>();
  for (const pmid of pmids) if (!union.has(pmid)) union.set(pmid, union.size);
  return union;
}

export const ALL_INSTANCES = 'all';

const KEYS = new WeakMap<InstanceProfile, { readonly version: number; readonly key: string }>();

/** Equal for profiles that let the same instances through by the same rules. */
export function profileKey(profile: InstanceProfile): string {
  if (profile.isAll) return ALL_INSTANCES;
  const known = KEYS.get(profile);
  if (known?.version === profile.version) return known.key;
  const rules = profile.indoms
    .map(({ indom, state, listed }) => `${indom}${state}${[...listed].sort((a, b) => a - b).join(',')}`)
    .sort();
  const key = `${profile.defaultIncluded}|${rules.join('|')}`;
  KEYS.set(profile, { version: profile.version, key });
  return key;
}

/** Which profile pmcd has in which of the few slots of a connection. A new one needs a PROFILE PDU before its next fetch. */
export class ProfileSlots {
  /** In order of use, oldest first. */
  readonly #slots = new Map<string, number>();
  #newest: string | undefined;

  /** The slot for a profile, and whether the profile must be sent first. */
  assign(key: string): { readonly slot: number; readonly isNew: boolean } {
    const known = this.#slots.get(key);
    if (known !== undefined) {
      if (key !== this.#newest) {
        this.#slots.delete(key);
        this.#slots.set(key, known);
        this.#newest = key;
      }
      return { slot: known, isNew: false };
    }
    const slot = this.#slots.size < PROFILE_SLOTS ? this.#free() : this.#evict();
    this.#slots.set(key, slot);
    this.#newest = key;
    return { slot, isNew: true };
  }

  /** Forgets the profile of a slot: the PROFILE PDU may not have arrived. */
  forget(key: string): void {
    this.#slots.delete(key);
  }

  #free(): number {
    const used = new Set(this.#slots.values());
    for (let slot = 0; ; slot++) if (!used.has(slot)) return slot;
  }

  #evict(): number {
    const [key, slot] = this.#slots.entries().next().value!;
    this.#slots.delete(key);
    return slot;
  }
}
