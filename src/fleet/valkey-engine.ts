import { attempt } from '../kit/index.js';
import { documentIn, idOf, NO_DOCUMENT, type SharedDocument } from './document.js';
import { EngineError } from './engine.js';
import type { Adoption, Engine, FoundContext, Lease, PutOptions, Renewal, StoredContext, Tenure } from './engine.js';
import { ValkeyConnection, type Command, type ValkeyAddress } from './valkey-connection.js';

/**
 * The scripts that the engine runs; each is atomic. Their first keys are those of {@link VALKEY_KEYS}, in that order. Reads come first: a script
 * that meets data of another program has changed nothing. Those that begin with MAY_FILL also run when the memory of the server is full: what they
 * store is small, and without them a fleet would fall apart.
 */
const MAY_FILL = '#!lua flags=allow-oom\n';

const EPOCH = `local function epoch()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') or ''
end
`;

const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const COMMON = `
local leases, members, document = KEYS[1], KEYS[2], KEYS[3]
${NOW}${EPOCH}`;

/**
 * ARGV: member, value, milliseconds, id of the known document. Returns the epoch, how long it has been known, members with their values, 1 if the
 * memory is full, and the document's id, nodes and text unless it is the known one.
 */
const RENEW = `${MAY_FILL}${COMMON}
local epoch = epoch()
local saved = redis.call('HMGET', document, 'epoch', 'since', 'id', 'nodes', 'text')
local memory = redis.call('INFO', 'memory')
local most = tonumber(string.match(memory, 'maxmemory:(%d+)')) or 0
local used = tonumber(string.match(memory, 'used_memory:(%d+)')) or 0
for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
  redis.call('HDEL', members, id)
  redis.call('ZREM', leases, id)
end
redis.call('ZADD', leases, now + ARGV[3], ARGV[1])
redis.call('HSET', members, ARGV[1], ARGV[2])
if saved[1] ~= epoch then
  redis.call('HSET', document, 'epoch', epoch, 'since', now)
  saved[2] = now
end
local full = 0
if most > 0 and used > most then full = 1 end
local answer = { epoch, now - saved[2], redis.call('HGETALL', members), full }
if (saved[3] or '') ~= ARGV[4] then
  answer[5] = saved[3] or ''
  answer[6] = saved[4] or ''
  answer[7] = saved[5] or ''
end
return answer
`;

const RELEASE = `${MAY_FILL}${COMMON}
redis.call('ZREM', leases, ARGV[1])
return redis.call('HDEL', members, ARGV[1])
`;

/** ARGV: id of the document that there must be, epoch; id, nodes and text of the new one. Returns 1 if stored. */
const PUT_DOCUMENT = `${MAY_FILL}${COMMON}
if (redis.call('HGET', document, 'id') or '') ~= ARGV[1] or epoch() ~= ARGV[2] then return 0 end
redis.call('HSET', document, 'id', ARGV[3], 'nodes', ARGV[4], 'text', ARGV[5])
return 1
`;

/** The leases, then the record and the end of one context. */
const OF_CONTEXT = `
local leases, context, ended = KEYS[1], KEYS[2], KEYS[3]
${EPOCH}local function found()
  local how = redis.call('GET', ended)
  if how then return { 'ended', how } end
  local saved = redis.call('HMGET', context, 'home', 'takeovers', 'revision', 'text')
  if not saved[1] then return { 'none' } end
  return { 'open', saved[1], saved[2], saved[3], saved[4] }
end
`;

/** Returns the epoch and what there is. */
const GET_CONTEXT = `${OF_CONTEXT}
return { epoch(), found() }
`;

/** ARGV: home, takeovers, revision, text, milliseconds, and whether it may be new: 1 or 0. */
const PUT_CONTEXT = `${OF_CONTEXT}
local known = found()
if known[1] == 'ended' then return 'lost' end
if known[1] == 'none' and ARGV[6] ~= '1' then return 'missing' end
if known[1] == 'open' and (known[2] ~= ARGV[1] or known[3] ~= ARGV[2]) then return 'lost' end
if known[1] == 'none' or tonumber(known[4]) <= tonumber(ARGV[3]) then
  redis.call('HSET', context, 'home', ARGV[1], 'takeovers', ARGV[2], 'revision', ARGV[3], 'text', ARGV[4])
end
redis.call('PEXPIRE', context, ARGV[5])
return 'stored'
`;

/** ARGV: home and takeovers that there must be, the new home, epoch. Returns what there is then. */
const ADOPT_CONTEXT = `${MAY_FILL}${OF_CONTEXT}
local known = found()
if known[1] ~= 'open' or known[2] ~= ARGV[1] or known[3] ~= ARGV[2] or epoch() ~= ARGV[4] then return known end
${NOW}local lease = redis.call('ZSCORE', leases, ARGV[1])
if ARGV[1] ~= ARGV[3] and lease and tonumber(lease) > now then return known end
redis.call('HSET', context, 'home', ARGV[3], 'takeovers', ARGV[2] + 1)
return found()
`;

/** ARGV: home and takeovers that there must be, how it ended, milliseconds. Returns whether it has ended. */
const END_CONTEXT = `${MAY_FILL}${OF_CONTEXT}
local known = found()
if known[1] == 'open' and (known[2] ~= ARGV[1] or known[3] ~= ARGV[2]) then return 'lost' end
if known[1] ~= 'ended' then redis.call('SET', ended, ARGV[3], 'PX', ARGV[4]) end
redis.call('DEL', context)
return 'ended'
`;

/** The names of the keys, in the order in which scripts expect them. */
const VALKEY_KEYS: readonly string[] = ['leases', 'members', 'definitions'];

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
/** Scripts that share one wait for replicas. */
const MOST_TOGETHER = 1000;
/** How long it is kept how a context ended. */
const ENDS_KEPT_MS = 3_600_000;

interface Waiting {
  readonly script: Command;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The engine on Valkey or Redis 7: leases are a sorted set and a hash, the document and each context a hash. What waits for replicas holds up what
 * follows it on its connection: so renewals have one of their own, and other writes share a wait.
 */
export class ValkeyEngine implements Engine {
  readonly #options: ValkeyEngineOptions;
  readonly documentKey: string;
  readonly #keys: readonly string[];
  readonly #channel: string;
  readonly #renewals: ValkeyConnection;
  readonly #writes: ValkeyConnection;
  readonly #messages: ValkeyConnection;
  readonly #usual: ValkeyConnection;
  readonly #receivers: ((message: string) => void)[] = [];
  readonly #waiting: Waiting[] = [];
  #isWriting = false;
  #isReachable: boolean | undefined;

  constructor(options: ValkeyEngineOptions) {
    this.#options = options;
    this.documentKey = `${options.prefix}:{fleet}:definitions`;
    // One hash tag: scripts use all keys together.
    this.#keys = VALKEY_KEYS.map((key) => `${options.prefix}:{fleet}:${key}`);
    this.#channel = `${options.prefix}:{fleet}:messages`;
    const { commandMs = COMMAND_MS } = options;
    const onTrouble = (error: Error): void => this.#report(false, error);
    this.#renewals = new ValkeyConnection(options, commandMs, { onReady: () => this.#report(true), onTrouble });
    this.#writes = new ValkeyConnection(options, commandMs, { onTrouble });
    this.#usual = new ValkeyConnection(options, commandMs, { onTrouble });
    const receive = (message: string): void => {
      for (const receiver of this.#receivers) receiver(message);
    };
    const subscription = { channel: this.#channel, receive };
    this.#messages = new ValkeyConnection(options, commandMs, { onTrouble, subscription });
  }

  async renew({ name, value, ttlMs }: Lease, knownId: string): Promise<Renewal> {
    const script = this.#script(RENEW, name, value, ttlMs, knownId);
    const [answer] = await this.#sendReplicated(this.#renewals, [script]);
    if (answer instanceof Error) throw answer;
    const [epoch, ageMs, members, isFull, ...found] = arrayOf(answer);
    const pairs = arrayOf(members).map(textOf);
    return {
      epoch: textOf(epoch),
      ageMs: Number(ageMs),
      members: new Map(pairs.flatMap((id, i) => (i % 2 === 0 ? [[id, pairs[i + 1] ?? '']] : []))),
      isFull: isFull === 1,
      document: found.length === 0 ? undefined : documentOf(found.map(textOf)),
    };
  }

  async release(name: string): Promise<void> {
    await this.#usual.send([this.#script(RELEASE, name)]);
  }

  async putDocument(document: SharedDocument, expectedId: string, epoch: string): Promise<'stored' | 'overtaken'> {
    const { version, nodes, text } = document;
    const parameters = [expectedId, epoch, idOf(document), JSON.stringify({ version, nodes }), text];
    return (await this.#write(this.#script(PUT_DOCUMENT, ...parameters))) === 1 ? 'stored' : 'overtaken';
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
    const answer = await this.#write(script);
    return answer === 'stored' || answer === 'missing' ? answer : 'lost';
  }

  async adoptContext({ id, expected, home, epoch }: Adoption): Promise<FoundContext> {
    const script = this.#contextScript(ADOPT_CONTEXT, id, expected.home, expected.takeovers, home, epoch);
    return foundIn(await this.#write(script));
  }

  async endContext(id: number, { home, takeovers }: Tenure, how: string): Promise<'ended' | 'lost'> {
    const script = this.#contextScript(END_CONTEXT, id, home, takeovers, how, ENDS_KEPT_MS);
    return (await this.#write(script)) === 'ended' ? 'ended' : 'lost';
  }

  async touchContexts(lives: ReadonlyMap<number, number>): Promise<void> {
    if (lives.size === 0) return;
    await this.#usual.send([...lives].map(([id, ttlMs]) => ['PEXPIRE', this.#contextKeys(id)[1]!, Math.ceil(ttlMs)]));
  }

  async secret(proposal: string): Promise<string> {
    const { prefix } = this.#options;
    const known = await this.#write(['SET', `${prefix}:{fleet}:secret`, proposal, 'NX', 'GET']);
    return known === null ? proposal : textOf(known);
  }

  /** What is wrong with the settings of the server, for its administrator. Throws EngineError. */
  async problems(): Promise<readonly string[]> {
    const sections = ['replication', 'memory', 'persistence'].map((name): Command => ['INFO', name]);
    const [replication, memory, persistence] = (await this.#usual.send(sections)).map(textOf);
    return settingProblems({ replication, memory, persistence }, this.#options.replicas);
  }

  publish(message: string): void {
    this.#usual.send([['PUBLISH', this.#channel, message]]).catch(() => undefined);
  }

  subscribe(receive: (message: string) => void): void {
    this.#receivers.push(receive);
  }

  close(): void {
    for (const connection of [this.#renewals, this.#writes, this.#messages, this.#usual]) connection.close();
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

  #contextKeys(id: number): readonly string[] {
    const [leases = ''] = this.#keys;
    const { prefix } = this.#options;
    return [leases, `${prefix}:{fleet}:context:${id}`, `${prefix}:{fleet}:end:${id}`];
  }

  /** Runs a script, and resolves once replicas have what it wrote. Those that arrive during a wait share the next one. */
  #write(script: Command): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ script, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const together = this.#waiting.splice(0, MOST_TOGETHER);
      const scripts = together.map(({ script }) => script);
      const answers = await this.#sendReplicated(this.#writes, scripts).catch((error: unknown) =>
        scripts.map(() => error as Error),
      );
      for (const [i, { resolve, reject }] of together.entries()) {
        const answer = answers[i];
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      }
    }
    this.#isWriting = false;
  }

  /** Sends scripts, and with them the command that waits for replicas: on another connection that would wait for nothing. */
  async #sendReplicated(connection: ValkeyConnection, scripts: readonly Command[]): Promise<readonly unknown[]> {
    const { replicas, replicationMs = REPLICATION_MS } = this.#options;
    if (replicas === 0) return connection.sendEach(scripts);
    const answers = await connection.sendEach([...scripts, ['WAIT', replicas, replicationMs]]);
    const count = answers.at(-1);
    if (typeof count === 'number' && count >= replicas) return answers.slice(0, -1);
    const unsure = new EngineError(`no ${replicas} replicas of the engine have it`, true);
    return scripts.map((_, i) => (answers[i] instanceof Error ? answers[i] : unsure));
  }

  #report(isReachable: boolean, error?: Error): void {
    if (isReachable === this.#isReachable) return;
    this.#isReachable = isReachable;
    this.#options.onReachable(isReachable ? undefined : (error?.message ?? ''));
  }
}

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

function lossOf(replicas: number): string {
  return replicas === 0
    ? 'it loses everything when it ends'
    : 'what it has is lost once its nodes and all gateways have ended';
}

function documentOf([id = '', saved = '', text = '']: readonly string[]): Renewal['document'] {
  if (id === '') return NO_DOCUMENT;
  const document = attempt(() => documentIn({ ...(JSON.parse(saved) as object), text }));
  return document && idOf(document) === id ? document : 'damaged';
}

function foundIn(answer: unknown): FoundContext {
  const [kind, ...rest] = arrayOf(answer).map(textOf);
  if (kind === 'none') return { kind };
  if (kind === 'ended') return { kind, how: rest[0] ?? '' };
  const [home = '', takeovers, revision, text] = rest;
  if (kind !== 'open' || text === undefined) throw unexpected();
  return { kind, home, takeovers: countOf(takeovers), revision: countOf(revision), text };
}

function countOf(text: unknown): number {
  const number = Number(textOf(text));
  if (!Number.isSafeInteger(number) || number < 0) throw unexpected();
  return number;
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
