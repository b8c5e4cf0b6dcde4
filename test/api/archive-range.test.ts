import { tableFromIPC } from '@uwdata/flechette';
import http from 'node:http';
import type { IncomingMessage } from 'node:http';
import fc, { tries } from '../support/properties.js';
import { DEFAULT_RANGE_LIMITS } from '../../src/context/range/index.js';
import { BUILT_START, counterAt, servedArchives } from '../support/archive-gateway.js';
import type { ApiAnswer, ColumnsJson, RowsJson, SampleJson } from '../support/api.js';

const { api } = servedArchives({
  defined: { 'test.double': 'test.counter * 2', 'test.growth': 'delta(test.counter)' },
  ranges: { ...DEFAULT_RANGE_LIMITS, values: 1000, points: 100 },
});

const BUILT = '/pmapi/fetch?archive=built';

async function answered(query: string): Promise<ApiAnswer> {
  const answer = await api.get(`${BUILT}&${query}`);
  expect([query, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([query, 200, '']);
  return answer;
}

const rows = (query: string): Promise<RowsJson> => api.ok(`${BUILT}&${query}`);
const columns = (query: string): Promise<ColumnsJson> => api.ok(`${BUILT}&${query}&format=columns`);

/** Seconds since the start and the value of the first metric's first instance, by sample; without marks. */
const firsts = ({ samples }: RowsJson): unknown[] =>
  samples
    .filter(({ mark }) => !mark)
    .map(({ timestamp, values: [first] }) => [timestamp - BUILT_START, first?.instances[0]?.value]);

it('has a metric once, however often it is listed', async () => {
  const twice = 'names=test.counter,test.counter,no.such,no.such&samples=1';
  const { metrics, samples, warnings } = await rows(twice);
  expect([metrics.length, samples[0]?.values.length, warnings?.length]).toEqual([1, 1, 1]);
  expect((await columns(twice)).metrics).toHaveLength(1);
});

describe('a range as rows', () => {
  it('has every recorded sample of the window', async () => {
    expect(firsts(await rows('names=test.counter&start=2sec&finish=5sec'))).toEqual(
      [2, 3, 4, 6, 7].map((second) => [second, counterAt(second)]),
    );
    expect(firsts(await rows('names=test.text&format=rows'))).toHaveLength(4);
  });

  it('reads times as seconds, ISO 8601 and as PCP does, in a zone', async () => {
    const windows = [
      `start=${BUILT_START + 2}&finish=${BUILT_START + 3}`,
      'start=1970-01-12T13:46:42Z&finish=1970-01-12T13:46:43Z',
      'start=@1970-01-12%2014:46:42&finish=@1970-01-12%2014:46:43&zone=CET-1',
      'start=2sec&finish=1sec',
      'start=-7sec&finish=-6sec',
    ];
    const seen = await Promise.all(windows.map(async (window) => firsts(await rows(`names=test.counter&${window}`))));
    expect(seen.slice(0, 3)).toEqual(
      Array(3).fill([
        [2, 120],
        [3, 130],
      ]),
    );
    expect(seen[4]).toEqual([
      [2, 120],
      [3, 130],
    ]);
  });

  it('breaks the line at a mark in every format', async () => {
    const query = 'names=test.counter&start=4sec&samples=2';
    const get = async (format: string): Promise<string> => (await api.get(`${BUILT}&${query}&format=${format}`)).text;
    const { samples } = await rows(query);
    expect(samples).toMatchObject([
      { timestamp: BUILT_START + 4 },
      { values: [], mark: true },
      { timestamp: BUILT_START + 6 },
    ]);
    const lines = (await get('ndjson')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(samples);
    const csv = (await get('csv')).trim().split('\r\n').slice(1);
    expect(csv.map((line) => line.replace(/^[^,]*/, ''))).toEqual([',140', ',', `,${counterAt(6)}`]);
    const bytes = await (await fetch(`${api.url}${BUILT}&${query}&format=arrow`)).arrayBuffer();
    expect([...tableFromIPC(new Uint8Array(bytes)).getChildAt(1)]).toEqual([140, null, counterAt(6)]);
  });

  it('rescales', async () => {
    const range = await rows('names=test.counter&samples=1&units=Kbyte');
    expect(range.metrics).toMatchObject([{ units: 'Kbyte' }]);
    expect(firsts(range)).toEqual([[0, 100 / 1024]]);
    const refused = await api.get(`${BUILT}&names=test.gauge&samples=1&units=Kbyte`);
    expect([refused.status, refused.json]).toMatchObject([400, { code: 'CONVERSION' }]);
  });

  it('gives derived metrics a history of their own, and leaves the position alone', async () => {
    const context = await api.context('?archive=built');
    const url = `/pmapi/${context}/fetch?names=test.growth`;
    const range = async (): Promise<unknown> => firsts(await api.ok(`${url}&start=1sec&finish=2sec`));
    await api.get(url);
    expect(await range()).toEqual([
      [1, undefined],
      [2, 10],
      [3, 10],
    ]);
    expect(await range()).toEqual([
      [1, undefined],
      [2, 10],
      [3, 10],
    ]);
    expect((await api.get(url)).json).toMatchObject({
      timestamp: BUILT_START + 1,
      values: [{ instances: [{ value: 10 }] }],
    });
  });

  it('keeps to the profile', async () => {
    const context = await api.context('?archive=built');
    await api.get(`/pmapi/${context}/profile?expr=add&name=test.gauge&iname=green`);
    const { json } = await api.get(`/pmapi/${context}/fetch?names=test.gauge&start=0sec&finish=1sec`);
    const { samples } = json as unknown as RowsJson;
    const seen = samples.map(({ values }) => values[0]!.instances.map(({ instance }) => instance));
    expect(seen).toEqual([[1], [1]]);
  });

  it('warns of metrics that are not there, or refuses them', async () => {
    expect((await answered('names=test.counter,no.such&samples=1')).json.warnings).toMatchObject([{ name: 'no.such' }]);
    expect((await answered('names=no.such&samples=1')).json).toMatchObject({ metrics: [], samples: [] });
    const strict = await api.get(`${BUILT}&name=no.such&samples=1`);
    expect([strict.status, strict.json]).toMatchObject([404, { code: 'UNKNOWN_METRIC' }]);
  });
});

describe('a range as columns', () => {
  it('has a row per time and an array per instance, with gaps', async () => {
    const { times, metrics } = await columns('names=test.counter,test.gauge&start=3sec&finish=4sec');
    expect(times.map((time) => time - BUILT_START)).toEqual([3, 4, 5, 6, 7]);
    expect(metrics).toMatchObject([
      { name: 'test.counter', units: 'byte', series: [{ instance: null, values: [130, 140, null, 160, 170] }] },
      {
        name: 'test.gauge',
        series: [
          { instance: 0, name: 'red', values: [3, 4, null, null, null] },
          { instance: 1, name: 'green', values: [1.5, 2, null, 3, 3.5] },
          { instance: 2, name: 'blue "and" more', values: [null, null, null, 12, 14] },
        ],
      },
    ]);
  });

  it('is decimated', async () => {
    const { times, metrics } = await columns(
      `names=test.counter&finish=${BUILT_START + 9}&points=3&decimation=average`,
    );
    expect(times[0]! - BUILT_START).toBe(0);
    expect(metrics[0]!.series[0]!.values[0]).toBe(110);
  });
});

describe('a range as NDJSON and CSV', () => {
  it('is a fetch answer per line', async () => {
    for (const [query, headers] of [
      ['format=ndjson', {}],
      ['start=0sec', { Accept: 'application/x-ndjson' }],
    ] as const) {
      const answer = await api.get(`${BUILT}&names=test.counter,no.such&${query}`, { headers });
      expect(answer.headers['content-type']).toBe('application/x-ndjson');
      expect(answer.headers['x-pmgate-warnings']).toContain('no.such');
      const lines = answer.text.trim().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as SampleJson).timestamp - BUILT_START)).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      ]);
    }
  });

  it('is a table, quoted where it must be', async () => {
    const answer = await api.get(`${BUILT}&names=test.text,test.gauge&start=3sec&finish=3sec&zone=CET-1`, {
      headers: { Accept: 'text/csv' },
    });
    expect(answer.headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8; header=present', vary: 'Accept' });
    expect(answer.text.split('\r\n')).toEqual([
      'time,test.text,test.gauge[red],test.gauge[green],"test.gauge[blue ""and"" more]"',
      '1970-01-12T14:46:43+01:00,"text, ""3""",3,1.5,',
      '1970-01-12T14:46:44+01:00,,4,2,',
      '1970-01-12T14:46:45+01:00,,,,',
      '1970-01-12T14:46:46+01:00,"text, ""6""",,3,12',
      '',
    ]);
  });

  it('is the head alone for HEAD', async () => {
    const answer = await api.request('HEAD', `${BUILT}&names=test.counter&format=csv`);
    expect([answer.status, answer.text, answer.headers['content-type']]).toMatchObject([200, '', /^text\/csv/]);
  });
});

describe('a range that cannot be given', () => {
  it.each([
    ['start=whenever', 'BAD_PARAMETER', 'start'],
    ['samples=1.5', 'BAD_PARAMETER', 'samples'],
    ['start=1sec&zone=Nowhere/None', 'BAD_PARAMETER', 'zone'],
    ['points=101', 'LIMIT_EXCEEDED', 'points'],
    ['start=1sec&rate=perhaps', 'BAD_PARAMETER', 'rate'],
    ['start=1sec&format=xml', 'BAD_PARAMETER', 'format'],
    ['start=1sec&units=furlong', 'CONVERSION', 'units'],
    ['interval=1msec', 'LIMIT_EXCEEDED', 'interval'],
  ])('%s is refused', async (query, code, parameter) => {
    const answer = await api.get(`${BUILT}&names=test.counter&${query}`);
    expect([answer.status < 500, answer.json]).toMatchObject([true, { code, parameter }]);
    if (code !== 'CONVERSION') expect((answer.json as { expected?: string }).expected).toBeTruthy();
  });

  it('says what would fit', async () => {
    const { json } = await api.get(`${BUILT}&names=test.counter&interval=1msec`);
    expect(json.message).toContain('1000 samples would fit');
  });

  it('is refused while nothing of it has been written', async () => {
    const answer = await api.get('/pmapi/fetch?archive=recorded/live-v3&names=kernel.all.load&start=0sec&units=byte');
    expect([answer.status, answer.json]).toMatchObject([400, { code: 'CONVERSION' }]);
  });

  it('is not for several hosts', async () => {
    const several = await api.get('/pmapi/fetch?hostspec=web1;web2&names=kernel.all.load&start=1');
    expect([several.status, several.json]).toMatchObject([400, { code: 'BAD_PARAMETER', parameter: 'hostspec' }]);
  });

  it('never is a defect, whatever its parameters are', async () => {
    const time = fc.oneof(
      fc.constantFrom(
        '0sec',
        '-1sec',
        '@now',
        '@13:46',
        '1e3',
        '1000005',
        '-99999999999',
        '@',
        '',
        '+1hour 2min',
        '9e99',
      ),
      fc.string({ maxLength: 12 }),
    );
    const some = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.option(value, { nil: undefined });
    const request = fc.record({
      start: some(time),
      finish: some(time),
      interval: some(fc.oneof(time, fc.constantFrom('1', '250msec', '1nsec', '1hour'))),
      samples: some(fc.oneof(fc.integer({ min: -1, max: 30 }), fc.constant(2 ** 53))),
      offset: some(time),
      align: some(fc.constantFrom('1', '5sec', '0', '1nsec', 'x')),
      zone: some(fc.constantFrom('UTC', 'CET-1', 'Europe/Berlin', ':x', 'EST5EDT,M3.2.0,M11.1.0', '?')),
      points: some(fc.integer({ min: -1, max: 120 })),
      decimation: some(fc.constantFrom('min', 'max', 'average', 'last', 'sum')),
      rate: some(fc.boolean()),
      wrap: some(fc.boolean()),
      units: some(fc.constantFrom('byte', 'Kbyte / sec', 'count', '%', '')),
      format: some(fc.constantFrom('rows', 'columns', 'ndjson', 'csv')),
    });
    const names = fc.subarray(['test.counter', 'test.gauge', 'test.text', 'test.double', 'test.growth', 'no.such'], {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(request, names, async (range, wanted) => {
        const given = Object.fromEntries(Object.entries(range).filter(([, value]) => value !== undefined));
        const answer = await api.post('/pmapi/fetch', { body: { archive: 'built', names: wanted, ...given } });
        expect([given, answer.status < 500, answer.text]).toEqual([given, true, answer.text]);
      }),
      { numRuns: tries(150) },
    );
  });
});

describe('a streamed answer', () => {
  const open = (url: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => http.get(`${api.url}${url}`, resolve).on('error', reject));

  it('is read no more once its client has gone', async () => {
    const context = await api.context('?archive=built');
    const held = api.gateway.contexts.use(context);
    const response = await open(`/pmapi/${context}/fetch?names=test.counter&format=ndjson`);
    response.destroy();
    // Else the test runs into its timeout.
    while (held.fetchesUnderWay > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});
