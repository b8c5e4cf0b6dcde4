import pLimit from 'p-limit';
import {
  DERIVED_DOMAIN,
  formatPmid,
  INDOM_NULL,
  INSTANCE_NULL,
  MetricType,
  onPmError,
  PM_ERR,
  PmError,
  pmidDomain,
  PMID_NULL,
  systemClock,
  ValueSet,
} from '../../pmapi/index.js';
import type { FetchResult, InstanceDomain, LabelSet, LabelTarget, MetricDescriptor } from '../../pmapi/index.js';
import type {
  DescriptorResult,
  HelpLevel,
  HelpTarget,
  MetricSource,
  NameResult,
  PmnsChildren,
  PreparedFetch,
  SourceInfo,
} from '../metric-source.js';
import { InstanceProfile } from '../profile.js';
import type { PmcdConnection } from './connection.js';
import { ConnectionLostError, namedError } from './connection-errors.js';
import type { ConnectionPool } from './connection-pool.js';
import { joinEventArrays } from './event-relay.js';
import type { FetchBatcher, FetchPart } from './fetch-batcher.js';
import { formatHostspec } from './hostspec.js';
import { MAX_DESCRIPTOR_PMIDS } from './pdu-types.js';
import {
  decodeDescriptorReply,
  decodeDescriptorsReply,
  decodeIds,
  decodeInstances,
  decodeLabelsReply,
  decodeNames,
  decodeText,
} from './replies.js';
import type { NamesReply, ResultReply, Steps } from './replies.js';
import {
  chunkNames,
  encodeChildrenRequest,
  encodeDescriptorRequest,
  encodeDescriptorsRequest,
  encodeIdRequest,
  encodeInstanceRequest,
  encodeLabelRequest,
  encodeNamesRequest,
  encodeStore,
  encodeTextRequest,
  encodeTraverseRequest,
} from './requests.js';

interface PmcdFetch extends PreparedFetch {
  descriptors: readonly (MetricDescriptor | undefined)[];
  generation: number;
}

/** Longer names cannot be metrics; pmcd would close the connection for a PDU that is too long. */
const MAX_NAME_BYTES = 16 * 1024;

const SIDE_BY_SIDE = 256;

/** Values that a fetch decodes without a break: some milliseconds' worth. */
const VALUES_PER_TURN = 20_000;

const INFO_NAMES = ['pmcd.hostname', 'pmcd.timezone'] as const;

export interface SharedHost {
  readonly pool: ConnectionPool;
  readonly batcher: FetchBatcher;
  /** The client's name of the host: errors contain it, and no address. By default its hostspec. */
  readonly name?: string | undefined;
  readonly release: () => void;
}

/** A live host as one context sees it, without a connection of its own: the next request reconnects to a lost pmcd. */
export class PmcdSource implements MetricSource {
  readonly kind = 'host';
  readonly #host: SharedHost;
  /** In any order. A Set would be copied over and over as its few members come and go. */
  readonly #pending: ((reason: Error) => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #gone: Error | undefined;
  #released = false;

  constructor(host: SharedHost) {
    this.#host = host;
  }

  get generation(): number {
    return this.#host.pool.generation;
  }

  get numbering(): number {
    return this.#host.pool.numbering;
  }

  get origin(): object {
    return this.#host.pool;
  }

  get reconnects(): number {
    return this.#host.pool.reconnects;
  }

  reconnect(): Promise<void> {
    return this.#guard(() => this.#host.pool.reconnect());
  }

  info(): Promise<SourceInfo> {
    return this.#guard(async () => {
      const { spec } = this.#host.pool;
      const names = await this.#lookupNames(INFO_NAMES);
      const pmids = names.filter((pmid) => pmid >= 0);
      const texts = new Map<number, string>();
      if (pmids.length > 0) {
        const parts = await this.#host.batcher.fetch(pmids, new InstanceProfile(), this);
        for (const [pmid, text] of readTexts(parts)) texts.set(pmid, text);
      }
      const hostName =
        texts.get(names[0]!) ?? this.#host.name ?? (spec.address.kind === 'tcp' ? spec.address.host : 'localhost');
      const timezone = texts.get(names[1]!);
      return timezone === undefined ? { kind: this.kind, hostName } : { kind: this.kind, hostName, timezone };
    });
  }

  lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    return this.#guard(() => this.#lookupNames(names));
  }

  async namesOf(pmid: number): Promise<readonly string[]> {
    if (hasNoAgent(pmid)) throw new PmError(PM_ERR.PMID);
    return (await this.#names(encodeIdRequest(pmid))).names;
  }

  async children(prefix: string): Promise<PmnsChildren> {
    if (!isAskable(prefix)) throw new PmError(PM_ERR.NAME);
    const { names, statuses } = await this.#names(encodeChildrenRequest(prefix));
    return {
      leaf: names.filter((_, i) => (statuses[i] ?? 0) === 0),
      nonleaf: names.filter((_, i) => (statuses[i] ?? 0) !== 0),
    };
  }

  async traverse(prefix: string): Promise<readonly string[]> {
    if (!isAskable(prefix)) throw new PmError(PM_ERR.NAME);
    return (await this.#names(encodeTraverseRequest(prefix))).names;
  }

  describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    return this.#guard(() => this.#describe(pmids));
  }

  instances(indom: number): Promise<InstanceDomain> {
    return this.#ask((connection) =>
      connection.requestList(encodeInstanceRequest(indom), (frame) => decodeInstances(frame, indom)),
    );
  }

  labels(target: LabelTarget): Promise<readonly LabelSet[]> {
    const decode = (frame: Buffer): Steps<LabelSet[]> => decodeLabelsReply(frame, target);
    return this.#ask(async (connection) => {
      if (!connection.has('LABELS')) return [];
      return (await orAbsent(connection.requestList(encodeLabelRequest(target), decode))) ?? [];
    });
  }

  /** PCP: if an agent has only a one-line help text, pmLookupText(3) returns it for both; so does this. */
  async helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined> {
    const text = await this.#ask((connection) =>
      orAbsent(connection.request(encodeTextRequest(target, level), decodeText)),
    );
    return text === '' && level === 'help' ? this.helpText(target, 'oneline') : text;
  }

  prepare(pmids: readonly number[]): PreparedFetch {
    const prepared: PmcdFetch = { pmids: Object.freeze([...pmids]), descriptors: [], generation: -1 };
    return prepared;
  }

  /** The time is pmcd's. A list that is too long for one PDU (16,377 metrics) is sampled in several, and has the time of the first. */
  fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void> {
    return this.#guard(async () => {
      const { pmids } = prepared;
      into.resize(pmids.length);
      const parts = await this.#host.batcher.fetch(pmids, profile, this);
      // Derived metrics that are constants need nothing from pmcd except the time.
      into.timestamp = parts[0] ? parts[0].reply.timestamp : systemClock.now();
      into.warning = parts[0] ? this.#host.batcher.doubts(into.timestamp) : undefined;
      const known = prepared as PmcdFetch;
      const missing = this.#undescribed(known, parts);
      const descriptors = missing ? await this.#learnDescriptors(known, missing) : known.descriptors;
      let room = VALUES_PER_TURN;
      for (const { reply, positions, from, count } of parts) {
        for (let i = 0; i < count; i++) {
          const set = into.sets[from + i]!;
          const position = positions ? positions[i]! : i;
          room -= Math.max(1, reply.statusOf(position));
          const descriptor = descriptors[from + i];
          if (room >= 0) reply.decode(position, descriptor?.type, set);
          else {
            await this.#decodeInTurns(reply, position, descriptor?.type, set);
            room = VALUES_PER_TURN;
          }
          if (descriptor && set.status > 0 && !hasRightInstances(set, descriptor.indom)) set.fail(PM_ERR.INST);
          if (set.type === MetricType.EVENT || set.type === MetricType.HIGHRES_EVENT)
            await this.#addEvents(set, profile);
        }
      }
    });
  }

  store(pmid: number, values: FetchResult): Promise<void> {
    return this.#guard(() => {
      const { pool } = this.#host;
      const { numbering } = pool;
      const bytes = encodeStore(values.sets.filter((set) => set.pmid === pmid));
      return pool.changing((connection) => {
        // The number may be another metric's by now.
        if (pool.numbering !== numbering) throw new ConnectionLostError(formatHostspec(pool.spec));
        return connection.command(bytes);
      });
    });
  }

  async close(): Promise<void> {
    if (this.#gone) return;
    this.#gone = new PmError(PM_ERR.NOCONTEXT);
    if (this.#pending.length > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    this.#letGo();
  }

  destroy(reason: Error): void {
    this.#gone ??= reason;
    for (const reject of this.#pending) reject(reason);
    this.#letGo();
  }

  #letGo(): void {
    if (this.#released) return;
    this.#released = true;
    this.#host.batcher.events.leave(this);
    this.#host.release();
  }

  async #lookupNames(names: readonly string[]): Promise<NameResult[]> {
    const results: NameResult[] = names.map(() => PM_ERR.NAME);
    const asked = names.map((_, i) => i).filter((i) => names[i] !== '' && isAskable(names[i]!));
    const failed: number[] = [];
    await this.#host.pool.asking(async (connection) => {
      failed.length = 0;
      let at = 0;
      const chunks = chunkNames(asked.map((i) => names[i]!)).map(async (chunk) => {
        const places = asked.slice(at, (at += chunk.length));
        if (chunk.length === 1) {
          failed.push(...places);
          return;
        }
        const ids = await connection.request(encodeNamesRequest(chunk), (frame) =>
          counted(decodeIds(frame), chunk.length),
        );
        places.forEach((place, i) => {
          if (ids[i] === PMID_NULL) failed.push(place);
          else results[place] = ids[i]!;
        });
      });
      await settleAll(chunks);
    });
    // For a list, pmcd does not report why a name failed; for a single name, it does.
    await this.#host.pool.asking((connection) =>
      sideBySide(failed, async (place) => {
        results[place] = await lookupOne(connection, names[place]!);
      }),
    );
    return results;
  }

  async #describe(pmids: readonly number[]): Promise<DescriptorResult[]> {
    const { pool } = this.#host;
    const { generation } = pool;
    let results: DescriptorResult[] = [];
    await pool.asking(async (connection) => {
      if (pmids.length > 1 && connection.has('DESCS')) {
        const chunks: Promise<DescriptorResult[]>[] = [];
        for (let from = 0; from < pmids.length; from += MAX_DESCRIPTOR_PMIDS) {
          chunks.push(describeMany(connection, pmids.slice(from, from + MAX_DESCRIPTOR_PMIDS)));
        }
        results = (await settleAll(chunks)).flat();
      } else results = pmids.map(() => PM_ERR.PMID);
      const single = pmids.map((_, i) => i).filter((i) => typeof results[i] === 'number');
      await sideBySide(single, async (i) => {
        results[i] = await describeOne(connection, pmids[i]!);
      });
    });
    if (pool.generation === generation) {
      for (const result of results) if (typeof result === 'object') pool.descriptors.set(result.pmid, result);
    }
    return results;
  }

  /** Decodes a value set of any size, in turns of the event loop. */
  async #decodeInTurns(
    reply: ResultReply,
    position: number,
    type: MetricType | undefined,
    set: ValueSet,
  ): Promise<void> {
    const values = reply.statusOf(position);
    let first = 0;
    do {
      await this.#host.pool.rest();
      reply.decodePart(position, type, set, first, VALUES_PER_TURN);
      first += VALUES_PER_TURN;
    } while (first < values && set.status >= 0);
  }

  /** Puts the records from other contexts' fetches before those of this one, in turns of the event loop. */
  async #addEvents(set: ValueSet, profile: InstanceProfile): Promise<void> {
    if (set.status < 0) return;
    const { events } = this.#host.batcher;
    const earlier = new Map(events.take(this, set.pmid));
    events.join(this, set.pmid, set.type);
    if (earlier.size === 0) return;
    for (let i = 0; i < set.status; i++) {
      if (i % VALUES_PER_TURN === VALUES_PER_TURN - 1) await this.#host.pool.rest();
      const instance = set.instances[i]!;
      const records = earlier.get(instance);
      if (!records) continue;
      set.column.bytes[i] = joinEventArrays(records, set.column.bytes[i]!);
      earlier.delete(instance);
    }
    const indom = this.#host.pool.descriptors.get(set.pmid)?.indom ?? INDOM_NULL;
    for (const [instance, records] of earlier) {
      if (profile.includes(indom, instance)) set.addBytes(instance, records);
    }
  }

  #undescribed(prepared: PmcdFetch, parts: readonly FetchPart[]): ReadonlySet<number> | undefined {
    const { pool } = this.#host;
    const { pmids } = prepared;
    if (prepared.generation !== pool.generation) {
      prepared.descriptors = pmids.map((pmid) => pool.descriptors.get(pmid));
      prepared.generation = pool.generation;
    }
    let missing: Set<number> | undefined;
    for (const { reply, positions, from, count } of parts) {
      for (let i = 0; i < count; i++) {
        if (prepared.descriptors[from + i] === undefined && reply.statusOf(positions ? positions[i]! : i) > 0) {
          (missing ??= new Set()).add(pmids[from + i]!);
        }
      }
    }
    return missing;
  }

  /** Requests the descriptors of all metrics of the fetch, as far as they exist. */
  async #learnDescriptors(prepared: PmcdFetch, missing: ReadonlySet<number>): Promise<PmcdFetch['descriptors']> {
    const described = await this.#describe([...missing]);
    const found = new Map<number, MetricDescriptor>();
    for (const result of described) if (typeof result === 'object') found.set(result.pmid, result);
    return (prepared.descriptors = prepared.pmids.map((pmid, i) => prepared.descriptors[i] ?? found.get(pmid)));
  }

  #names(request: Uint8Array): Promise<NamesReply> {
    return this.#ask((connection) => connection.requestList(request, decodeNames));
  }

  #ask<T>(run: (connection: PmcdConnection) => Promise<T>): Promise<T> {
    return this.#guard(() => this.#host.pool.asking(run));
  }

  #named(error: unknown): Error {
    const { name } = this.#host;
    return (name === undefined ? error : namedError(error, name)) as Error;
  }

  /** Runs something for this source: it fails at once when the source is destroyed, and close() waits for it. */
  #guard<T>(run: () => Promise<T>): Promise<T> {
    if (this.#gone) return Promise.reject(this.#gone);
    return new Promise<T>((resolve, reject) => {
      this.#pending.push(reject);
      const done = (): void => {
        const last = this.#pending.pop()!;
        if (last !== reject) this.#pending[this.#pending.indexOf(reject)] = last;
        if (this.#pending.length === 0 && this.#idle.length > 0) for (const wake of this.#idle.splice(0)) wake();
      };
      run().then(
        (result) => {
          resolve(result);
          done();
        },
        (error: unknown) => {
          reject(this.#named(error));
          done();
        },
      );
    });
  }
}

function isAskable(name: string): boolean {
  return !name.includes('\0') && Buffer.byteLength(name, 'utf8') <= MAX_NAME_BYTES;
}

/** Waits for all, then returns all results or throws the first failure: no rejection is left unhandled. */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Processes a list concurrently, but not all at once: a connection limits the number of waiting requests. */
async function sideBySide<T>(list: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const limit = pLimit(SIDE_BY_SIDE);
  await settleAll(list.map((item) => limit(run, item)));
}

function counted<T>(list: readonly T[], count: number): readonly T[] {
  if (list.length !== count)
    throw new PmError(PM_ERR.IPC, `pmcd returned ${list.length} results for ${count} requested items`);
  return list;
}

async function lookupOne(connection: PmcdConnection, name: string): Promise<NameResult> {
  return connection
    .request(encodeNamesRequest([name]), (frame) => counted(decodeIds(frame), 1))
    .then(([id]) => (id === PMID_NULL ? PM_ERR.NAME : id!))
    .catch(onPmError(codeOf));
}

/** Whether a PMID is in the domain of derived metrics: pmcd only says that it has no agent for it, but there is no such metric. */
function hasNoAgent(pmid: number): boolean {
  return pmidDomain(pmid) === DERIVED_DOMAIN;
}

async function describeOne(connection: PmcdConnection, pmid: number): Promise<DescriptorResult> {
  if (hasNoAgent(pmid)) return PM_ERR.PMID;
  return connection
    .request(encodeDescriptorRequest(pmid), (frame) => checkedDescriptor(decodeDescriptorReply(frame), pmid))
    .catch(onPmError(codeOf));
}

async function describeMany(connection: PmcdConnection, pmids: readonly number[]): Promise<DescriptorResult[]> {
  const found = await connection
    .request(encodeDescriptorsRequest(pmids), (frame) =>
      counted(decodeDescriptorsReply(frame), pmids.length).map((found, i) => checkedDescriptor(found, pmids[i]!)),
    )
    .catch(onPmError(codeOf));
  return typeof found === 'object' ? found : pmids.map(() => found);
}

function checkedDescriptor(found: DescriptorResult, pmid: number): DescriptorResult {
  if (typeof found === 'number' || found.pmid === pmid) return found;
  const message = `a descriptor of ${formatPmid(found.pmid)} in answer to a request for ${formatPmid(pmid)}`;
  throw new PmError(PM_ERR.IPC, message);
}

/** Whether the instances are those that a metric can have: none where it is singular, otherwise each of them once. */
function hasRightInstances({ instances, status }: ValueSet, indom: number): boolean {
  if (indom === INDOM_NULL) return status === 1 && instances[0] === INSTANCE_NULL;
  let isSorted = instances[0]! >= 0;
  for (let i = 1; i < status && isSorted; i++) isSorted = instances[i]! > instances[i - 1]!;
  if (isSorted) return true;
  const seen = new Set<number>();
  for (let i = 0; i < status; i++) {
    if (instances[i] === INSTANCE_NULL) return false;
    seen.add(instances[i]!);
  }
  return seen.size === status;
}

function codeOf({ pmErr }: PmError): number {
  return pmErr;
}

/** Undefined if pmcd answers with an error: TEXT or NOLABELS, but agents send others, too, although the object exists. */
function orAbsent<T>(asking: Promise<T>): Promise<T | undefined> {
  return asking.catch(onPmError(() => undefined));
}

function* readTexts(parts: readonly FetchPart[]): Generator<[pmid: number, text: string]> {
  const set = new ValueSet();
  for (const { reply, positions, count } of parts) {
    for (let i = 0; i < count; i++) {
      reply.decodePart(positions ? positions[i]! : i, MetricType.STRING, set, 0, 1);
      if (set.status > 0) yield [set.pmid, set.column.texts[0]!];
    }
  }
}
