import { type Api, type ApiAnswer, checkAnswer } from '../../support/api.js';
import { ask } from '../../support/plain-request.js';
import { SERIES_CASES, SERIES_FIXTURES, type SeriesStep, problemOf } from '../../support/series-cases.js';
import { type SeriesApi, seriesApi } from '../../support/series-gateway.js';

let served: SeriesApi;
let api: Api;

beforeAll(async () => {
  served = await seriesApi(SERIES_FIXTURES);
  api = served.api;
});

afterAll(() => served.stop());

const encoded = (pairs: readonly (readonly [string, string])[], made: ReadonlyMap<string, string>): string =>
  pairs
    .map(([name, value]) => [name, value.replaceAll(/\{fab:(\w+)\}/g, (_, key: string) => made.get(key)!)] as const)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');

function send({ path, query, form, untyped }: SeriesStep, made: ReadonlyMap<string, string>): Promise<ApiAnswer> {
  const url = `/series/${path}`;
  if (!form) return api.get(query ? `${url}?${encoded(query, made)}` : url);
  const type = untyped === true ? 'application/octet-stream' : 'application/x-www-form-urlencoded';
  return api.post(url, { body: encoded(form, made), type });
}

describe('what pmproxy answers, also where it does so wrongly, or dies of it', () => {
  it.each(SERIES_CASES.map((each) => [each.case, each.about, each] as const))('%s: %s', (_name, _about, { steps }) =>
    run(steps),
  );
});

async function run(steps: readonly SeriesStep[]): Promise<void> {
  const made = new Map<string, string>();
  for (const step of steps) {
    const answer = await send(step, made);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([
      step.status ?? 200,
      step.status === undefined ? '' : answer.text,
    ]);
    if (step.status !== undefined) {
      expect(answer.json).toMatchObject({ success: false, message: expect.any(String) as string });
      if (step.client !== undefined) expect(answer.json).toMatchObject({ client: step.client });
      continue;
    }
    const json = JSON.parse(answer.text) as { client?: string; result?: unknown };
    const isWrapped = step.client !== undefined && step.compare !== 'ok';
    if (step.client !== undefined) expect(json.client).toBe(step.client);
    expect(problemOf(step, isWrapped ? json.result : json, made)).toBeUndefined();
  }
}

const SECONDS = 'e9897e33772e2d3beff4eb168f7d3c74541e57db';
const COLOUR = '5c5642bf45226fb174f4b53607f768245856129a';
const query = (expr: string): Promise<ApiAnswer> => api.get(`/series/query?expr=${encodeURIComponent(expr)}`);

describe('requests that end pmproxy', () => {
  it.each([
    ['POST', '/series/query', ''],
    ['POST', '/series/query', '{}'],
    ['POST', '/series/query', 'other=1'],
    ['GET', `/series/labels?name=hostname&series=${SECONDS}`],
    ['GET', `/series/descs?series=${SECONDS},`],
    ['GET', `/series/values?series=${SECONDS}&samples=abc`],
    ['GET', `/series/values?series=${SECONDS}&start=abc`],
    ['GET', `/series/values?series=${SECONDS}&zone=nowhere`],
    ['GET', '/series/values?series=abc'],
    ['GET', '/series/load?expr=nothing'],
    ['GET', '/series/load?expr=%7Bsource.path%3A%22%2Fetc%2Fpasswd%22%7D'],
    ['GET', `/series/query?expr=${encodeURIComponent('a{"b"=="c"}')}`],
    ['GET', `/series/query?expr=${encodeURIComponent('disk.all.read[samples:2]*disk.all.write[samples:2]')}`],
    ['GET', `/series/query?expr=${encodeURIComponent('rate(kernel.all.load[samples:2])')}`],
    ['GET', `/series/query?expr=${encodeURIComponent('rescale(kernel.all.pswitch[samples:2], "byte")')}`],
    ['GET', `/series/query?expr=${encodeURIComponent('abs(kernel.all.load[samples:2]) + mem.util.used[samples:2]')}`],
  ])('%s %s is a 400', async (...[method, url, body]: string[]) => {
    const answer = await api.request(method!, url!, body === undefined ? {} : { body, type: 'text/plain' });
    expect([answer.status, answer.json]).toMatchObject([
      400,
      { success: false, message: expect.any(String) as string },
    ]);
    expect((await query('sample.seconds')).json).toEqual([SECONDS]);
  });
});

describe('requests that end pmproxy and mean something', () => {
  it.each([
    'max(sample.*{hostname == "bozo.localdomain"})',
    'rate(kernel.all.pswitch)',
    'sample.seconds * sample.seconds',
    '"quoted" == "key"',
    '{"hostname" == "bozo.localdomain"}',
    'abs(sample.colour[samples:2])',
    'sqrt(nothing.at.all)',
  ])('%s is answered, and so is its identifier', async (expr) => {
    const { status, json } = await query(expr);
    expect([200, 400]).toContain(status);
    const [id] = status === 200 && Array.isArray(json) ? (json as unknown as string[]) : [];
    if (typeof id !== 'string') return;
    for (const path of [`values?series=${id}&interval=60`, `instances?series=${id}`, `descs?series=${id}`]) {
      expect([200, 400]).toContain((await api.get(`/series/${path}`)).status);
    }
    expect((await query('sample.seconds')).json).toEqual([SECONDS]);
  });
});

describe('parameters', () => {
  it.each(['zone=nowhere', 'start=abc', 'finish=abc', 'interval=abc', 'samples=abc', 'align=abc'])(
    'are named when they are wrong: %s',
    async (given) => {
      const { status, json } = await api.get(`/series/values?series=${SECONDS}&${given}`);
      expect([status, json]).toMatchObject([400, { parameter: given.split('=')[0] }]);
    },
  );

  it('are taken as pmproxy takes them: unknown ones are ignored, the first of repeated ones counts', async () => {
    expect((await api.get('/series/query?expr=sample.seconds&foo=1&expr=nothing')).json).toEqual([SECONDS]);
  });

  it('count from the URL before the body', async () => {
    const body = 'expr=sample.colour';
    expect((await api.post('/series/query?expr=sample.seconds', { body, type: 'text/plain' })).json).toEqual([SECONDS]);
  });

  it('come in a body of any type, and as JSON where it says so', async () => {
    for (const type of ['image/png', 'application/x-www-form-urlencoded', 'text/plain']) {
      expect((await api.post('/series/query', { body: 'expr=sample.seconds', type })).json).toEqual([SECONDS]);
    }
    const json = await api.post('/series/query', { body: { expr: 'sample.seconds' }, type: 'application/json' });
    expect(json.json).toEqual([SECONDS]);
  });
});

describe('values', () => {
  const instances = async (expr: string): Promise<readonly unknown[]> =>
    ((await query(expr)).json as unknown as { instance?: string; value: string }[]).map(({ value }) => value);

  it('bring negative numbers and products before sums', async () => {
    expect(await instances('sample.seconds[samples:1] + sample.seconds[samples:1] * 2')).toEqual(['5.400000e+01']);
    expect(await instances('-2 * sample.drift[samples:1]')).toEqual(['-4.060000e+02']);
  });

  it('go back in time where only their number is given, also with all of them', async () => {
    const { json } = await api.get(`/series/values?series=${SECONDS}&samples=-1`);
    const values = (json as unknown as { value: string }[]).map(({ value }) => Number(value));
    expect(values).toEqual([18, 17, 16, 15, 14, 13, 12, 11]);
  });

  it('are read in upper case identifiers, and digits behind them are ignored', async () => {
    const { json } = await api.get(`/series/values?series=${SECONDS.toUpperCase()}ff`);
    expect(json).toMatchObject([{ series: SECONDS, value: '18' }]);
  });

  it('take dates in the zone of the request', async () => {
    const start = encodeURIComponent('2026-02-16 15:41:29');
    const { json } = await api.get(`/series/values?series=${SECONDS}&start=${start}&zone=Europe/Berlin`);
    expect(json).toMatchObject([{ value: '17' }, { value: '18' }]);
  });
});

describe('limits', () => {
  it('hold for the values of a request, and for its series', async () => {
    const few = await seriesApi(SERIES_FIXTURES, { limits: { values: 20, series: 30 } });
    const status = async (expr: string): Promise<unknown> =>
      (await few.api.get(`/series/query?expr=${encodeURIComponent(expr)}`)).status;
    expect(await status('sample.colour[samples:6]')).toBe(200);
    expect(await status('sample.colour[samples:7]')).toBe(413);
    expect(await status('sample.colour[samples:0]')).toBe(413);
    expect(await status('kernel.all.*')).toBe(200);
    expect(await status('{hostname:"*"}')).toBe(413);
    await few.stop();
  });
});

describe("the backend of Grafana's plugin", () => {
  it('asks for ids, metrics, descriptors, labels, values, instances and their labels', async () => {
    const ids = (await query('sample.colour{hostname == "bozo.localdomain"}')).json as unknown as string[];
    expect(ids).toEqual([COLOUR]);
    const list = ids.join();
    expect((await api.get(`/series/metrics?series=${list}`)).json).toEqual([{ series: COLOUR, name: 'sample.colour' }]);
    const descs = (await api.get(`/series/descs?series=${list}`)).json;
    expect(descs).toMatchObject([{ series: COLOUR, indom: '29.1', semantics: 'instant', type: '32' }]);
    expect((await api.get(`/series/labels?series=${list}`)).json).toMatchObject([{ series: COLOUR }]);
    const window = 'start=1771252760&finish=1771252950&interval=0';
    const values = (await api.get(`/series/values?series=${list}&${window}`)).json as unknown as { instance: string }[];
    expect(values).toHaveLength(24);
    const named = (await api.get(`/series/instances?series=${list}`)).json as unknown as { instance: string }[];
    expect(new Set(values.map(({ instance }) => instance))).toEqual(new Set(named.map(({ instance }) => instance)));
    const labels = (await api.get(`/series/labels?series=${named.map(({ instance }) => instance).join()}`)).json;
    expect(labels).toHaveLength(3);
  });

  it('posts lists that are too long for a URL, without a Content-Type', async () => {
    const ids = Array.from({ length: 250 }, () => SECONDS).join();
    expect(ids.length).toBeGreaterThan(8192);
    const { status, headers, body } = await ask(api.port, '/series/metrics', { body: `series=${ids}` });
    checkAnswer('POST', '/series/metrics', { status, headers: headers as Record<string, string>, text: body });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toHaveLength(250);
  });
});

describe('an empty list of labels', () => {
  it.each(['name', 'names'])('is a mistake: %s', async (parameter) => {
    const { status, json } = await api.get(`/series/labels?${parameter}=`);
    expect([status, json]).toMatchObject([400, { parameter, success: false }]);
    expect((await api.get(`/series/labels?${parameter}=,`)).json).toEqual({});
  });
});

describe('a repeated identifier', () => {
  it.each(['values', 'descs', 'metrics', 'labels'])('is answered as often as it is asked for: %s', async (path) => {
    const once = (await api.get(`/series/${path}?series=${SECONDS}`)).json as unknown as unknown[];
    const thrice = (await api.get(`/series/${path}?series=${SECONDS},${SECONDS},${SECONDS}`)).json;
    expect(thrice).toEqual([...once, ...once, ...once]);
  });
});

describe('lists', () => {
  it.each([
    'values?series',
    'descs?series',
    'metrics?series',
    'instances?series',
    'labels?series',
    'sources?source',
    'labels?names',
  ])('are refused where there is too much to look up: %s', async (path) => {
    const few = await seriesApi(SERIES_FIXTURES, { limits: { lookUps: 100 } });
    const ids = Array.from({ length: 101 }, (_, i) => String(i).padStart(40, '0')).join(',');
    const { status, json } = await few.api.get(`/series/${path}=${ids}`);
    expect([status, json.code]).toEqual([413, 'LIMIT_EXCEEDED']);
    await few.stop();
  });
});
