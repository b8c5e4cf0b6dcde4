import { setTimeout as pause } from 'node:timers/promises';
import type { ContextCall } from '../support/context-history.js';
import type { Change, Shown, Update } from '../support/history.js';
import type { Gateway } from './real-fleet.js';

/** How long a client tries other gateways before it gives up. */
const PATIENCE_MS = 15_000;
const THINK_MS = 20;

interface Answer {
  readonly status: number;
  /** Whether it said that it was alone, so that what it says may be out of date. */
  readonly isAlone: boolean;
  readonly json: Readonly<Record<string, unknown>>;
  readonly from: string;
}

/** Sends requests to gateways in turn, as a load balancer does, and keeps the figures. */
export class Balancer {
  requests = 0;
  /** Requests that were not answered, or with 503. */
  refused = 0;
  readonly #gateways: readonly Gateway[];
  readonly #trustsAlone: boolean;
  readonly #startMs = performance.now();
  #turn = 0;

  /** @param trustsAlone takes what gateways say that are alone for what the fleet promises: a mistake that checks must find */
  constructor(gateways: readonly Gateway[], trustsAlone = false) {
    this.#gateways = gateways;
    this.#trustsAlone = trustsAlone;
  }

  get nowMs(): number {
    return performance.now() - this.#startMs;
  }

  next(): number {
    return this.#gateways[this.#turn++ % this.#gateways.length]!.port;
  }

  async call(port: number, target: string, method = 'GET'): Promise<Answer> {
    this.requests++;
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await fetch(`http://127.0.0.1:${port}${target}`, { method, signal });
      const isAlone = answer.headers.get('pmgate-cluster') === 'alone' && !this.#trustsAlone;
      const json = (await answer.json()) as Answer['json'];
      if (answer.status === 503) this.refused++;
      return { status: answer.status, isAlone, json, from: `port ${port}` };
    } catch (error) {
      this.refused++;
      throw error;
    }
  }
}

/** Clients that change and read contexts, and what they saw. */
export class ContextClients {
  readonly calls: ContextCall[] = [];
  /** The longest time until a request was answered, with all tries. */
  longestMs = 0;
  readonly #balancer: Balancer;
  readonly #hosts: readonly string[];
  readonly #open: number[] = [];
  #changes = 0;
  isOver = false;

  constructor(balancer: Balancer, hosts: readonly string[]) {
    this.#balancer = balancer;
    this.#hosts = hosts;
  }

  async run(): Promise<void> {
    while (!this.isOver) {
      const ids = this.#open.slice(-8);
      const what = Math.random();
      const id = ids[Math.floor(Math.random() * ids.length)];
      if (id === undefined || ids.length < 4 || what < 0.03) await this.#create();
      else if (what < 0.05) await this.#destroy(id);
      else if (what < 0.35) await this.#change(id);
      else await this.#read(id);
      await pause(THINK_MS);
    }
  }

  /** Reads each context at as many gateways as there are turns. */
  async readAll(turns: number): Promise<void> {
    for (const id of this.#open) for (let i = 0; i < turns; i++) await this.#read(id);
  }

  async destroyAll(): Promise<void> {
    for (const id of this.#open.splice(0)) await this.#at(id, '', 'DELETE').catch(() => undefined);
  }

  async #create(): Promise<void> {
    const beginMs = this.#balancer.nowMs;
    const host = this.#hosts[Math.floor(Math.random() * this.#hosts.length)]!;
    try {
      const target = `/pmapi/context?polltimeout=600&hostspec=${host}`;
      const { status, isAlone, json } = await this.#balancer.call(this.#balancer.next(), target);
      if (status !== 200) return;
      const id = json.context as number;
      this.#open.push(id);
      this.#note({ id, kind: 'create', beginMs, outcome: 'answered', definitions: [], isAlone });
    } catch {
      // Nobody knows its id.
    }
  }

  async #read(id: number): Promise<void> {
    const beginMs = this.#balancer.nowMs;
    try {
      const { definitions, isAlone, from: member } = await this.#definitions(id);
      this.#note({ id, kind: 'read', beginMs, outcome: 'answered', definitions, isAlone, member });
    } catch {
      this.#note({ id, kind: 'read', beginMs, outcome: 'failed' });
    }
  }

  async #change(id: number): Promise<void> {
    const change = `own.d${this.#changes++}`;
    const beginMs = this.#balancer.nowMs;
    try {
      const { status, isAlone } = await this.#at(id, `/derive?name=${change}&expr=1`);
      if (status !== 200) throw new Error(String(status));
      const endMs = this.#balancer.nowMs;
      const readMs = this.#balancer.nowMs;
      const read = await this.#definitions(id);
      const { definitions, from: member } = read;
      if (!definitions) {
        // Another client destroyed it meanwhile, or it is lost.
        this.#note({
          id,
          kind: 'read',
          beginMs: readMs,
          outcome: 'answered',
          definitions,
          member,
          isAlone: read.isAlone,
        });
        throw new Error('nothing shows the change');
      }
      const seen = { definitions, member, isAlone: isAlone || read.isAlone };
      this.#note({ id, kind: 'change', change, beginMs, endMs, outcome: 'answered', ...seen });
    } catch {
      this.#note({ id, kind: 'change', change, beginMs, outcome: 'unknown' });
    }
  }

  async #destroy(id: number): Promise<void> {
    const beginMs = this.#balancer.nowMs;
    this.#open.splice(this.#open.indexOf(id), 1);
    try {
      const { status, isAlone } = await this.#at(id, '', 'DELETE');
      if (status !== 200) throw new Error(String(status));
      this.#note({ id, kind: 'destroy', beginMs, outcome: 'answered', definitions: 'not shown', isAlone });
    } catch {
      this.#note({ id, kind: 'destroy', beginMs, outcome: 'unknown' });
    }
  }

  /** The definitions of a context in the order of their PMIDs; undefined if it does not exist. */
  async #definitions(id: number): Promise<Pick<Answer, 'isAlone' | 'from'> & { definitions: string[] | undefined }> {
    const { status, isAlone, json, from } = await this.#at(id, '/metric?prefix=own');
    if (status === 404 && json.code === 'UNKNOWN_CONTEXT') {
      return { isAlone, from: `${from} (${json.message as string})`, definitions: undefined };
    }
    if (status === 503) throw new Error('no gateway answers');
    const metrics = (json.metrics ?? []) as { name: string; pmid: string }[];
    const place = ({ pmid }: { pmid: string }): number => -Number(pmid.split('.')[2]);
    return { isAlone, from, definitions: metrics.sort((a, b) => place(a) - place(b)).map(({ name }) => name) };
  }

  /** Tries one gateway after the other, as a load balancer does. Throws if the fate of a change is not known, or no gateway answers. */
  async #at(id: number, what: string, method = 'GET'): Promise<Answer> {
    const beginMs = this.#balancer.nowMs;
    for (;;) {
      const answer = await this.#balancer
        .call(this.#balancer.next(), `/pmapi/${id}${what}`, method)
        .catch(() => undefined);
      const tookMs = this.#balancer.nowMs - beginMs;
      if (answer && answer.status !== 503) {
        this.longestMs = Math.max(this.longestMs, tookMs);
        return answer;
      }
      const isChange = what.startsWith('/derive') || method === 'DELETE';
      if (isChange && answer?.json.code !== 'UNAVAILABLE') throw new Error('the change may have been made');
      if (tookMs > PATIENCE_MS) throw new Error('no gateway answers');
      await pause(50);
    }
  }

  #note(call: Pick<ContextCall, 'id' | 'kind' | 'beginMs' | 'outcome'> & Partial<ContextCall>): void {
    this.calls.push({ change: undefined, member: '', endMs: this.#balancer.nowMs, ...call });
  }
}

/** A global definition as a list has it. */
interface Listed {
  readonly name: string;
  readonly expression: string;
  readonly pmid: string;
}

/**
 * Clients that define, remove and read global metrics, and what they saw. Each definition has an expression of its own, and only the client
 * that defined a metric removes it: so each entry of the log is known to be the change of one request.
 */
export class RegistryClients {
  readonly updates: Update[] = [];
  readonly shown: Shown[] = [];
  readonly problems: string[] = [];
  readonly #balancer: Balancer;
  /** All names begin with it. */
  readonly #prefix: string;
  readonly #pmids = new Map<string, string>();
  #changes = 0;
  isOver = false;

  constructor(balancer: Balancer, prefix: string) {
    this.#balancer = balancer;
    this.#prefix = prefix;
  }

  async change(): Promise<void> {
    while (!this.isOver) {
      // Names are contested for a while, then others are.
      const name = `${this.#prefix}.n${Math.floor(this.#balancer.nowMs / 2000)}_${Math.floor(Math.random() * 3)}`;
      const value = String(++this.#changes);
      const put = { id: `put ${value}`, name, value };
      const outcome = await this.#update(put, `/derived/${name}?expr=${value}`, 'PUT');
      await pause(THINK_MS);
      if (outcome !== 'acknowledged') continue;
      await this.#update({ id: `remove ${value}`, name }, `/derived/${name}`, 'DELETE');
      await pause(THINK_MS);
    }
  }

  async read(): Promise<void> {
    while (!this.isOver) {
      await this.readOnce();
      await pause(THINK_MS);
    }
  }

  async readOnce(): Promise<void> {
    const beginMs = this.#balancer.nowMs;
    const port = this.#balancer.next();
    const answer = await this.#balancer.call(port, `/derived?prefix=${this.#prefix}`).catch(() => undefined);
    if (answer?.status !== 200 || answer.isAlone) return;
    const listed = answer.json.derived as readonly Listed[];
    this.#checkPmids(listed);
    const values = new Map(listed.map(({ name, expression }) => [name, expression]));
    this.shown.push({ beginMs, endMs: this.#balancer.nowMs, member: String(port), values });
  }

  /** The longest time without an acknowledged change, in milliseconds. */
  get longestPauseMs(): number {
    const endsMs = this.updates.filter(({ outcome }) => outcome === 'acknowledged').map(({ endMs }) => endMs);
    return Math.max(0, ...endsMs.slice(1).map((endMs, i) => endMs - endsMs[i]!));
  }

  #checkPmids(listed: readonly Listed[]): void {
    for (const { name, expression, pmid } of listed) {
      const key = `${name} = ${expression}`;
      const before = this.#pmids.get(key) ?? pmid;
      if (before !== pmid) this.problems.push(`${key} has the PMIDs ${before} and ${pmid}`);
      this.#pmids.set(key, pmid);
    }
  }

  async #update(change: Change, target: string, method: string): Promise<Update['outcome']> {
    const beginMs = this.#balancer.nowMs;
    const port = this.#balancer.next();
    const outcome = await this.#balancer.call(port, target, method).then(outcomeOf, outcomeOfFailure);
    this.updates.push({ change, beginMs, endMs: this.#balancer.nowMs, outcome, member: String(port) });
    return outcome;
  }
}

function outcomeOf({ status, isAlone, json }: Answer): Update['outcome'] {
  if (status === 200 || status === 201) return 'acknowledged';
  // By what it knows, which may be out of date.
  if (isAlone && status < 500) return 'failed';
  switch (json.code) {
    case 'DUPLICATE_NAME':
      return 'duplicate';
    case 'UNKNOWN_DERIVED':
      return 'unchanged';
    case 'UNAVAILABLE':
    case 'OVERLOADED':
      return 'failed';
    case 'OUTCOME_UNKNOWN':
      return 'unknown';
    default:
      throw new Error(`a change was answered ${status}: ${JSON.stringify(json)}`);
  }
}

/** A connection that was refused carried nothing. */
function outcomeOfFailure(error: unknown): Update['outcome'] {
  const cause = (error as Error).cause as { readonly code?: string } | undefined;
  return cause?.code === 'ECONNREFUSED' ? 'failed' : 'unknown';
}
