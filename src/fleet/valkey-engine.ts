import { EMPTY, EngineError } from './engine.js';
import type {
  Adoption,
  Engine,
  FoundContext,
  Head,
  JournalAppend,
  JournalEntry,
  Lease,
  LogEntry,
  LoggedState,
  PutOptions,
  Renewal,
  StoredContext,
  Tenure,
} from './engine.js';
import { addSeconds, makeTimestamp } from '../pmapi/index.js';
import type { Timestamp } from '../pmapi/index.js';
import { ValkeyConnection } from './valkey-connection.js';
import type { ValkeyAddress } from './valkey-connection.js';
import {
  ADOPT_CONTEXT,
  APPEND,
  APPEND_JOURNAL,
  CLAIM_JOURNAL,
  END_CONTEXT,
  GET_CONTEXT,
  LOAD,
  PUT_CONTEXT,
  PUT_SNAPSHOT,
  RELEASE,
  RENEW,
  VALKEY_KEYS,
} from './valkey-scripts.js';

/** Options of {@link ValkeyEngine}. */
export interface ValkeyEngineOptions extends ValkeyAddress {
  /** All keys begin with it. */
  readonly prefix: string;
  /** How many replicas must have what is promised; 0 where the engine has none. */
  readonly replicas: number;
  /** How long a command may take, and how long a write waits for replicas; in milliseconds. */
  readonly commandMs?: number;
  readonly replicationMs?: number;
  /** Called when the engine becomes reachable, and with the reason when it becomes unreachable. */
  readonly onReachable: (reason?: string) => void;
}

const COMMAND_MS = 1000;
const REPLICATION_MS = 400;
/** How long the engine waits for entries. */
const READ_MS = 1000;
/** How many entries are read at once, and how many stay behind a snapshot. */
const READ_ENTRIES = 500;
const ENTRIES_BEHIND_SNAPSHOT = 100;
/** How long it is kept how a context ended. */
const ENDS_KEPT_MS = 3_600_000;

/**
 * The engine on Valkey or Redis 7: leases are a sorted set and a hash, the log is a stream whose ids are the versions. What waits for
 * replicas, what waits for entries, and what waits for messages each has a connection of its own, since each holds up what follows it.
 */
export class ValkeyEngine implements Engine {
  readonly #options: ValkeyEngineOptions;
  readonly #keys: readonly string[];
  readonly #channel: string;
  readonly #replicated: ValkeyConnection;
  readonly #reading: ValkeyConnection;
  readonly #messages: ValkeyConnection;
  readonly #usual: ValkeyConnection;
  readonly #receivers: ((message: string) => void)[] = [];
  #isReachable: boolean | undefined;

  constructor(options: ValkeyEngineOptions) {
    this.#options = options;
    // One hash tag: scripts use all keys together.
    this.#keys = VALKEY_KEYS.map((key) => `${options.prefix}:{fleet}:${key}`);
    this.#channel = `${options.prefix}:{fleet}:messages`;
    const { commandMs = COMMAND_MS } = options;
    const onTrouble = (error: Error): void => this.#report(false, error);
    const onReady = (): void => undefined;
    this.#replicated = new ValkeyConnection(options, commandMs, { onReady: () => this.#report(true), onTrouble });
    this.#reading = new ValkeyConnection(options, commandMs + READ_MS, { onReady, onTrouble });
    this.#usual = new ValkeyConnection(options, commandMs, { onReady, onTrouble });
    const receive = (message: string): void => {
      for (const receiver of this.#receivers) receiver(message);
    };
    const subscription = { channel: this.#channel, receive };
    this.#messages = new ValkeyConnection(options, commandMs, { onReady, onTrouble, subscription });
  }

  async renew({ name, value, ttlMs }: Lease): Promise<Renewal> {
    const answer = await this.#writeReplicated(this.#script(RENEW, name, value, ttlMs));
    const [epoch, version, hash, members] = arrayOf(answer);
    const pairs = arrayOf(members).map(textOf);
    return {
      epoch: textOf(epoch),
      head: headOf(version, hash),
      members: new Map(pairs.flatMap((id, i) => (i % 2 === 0 ? [[id, pairs[i + 1] ?? '']] : []))),
    };
  }

  async release(name: string): Promise<void> {
    await this.#usual.send([this.#script(RELEASE, name)]);
  }

  async append(entry: LogEntry, head: Head, epoch: string): Promise<'appended' | 'overtaken'> {
    const { version, hash, text } = entry;
    const script = this.#script(APPEND, head.version, head.hash, epoch, version, hash, text);
    return (await this.#writeReplicated(script)) === 1 ? 'appended' : 'overtaken';
  }

  async load(): Promise<LoggedState> {
    const [answer] = await this.#usual.send([this.#script(LOAD)]);
    const [epoch, snapshot, entries] = arrayOf(answer);
    const [version, hash, text] = arrayOf(snapshot);
    return {
      epoch: textOf(epoch),
      snapshot: typeof text === 'string' ? { ...headOf(version, hash), text } : undefined,
      entries: entriesOf(entries),
    };
  }

  async read(after: number): Promise<readonly LogEntry[]> {
    const [, , log = ''] = this.#keys;
    const [answer] = await this.#reading.send([
      ['XREAD', 'COUNT', READ_ENTRIES, 'BLOCK', READ_MS, 'STREAMS', log, `${after}-0`],
    ]);
    // None in time.
    if (answer === null) return [];
    const [[, entries] = []] = arrayOf(answer).map(arrayOf);
    return entriesOf(entries);
  }

  async putSnapshot({ version, hash, text }: LogEntry): Promise<void> {
    const first = Math.max(1, version - ENTRIES_BEHIND_SNAPSHOT);
    await this.#usual.send([this.#script(PUT_SNAPSHOT, version, hash, text, first)]);
  }

  async getContext(id: number): Promise<{ readonly epoch: string; readonly found: FoundContext }> {
    const [answer] = await this.#usual.send([this.#contextScript(GET_CONTEXT, id)]);
    const [epoch, found] = arrayOf(answer);
    return { epoch: textOf(epoch), found: foundIn(found) };
  }

  async putContext(
    id: number,
    { home, takeovers, revision, text }: Omit<StoredContext, 'kind'>,
    { ttlMs, isNew }: PutOptions,
  ): Promise<'stored' | 'missing' | 'lost'> {
    const life = Math.ceil(ttlMs);
    const script = this.#contextScript(PUT_CONTEXT, id, home, takeovers, revision, text, life, isNew ? 1 : 0);
    const answer = await this.#writeReplicated(script);
    return answer === 'stored' || answer === 'missing' ? answer : 'lost';
  }

  async adoptContext({ id, expected, home, epoch }: Adoption): Promise<FoundContext> {
    const script = this.#contextScript(ADOPT_CONTEXT, id, expected.home, expected.takeovers, home, epoch);
    return foundIn(await this.#writeReplicated(script));
  }

  async endContext(id: number, { home, takeovers }: Tenure, how: string): Promise<'ended' | 'lost'> {
    const script = this.#contextScript(END_CONTEXT, id, home, takeovers, how, ENDS_KEPT_MS);
    return (await this.#writeReplicated(script)) === 'ended' ? 'ended' : 'lost';
  }

  async touchContexts(lives: ReadonlyMap<number, number>): Promise<void> {
    if (lives.size === 0) return;
    await this.#usual.send([...lives].map(([id, ttlMs]) => ['PEXPIRE', this.#contextKeys(id)[1]!, Math.ceil(ttlMs)]));
  }

  async secret(proposal: string): Promise<string> {
    const { prefix } = this.#options;
    const known = await this.#writeReplicated(['SET', `${prefix}:{fleet}:secret`, proposal, 'NX', 'GET']);
    return known === null ? proposal : textOf(known);
  }

  async claimJournal(journal: string, writer: string | undefined, lifeMs: number): Promise<readonly JournalEntry[]> {
    const [answer] = await this.#usual.send([
      this.#journalScript(CLAIM_JOURNAL, journal, writer ?? '', Math.ceil(lifeMs)),
    ]);
    return arrayOf(answer).map((entry) => {
      const [id, fields] = arrayOf(entry);
      const [, text, , isFull] = arrayOf(fields).map(textOf);
      const [, sec, nsec] = /^(\d{1,12})-(\d{1,9})$/.exec(textOf(id)) ?? [];
      if (sec === undefined || nsec === undefined || text === undefined) throw unexpected();
      return { id: makeTimestamp(Number(sec), Number(nsec)), text, isFull: isFull === '1' };
    });
  }

  async appendJournal(
    journal: string,
    { writer, entry, lifeMs, after }: JournalAppend,
  ): Promise<'appended' | 'refused'> {
    const { id, text, isFull } = entry;
    const first = addSeconds(id, -lifeMs / 1000);
    const before = after ? entryId(after) : '';
    const parameters = [writer, Math.ceil(lifeMs), entryId(id), text, isFull ? 1 : 0, entryId(first), before];
    const [answer] = await this.#usual.send([this.#journalScript(APPEND_JOURNAL, journal, ...parameters)]);
    return answer === 1 ? 'appended' : 'refused';
  }

  /** What is wrong with the settings of the server, for its administrator. Throws EngineError. */
  async problems(): Promise<readonly string[]> {
    const [replication, memory, persistence] = (
      await this.#usual.send([
        ['INFO', 'replication'],
        ['INFO', 'memory'],
        ['INFO', 'persistence'],
      ])
    ).map(textOf);
    return settingProblems({ replication, memory, persistence }, this.#options.replicas);
  }

  publish(message: string): void {
    this.#usual.send([['PUBLISH', this.#channel, message]]).catch(() => undefined);
  }

  subscribe(receive: (message: string) => void): void {
    this.#receivers.push(receive);
  }

  close(): void {
    for (const connection of [this.#replicated, this.#reading, this.#messages, this.#usual]) connection.close();
  }

  #script(text: string, ...parameters: readonly (string | number)[]): [string, ...(string | number)[]] {
    return ['EVAL', text, this.#keys.length, ...this.#keys, ...parameters];
  }

  #contextScript(
    text: string,
    id: number,
    ...parameters: readonly (string | number)[]
  ): [string, ...(string | number)[]] {
    const keys = this.#contextKeys(id);
    return ['EVAL', text, keys.length, ...keys, ...parameters];
  }

  #journalScript(
    text: string,
    journal: string,
    ...parameters: readonly (string | number)[]
  ): [string, ...(string | number)[]] {
    const keys = ['journal', 'writer'].map((key) => `${this.#options.prefix}:{fleet}:${key}:${journal}`);
    return ['EVAL', text, keys.length, ...keys, ...parameters];
  }

  /** The leases, the record, and the end of a context. */
  #contextKeys(id: number): readonly string[] {
    const [leases = ''] = this.#keys;
    const { prefix } = this.#options;
    return [leases, `${prefix}:{fleet}:context:${id}`, `${prefix}:{fleet}:end:${id}`];
  }

  /** Sends a script, and with it the command that waits for replicas: on another connection that would wait for nothing. */
  async #writeReplicated(script: [string, ...(string | number)[]]): Promise<unknown> {
    const { replicas, replicationMs = REPLICATION_MS } = this.#options;
    if (replicas === 0) return (await this.#replicated.send([script]))[0];
    const [answer, count] = await this.#replicated.send([script, ['WAIT', replicas, replicationMs]]);
    if (typeof count === 'number' && count >= replicas) return answer;
    throw new EngineError(`no ${replicas} replicas of the engine have it`, true);
  }

  #report(isReachable: boolean, error?: Error): void {
    if (isReachable === this.#isReachable) return;
    this.#isReachable = isReachable;
    this.#options.onReachable(isReachable ? undefined : (error?.message ?? ''));
  }
}

/**
 * What is wrong with a server, by its answers to INFO.
 * @param replicas how many of them must have what is promised
 */
export function settingProblems(
  info: Readonly<Record<'replication' | 'memory' | 'persistence', string | undefined>>,
  replicas: number,
): readonly string[] {
  const valueOf = (text = '', name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? '';
  const connected = Number(valueOf(info.replication, 'connected_slaves'));
  const policy = valueOf(info.memory, 'maxmemory_policy');
  const isLimited = Number(valueOf(info.memory, 'maxmemory')) > 0;
  const hasLog = valueOf(info.persistence, 'aof_enabled') === '1';
  return [
    ...(connected < replicas ? [`it has ${connected} of the ${replicas} replicas that cluster.replicas requires`] : []),
    ...(hasLog ? [] : [`it has no append-only file: ${lossOf(replicas)}; set appendonly yes`]),
    ...(isLimited && policy !== 'noeviction'
      ? [`its maxmemory-policy is ${policy}: it may remove what gateways need; set noeviction`]
      : []),
  ];
}

/** What a server that keeps no log of its own costs. */
function lossOf(replicas: number): string {
  return replicas === 0
    ? 'it loses everything when it ends'
    : 'what it has is lost once its nodes and all gateways have ended';
}

/** The entries of a stream: pairs of id and fields. */
function entriesOf(answer: unknown): readonly LogEntry[] {
  return arrayOf(answer).map((entry) => {
    const [id, fields] = arrayOf(entry);
    const [, hash, , text] = arrayOf(fields);
    const version = /^(\d+)-0$/.exec(textOf(id))?.[1];
    return { ...headOf(version, hash), text: textOf(text) };
  });
}

/** What a script says of a context. */
function foundIn(answer: unknown): FoundContext {
  const [kind, ...rest] = arrayOf(answer).map(textOf);
  if (kind === 'none') return { kind };
  if (kind === 'ended') return { kind, how: rest[0] ?? '' };
  const [home = '', takeovers, revision, text] = rest;
  if (kind !== 'open' || text === undefined) throw unexpected();
  return { kind, home, takeovers: countOf(takeovers), revision: countOf(revision), text };
}

/** The id of an entry of a stream in the engine. */
function entryId({ sec, nsec }: Timestamp): string {
  return `${Math.max(0, sec)}-${nsec}`;
}

function countOf(text: unknown): number {
  const number = Number(textOf(text));
  if (!Number.isSafeInteger(number) || number < 0) throw unexpected();
  return number;
}

function headOf(version: unknown, hash: unknown): Head {
  const number = countOf(version);
  return number === 0 ? EMPTY : { version: number, hash: textOf(hash) };
}

function arrayOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw unexpected();
  return value;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw unexpected();
  return value;
}

/** Another program writes to the same keys. */
function unexpected(): EngineError {
  return new EngineError('the keys of the fleet hold data of another program', true);
}
