import { once } from 'node:events';
import net from 'node:net';
import { jest } from '@jest/globals';
import { BindingCache } from '../../src/context/names/binding-cache.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { OverloadGuard } from '../../src/http/index.js';
import { makeIndom, makePmid } from '../../src/pmapi/index.js';
import { Api } from '../support/api.js';
import { FakePmcd } from '../support/fake-pmcd.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';
import type { MemoryContent } from '../support/memory-source.js';
import { PATIENT_OVERLOAD } from '../support/patience.js';
import { ask } from '../support/plain-request.js';
import { until } from '../support/until.js';
import { startGateway } from '../support/whole-gateway.js';

const FORM = 'application/x-www-form-urlencoded';

// Of a client that is slow, which cannot be had without waiting: the pauses are far shorter than the time after which it would be cut off.
const WRITE_MS = 1000;
const PAUSE_MS = 50;
const METRICS = 100;
const BYTES_BETWEEN = 600_000;

/** A metric whose values take some 150 KB as text. */
const WIDE: MemoryContent = {
  hostName: 'wide',
  metrics: [
    {
      name: 'wide',
      descriptor: descriptor(makePmid(29, 0, 0), { indom: makeIndom(29, 1) }),
      values: new Map(Array.from({ length: 5000 }, (_, i) => [i, i])),
    },
  ],
};
const LIMITS = { urlBytes: 16_384, bodyBytes: 1_048_576, names: 10_000 };
const MANY = Array(900).fill('kernel.all.load').join(',');
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(...given: Parameters<typeof Api.start>): Promise<Api> {
  const api = await Api.start(...given);
  ends.push(() => api.stop());
  return api;
}

function connect(api: Api): net.Socket {
  const socket = net.connect(api.port, '127.0.0.1').on('error', () => undefined);
  ends.push(() => socket.destroy());
  return socket;
}

const timeouts = (writeMs: number) => ({ headersMs: 20_000, requestMs: 60_000, keepAliveMs: 60_000, writeMs });

/** Asks for an answer that fits into no socket's buffers. */
const ALL = `names=${Array(10_000).fill('kernel.all.load').join(',')}`;
const ASKING_ALL = `POST /pmapi/fetch HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${FORM}\r\nContent-Length: ${ALL.length}\r\n\r\n${ALL}`;

describe('a client that takes nothing of its answer', () => {
  it('is cut off after limits.writeTimeoutSec, and what was written for it is let go', async () => {
    const overload = new OverloadGuard(PATIENT_OVERLOAD);
    const api = await serve(undefined, { overload, limits: LIMITS, timeouts: timeouts(100) });
    const socket = connect(api).pause();
    for (let i = 0; i < 20; i++) socket.write(ASKING_ALL);
    const cutOff = new Promise((resolve) => socket.once('close', resolve));
    // Nothing is read: only a write learns of the end. Each asks for more, so that no kernel's buffers hold it all.
    const watch = setInterval(() => socket.write(ASKING_ALL), 50);
    await cutOff;
    clearInterval(watch);
    expect((await api.get('/pmapi/fetch?names=mem.util.free')).status).toBe(200);
    // What the server had read before it cut the client off is still worked through.
    await until(() => overload.underWay === 0 && overload.unsentBytes === 0);
  });

  it('keeps no more than limits.unsentBytes waiting: further large answers are 503, small ones are given', async () => {
    const overload = new OverloadGuard({ ...PATIENT_OVERLOAD, unsentBytes: 100_000 });
    const api = await serve(undefined, { overload, limits: LIMITS });
    const large = () => api.post('/pmapi/fetch', { body: ALL, type: FORM });
    const socket = connect(api).pause();
    for (let i = 0; i < 20; i++) socket.write(ASKING_ALL);
    // What the kernel's buffers take is taken.
    let refused = await large();
    while (refused.status !== 503) refused = await large();
    expect(refused.json).toMatchObject({ code: 'OVERLOADED' });
    expect(refused.json.message).toContain('limits.unsentBytes is 100000');
    expect(overload.statistics.unsent).toBeGreaterThan(0);
    expect((await api.get('/pmapi/fetch?names=mem.util.free')).status).toBe(200);
    socket.destroy();
    while (refused.status !== 200) refused = await large();
  });

  it('counts no more once it has gone, nor do the answers that waited behind the first', async () => {
    const overload = new OverloadGuard(PATIENT_OVERLOAD);
    const api = await serve(undefined, { overload, limits: LIMITS });
    const socket = connect(api).pause();
    socket.write(`${get('/pmapi/stream?names=mem.util.free')}${get('/pmapi/stream?names=mem.util.used')}`);
    for (let i = 0; i < 20; i++) socket.write(get(`/pmapi/fetch?names=${MANY}`));
    await until(() => api.options.streams.subscribers === 2 && overload.unsentBytes > 1_000_000);
    socket.destroy();
    await until(() => api.options.streams.subscribers === 0 && overload.unsentBytes === 0 && overload.underWay === 0);
  });

  it('does not have answers wait behind a stream for longer than it may take none', async () => {
    const overload = new OverloadGuard(PATIENT_OVERLOAD);
    const api = await serve(undefined, { overload, timeouts: timeouts(100), limits: LIMITS });
    // It reads all that comes.
    const socket = connect(api).resume();
    socket.write(`${get('/pmapi/stream?names=mem.util.free')}${get(`/pmapi/fetch?names=${MANY}`)}`);
    await once(socket, 'close');
    await until(() => overload.unsentBytes === 0);
  });

  it('is no defect of the gateway when it leaves a queue', async () => {
    const overload = new OverloadGuard({ ...PATIENT_OVERLOAD, ranges: 1 });
    const api = await serve(undefined, { overload });
    ends.push(await overload.ranges.enter());
    const socket = connect(api);
    socket.write(get('/pmapi/fetch?names=mem.util.free&start=-1min'));
    await until(() => overload.ranges.waiting === 1);
    socket.destroy();
    await until(() => overload.ranges.waiting === 0 && overload.underWay === 0);
    expect((await api.get('/pmapi/fetch?names=mem.util.free')).status).toBe(200);
    expect(api.defects).toEqual([]);
  });

  it('is cut off when it asks for ever more without waiting', async () => {
    const api = await serve();
    const socket = connect(api).resume();
    socket.write(get('/pmapi/stream?names=mem.util.free') + get('/healthz').repeat(120));
    await once(socket, 'close');
    expect((await api.get('/healthz')).status).toBe(200);
  });

  it('is not cut off while it takes something, however slowly', async () => {
    const api = await serve(memoryGateway({ content: WIDE }), { timeouts: timeouts(WRITE_MS) });
    const socket = connect(api).pause();
    // More than the kernel's buffers take, and one answer: those that wait behind others may not do so for longer than that.
    socket.write(
      get(`/pmapi/fetch?names=${Array(METRICS).fill('wide').join(',')}`).replace(/\r\n$/, 'Connection: close\r\n\r\n'),
    );
    let text = '';
    let pauses = 0;
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
      if (text.length < (pauses + 1) * BYTES_BETWEEN) return;
      pauses++;
      socket.pause();
      setTimeout(() => socket.resume(), PAUSE_MS);
    });
    socket.resume();
    await once(socket, 'end');
    // In all it took longer than it may take nothing for.
    expect(pauses * PAUSE_MS).toBeGreaterThan(WRITE_MS);
    expect(text).toMatch(/\}\r\n\r\n0\r\n\r\n$/);
  });
});

describe('a host that is silent', () => {
  it('takes no more requests than hosts.requests: others get on with theirs, and so does it when it is back', async () => {
    const [silent, well] = await Promise.all([FakePmcd.start(), FakePmcd.start()]);
    const { port, close } = await startGateway({
      PMGATE_HOSTS_REQUESTS: '3',
      PMGATE_HOSTS_CONNECT_TIMEOUT_SEC: '60',
      PMGATE_HOSTS_REPLY_TIMEOUT_SEC: '600',
      PMGATE_HOSTS_ALLOW: '127.0.0.1:*',
    });
    ends.push(silent.stop.bind(silent), well.stop.bind(well), close);
    const fetch = (fake: FakePmcd) => ask(port, `/pmapi/fetch?names=fake.none&hostspec=${fake.hostspec}`);
    await fetch(silent);
    silent.hold();
    // The context is there; names that it does not know yet are asked for.
    const held = [1, 2, 3].map((i) => ask(port, `/pmapi/fetch?names=fake.${i}&hostspec=${silent.hostspec}`));
    let refused = await ask(port, `/pmapi/fetch?names=fake.4&hostspec=${silent.hostspec}`);
    while (refused.status !== 503) refused = await fetch(silent);
    expect(refused.headers['retry-after']).toMatch(/^[12]$/);
    expect(JSON.parse(refused.body)).toMatchObject({
      code: 'OVERLOADED',
      message: `too many requests wait for ${silent.hostspec} (hosts.requests is 3): try again later`,
    });
    expect((await fetch(well)).status).toBe(200);
    expect((await ask(port, '/pmapi/fetch?names=pmgate.version')).status).toBe(200);
    silent.release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await fetch(silent)).status).toBe(200);
  });
});

describe('a client that leaves while derived metrics are bound', () => {
  const definitions = new DefinitionStore();
  for (const i of [0, 1]) definitions.register(`many.x${i}`, `mem.util.free + ${i}`);

  it.each([
    '/pmapi/children?prefix=many',
    '/pmapi/metric?prefix=many',
    '/pmapi/fetch?prefix=many',
    '/pmapi/fetch?names=many.x0,many.x1',
    '/pmapi/stream?prefix=many',
    '/metrics?names=many',
    '/derived/check?expr=no.such',
  ])('has no more of them bound: %s', async (url) => {
    const api = await serve(memoryGateway({ definitions }));
    const client = connect(api);
    const bind = Reflect.get(BindingCache.prototype, 'bindAll');
    let ending: Promise<unknown> | undefined;
    const binding = jest.spyOn(BindingCache.prototype, 'bindAll').mockImplementation(async function (
      this: BindingCache,
      ...request
    ) {
      const signal = request[3];
      client.destroy();
      if (signal && !signal.aborted) await once(signal, 'abort');
      const result = Reflect.apply(bind, this, request);
      ending = result.catch((error: unknown) => error);
      return result;
    });
    try {
      client.write(get(url));
      await until(() => ending !== undefined);
      expect(await ending).toMatchObject({ message: 'the client disconnected' });
      expect(api.defects).toEqual([]);
    } finally {
      binding.mockRestore();
    }
  });
});
