import { LiveMemory } from '../../src/context/range/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { makePmid, makeUnits, MetricType, Semantics } from '../../src/pmapi/index.js';
import { Api, type ColumnsJson, type RowsJson, type SampleJson } from '../support/api.js';
import { FakeClock } from '../support/fake-clock.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';

const clock = new FakeClock();
const start = clock.now().sec;
const definitions = new DefinitionStore();
definitions.register('test.twice', 'mem.util.free * 2');
const memory = new LiveMemory(clock, { bytes: 1_000_000, maxAgeMs: 60_000 });
const api = Api.serving(memoryGateway({ clock, definitions, memory }));

const range = async (query: string): Promise<unknown> => {
  const { samples } = await api.ok<RowsJson>(`/pmapi/fetch?${query}`);
  return samples.map(({ timestamp, values }) => [timestamp - start, values.map(({ instances }) => instances.length)]);
};

describe('a range over a live host', () => {
  it('has what was fetched before, of whoever asked', async () => {
    expect(await range('names=mem.util.free&format=rows')).toEqual([]);
    for (let i = 0; i < 3; i++) {
      await api.get('/pmapi/fetch?names=kernel.all.load,mem.util.free');
      clock.advance(1000);
    }
    expect(await range('names=kernel.all.load&format=rows')).toEqual([0, 1, 2].map((second) => [second, [3]]));
    expect(await range('names=mem.util.free&start=-1sec')).toEqual([1, 2].map((second) => [second, [1]]));
    expect(await range('names=disk.all.total_bytes&format=rows')).toEqual([]);
  });

  it('interpolates, and computes derived metrics', async () => {
    expect(await range('names=test.twice,kernel.all.load&interval=1')).toEqual(
      [0, 1, 2].map((second) => [second, [1, 3]]),
    );
    for (const format of ['columns', 'ndjson', 'csv']) {
      const answer = await api.get(`/pmapi/fetch?names=test.twice,kernel.all.load&format=${format}`);
      expect([format, answer.status]).toEqual([format, 200]);
    }
  });

  it('remembers operands of derived metrics', async () => {
    await api.get('/pmapi/fetch?names=test.twice&hostspec=web2');
    expect(await range('names=mem.util.free&hostspec=web2&format=rows')).toEqual([[3, [1]]]);
  });

  it('outlives the contexts, but not its age, and is of one host', async () => {
    clock.advance(30_000);
    api.gateway.contexts.sweep();
    expect(api.gateway.contexts.size).toBe(0);
    expect(await range('names=kernel.all.load&format=rows')).toHaveLength(3);
    expect(await range('names=kernel.all.load&hostspec=web3&format=rows')).toEqual([]);
    clock.advance(60_000);
    api.gateway.contexts.sweep();
    expect(await range('names=kernel.all.load&format=rows')).toEqual([]);
  });

  it('is refused where nothing is remembered', async () => {
    const forgetful = await Api.start();
    const answer = await forgetful.get('/pmapi/fetch?names=kernel.all.load&start=-5sec');
    expect([answer.status, answer.json]).toMatchObject([400, { code: 'WRONG_CONTEXT' }]);
    await forgetful.stop();
  });
});

describe('a CPU that is busy all the time, whose clock has ticks of 10 ms', () => {
  const TICKS = {
    hostName: 'web1',
    indoms: [],
    metrics: [
      {
        name: 'cpu.user',
        descriptor: descriptor(makePmid(60, 0, 20), {
          type: MetricType.U64,
          semantics: Semantics.COUNTER,
          units: makeUnits({ dimTime: 1, scaleTime: 2 }),
        }),
        values: ({ sec, nsec }: { readonly sec: number; readonly nsec: number }) =>
          10 * Math.floor(((sec % 1000) * 1000 + nsec / 1e6) / 10),
      },
    ],
  };

  /** What fetches at some milliseconds have, of everything that is a rate; and what is remembered then. */
  const fetchAt = async (moments: readonly number[]): Promise<{ fetched: unknown[]; remembered: unknown[] }> => {
    const own = new FakeClock();
    const memory = new LiveMemory(own, { bytes: 1_000_000, maxAgeMs: 60_000 });
    const definitions = new DefinitionStore();
    definitions.register('test.busy', 'rate(cpu.user)');
    const busy = await Api.start(memoryGateway({ clock: own, content: TICKS, definitions, memory }));
    const fetched: unknown[] = [];
    let ms = 0;
    for (const moment of moments) {
      own.advance(moment - ms);
      ms = moment;
      const derived = await busy.get('/pmapi/fetch?names=test.busy');
      const rate = await busy.get('/pmapi/fetch?names=cpu.user&rate=true');
      for (const { json } of [derived, rate]) {
        const [value] = (json as unknown as SampleJson).values;
        fetched.push(value?.instances[0]?.value);
      }
    }
    const range = await busy.get('/pmapi/fetch?names=test.busy,cpu.user&rate=true&start=-50sec&format=columns');
    const { metrics } = range.json as unknown as ColumnsJson;
    await busy.stop();
    return { fetched, remembered: metrics.map(({ series }) => series[0]?.values) };
  };

  it("is never busier than that, however near another client's fetch", async () => {
    const { fetched, remembered } = await fetchAt([0, 999, 1012, 1999, 2012]);
    const numbers = [...fetched, ...remembered.flat()].filter((value) => typeof value === 'number');
    expect(Math.max(...numbers)).toBeLessThan(1.02);
    expect(Math.min(...numbers)).toBeGreaterThan(0.98);
    expect(remembered).toEqual([
      [null, expect.closeTo(1, 1), null, expect.closeTo(1, 1), null],
      [null, expect.closeTo(1, 1), null, expect.closeTo(1, 1), null],
    ]);
  });

  it('has no rate until two samples are far enough apart', async () => {
    expect((await fetchAt([0, 9, 22])).fetched.filter((value) => value !== undefined)).toEqual([]);
  });
});
