import { jest } from '@jest/globals';
import { type ClientBounds, ClientLimits, OverloadGuard } from '../../src/http/index.js';
import { StreamHub } from '../../src/context/stream/index.js';
import { makeIndom, makePmid, systemClock } from '../../src/pmapi/index.js';
import { Api, type FlatOptions } from '../support/api.js';
import { ManualLoop } from '../support/loop-timers.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';
import type { MemoryContent } from '../support/memory-source.js';
import { STREAM_LIMITS, PATIENT_OVERLOAD } from '../support/patience.js';
import { openStream } from '../support/sse-reader.js';
import { heldGateway } from './support/held-source.js';
import { until } from '../support/until.js';

const FETCH = '/pmapi/fetch?names=mem.util.free';
const NO_BOUNDS: ClientBounds = { requestsPerSec: 0, requests: 0, contexts: 0, streams: 0, connections: 0, exempt: [] };

let api: Api;
afterEach(() => api.stop());

const clients = (bounds: Partial<ClientBounds>): Pick<FlatOptions, 'clients'> => ({
  clients: new ClientLimits({ ...NO_BOUNDS, ...bounds }, systemClock),
});

const told = ({ status, headers, json }: Awaited<ReturnType<Api['get']>>) => [
  status,
  json.code,
  headers['retry-after'],
];

describe('a gateway with too much to do', () => {
  it('answers 503 with Retry-After to requests beyond the number that may be under way, and never to probes', async () => {
    const held = heldGateway();
    const overload = new OverloadGuard({
      requests: 2,
      ranges: 1,
      hostRequests: 1,
      loopDelayMs: 60_000,
      unsentBytes: 1e8,
    });
    api = await Api.start(held, { overload });
    const answers = [api.get(FETCH), api.get(FETCH)];
    await held.waiting(2);
    const [status, code, retryAfter] = told(await api.get(FETCH));
    expect([status, code]).toEqual([503, 'OVERLOADED']);
    expect(['1', '2']).toContain(retryAfter);
    expect((await api.get('/healthz')).status).toBe(200);
    expect((await api.get('/readyz')).status).toBe(200);
    held.release();
    expect((await Promise.all(answers)).map(({ status: answered }) => answered)).toEqual([200, 200]);
    expect((await api.get(FETCH)).status).toBe(200);
    await until(() => overload.underWay === 0);
    expect(overload.statistics.full).toBe(1);
  });

  it('counts everything that was taken on out again: errors, batches, ranges, whoever goes away', async () => {
    const overload = new OverloadGuard(PATIENT_OVERLOAD);
    api = await Api.start(undefined, { overload });
    await api.get('/pmapi/fetch?names=no.such');
    await api.get('/pmapi/fetch?nonsense=1');
    await api.get('/pmapi/metrics');
    await api.request('HEAD', FETCH);
    await api.get('/pmapi/99/fetch?names=a');
    await api.post('/pmapi/derive?name=a.b&expr=1', {});
    await api.post('/pmapi/batch', { body: { requests: [{ path: FETCH }, { path: '/pmapi/nothing' }] } });
    const stream = await openStream(`${api.url}/pmapi/stream?names=mem.util.free&interval=1s`);
    await until(() => overload.underWay === 0);
    await stream.close();
    await until(() => overload.underWay === 0);
  });

  it('begins two large fetches from a source at once, whatever else comes; the others wait, and then get 503', async () => {
    const held = heldGateway();
    const loop = new ManualLoop();
    const overload = new OverloadGuard({ ...PATIENT_OVERLOAD, loopDelayMs: 100 }, loop);
    api = await Api.start(held, { overload, limits: { urlBytes: 4096, bodyBytes: 1_000_000, names: 10_000 } });
    // Unknown names: the plan is small, and only the request says that planning it takes long.
    const names = ['mem.util.free', ...Array.from({ length: 250 }, (_, i) => `no.such.metric${i}`)];
    const large = Array.from({ length: 20 }, () => api.post('/pmapi/fetch', { body: { names } }));
    await held.waiting(2);
    const small = api.get(FETCH);
    await held.waiting(3);
    while (overload.underWay < 21) await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(held.asked()).toBe(3);
    loop.advance(300);
    held.release();
    expect((await small).status).toBe(200);
    const statuses = (await Promise.all(large)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, ...Array.from({ length: 18 }, () => 503)]);
    await until(() => overload.underWay === 0);
  });

  it('has a fetch wait its turn that had many values the last time', async () => {
    const overload = new OverloadGuard(PATIENT_OVERLOAD);
    const entered = jest.spyOn(overload, 'enterLargeFetch');
    const indom = makeIndom(60, 9);
    const ids = Array.from({ length: 5000 }, (_, id) => id);
    const content: MemoryContent = {
      metrics: [
        {
          name: 'many.values',
          descriptor: descriptor(makePmid(60, 9, 0), { indom }),
          values: new Map(ids.map((id) => [id, id])),
        },
      ],
      indoms: [{ indom, instances: ids.map((id) => ({ id, name: `i${id}` })) }],
    };
    api = await Api.start(memoryGateway({ content }), { overload });
    await api.get('/pmapi/fetch?names=many.values');
    expect(entered).toHaveBeenCalledTimes(0);
    await api.get('/pmapi/fetch?names=many.values');
    expect(entered).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['names', 'no.such'],
    ['pmids', '60.0.1'],
  ])('has the description of a long list of %s wait its turn', async (parameter, item) => {
    const overload = new OverloadGuard(PATIENT_OVERLOAD);
    const entered = jest.spyOn(overload, 'enterLargeFetch');
    api = await Api.start(undefined, { overload, limits: { urlBytes: 4096, bodyBytes: 1_000_000, names: 10_000 } });
    for (const count of [250, 251]) {
      const list = Array.from({ length: count }, () => item);
      expect((await api.post('/pmapi/metric', { body: { [parameter]: list } })).status).toBe(200);
    }
    expect(entered).toHaveBeenCalledTimes(1);
    await until(() => overload.underWay === 0);
  });

  it('sheds while the event loop is late, leaves open streams alone, and takes all on again when it is not', async () => {
    const loop = new ManualLoop();
    const overload = new OverloadGuard(
      { requests: 100, ranges: 1, hostRequests: 1, loopDelayMs: 100, unsentBytes: 1e8 },
      loop,
    );
    api = await Api.start(undefined, { overload });
    const stream = await openStream(`${api.url}/pmapi/stream?names=mem.util.free&interval=1s`);
    for (let i = 0; i < 4; i++) {
      await api.get(FETCH);
      loop.turn(200);
    }
    expect((await api.get(FETCH)).status).toBe(200);
    loop.advance(60);
    expect(told(await api.get(FETCH)).slice(0, 2)).toEqual([503, 'OVERLOADED']);
    expect((await api.get('/healthz')).status).toBe(200);
    expect((await stream.until(2)).length).toBeGreaterThanOrEqual(2);
    loop.turn(0);
    for (let i = 0; i < 3; i++) loop.turn(25);
    loop.advance(60);
    expect((await api.get(FETCH)).status).toBe(200);
    await stream.close();
  });
});

describe('one client that takes too much', () => {
  it('is answered 429 for more requests at once than it may have, and others are not', async () => {
    const held = heldGateway();
    api = await Api.start(held, clients({ requests: 1 }));
    const answer = api.get(FETCH);
    await held.waiting(1);
    expect(told(await api.get(FETCH))).toEqual([429, 'TOO_MANY_REQUESTS', '1']);
    expect((await api.get('/healthz')).status).toBe(200);
    held.release();
    expect((await answer).status).toBe(200);
    expect((await api.get(FETCH)).status).toBe(200);
  });

  it('is answered 429 for more contexts, and may make one again when one is gone', async () => {
    api = await Api.start(undefined, clients({ contexts: 2 }));
    const context = await api.context();
    await api.get(`/pmapi/${context}/profile?client=x`);
    const duplicate = (await api.post(`/pmapi/${context}/dup`)).json.context;
    expect(told(await api.get('/pmapi/context'))).toEqual([429, 'TOO_MANY_CONTEXTS', '1']);
    expect(told(await api.post(`/pmapi/${context}/dup`))).toEqual([429, 'TOO_MANY_CONTEXTS', '1']);
    expect((await api.get(FETCH)).status).toBe(200);
    await api.request('DELETE', `/pmapi/${duplicate}`);
    await api.context();
  });

  it('may make contexts again when those that it had expired', async () => {
    const gateway = memoryGateway();
    const bounds = clients({ contexts: 1 });
    api = await Api.start(gateway, bounds);
    await api.get('/pmapi/context?polltimeout=0.001');
    expect((await api.get('/pmapi/context')).status).toBe(429);
    while (gateway.contexts.sweep() === 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await api.get('/pmapi/context')).status).toBe(200);
  });

  it('is answered 429 for more streams, until one of them ends', async () => {
    const streams = new StreamHub({ clock: systemClock, limits: STREAM_LIMITS });
    api = await Api.start(undefined, { ...clients({ streams: 1 }), streams });
    const url = `${api.url}/pmapi/stream?names=mem.util.free&interval=1s`;
    const stream = await openStream(url);
    const refused = await openStream(url);
    expect(refused.status).toBe(429);
    await stream.close();
    while (streams.subscribers > 0) await new Promise((resolve) => setImmediate(resolve));
    const another = await openStream(url);
    expect(another.status).toBe(200);
    await another.close();
  });

  it('is answered 429 for more requests per second, entries of a batch counted one by one', async () => {
    api = await Api.start(undefined, clients({ requestsPerSec: 0.001 }));
    expect((await api.get(FETCH)).status).toBe(200);
    expect(told(await api.get(FETCH))).toEqual([429, 'TOO_MANY_REQUESTS', expect.stringMatching(/^\d{3,4}$/)]);
    await api.stop();
    api = await Api.start(undefined, clients({ requestsPerSec: 3 }));
    const requests = Array.from({ length: 4 }, () => ({ path: FETCH }));
    const { json } = await api.post('/pmapi/batch', { body: { requests } });
    const { responses } = json as unknown as { responses: { status: number; headers: object }[] };
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(responses[3]!.headers).toMatchObject({ 'retry-after': '1' });
  });
});

describe('one answer that is too large', () => {
  const limits = { urlBytes: 4096, bodyBytes: 8192, names: 100 };

  it('is refused with what would fit', async () => {
    api = await Api.start(undefined, { limits: { ...limits, values: 4 } });
    const names = 'kernel.all.load,mem.util.free,kernel.all.sysfork,disk.all.total_bytes';
    const fits = 'about 2 of these metrics would fit';
    expect(await api.get(`/pmapi/fetch?names=${names}`)).toMatchObject({
      status: 413,
      json: {
        code: 'LIMIT_EXCEEDED',
        message: `6 values of 4 metrics; one response may have 4 (limits.values): ${fits}`,
        expected: fits,
      },
    });
    expect((await api.get('/pmapi/fetch?names=kernel.all.load,mem.util.free')).status).toBe(200);
    expect(await api.get('/pmapi/metrics')).toMatchObject({
      status: 413,
      json: { message: expect.stringMatching(/^\d+ metrics; one response may have 4 .*: select some of them/) },
    });
    expect((await api.get('/pmapi/metrics?names=kernel.all.load')).status).toBe(200);
    expect((await api.get('/pmapi/metrics?names=kernel')).status).toBe(200);
  });

  it('is told to take fewer instances when one metric has too many', async () => {
    api = await Api.start(undefined, { limits: { ...limits, values: 2 } });
    expect((await api.get('/pmapi/fetch?names=kernel.all.load')).json).toMatchObject({
      expected: 'select some of the instances (instances, iname, top)',
    });
    expect((await api.get('/pmapi/fetch?names=kernel.all.load&top=2')).status).toBe(200);
  });
});
