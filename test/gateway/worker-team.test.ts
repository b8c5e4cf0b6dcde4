import { readdirSync, statSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { WorkerParent } from '../../src/cli/worker-parent.js';
import { loadConfig } from '../../src/config/index.js';
import { Gateway } from '../../src/gateway/gateway.js';
import type { FromWorker, ToWorker } from '../../src/gateway/worker-channel.js';
import { createLog } from '../../src/log/log.js';
import { piecesOf, recordedFiles } from '../push/support.js';
import { FakeClock } from '../support/fake-clock.js';
import { FakePmcd } from '../support/fake-pmcd.js';
import { ManualTimers } from '../support/manual-timers.js';
import { PATIENT } from '../support/patience.js';
import { openStream } from '../support/sse-reader.js';
import type { OpenStream } from '../support/sse-reader.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

const DOUBLE = 'expr=kernel.all.load*2';
const STATE = temporaryDirectory();
const SOCKETS = temporaryDirectory();

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

/** Workers in this process, each with a port of its own: it shows which worker a connection reaches. */
const workers: { readonly gateway: Gateway; readonly port: number }[] = [];
/** What the worker of this index is not told yet. */
const heldBack = new Map<number, (() => void)[]>();
/** The requests that each worker logged. */
const requests: string[][] = [[], []];
let config: ReturnType<typeof loadConfig>;
let parent: WorkerParent;
let ended: Promise<number>;
/** Hosts by name; each worker has some of them. */
const pmcds = new Map<string, FakePmcd>();

async function runWorker(
  index: number,
  onMessage: (listener: (message: ToWorker) => void) => void,
  send: (message: FromWorker) => Promise<void>,
  exit: () => void,
) {
  const start = await new Promise<ToWorker & { kind: 'start' }>((resolve) => {
    onMessage((message) => {
      if (message.kind === 'start') resolve(message);
    });
    void send({ kind: 'hello' });
  });
  const log = await createLog('info', new FakeClock(), {
    write: (line) => {
      const { msg, url } = JSON.parse(line) as { readonly msg: string; readonly url: string };
      if (msg === 'request') requests[index]!.push(url);
    },
  });
  const gateway = await Gateway.create({
    config: start.config,
    log,
    worker: { place: start.place, channel: { send, onMessage } },
  });
  const address = await gateway.listen();
  workers[index] = { gateway, port: address.port };
  onMessage((message) => {
    if (message.kind === 'stop') void gateway.close().then(exit);
  });
  await send({ kind: 'listening', address });
}

beforeAll(async () => {
  for (let i = 0; i < 6; i++) {
    const pmcd = await FakePmcd.start();
    pmcd.metrics = [{ name: 'sample.value', descriptor: [1, 1, 0xffffffff, 3, 0], values: [[-1, i]] }];
    pmcds.set(`web${i}`, pmcd);
  }
  config = loadConfig({
    environment: {
      PMGATE_LISTEN_PORT: '0',
      PMGATE_LISTEN_WORKERS: '2',
      PMGATE_STATE_DIRECTORY: STATE.path,
      PMGATE_LOCAL_SOURCE: 'embedded',
      PMGATE_LOG_REQUESTS: 'true',
      PMGATE_PUSH_ENABLED: 'true',
      PMGATE_PUSH_FROM: '127.0.0.0/8',
      PMGATE_HOSTS_CONNECT_TIMEOUT_SEC: '60',
      PMGATE_CONTEXTS_POLL_TIMEOUT_SEC: '600',
      PMGATE_HOSTS_NAMED: JSON.stringify(
        Object.fromEntries([...pmcds].map(([name, { hostspec }]) => [name, hostspec])),
      ),
      ...PATIENT,
    },
  });
  const log = await createLog('silent', new FakeClock(), { write: () => undefined });
  let started = 0;
  await new Promise<unknown>((onListening) => {
    ended = new Promise((onEnd) => {
      parent = new WorkerParent({
        config,
        place: { count: 2, directory: SOCKETS.path, secret: 'a secret for tests, of 32 characters' },
        timers: new ManualTimers(),
        log,
        onListening,
        onEnd,
        fork: ({ message: take, exit }) => {
          const index = started++;
          const listeners: ((message: ToWorker) => void)[] = [];
          const deliver = (message: ToWorker): void => {
            for (const listener of listeners) listener(message);
          };
          void runWorker(
            index,
            (listener) => listeners.push(listener),
            async (message) => void setImmediate(take, message),
            () => exit(0),
          );
          return {
            send: (message) => {
              const held = heldBack.get(index);
              if (held && message.kind === 'define') held.push(() => deliver(message));
              else setImmediate(deliver, message);
            },
            kill: () => undefined,
          };
        },
      });
      parent.start();
    });
  });
});
afterAll(async () => {
  await Promise.all([...pmcds.values()].map((pmcd) => pmcd.stop()));
});

async function ask(worker: number, target: string, method = 'GET'): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${workers[worker]!.port}${target}`, { method });
  return { status: answer.status, headers: answer.headers, json: (await answer.json()) as Record<string, unknown> };
}

/** Both workers' answers. */
function askBoth(target: string): Promise<readonly Answer[]> {
  return Promise.all([ask(0, target), ask(1, target)]);
}

/** An answer of all workers: asks again while one of them is too busy to answer in time. */
async function askComplete(worker: number, target: string): Promise<Answer['json']> {
  for (;;) {
    const { json } = await ask(worker, target);
    if (json.warnings === undefined) return json;
  }
}

/** The names of the global definitions that a worker has. */
async function definitionsAt(worker: number): Promise<readonly string[]> {
  const { derived } = (await ask(worker, '/derived')).json as { derived: { name: string }[] };
  return derived.map(({ name }) => name);
}

/** Opens a stream, again while the gateway is too busy with starting to accept any. */
async function openAdmitted(url: string): Promise<OpenStream> {
  for (;;) {
    const stream = await openStream(url);
    if (stream.status !== 503) return stream;
    await stream.close();
    // Its share of the last moments has to pass.
    await setTimeout(100);
  }
}

/** The worker that has a context. */
function homeOf({ json }: Answer): number {
  return (json.context as number) % 2;
}

describe('two workers', () => {
  it('divide hosts between them, and open each at one of them only', async () => {
    for (const [name, pmcd] of pmcds) {
      const [first, second] = await askBoth(`/pmapi/fetch?hostspec=${name}&names=sample.value`);
      expect(first).toMatchObject({ status: 200, json: { values: [{ name: 'sample.value' }] } });
      expect(second!.json.context).toBe(first!.json.context);
      await askBoth(`/pmapi/fetch?hostspec=${name}&names=sample.value`);
      // As many as one gateway has.
      expect(pmcd.connections).toBeLessThanOrEqual(2);
    }
  });

  it('have each of several hosts answered by the worker that samples it', async () => {
    const hostspec = [...pmcds.keys()].join(';');
    for (const body of [undefined, new URLSearchParams({ hostspec, names: 'sample.value', client: 'me' })]) {
      for (const { port } of workers) {
        const url = `http://127.0.0.1:${port}/pmapi/fetch`;
        const answer = await fetch(body ? url : `${url}?names=sample.value&hostname=${hostspec}`, {
          method: body ? 'POST' : 'GET',
          ...(body && { body }),
        });
        const { hosts } = (await answer.json()) as { readonly hosts: readonly object[] };
        const expected = [...pmcds.keys()].map((name, i) => ({
          hostspec: name,
          values: [{ name: 'sample.value', instances: [{ value: i }] }],
        }));
        expect(hosts).toMatchObject(expected);
      }
    }
    for (const pmcd of pmcds.values()) expect(pmcd.connections).toBeLessThanOrEqual(2);
  });

  it('serve a context wherever it was made', async () => {
    for (const [name] of pmcds) {
      const made = await ask(1, `/pmapi/context?hostspec=${name}`);
      const { context } = made.json as { readonly context: number };
      for (const { status, json } of await askBoth(`/pmapi/${context}/fetch?names=sample.value`)) {
        expect({ status, context: json.context }).toEqual({ status: 200, context });
      }
      expect(await ask(1 - homeOf(made), `/pmapi/${context}`, 'DELETE')).toMatchObject({ status: 200 });
      for (const { status, json } of await askBoth(`/pmapi/${context}/fetch?names=sample.value`)) {
        expect({ status, code: json.code }).toEqual({ status: 404, code: 'UNKNOWN_CONTEXT' });
      }
    }
  });

  it('have what belongs to the machine at the first one', async () => {
    for (const target of ['/pmapi/context', '/pmapi/context?hostspec=embedded']) {
      for (const answer of await askBoth(target)) expect(homeOf(answer)).toBe(0);
    }
    expect((await askBoth('/readyz')).map(({ json }) => json)).toEqual([
      { status: 'ready', success: true, local: 'embedded' },
      { status: 'ready', success: true, local: 'embedded' },
    ]);
    const sources = await askBoth('/series/sources');
    expect(sources[1]!.json).toEqual(sources[0]!.json);
  });

  it('list what is open at both', async () => {
    for (const name of pmcds.keys()) await ask(0, `/pmapi/fetch?hostspec=${name}&names=sample.value`);
    await ask(1, '/pmapi/context?hostspec=web0');
    const hosts = [...pmcds.keys()].map((hostspec) => ({ hostspec, origin: 'named', open: true }));
    for (const worker of [0, 1]) {
      expect((await askComplete(worker, '/hosts')).hosts).toEqual(expect.arrayContaining(hosts));
    }
    const first = await askComplete(0, '/pmapi/contexts');
    expect(await askComplete(1, '/pmapi/contexts')).toEqual(first);
    const ids = (first.contexts as { context: number }[]).map(({ context }) => context);
    expect(new Set(ids.map((id) => id % 2))).toEqual(new Set([0, 1]));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('have a definition at both once it is acknowledged', async () => {
    for (const worker of [0, 1]) {
      const name = `both.w${worker}`;
      expect((await ask(worker, `/derived/${name}?${DOUBLE}`, 'PUT')).status).toBe(201);
      const [first, second] = await Promise.all([definitionsAt(0), definitionsAt(1)]);
      expect(first).toContain(name);
      expect(second).toEqual(first);
      expect((await ask(1 - worker, `/derived/${name}`, 'DELETE')).status).toBe(200);
      for (const at of [0, 1]) expect(await definitionsAt(at)).not.toContain(name);
    }
  });

  it('acknowledge a definition only when both have it, and so its repetition', async () => {
    const held: (() => void)[] = [];
    heldBack.set(1, held);
    const acknowledged: number[] = [];
    const define = async (worker: number): Promise<void> => {
      const { status } = await ask(worker, `/derived/held.back?${DOUBLE}`, 'PUT');
      acknowledged.push(status);
    };
    const first = define(1);
    await until(() => held.length === 1);
    const second = define(0);
    // It is there, and not acknowledged.
    expect(await definitionsAt(0)).toContain('held.back');
    expect(await definitionsAt(1)).not.toContain('held.back');
    expect(acknowledged).toEqual([]);
    heldBack.clear();
    for (const deliver of held) deliver();
    await Promise.all([first, second]);
    expect(acknowledged.sort()).toEqual([200, 201]);
    expect(await definitionsAt(1)).toContain('held.back');
  });

  it('stream what the other one samples', async () => {
    for (const worker of [0, 1]) {
      const [name] = [...pmcds.keys()];
      const { port } = workers[worker]!;
      const stream = await openAdmitted(
        `http://127.0.0.1:${port}/pmapi/stream?hostspec=${name}&names=sample.value&interval=0.1`,
      );
      const [head, sample] = await stream.until(2);
      expect(head!.event).toBe('metrics');
      expect(sample!.data).toContain('sample.value');
      await stream.close();
    }
  });

  it('take pushed archives through either, and both have them at once', async () => {
    const { label, parts } = recordedFiles('live-v3');
    const push = async (worker: number, target: string, body: Buffer): Promise<Record<string, unknown>> => {
      const { port } = workers[worker]!;
      const answer = await fetch(`http://127.0.0.1:${port}${target}`, { method: 'POST', body: new Uint8Array(body) });
      return { status: answer.status, ...((await answer.json()) as object) };
    };
    const { status, archive } = await push(1, '/logger/label', label);
    expect(status).toBe(200);
    expect(await push(0, `/logger/meta/${archive as number}`, parts.get('meta')!)).toMatchObject({ status: 200 });
    for (const piece of piecesOf(parts.get(0)!, 4000)) {
      expect(await push(1, `/logger/volume/0/${archive as number}`, piece)).toEqual({ status: 200, success: true });
    }
    const { json } = await ask(0, '/archives');
    const [{ name }] = json.archives as [{ readonly name: string }];
    expect(name).toMatch(/^pushed\//);
    expect((await ask(1, '/archives')).json).toEqual(json);
    for (const answer of await askBoth(`/pmapi/context?archive=${name}`)) {
      expect([answer.status, homeOf(answer)]).toEqual([200, 0]);
    }
  });

  it('tell a body that a client sends twice from one that it repeats over another connection', async () => {
    const { label, parts } = recordedFiles('live-v3');
    const index = parts.get('index')!;
    const agents = [0, 1].map(() => new http.Agent({ keepAlive: true, maxSockets: 1 }));
    const push = (agent: http.Agent | undefined, target: string, body: Buffer): Promise<string> =>
      new Promise((resolve, reject) => {
        const request = http.request({ port: workers[1]!.port, method: 'POST', path: target, agent }, (response) => {
          let text = '';
          response.on('data', (piece: Buffer) => (text += piece.toString())).on('end', () => resolve(text));
        });
        request.on('error', reject).end(body);
      });
    const begun = await push(agents[0], '/logger/label', label);
    const { archive } = JSON.parse(begun) as { readonly archive: number };
    for (const agent of [agents[0], agents[0], agents[1]]) {
      expect(await push(agent, `/logger/index/${archive}`, index)).toContain('"success":true');
    }
    for (const agent of agents) agent.destroy();
    const files = readdirSync(STATE.path, { recursive: true, encoding: 'utf8' });
    const sizes = files
      .filter((file) => file.endsWith('.index'))
      .map((file) => statSync(path.join(STATE.path, file)).size);
    expect(Math.max(...sizes)).toBe(label.length + 2 * index.length);
  });

  it('count and log a request where it arrives', async () => {
    const target = '/pmapi/fetch?names=pmgate.uptime';
    await ask(1, target);
    await until(() => requests[1]!.includes(target));
    expect(requests[0]).not.toContain(target);
  });

  it('end together, when neither has clients', async () => {
    parent.stop();
    expect(await ended).toBe(0);
  });
});
