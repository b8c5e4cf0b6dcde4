import { type FetchResult, MetricType, PM_ERR, PmError, makePmid } from '../../src/pmapi/index.js';
import { Api, type ApiAnswer } from '../support/api.js';
import { descriptor, LOAD_INDOM, memoryGateway, TEST_CONTENT } from '../support/memory-gateway.js';
import { rows } from '../support/rows.js';

const I64 = descriptor(makePmid(29, 1, 1), { type: MetricType.I64 });
const TEXT = descriptor(makePmid(29, 1, 2), { type: MetricType.STRING });
const REAL = descriptor(makePmid(29, 1, 3), { type: MetricType.DOUBLE, indom: LOAD_INDOM });
const BYTES = descriptor(makePmid(29, 1, 4), { type: MetricType.AGGREGATE });
const EVENTS = descriptor(makePmid(29, 1, 5), { type: MetricType.EVENT });
const content = {
  ...TEST_CONTENT,
  metrics: [
    ...TEST_CONTENT.metrics,
    { name: 'w.i64', descriptor: I64, values: 1n },
    { name: 'w.text', descriptor: TEXT, values: '' },
    { name: 'w.real', descriptor: REAL, values: new Map([[1, 0]]) },
    { name: 'w.bytes', descriptor: BYTES, values: new Uint8Array() },
    { name: 'w.events', descriptor: EVENTS, values: new Uint8Array() },
    { name: 'w.locked', descriptor: descriptor(makePmid(29, 1, 6)), values: 1 },
  ],
};

/** What was stored: by PMID, and by instance. */
let stored: [pmid: number, type: number, values: [instance: number, value: unknown][]][] = [];

function remember(pmid: number, { sets }: FetchResult): Promise<void> {
  if (pmid === makePmid(29, 1, 6)) return Promise.reject(new PmError(PM_ERR.PERMISSION));
  for (const set of sets) {
    const { column } = set;
    const values = Array.from({ length: set.status }, (_, i): [number, unknown] => {
      if (set.type === MetricType.STRING) return [set.instances[i]!, column.texts[i]];
      return [set.instances[i]!, set.type === MetricType.I64 ? column.integerAt(i) : column.numbers[i]];
    });
    stored.push([set.pmid, set.type, values]);
  }
  return Promise.resolve();
}

async function start(store?: { enabled: boolean; allowGet: boolean }): Promise<Api> {
  const gateway = memoryGateway({ content });
  const api = await Api.start(gateway, store ? { store } : {});
  // The context that all of these requests share.
  await api.get('/pmapi/fetch?names=w.i64');
  for (const source of gateway.sources) Object.assign(source, { store: remember });
  return api;
}

let api: Api;
let off: Api;
let postOnly: Api;
beforeAll(async () => {
  [api, off, postOnly] = await Promise.all([
    start({ enabled: true, allowGet: true }),
    start(),
    start({ enabled: true, allowGet: false }),
  ]);
});
beforeEach(() => (stored = []));
afterAll(() => Promise.all([api.stop(), off.stop(), postOnly.stop()]));

const store = (query: string, body?: string, type = 'text/plain'): Promise<ApiAnswer> =>
  api.post(`/pmapi/store?${query}`, body === undefined ? {} : { body, type });

describe('/pmapi/store', () => {
  it('is off unless the configuration allows it, and then with POST alone', async () => {
    for (const url of ['/pmapi/store', '/pmapi/1/store', '/pmapi/_store', '/pmapi/1/_store']) {
      for (const [gateway, method] of rows([off, 'GET'], [off, 'POST'], [postOnly, 'GET'])) {
        const { status, json } = await gateway.request(method, `${url}?name=w.i64&value=1`);
        expect([status, json.code]).toEqual([403, 'FORBIDDEN']);
        expect(json.message).toMatch(/^No permission to perform requested operation: /);
      }
    }
    const { json } = await off.get('/pmapi/store?name=w.i64&value=1');
    expect(json.message).toMatch(/store\.enabled.*store\.allowGet/);
    expect((await postOnly.post('/pmapi/store?name=w.i64&value=1')).status).toBe(200);
    expect(stored).toHaveLength(1);
  });

  it('says that it is done, in the context that was named', async () => {
    const { json } = await store('name=w.i64&value=7');
    expect(json).toEqual({ context: json.context, success: true });
    const own = await api.context();
    Object.assign(api.gateway.sources.at(-1)!, { store: remember });
    expect((await api.post(`/pmapi/${own}/store?name=w.i64&value=8`)).json).toEqual({ context: own, success: true });
    expect(stored.map(([, , values]) => values)).toEqual([[[-1, 7n]], [[-1, 8n]]]);
  });

  it('changes nothing with HEAD', async () => {
    expect((await api.request('HEAD', '/pmapi/store?name=w.i64&value=1')).status).toBe(200);
    expect(stored).toEqual([]);
  });

  it('takes every type, from the query, a form, JSON or a plain text', async () => {
    await store('name=w.i64&value=-9223372036854775808');
    await store('', 'name=w.text&value=a%26b', 'application/x-www-form-urlencoded');
    await store('', '{"name":"w.text","value":"a,b"}', 'application/json');
    await store('name=w.i64', '9007199254740993\n');
    await store('name=w.text', '42', 'application/x-www-form-urlencoded');
    await store(`pmid=29.1.2&value=x`);
    await store('name=w.real&value=2.5&iname=5+minute,1+minute');
    await store('name=w.real&value=1e3&instance=15,77,15');
    expect(stored).toEqual([
      [I64.pmid, I64.type, [[-1, -9223372036854775808n]]],
      [TEXT.pmid, TEXT.type, [[-1, 'a&b']]],
      [TEXT.pmid, TEXT.type, [[-1, 'a,b']]],
      [I64.pmid, I64.type, [[-1, 9007199254740993n]]],
      [TEXT.pmid, TEXT.type, [[-1, '42']]],
      [TEXT.pmid, TEXT.type, [[-1, 'x']]],
      [REAL.pmid, REAL.type, rows([1, 2.5], [5, 2.5])],
      [REAL.pmid, REAL.type, rows([15, 1000], [77, 1000])],
    ]);
  });

  it.each([
    ['name=w.i64', 400, 'BAD_PARAMETER', "invalid store parameters: 'value' is missing"],
    ['value=1', 400, 'BAD_PARAMETER', 'invalid store parameters: the metric is missing'],
    ['name=no.such&value=1', 404, 'UNKNOWN_METRIC', 'no.such - failed to lookup metric'],
    ['name=w&value=1', 400, 'NOT_A_LEAF', 'w - failed to lookup metric'],
    ['pmid=x&value=1', 404, 'UNKNOWN_METRIC', 'x - failed to lookup PMID'],
    ['pmid=29.1.99&value=1', 404, 'UNKNOWN_METRIC', '29.1.99 - failed to lookup PMID'],
    ['name=w.i64&value=1.5', 400, 'BAD_PARAMETER', 'w.i64: Unknown or illegal metric type'],
    ['name=w.i64&value=9223372036854775808', 400, 'BAD_PARAMETER', 'w.i64: Numerical result out of range'],
    ['name=w.bytes&value=1', 400, 'BAD_PARAMETER', 'w.bytes: Unknown or illegal metric type'],
    ['name=w.events&value=1', 400, 'BAD_PARAMETER', 'w.events: Unknown or illegal metric type'],
    ['name=w.locked&value=1', 403, 'FORBIDDEN', 'w.locked: No permission to perform requested operation'],
    ['name=w.real&value=1', 404, 'UNKNOWN_INSTANCE', 'w.real: Unknown or illegal instance identifier'],
    ['name=w.i64&value=1&instance=1', 404, 'UNKNOWN_INSTANCE', 'w.i64: Unknown or illegal instance identifier'],
    ['name=w.i64&value=1&iname=a', 404, 'UNKNOWN_INSTANCE', 'w.i64: Unknown or illegal instance identifier'],
    ['name=w.real&value=1&iname=5+minute,b', 404, 'UNKNOWN_INSTANCE', 'w.real: Unknown or illegal instance identifier'],
  ])('refuses %s', async (query, status, code, message) => {
    const answer = await store(query);
    const lead = message.startsWith('w.') && message.includes(': ') ? 'failed to store value to metric ' : '';
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(answer.json.message).toBe(lead + message);
    expect(stored).toEqual([]);
  });

  it('refuses where nothing can be stored, and derived metrics', async () => {
    const own = await api.context();
    const plain = await api.post(`/pmapi/${own}/store?name=w.i64&value=1`);
    expect([plain.status, plain.json.code]).toEqual([403, 'FORBIDDEN']);
    Object.assign(api.gateway.sources.at(-1)!, { store: remember });
    await api.gateway.contexts.use(own).addDerived('my.sum', 'w.i64 + 1');
    expect((await api.post(`/pmapi/${own}/store?name=my.sum&value=1`)).status).toBe(403);
    expect(stored).toEqual([]);
  });

  it('refuses pages of foreign origins, whose plain texts a browser sends without asking', async () => {
    const from = (origin: string): Promise<ApiAnswer> =>
      api.post('/pmapi/store?name=w.i64', { body: '1', type: 'text/plain', headers: { origin } });
    expect((await from('https://evil.example.com')).status).toBe(403);
    expect((await from('null')).status).toBe(403);
    const image = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await api.get('/pmapi/store?name=w.i64&value=1', image)).status).toBe(403);
    expect(stored).toEqual([]);
    expect((await from('https://grafana.example.com')).status).toBe(200);
    expect((await from('http://localhost:3000')).status).toBe(200);
  });
});
