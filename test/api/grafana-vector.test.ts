import { makePmid, makeUnits, MetricType, Semantics } from '../../src/pmapi/index.js';
import { Api, checkAnswer } from '../support/api.js';
import { FakeClock } from '../support/fake-clock.js';
import { type Ask, GrafanaVector } from '../support/grafana-vector.js';
import { descriptor, memoryGateway, TEST_CONTENT } from '../support/memory-gateway.js';
import type { MemoryContent } from '../support/memory-source.js';
import { rows } from '../support/rows.js';

const START_SEC = Date.UTC(2026, 0, 1) / 1000;

/** What the tests of other rooms use, a counter that counts, and the version that the test of a data source asks for. */
const CONTENT: MemoryContent = {
  ...TEST_CONTENT,
  metrics: [
    ...TEST_CONTENT.metrics,
    {
      name: 'disk.all.read',
      descriptor: descriptor(makePmid(60, 0, 4), {
        type: MetricType.U64,
        semantics: Semantics.COUNTER,
        units: makeUnits({ dimCount: 1 }),
      }),
      values: ({ sec }) => BigInt(sec - START_SEC) * 40n + 1000n,
    },
    {
      name: 'pmcd.version',
      descriptor: descriptor(makePmid(2, 0, 7), { type: MetricType.STRING, semantics: Semantics.DISCRETE }),
      values: '7.2.1',
    },
  ],
};

describe("Grafana's PCP plugin in Vector mode", () => {
  let api: Api;
  let clock: FakeClock;
  let ask: Ask;

  beforeEach(async () => {
    clock = new FakeClock();
    api = await Api.start(memoryGateway({ content: CONTENT, clock, limits: { maxPollTimeoutMs: 60_000 } }));
    // Every answer is held against openapi.yaml on its way.
    ask = (target, headers) => api.get(target, { headers });
  });
  afterEach(async () => {
    await api.stop();
  });

  /** Poll some times, two seconds apart. */
  async function pollTimes(vector: GrafanaVector, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      clock.advance(2000);
      await vector.poll();
    }
  }

  it('finds the data source working', async () => {
    expect(await new GrafanaVector(ask).test()).toBe('7.2.1');
  });

  it('lists the values of a metric for a dashboard variable', async () => {
    expect(await new GrafanaVector(ask).variable('kernel.all.sysfork')).toEqual(['9369']);
  });

  it('completes names', async () => {
    expect(await new GrafanaVector(ask).complete('')).toEqual({
      names: ['disk', 'kernel', 'mem', 'pmcd', 'test'],
      helps: [],
    });
    const metrics = ['disk.all.read', 'disk.all.total_bytes'];
    expect(await new GrafanaVector(ask).complete('disk.all')).toEqual({ names: metrics, helps: metrics });
  });

  it('draws instances by name, with the labels of context, metric, domain and instance', async () => {
    const vector = new GrafanaVector(ask);
    vector.add('kernel.all.load');
    await pollTimes(vector, 3);
    const load = vector.series('kernel.all.load');
    expect(load.map(({ name }) => name)).toEqual([
      'kernel.all.load[1 minute]',
      'kernel.all.load[5 minute]',
      'kernel.all.load[15 minute]',
    ]);
    expect(load[0]).toMatchObject({
      values: [0.51, 0.51, 0.51],
      labels: { hostname: 'web1', agent: 'linux', indom_name: 'load', short: true },
    });
    expect(vector.metadata('kernel.all.load')).toMatchObject({ type: 'float', sem: 'instant', units: 'none' });
    expect(vector.contexts).toBe(1);
  });

  it('makes rates of counters from the time stamps of the answers', async () => {
    const vector = new GrafanaVector(ask);
    vector.add('disk.all.read');
    await pollTimes(vector, 4);
    expect(vector.metadata('disk.all.read')).toMatchObject({ type: 'u64', sem: 'counter', units: 'count' });
    expect(vector.series('disk.all.read')).toEqual([
      { name: 'disk.all.read', labels: expect.anything() as unknown, values: [null, 40, 40, 40] },
    ]);
  });

  it('defines an expression once for two panels, and draws it', async () => {
    const vector = new GrafanaVector(ask);
    const expr = '100 * rate(disk.all.read) / mem.util.free';
    vector.add(expr);
    vector.add(expr);
    await pollTimes(vector, 3);
    expect(vector.states.map(({ state }) => state)).toEqual(['available', 'available']);
    const [series, ...others] = vector.series(expr);
    expect(others).toEqual([]);
    expect(series!.name).toMatch(/^derived_[0-9a-f]{32}$/);
    expect(series!.values.at(-1)).toBeCloseTo((100 * 40) / 23_987_772, 12);
  });

  it.each([
    ['mem.util.free +', 'syntax'],
    ['mem.util.free + kernel.all.sysfork', 'semantic'],
  ])('tells what is wrong with %s, and draws the rest', async (expr, error) => {
    const vector = new GrafanaVector(ask);
    vector.add(expr);
    vector.add('mem.util.free');
    await vector.poll();
    expect(vector.states).toEqual([
      { expr, state: 'error', error },
      { expr: 'mem.util.free', state: 'available', error: undefined },
    ]);
    expect(vector.series('mem.util.free')[0]!.values).toEqual([23_987_772]);
  });

  it('keeps the others going when a metric is unknown, alone or among others', async () => {
    const vector = new GrafanaVector(ask);
    vector.add('no.such.metric');
    await vector.poll();
    expect(vector.states).toEqual([{ expr: 'no.such.metric', state: 'pending', error: 'missing no.such.metric' }]);
    vector.add('mem.util.free');
    await pollTimes(vector, 2);
    expect(vector.states).toEqual([
      { expr: 'no.such.metric', state: 'pending', error: 'missing no.such.metric' },
      { expr: 'mem.util.free', state: 'available', error: undefined },
    ]);
    expect(vector.series('mem.util.free')[0]!.values).toHaveLength(2);
  });

  it('notices metrics that appear and go', async () => {
    const vector = new GrafanaVector(ask);
    vector.add('disk.all.read');
    vector.add('mem.util.free');
    await pollTimes(vector, 1);
    const source = api.gateway.sources[0]!;
    const without = CONTENT.metrics.filter(({ name }) => name !== 'disk.all.read');
    source.replace({ ...CONTENT, metrics: without });
    await pollTimes(vector, 1);
    expect(vector.states[0]).toMatchObject({ state: 'pending', error: 'missing disk.all.read' });
    source.replace(CONTENT);
    await pollTimes(vector, 2);
    expect(vector.states.map(({ state }) => state)).toEqual(['available', 'available']);
    expect(vector.series('disk.all.read')[0]!.values.length).toBeGreaterThanOrEqual(2);
  });

  it('asks for instances again when one appears', async () => {
    const vector = new GrafanaVector(ask);
    vector.add('kernel.all.load');
    await pollTimes(vector, 1);
    const [load, ...others] = CONTENT.metrics;
    const more = new Map([...(load!.values as ReadonlyMap<number, number>), [60, 0.5]]);
    const indom = CONTENT.indoms![0]!;
    api.gateway.sources[0]!.replace({
      ...CONTENT,
      metrics: [{ ...load!, values: more }, ...others],
      indoms: [{ ...indom, instances: [...indom.instances, { id: 60, name: '60 minute' }] }],
    });
    await pollTimes(vector, 1);
    expect(vector.series('kernel.all.load').at(-1)).toMatchObject({
      name: 'kernel.all.load[60 minute]',
      values: [null, 0.5],
    });
  });

  it('draws nothing for a metric that cannot be had now', async () => {
    const vector = new GrafanaVector(ask);
    vector.add('test.broken');
    vector.add('mem.util.free');
    await vector.poll();
    expect(vector.states.map(({ state }) => state)).toEqual(['available', 'available']);
    expect(vector.series('test.broken')).toEqual([]);
    expect(vector.series('mem.util.free')[0]!.values).toEqual([23_987_772]);
  });

  it('makes another context, and its definitions again, when the context has expired', async () => {
    const vector = new GrafanaVector(ask, { refreshMs: 1000 });
    vector.add('mem.util.free * 2');
    await vector.poll();
    const first = vector.context;
    // Refresh interval and ten seconds: that long the plugin asked the context to be kept.
    expect(api.gateway.contexts.use(first)).toMatchObject({ pollTimeoutMs: 11_000 });
    clock.advance(10_999);
    await vector.poll();
    expect(vector.context).toBe(first);
    clock.advance(11_001);
    await vector.poll();
    expect(vector.context).not.toBe(first);
    expect(vector.contexts).toBe(2);
    expect(vector.states).toEqual([{ expr: 'mem.util.free * 2', state: 'available', error: undefined }]);
    expect(vector.series('mem.util.free * 2')[0]!.values).toEqual([47_975_544, 47_975_544, 47_975_544]);
  });

  it('polls a container in a context of its own', async () => {
    const hostspec = 'pcp://127.0.0.1?container=web';
    const inside = new GrafanaVector(ask, { hostspec });
    const outside = new GrafanaVector(ask);
    for (const vector of [inside, outside]) {
      vector.add('mem.util.free');
      await vector.poll();
    }
    expect(inside.context).not.toBe(outside.context);
    expect(api.gateway.opened).toEqual(rows({ kind: 'host', hostspec }, { kind: 'host', hostspec: 'pcp://127.0.0.1' }));
  });

  it('works behind a URL that ends in a slash', async () => {
    const plain: Ask = async (target, headers) => {
      const answer = await fetch(`${api.url}${target}`, { headers });
      const text = await answer.text();
      checkAnswer('GET', target.slice(1), { status: answer.status, headers: Object.fromEntries(answer.headers), text });
      return { status: answer.status, text };
    };
    const vector = new GrafanaVector(plain, { base: '/' });
    vector.add('kernel.all.load');
    vector.add('mem.util.free * 2');
    await pollTimes(vector, 2);
    expect(vector.states.map(({ state }) => state)).toEqual(['available', 'available']);
    expect(await vector.test()).toBe('7.2.1');
  });

  it('comes through the proxy of Grafana, whose pages are of another origin', async () => {
    const proxied: Ask = (target, headers) =>
      api.get(target, {
        headers: {
          ...headers,
          'x-grafana-referer': 'https://elsewhere.example.com/d/abc?refresh=1s',
          'x-forwarded-for': '192.0.2.7',
          'x-grafana-org-id': '1',
          'x-grafana-device-id': 'd0',
          'sec-fetch-site': 'same-origin',
          'sec-fetch-mode': 'cors',
        },
      });
    const vector = new GrafanaVector(proxied);
    vector.add('mem.util.free * 2');
    await vector.poll();
    expect(vector.states).toEqual([{ expr: 'mem.util.free * 2', state: 'available', error: undefined }]);
  });

  it('comes from the browser itself, from origins that the configuration lets in', async () => {
    const origin = 'https://grafana.example.com';
    const preflight = await api.request('OPTIONS', '/pmapi/context', {
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'content-type' },
    });
    expect(preflight.headers['access-control-allow-origin']).toBe(origin);
    expect(preflight.headers['access-control-allow-headers']).toMatch(/\bContent-Type\b/);
    const browser: Ask = async (target, headers) => {
      const answer = await api.get(target, { headers: { ...headers, origin } });
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      return answer;
    };
    const vector = new GrafanaVector(browser);
    vector.add('mem.util.free * 2');
    vector.add('mem.util.free +');
    await vector.poll();
    expect(vector.states.map(({ state }) => state)).toEqual(['available', 'error']);
  });
});
