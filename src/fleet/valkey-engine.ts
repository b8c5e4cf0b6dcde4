import { attempt } from '../kit/index.js';
import { documentIn, idOf, NO_DOCUMENT, type SharedDocument } from './document.js';
import { EngineError } from './engine.js';
import type { Adoption, Engine, FoundContext, Lease, PutOptions, Renewal, StoredContext, Tenure } from './engine.js';
import { ValkeyConnection, type Command, type ValkeyAddress } from './valkey-connection.js';
import {
  ADOPT_CONTEXT,
  END_CONTEXT,
  GET_CONTEXT,
  PUT_CONTEXT,
  PUT_DOCUMENT,
  RELEASE,
  RENEW,
  VALKEY_KEYS,
} from './valkey-scripts.js';

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
