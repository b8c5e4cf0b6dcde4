import { ContextManager } from '../../src/context/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { StreamHub, type StreamLimits } from '../../src/context/stream/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { Api, type SampleJson, checkAnswer } from '../support/api.js';
import { memoryGateway, TEST_CONTENT } from '../support/memory-gateway.js';
import { MemorySource } from '../support/memory-source.js';
import { type OpenStream, openStream } from '../support/sse-reader.js';
import { HandTime, settle } from '../support/stream-fixture.js';
import { STREAM_LIMITS } from '../support/patience.js';
import { rows } from '../support/rows.js';

let time: HandTime;
let api: Api;
let hub: StreamHub;
const open = new Set<OpenStream>();

async function start(limits: Partial<StreamLimits> = {}): Promise<void> {
  time = new HandTime(200);
  hub = new StreamHub({ clock: time, timers: time, limits: { ...STREAM_LIMITS, ...limits } });
  const memory = new LiveMemory(time, { bytes: 1_000_000, maxAgeMs: 60_000 });
  const definitions = new DefinitionStore();
  definitions.register('test.twice', 'mem.util.free * 2');
  api = await Api.start(memoryGateway({ clock: time, memory, definitions }), { streams: hub });
}

/** Open a stream; everything that comes of it is held against openapi.yaml when the test is over. */
async function listen(query: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenStream> {
  const path = query.startsWith('/') ? query : `/pmapi/stream?${query}`;
  const stream = await openStream(`${api.url}${path}`, headers);
  open.add(stream);
  return stream;
}

beforeEach(() => start());
afterEach(async () => {
  for (const stream of open) {
    await stream.close();
    const text = stream.text();
    const headers = { 'transfer-encoding': 'chunked', 'content-type': String(stream.headers['content-type']) };
    const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
    if (stream.status === 200) checkAnswer('GET', '/pmapi/stream', { status: 200, headers, text: whole });
  }
  open.clear();
  hub.close();
  await api.stop();
});

/** A gateway whose hostspecs lead elsewhere after each call of what is returned. */
async function startMoving(): Promise<() => void> {
  hub.close();
  await api.stop();
  let [opened, wanted] = [0, 1];
  const contexts = new ContextManager({
    sources: {
      open: () => {
        opened = wanted;
        return Promise.resolve(Object.assign(new MemorySource(TEST_CONTENT, time), { origin: { wanted } }));
      },
      hasMoved: () => opened !== wanted,
    },
    clock: time,
    limits: { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 86_400_000 },
  });
  hub = new StreamHub({ clock: time, timers: time, limits: STREAM_LIMITS });
  api = await Api.start({ contexts, opened: [], sources: [] }, { streams: hub });
  return () => {
    wanted++;
    contexts.sweep();
  };
}

const samplesOf = (stream: OpenStream): readonly SampleJson[] =>
  stream.events().flatMap(({ event, data }) => (event === 'message' ? [JSON.parse(data) as SampleJson] : []));

describe('GET /pmapi/stream', () => {
  it('tells the metrics, and then samples with their time stamps as ids', async () => {
    const stream = await listen('names=mem.util.free,no.such,kernel.all.load&client=me');
    await stream.until(2);
    await time.pass(1000);
    const [head, first, second] = await stream.until(3);
    expect(head!.event).toBe('metrics');
    expect(JSON.parse(head!.data)).toMatchObject({
      client: 'me',
      interval: 1,
      metrics: [
        { name: 'mem.util.free', pmid: '60.1.2', type: 'u64', sem: 'instant', units: 'Kbyte' },
        { name: 'kernel.all.load', indom: '60.2' },
      ],
      warnings: [{ name: 'no.such', code: 'UNKNOWN_METRIC' }],
    });
    for (const [event, stamp] of rows([first, '1767225600.200000000'], [second, '1767225601.000000000'])) {
      expect([event!.event, event!.id]).toEqual(['message', stamp]);
      expect(event!.data).toContain(
        `{"timestamp":${stamp},"values":[{"pmid":"60.1.2","name":"mem.util.free","instances":[{`,
      );
    }
    expect(stream.text()).toMatch(/^retry: 1000\nevent: metrics\n/);
  });

  it('has the headers of events that are not to be kept back', async () => {
    const stream = await listen('names=mem.util.free', { origin: 'http://localhost:3000', 'accept-encoding': 'gzip' });
    expect([stream.status, stream.headers]).toMatchObject([
      200,
      {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'access-control-allow-origin': 'http://localhost:3000',
      },
    ]);
    expect(stream.headers['content-encoding']).toBeUndefined();
  });

  it('answers HEAD with headers, and begins nothing', async () => {
    const answer = await api.request('HEAD', '/pmapi/stream?names=mem.util.free');
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'text/event-stream', '']);
    expect((await api.request('HEAD', '/pmapi/stream?name=no.such')).status).toBe(404);
    expect([hub.groups, hub.subscribers]).toEqual([0, 0]);
  });

  it('takes parameters in a body', async () => {
    const abort = new AbortController();
    const answer = await fetch(`${api.url}/pmapi/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ names: ['mem.util.free'], interval: '2s' }),
      signal: abort.signal,
    });
    const read = await answer.body!.getReader().read();
    expect(Buffer.from(read.value).toString()).toContain('"interval":2');
    abort.abort();
  });

  it.each<[string, number, object]>([
    ['', 400, { code: 'BAD_PARAMETER', parameter: 'names' }],
    ['name=no.such', 404, { code: 'UNKNOWN_METRIC' }],
    ['names=mem.util.free&interval=', 400, { parameter: 'interval' }],
    ['names=mem.util.free&interval=soon', 400, { code: 'BAD_PARAMETER', parameter: 'interval' }],
    ['names=mem.util.free&interval=99msec', 400, { parameter: 'interval', expected: '100msec to 24hours' }],
    ['names=mem.util.free&lastEventId=yesterday', 400, { parameter: 'lastEventId' }],
    ['names=mem.util.free&speed=2', 400, { parameter: 'speed' }],
    ['names=mem.util.free&speed=fast', 400, { parameter: 'speed' }],
    ['names=mem.util.free&start=soon', 400, { parameter: 'start' }],
    ['names=mem.util.free&finish=-1min', 400, { parameter: 'finish' }],
    ['names=mem.util.free&changed=perhaps', 400, { parameter: 'changed' }],
    ['names=mem.util.free&units=sec', 400, { code: 'CONVERSION', parameter: 'units' }],
    ['names=mem.util.free&samples=3', 400, { code: 'UNKNOWN_PARAMETER' }],
    ['names=mem.util.free&context=1', 404, { code: 'UNKNOWN_CONTEXT' }],
  ])('refuses %p', async (query, status, expected) => {
    const answer = await api.get(`/pmapi/stream?${query}`);
    expect([answer.status, answer.json]).toMatchObject([status, expected]);
    expect(hub.groups).toBe(0);
  });

  it('selects, converts and forms values as fetches do', async () => {
    const stream = await listen(
      'names=kernel.all.load,test.twice&iname=1*,5*&match=glob&top=1&times=iso&zone=Europe/Vienna&numbers=exact',
    );
    await stream.until(2);
    await time.pass(1000);
    await stream.until(3);
    expect(samplesOf(stream)[1]).toEqual({
      timestamp: '2026-01-01T01:00:01.000000000+01:00',
      values: [
        { pmid: '60.2.0', name: 'kernel.all.load', instances: [{ instance: 1, value: 0.51 }] },
        expect.objectContaining({ name: 'test.twice', instances: [{ instance: null, value: 47975544 }] }),
      ],
    });
    const rate = await listen('prefix=kernel.all.sysfork&rate=true');
    await rate.until(2);
    await time.pass(2000);
    await rate.until(4);
    expect(samplesOf(rate).map(({ values }) => values[0]!.instances.length)).toEqual([0, 1, 1]);
    expect(JSON.parse(rate.events()[0]!.data)).toMatchObject({ metrics: [{ type: 'double', units: 'count / sec' }] });
  });

  it('names instances, and sums up those that are not among the greatest', async () => {
    const stream = await listen('names=kernel.all.load,mem.util.free&top=1&rest=sum&inames=true');
    await stream.until(2);
    const [sample] = samplesOf(stream);
    expect(sample!.values).toMatchObject([
      { instances: [{ instance: 1, name: '1 minute' }], rest: { count: 2, value: expect.closeTo(0.28) as number } },
      { instances: [{ instance: null }] },
    ]);
    expect(JSON.stringify(sample!.values[1])).not.toMatch(/"rest"|"name":null/);
    const changed = await listen('names=mem.util.free,kernel.all.load&changed=true&inames=true');
    await changed.until(2);
    expect(samplesOf(changed)[0]!.values[1]!.instances).toMatchObject([{ name: '1 minute' }, {}, {}]);
    expect((await listen('names=kernel.all.load&top=1&rest=sum&changed=true')).status).toBe(400);
  });

  it('samples once for clients of all names, and tells each of them its own', async () => {
    const url = 'names=mem.util.free&interval=1s';
    const streams = [await listen(`${url}&client=a`), await listen(`${url}&client=b`), await listen(url)];
    const heads = await Promise.all(streams.map(async (stream) => (await stream.until(2))[0]!.data));
    expect(heads.map((data) => (JSON.parse(data) as { client?: string }).client)).toEqual(['a', 'b', undefined]);
    expect([hub.subscribers, hub.groups]).toEqual([3, 1]);
  });

  it('tells a sample that is too large for its interval, and that alone', async () => {
    await api.stop();
    api = await Api.start(memoryGateway({ clock: time }), {
      streams: hub,
      limits: { urlBytes: 16_384, bodyBytes: 16_384, names: 100, values: 30 },
    });
    const names = 'names=kernel.all.load,mem.util.free';
    const [often, seldom] = [await listen(`${names}&interval=1s`), await listen(`${names}&interval=2s`)];
    const [, failure] = await often.until(2);
    expect(failure!.event).toBe('failure');
    expect(JSON.parse(failure!.data)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(failure!.data).toContain('4 values of 2 metrics; a sample of a stream every 1 s may have 3');
    await seldom.until(2);
    expect(samplesOf(seldom)).toHaveLength(1);
  });

  it('shows that it is alive', async () => {
    const stream = await listen('names=mem.util.free&interval=1hour');
    await stream.until(2);
    await time.pass(40_000, 1000);
    await settle();
    expect(stream.text()).toContain('\n\n: heartbeat\n\n');
  });
});

describe('a client of a stream that comes back', () => {
  it.each([
    ['with the header of browsers', (id: string) => ['', { 'last-event-id': id }] as const],
    ['with the parameter', (id: string) => [`&lastEventId=${id}`, {}] as const],
    [
      'with both, of which the header is newer',
      (id: string) => ['&lastEventId=1.000000000', { 'last-event-id': id }] as const,
    ],
  ])('%s misses nothing', async (_, how) => {
    const first = await listen('names=mem.util.free');
    await first.until(2);
    await time.pass(2000);
    await first.until(4);
    await first.close();
    await time.pass(3000);
    const [query, headers] = how(first.events().at(-1)!.id!);
    const second = await listen(`names=mem.util.free${query}`, headers);
    await second.until(4);
    await time.pass(1000);
    await second.until(5);
    const seconds = [...samplesOf(first), ...samplesOf(second)].map(({ timestamp }) => timestamp - 1767225600);
    expect(seconds.map((sec) => Math.round(sec * 10) / 10)).toEqual([0.2, 1, 2, 3, 4, 5, 6]);
  });

  it('is told of a gap', async () => {
    await listen('names=mem.util.free');
    const stream = await listen('names=mem.util.free&times=iso&lastEventId=1767225000.000000000');
    const events = await stream.until(3);
    expect(events.map(({ event }) => event)).toEqual(['metrics', 'gap', 'message']);
    expect(JSON.parse(events[1]!.data)).toEqual({
      from: '2025-12-31T23:50:00.000000000Z',
      to: '2026-01-01T00:00:00.200000000Z',
    });
  });
});

describe('POST /pmapi/streams', () => {
  const post = async (subscriptions: readonly object[]): Promise<OpenStream> => {
    const stream = await openStream(`${api.url}/pmapi/streams`, {}, JSON.stringify(subscriptions));
    open.add(stream);
    return stream;
  };
  const told = (stream: OpenStream): readonly string[] =>
    stream.events().map(({ event, data }) => `${(JSON.parse(data) as { subscription: string }).subscription} ${event}`);

  it('has the events of every stream under its id, whatever becomes of the others', async () => {
    const context = await api.context();
    const stream = await post([
      { id: 'load', path: '/pmapi/stream?names=kernel.all.load&top=1' },
      { path: `/pmapi/${context}/stream`, method: 'POST', body: { names: ['mem.util.free'] } },
      { id: 'bad', path: '/pmapi/stream?names=mem.util.free&interval=never' },
      { id: 'other', path: '/pmapi/fetch?names=mem.util.free' },
    ]);
    await stream.until(8);
    expect([...told(stream)].sort()).toEqual(
      ['1 message', '1 metrics', 'bad end', 'bad failure', 'load message', 'load metrics'].concat(
        'other end',
        'other failure',
      ),
    );
    await api.request('DELETE', `/pmapi/${context}`);
    await time.pass(1000);
    await stream.until(10);
    expect(told(stream).slice(8)).toEqual(['1 end', 'load message']);
    expect(hub.subscribers).toBe(1);
    const [sample] = stream
      .events()
      .flatMap(({ event, data }) => (event === 'message' ? [JSON.parse(data) as object] : []));
    expect(sample).toMatchObject({ subscription: expect.any(String) as string, values: [{ instances: [{}] }] });
  });

  it('goes on after the last event of each, and ends when all have ended', async () => {
    await listen('names=mem.util.free');
    await time.pass(3000);
    const path = '/pmapi/stream?names=mem.util.free&lastEventId=';
    const stream = await post([{ path: `${path}1767225601.000000000` }, { path: `${path}1767225602.000000000` }]);
    await stream.until(5);
    const ids = stream.events().flatMap(({ event, id, data }) => (event === 'message' ? [[data[17], id]] : []));
    expect(ids).toEqual([
      ['0', '1767225602.000000000'],
      ['0', '1767225603.000000000'],
      ['1', '1767225603.000000000'],
    ]);
    hub.close();
    await stream.ended;
    expect(told(stream).slice(-2)).toEqual(['0 end', '1 end']);
  });

  it('lets go of all when its client goes, and is cut off as a whole', async () => {
    const stream = await post([
      { path: '/pmapi/stream?names=mem.util.free' },
      { path: '/pmapi/stream?names=pmcd.version' },
    ]);
    await stream.until(4);
    expect(hub.subscribers).toBe(2);
    await stream.close();
    await time.pass(50);
    expect(hub.subscribers).toBe(0);
    const again = await post([
      { path: '/pmapi/stream?names=mem.util.free' },
      { id: 'x', path: '/pmapi/stream?names=pmcd.version' },
    ]);
    await again.until(4);
    // As when rights have changed: the client opens all of it again.
    hub.interrupt();
    await again.ended;
    expect(hub.subscribers).toBe(0);
  });

  it('refuses what is no list of subscriptions, and too many', async () => {
    expect((await post([])).status).toBe(400);
    expect((await post([{ names: 'a' }])).status).toBe(400);
    expect((await post(Array.from({ length: 101 }, () => ({ path: '/pmapi/stream?names=a' })))).status).toBe(413);
  });
});

describe('a stream of a context', () => {
  it('keeps the context, and ends with it', async () => {
    const context = await api.context();
    const stream = await listen(`/pmapi/${context}/stream?names=mem.util.free`);
    await stream.until(2);
    await time.pass(60_000, 1000);
    api.gateway.contexts.sweep();
    expect((await api.get(`/pmapi/${context}`)).status).toBe(200);
    await api.request('DELETE', `/pmapi/${context}`);
    await stream.ended;
    const last = stream.events().at(-1)!;
    expect([last.event, JSON.parse(last.data)]).toMatchObject(['end', { reason: 'destroyed' }]);
  });

  it('goes over with the shared context when what that is on leads elsewhere, as often as it does', async () => {
    const move = await startMoving();
    const stream = await listen('names=mem.util.free');
    await stream.until(2);
    const contexts = new Set<number>();
    for (let times = 1; times <= 2; times++) {
      await time.pass(1000);
      move();
      await stream.until(2 + 3 * times);
    }
    const events = stream.events();
    expect(events.map(({ event }) => event)).toEqual(
      'metrics message message metrics message message metrics message'.split(' '),
    );
    for (const { event, data } of events) {
      if (event === 'metrics') contexts.add((JSON.parse(data) as { readonly context: number }).context);
    }
    expect(contexts.size).toBe(3);
    expect([hub.subscribers, hub.groups]).toEqual([1, 1]);
  });

  it('is let go of when its client goes', async () => {
    await api.stop();
    await start({ lingerMs: 0 });
    const stream = await listen('names=mem.util.free');
    await stream.until(2);
    expect([hub.subscribers, hub.groups]).toEqual([1, 1]);
    await stream.close();
    await settle();
    await time.pass(100);
    expect([hub.subscribers, hub.groups]).toEqual([0, 0]);
  });
});

describe('a slow reader', () => {
  it('is cut off with what waits for it bounded, and nobody else waits', async () => {
    await api.stop();
    await start({ bufferBytes: 20_000 });
    const names = `pmids=${Array.from({ length: 90 }, () => '60.2.0').join(',')}&interval=100msec`;
    const [slow, fast] = [await listen(names), await listen(names)];
    await slow.until(2);
    slow.pause();
    let count = 0;
    // The system takes a few megabytes for the slow one.
    while (hub.statistics.dropped === 0 && count++ < 3000) {
      await time.pass(100, 100);
      if (count % 20 === 0) await fast.until(count);
    }
    expect([hub.statistics.dropped, hub.subscribers]).toEqual([1, 1]);
    await fast.until(count);
  });
});

describe('a browser that is turned away', () => {
  /** What a browser sends for an EventSource. */
  const EVENT_SOURCE = { Accept: 'text/event-stream', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Site': 'same-origin' };
  const QUERY = 'names=mem.util.free';

  interface Turned {
    readonly status: number;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly text: string;
  }

  async function turnedAway(headers: Readonly<Record<string, string>>, query = QUERY): Promise<Turned> {
    const stream = await openStream(`${api.url}/pmapi/stream?${query}`, headers);
    await stream.ended;
    return { status: stream.status, headers: stream.headers, text: stream.text() };
  }

  it('is told to come back, for EventSource does not after another status than 200', async () => {
    hub.close();
    await api.stop();
    await start({ maxSubscribers: 1 });
    await listen(QUERY);
    const { status, headers, text } = await turnedAway(EVENT_SOURCE);
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
    const [, retryMs, failure] = /^retry: (\d+)\nevent: failure\ndata: (.*)\n\n$/.exec(text)!;
    expect(Number(retryMs)).toBeGreaterThanOrEqual(5000);
    expect(Number(retryMs)).toBeLessThanOrEqual(10_000);
    expect(JSON.parse(failure!)).toMatchObject({ code: 'UNAVAILABLE', success: false });
  });

  it.each([
    ['another client', { Accept: 'text/event-stream' }],
    ['a page that fetches by itself', { ...EVENT_SOURCE, Accept: 'text/event-stream, application/json' }],
  ])('is told apart from %s, which gets the status', async (_, headers) => {
    hub.close();
    await api.stop();
    await start({ maxSubscribers: 1 });
    await listen(QUERY);
    const answer = await turnedAway(headers);
    expect([answer.status, answer.headers['content-type'], answer.headers['retry-after']]).toEqual([
      503,
      'application/json',
      '5',
    ]);
  });

  it('gets an error of its request as what it is', async () => {
    const { status, text } = await turnedAway(EVENT_SOURCE, 'names=no.such&interval=0.001');
    expect([status, text]).toEqual([400, expect.stringContaining('"success":false')]);
  });
});
