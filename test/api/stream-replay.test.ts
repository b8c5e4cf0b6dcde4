import { StreamHub } from '../../src/context/stream/index.js';
import type { SampleJson } from '../support/api.js';
import { counterAt, servedArchives } from '../support/archive-gateway.js';
import { type SseEvent, openStream, parseEvents } from '../support/sse-reader.js';
import { HandTime, settle } from '../support/stream-fixture.js';
import { STREAM_LIMITS } from '../support/patience.js';

const time = new HandTime();
const hub = new StreamHub({ clock: time, timers: time, limits: STREAM_LIMITS });
afterAll(() => hub.close());
const served = servedArchives({ streams: hub });

const BUILT = '/pmapi/stream?archive=built&names=test.counter';

/** All of a replay that does not wait. */
async function replay(query: string, path = BUILT): Promise<readonly SseEvent[]> {
  const answer = await served.api.get(`${path}&speed=max${query}`);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('event: end\n')]);
  return parseEvents(answer.text);
}

const samples = (events: readonly SseEvent[]): readonly SampleJson[] =>
  events.flatMap(({ event, data }) => (event === 'message' ? [JSON.parse(data) as SampleJson] : []));
const seconds = (events: readonly SseEvent[]): number[] =>
  samples(events).map(({ timestamp }) => timestamp - 1_000_000);

describe('the replay of an archive', () => {
  it('gives its recorded samples, from start to finish, and says that it is over', async () => {
    const events = await replay('&start=1000001&finish=1000003');
    expect(events.map(({ event, id }) => [event, id])).toEqual([
      ['metrics', undefined],
      ...[1, 2, 3].map((sec) => ['message', `100000${sec}.000000000`]),
      ['end', '1000003.000000000'],
    ]);
    expect(JSON.parse(events[0]!.data)).toMatchObject({ metrics: [{ name: 'test.counter' }] });
    expect(JSON.parse(events[0]!.data)).not.toHaveProperty('interval');
    expect(JSON.parse(events.at(-1)!.data)).toEqual({ reason: 'archive', message: expect.any(String) as string });
    expect(samples(events).map(({ values }) => values[0]!.instances[0]!.value)).toEqual([1, 2, 3].map(counterAt));
  });

  it('gives interpolated values at an interval', async () => {
    const events = await replay('&finish=1000002&interval=500msec');
    expect(seconds(events)).toEqual([0, 0.5, 1, 1.5, 2]);
    expect(JSON.parse(events[0]!.data)).toMatchObject({ interval: 0.5 });
  });

  it('converts, selects and tells changes as live streams do', async () => {
    const rates = samples(await replay('&finish=1000002&rate=true&units=Kbyte'));
    expect(rates.map(({ values }) => values[0]!.instances.map(({ value }) => value))).toEqual([
      [],
      [10 / 1024],
      [10 / 1024],
    ]);
    const top = samples(await replay('&finish=1000002&top=1', BUILT.replace('counter', 'gauge')));
    expect(top.map(({ values }) => values[0]!.instances.length)).toEqual([1, 1, 1]);
    const changed = samples(await replay('&finish=1000002&changed=true', `${BUILT},test.text`));
    expect(changed.map(({ full, values }) => [full, values.map(({ name }) => name).join()])).toMatchObject([
      [true, 'test.counter,test.text'],
      [undefined, expect.stringMatching(/^test.counter/)],
      [undefined, expect.stringMatching(/^test.counter/)],
    ]);
  });

  it.each(['', '&interval=1', '&rate=true', '&start=1000000&finish=%2B5s'])(
    'goes on behind the last sample that the client got: %p',
    async (query) => {
      const whole = await replay(query);
      const ids = whole.flatMap(({ event, id }) => (event === 'message' ? [id!] : []));
      expect(ids.length).toBeGreaterThan(4);
      for (const [i, lastEventId] of ids.entries()) {
        const rest = await replay(`${query}&lastEventId=${lastEventId}`);
        expect(samples(rest)).toEqual(samples(whole).slice(i + 1));
      }
      expect(samples(await replay(`${query}&lastEventId=1.000000000`))).toEqual(samples(whole));
      expect(samples(await replay(`${query}&lastEventId=9000000.000000000`))).toEqual([]);
    },
  );

  it.each([
    ['', 1],
    ['&speed=4', 4],
    ['&speed=0.5', 0.5],
  ])('keeps the pace of the archive%s', async (query, speed) => {
    const stream = await openStream(`${served.api.url}${BUILT}&finish=1000003${query}`);
    await stream.until(2);
    for (let sample = 1; sample <= 3; sample++) {
      await time.pass(1000 / speed - 10, 100);
      expect(stream.events()).toHaveLength(sample + 1);
      await time.pass(10);
      await stream.until(sample + 2);
    }
    await stream.ended;
    expect(stream.events().at(-1)!.event).toBe('end');
  });

  it('leaves the position of its context alone, holds it, and ends with it', async () => {
    const context = await served.api.context('?archive=built');
    const stream = await openStream(`${served.api.url}/pmapi/${context}/stream?names=test.counter`);
    await stream.until(2);
    expect((await served.api.get(`/pmapi/${context}/fetch?names=test.counter`)).json.timestamp).toBe(1_000_000);
    expect((await served.api.request('HEAD', `/pmapi/${context}/stream?names=test.counter`)).status).toBe(200);
    expect(served.api.options.contexts.use(context).fetchesUnderWay).toBe(1);
    await served.api.request('DELETE', `/pmapi/${context}`);
    await stream.ended;
    expect(JSON.parse(stream.events().at(-1)!.data)).toMatchObject({ reason: 'destroyed' });
    expect(hub.subscribers).toBe(0);
  });

  it('stops when its client goes', async () => {
    const stream = await openStream(`${served.api.url}${BUILT}`);
    await stream.until(2);
    await stream.close();
    await settle();
    await time.pass(1000);
    expect([hub.subscribers, hub.groups]).toEqual([0, 0]);
    await time.pass(20_000, 1000);
    expect(time.pending).toBe(0);
  });

  it.each([
    ['&start=nonsense', { parameter: 'start' }],
    ['&start=1000005&finish=1000001', { parameter: 'finish' }],
    ['&speed=0', { parameter: 'speed' }],
    ['&speed=-1', { parameter: 'speed' }],
    ['&interval=0', { parameter: 'interval' }],
    ['&units=sec', { parameter: 'units', code: 'CONVERSION' }],
  ])('refuses %p', async (query, expected) => {
    const answer = await served.api.get(`${BUILT}${query}`);
    expect([answer.status, answer.json]).toMatchObject([400, expected]);
  });
});
