/**
 * A real fleet: three gateways, a server with two replicas and three Sentinels, clients, and faults in turn. Checks the history of what
 * clients saw. Usage: npm run build && npm run test:fleet -- [ROUNDS]; needs redis-server (or valkey-server).
 */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../support/free-port.js';
import { contextProblems } from '../support/context-history.js';
import type { ContextCall } from '../support/context-history.js';

const ROUNDS = Number(process.argv[2] ?? 1);
const MEMBERS = 3;
/** How long a client tries other gateways before it gives up. */
const PATIENCE_MS = 15_000;
const STOPPED_MS = 6000;
const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-fleet-'));
const SERVER = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0);
if (SERVER === undefined) throw new Error('neither valkey-server nor redis-server is installed');

/** A process that can be killed and started again as it was. */
class Part {
  #process: ChildProcess | undefined;
  readonly #command: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;

  constructor(command: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    this.#command = command;
    this.#environment = environment;
    this.start();
  }

  start(): void {
    const [name = '', ...parameters] = this.#command;
    const environment = { ...process.env, ...this.#environment };
    this.#process = spawn(name, parameters, { stdio: 'ignore', env: environment, cwd: directory });
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }
}

interface Answer {
  readonly status: number;
  readonly isAlone: boolean;
  readonly json: Readonly<Record<string, unknown>>;
}

async function call(port: number, target: string): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  const isAlone = answer.headers.get('pmgate-cluster') === 'alone';
  return { status: answer.status, isAlone, json: (await answer.json()) as Answer['json'] };
}

/** Clients, and what they saw. */
class Clients {
  readonly calls: ContextCall[] = [];
  /** Milliseconds of answers that were tried at more than one gateway. */
  readonly delays: number[] = [];
  readonly #ports: readonly number[];
  readonly #homes = new Map<number, number>();
  readonly #startMs = performance.now();
  #changes = 0;
  isOver = false;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  get nowMs(): number {
    return performance.now() - this.#startMs;
  }

  /** One client: changes and reads contexts until it is over. */
  async run(): Promise<void> {
    while (!this.isOver) {
      const ids = [...this.#homes.keys()].slice(-6);
      if (ids.length < 3 || Math.random() < 0.03) await this.#create();
      else {
        const id = ids[Math.floor(Math.random() * ids.length)]!;
        await (Math.random() < 0.3 ? this.#change(id) : this.read(id));
      }
      await pause(20);
    }
  }

  async readAll(): Promise<void> {
    for (const id of this.#homes.keys()) await this.read(id);
  }

  async read(id: number): Promise<void> {
    const beginMs = this.nowMs;
    try {
      const { definitions, isAlone } = await this.#definitions(id);
      this.#note({ id, kind: 'read', beginMs, outcome: 'answered', definitions, isAlone });
    } catch {
      this.#note({ id, kind: 'read', beginMs, outcome: 'failed' });
    }
  }

  async #create(): Promise<void> {
    const port = this.#ports[Math.floor(Math.random() * this.#ports.length)]!;
    const beginMs = this.nowMs;
    try {
      const { status, isAlone, json } = await call(port, '/pmapi/context?polltimeout=600');
      if (status !== 200) return;
      const id = json.context as number;
      this.#homes.set(id, port);
      this.#note({ id, kind: 'create', beginMs, outcome: 'answered', definitions: [], isAlone });
    } catch {
      // Nobody knows its id.
    }
  }

  async #change(id: number): Promise<void> {
    const change = `own.d${this.#changes++}`;
    const beginMs = this.nowMs;
    try {
      const { status, isAlone } = await this.#at(id, `derive?name=${change}&expr=1`);
      if (status !== 200) throw new Error(String(status));
      const endMs = this.nowMs;
      const read = await this.#definitions(id);
      const { definitions } = read;
      this.#note({
        id,
        kind: 'change',
        change,
        beginMs,
        endMs,
        outcome: 'answered',
        definitions,
        isAlone: isAlone || read.isAlone,
      });
    } catch {
      this.#note({ id, kind: 'change', change, beginMs, outcome: 'unknown' });
    }
  }

  /** The definitions of a context in the order of their PMIDs; undefined if it does not exist. */
  async #definitions(id: number): Promise<Pick<Answer, 'isAlone'> & { definitions: string[] | undefined }> {
    const { status, isAlone, json } = await this.#at(id, 'metric?prefix=own');
    if (status === 404 && json.code === 'UNKNOWN_CONTEXT') return { isAlone, definitions: undefined };
    const metrics = (json.metrics ?? []) as { name: string; pmid: string }[];
    const place = ({ pmid }: { pmid: string }): number => -Number(pmid.split('.')[2]);
    return { isAlone, definitions: metrics.sort((a, b) => place(a) - place(b)).map(({ name }) => name) };
  }

  /** Tries one gateway after the other, as a load balancer does. */
  async #at(id: number, what: string): Promise<Answer> {
    const beginMs = this.nowMs;
    let port = this.#homes.get(id)!;
    for (let tries = 0; ; tries++) {
      const answer = await call(port, `/pmapi/${id}/${what}`).catch(() => undefined);
      const isAnswered = answer && answer.status !== 503;
      if (isAnswered || this.nowMs - beginMs > PATIENCE_MS || answer?.json.code === 'OUTCOME_UNKNOWN') {
        if (isAnswered) this.#homes.set(id, port);
        if (isAnswered && tries > 0) this.delays.push(this.nowMs - beginMs);
        if (answer) return answer;
        throw new Error('no gateway answers');
      }
      // A change that was lost on the way may have been made.
      if (!answer && what.startsWith('derive')) throw new Error('the connection broke');
      port = this.#ports[(this.#ports.indexOf(port) + 1) % this.#ports.length]!;
      await pause(50);
    }
  }

  #note(call: Pick<ContextCall, 'id' | 'kind' | 'beginMs' | 'outcome'> & Partial<ContextCall>): void {
    this.calls.push({ change: undefined, member: '', endMs: this.nowMs, ...call });
  }
}

const parts: Part[] = [];
const part = (...parameters: ConstructorParameters<typeof Part>): Part => {
  const made = new Part(...parameters);
  parts.push(made);
  return made;
};
process.on('exit', () => {
  for (const one of parts) one.signal('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

async function startEngine(): Promise<{ nodes: Map<number, Part>; sentinels: readonly string[] }> {
  const nodes = new Map<number, Part>();
  const primary = await freePort();
  for (let i = 0; i < 3; i++) {
    const port = i === 0 ? primary : await freePort();
    const usual = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--repl-diskless-sync-delay', '0'];
    nodes.set(port, part([SERVER!, ...usual, ...(i === 0 ? [] : ['--replicaof', '127.0.0.1', String(primary)])]));
  }
  await pause(1500);
  const sentinels: string[] = [];
  for (let i = 0; i < 3; i++) {
    const port = await freePort();
    const file = path.join(directory, `sentinel-${i}.conf`);
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor pmgate 127.0.0.1 ${primary} 2`,
      'sentinel down-after-milliseconds pmgate 1000',
      'sentinel failover-timeout pmgate 5000',
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    part([SERVER!, file, '--sentinel']);
    sentinels.push(`127.0.0.1:${port}`);
  }
  return { nodes, sentinels };
}

async function primaryPort(sentinels: readonly string[]): Promise<number> {
  const port = sentinels[0]!.split(':')[1]!;
  const cli = SERVER!.replace('-server', '-cli');
  const asked = spawnSync(cli, ['-p', port, 'sentinel', 'get-master-addr-by-name', 'pmgate'], { encoding: 'utf8' });
  return Number(asked.stdout.split('\n')[1]);
}

/** Waits until all gateways are members again. */
async function settled(ports: readonly number[]): Promise<number> {
  const beginMs = performance.now();
  for (;;) {
    const states = await Promise.all(
      ports.map(async (port) => {
        const answer = await call(port, '/readyz').catch(() => undefined);
        return answer?.json.cluster as { state: string; members: number } | undefined;
      }),
    );
    if (states.every((state) => state?.state === 'member' && state.members === MEMBERS))
      return performance.now() - beginMs;
    await pause(100);
  }
}

const { nodes, sentinels } = await startEngine();
const ports: number[] = [];
const members: Part[] = [];
for (let i = 0; i < MEMBERS; i++) {
  const port = await freePort();
  ports.push(port);
  const program = path.resolve('dist/pmgate.js');
  members.push(
    part([process.execPath, program], {
      PMGATE_LISTEN_PORT: String(port),
      PMGATE_STATE_DIRECTORY: path.join(directory, `state-${i}`),
      PMGATE_LOCAL_SOURCE: 'embedded',
      PMGATE_CLUSTER_SENTINELS: sentinels.join(','),
      PMGATE_CLUSTER_SERVICE: 'pmgate',
      PMGATE_LOG_LEVEL: 'error',
    }),
  );
}
await settled(ports);
const clients = new Clients(ports);
const running = Array.from({ length: 4 }, () => clients.run());
const faults: readonly (readonly [string, () => Promise<void>])[] = [
  [
    'a gateway is killed',
    async () => {
      const member = members[Math.floor(Math.random() * MEMBERS)]!;
      member.signal('SIGKILL');
      await pause(4000);
      member.start();
    },
  ],
  [
    'a gateway is stopped',
    async () => {
      const member = members[Math.floor(Math.random() * MEMBERS)]!;
      member.signal('SIGSTOP');
      await pause(STOPPED_MS);
      member.signal('SIGCONT');
    },
  ],
  [
    'the primary is killed',
    async () => {
      const node = nodes.get(await primaryPort(sentinels));
      node?.signal('SIGKILL');
      await pause(4000);
      node?.start();
    },
  ],
  [
    'the primary is stopped',
    async () => {
      const node = nodes.get(await primaryPort(sentinels));
      node?.signal('SIGSTOP');
      await pause(STOPPED_MS);
      node?.signal('SIGCONT');
    },
  ],
];
for (let round = 1; round <= ROUNDS; round++) {
  for (const [name, inject] of faults) {
    const before = clients.calls.length;
    clients.delays.length = 0;
    await pause(1500);
    await inject();
    const recoveryMs = await settled(ports);
    await pause(4000);
    const calls = clients.calls.slice(before);
    const count = (outcome: ContextCall['outcome']): number => calls.filter((one) => one.outcome === outcome).length;
    const slowest = Math.max(0, ...clients.delays);
    console.log(
      `round ${round}, ${name}: ${count('answered')} answered, ${count('unknown')} unknown, ${count('failed')} failed; ` +
        `longest wait for another gateway ${slowest.toFixed(0)} ms; all members again ${recoveryMs.toFixed(0)} ms later`,
    );
  }
}
clients.isOver = true;
await Promise.all(running);
const lastReadsMs = clients.nowMs;
await clients.readAll();
const problems = contextProblems(clients.calls, lastReadsMs);
console.log(`${clients.calls.length} calls, ${problems.length} problems`);
for (const problem of problems.slice(0, 20)) console.log(problem);
process.exit(problems.length === 0 ? 0 : 1);
