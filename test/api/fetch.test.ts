import { Api } from '../support/api.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { rows } from '../support/rows.js';

const api = Api.serving();

describe('/pmapi/fetch', () => {
  it('answers metrics in the order of the request, instances by number and null for none', async () => {
    const { json, headers, text } = await api.get('/pmapi/fetch?names=mem.util.free,kernel.all.load');
    expect(json.values).toEqual([
      { pmid: '60.1.2', name: 'mem.util.free', instances: [{ instance: null, value: 23987772 }] },
      {
        pmid: '60.2.0',
        name: 'kernel.all.load',
        instances: rows({ instance: 1, value: 0.51 }, { instance: 5, value: 0.21 }, { instance: 15, value: 0.07 }),
      },
    ]);
    expect(json).not.toHaveProperty('warnings');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['cache-control']).toBe('no-store');
    expect(text.endsWith('}\r\n')).toBe(true);
  });

  it('pads the nanoseconds of the time stamp', async () => {
    const clock = { now: () => ({ sec: 1795191848, nsec: 48267 }), monotonicMs: () => 0 };
    const other = await Api.start(memoryGateway({ clock }));
    const { text } = await other.get('/pmapi/fetch?names=mem.util.free');
    const compat = await other.get('/pmapi/_fetch?names=mem.util.free');
    await other.stop();
    expect(text).toContain('"timestamp":1795191848.000048267,');
    expect(compat.json.timestamp).toEqual({ s: 1795191848, us: 48 });
  });

  it('gives strings in UTF-8, aggregates as text, events and numbers that are none as null', async () => {
    const { json } = await api.get('/pmapi/fetch?names=pmcd.hostname,test.aggregate,test.event,test.nan,test.infinite');
    const values = json.values.map(({ instances }) => instances[0]!.value);
    expect(values).toEqual(['über"host\n', 'hi', null, null, null]);
  });

  it('echoes client', async () => {
    const { text } = await api.get('/pmapi/fetch?names=mem.util.free&client=a%22b');
    expect(text).toMatch(/^\{"context":\d+,"client":"a\\"b","timestamp":/);
  });

  describe('with metrics that cannot be had', () => {
    it('answers the others and lists them in warnings, for the plural forms', async () => {
      const byName = await api.get('/pmapi/fetch?names=no.such,mem.util.free,kernel.all,test.broken');
      expect(byName.json.values).toHaveLength(2);
      expect(byName.json.warnings).toEqual([
        { name: 'no.such', message: 'Unknown metric name', code: 'UNKNOWN_METRIC', pmErr: -12357 },
        { name: 'kernel.all', message: 'Metric name is not a leaf in PMNS', code: 'NOT_A_LEAF', pmErr: -12394 },
        {
          name: 'test.broken',
          message: 'Try again. Information not currently available',
          code: 'UNAVAILABLE',
          pmErr: -12389,
        },
      ]);
      const byPmid = await api.get('/pmapi/fetch?pmids=60.1.2,9.9.9,xyz,0x0f000402,251659266');
      expect(byPmid.json.values).toEqual(Array(3).fill(expect.objectContaining({ name: 'mem.util.free' })));
      expect(byPmid.json.warnings.map(({ pmid }) => pmid)).toEqual(['xyz', '9.9.9']);
    });

    it('answers no values when there is none', async () => {
      const { json } = await api.get('/pmapi/fetch?pmids=xyz');
      expect(json.values).toEqual([]);
      expect(json.timestamp).toBeGreaterThan(1e9);
    });

    it.each(['name=mem.util.free,no.such', 'pmid=60.1.2,9.9.9', 'pmid=xyz', 'name=no.such'])(
      'is an error for the singular form %s',
      async (query) => {
        const { status, json } = await api.get(`/pmapi/fetch?${query}`);
        expect(status).toBe(404);
        expect(json).toMatchObject({ success: false, code: 'UNKNOWN_METRIC', context: expect.any(Number) as number });
        expect(json.message).toMatch(/^bad parameters passed: \S+ - Unknown/);
      },
    );

    it.each(['names=', 'name=', 'pmids=', 'pmid'])('wants at least one element: %s', async (query) => {
      const { status, json } = await api.get(`/pmapi/fetch?${query}`);
      expect(status).toBe(400);
      expect(json).toMatchObject({ message: 'Insufficient elements in list', code: 'BAD_PARAMETER' });
    });

    it('wants a selector', async () => {
      expect(await api.get('/pmapi/fetch')).toMatchObject({ status: 400, json: { code: 'BAD_PARAMETER' } });
    });
  });

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'names=mem.util.free%2Cpmcd.hostname'],
    ['a JSON array', 'application/json', '{"names":["mem.util.free","pmcd.hostname"]}'],
    ['a JSON text', 'application/json; charset=UTF-8', '{"names":"mem.util.free,pmcd.hostname"}'],
  ])('takes the names from %s', async (_, type, body) => {
    const { json } = await api.post('/pmapi/fetch', { type, body });
    expect(json.values.map(({ name }) => name)).toEqual(['mem.util.free', 'pmcd.hostname']);
  });

  it('serves requests without a context from one that they share', async () => {
    const opened = api.gateway.opened.length;
    const first = await api.get('/pmapi/fetch?names=mem.util.free&hostspec=web2');
    const second = await api.get('/pmapi/fetch?names=mem.util.free&hostname=web2');
    expect(second.json.context).toBe(first.json.context);
    expect(api.gateway.opened.slice(opened)).toEqual([{ kind: 'host', hostspec: 'web2' }]);
  });

  it('takes the context from the query before the path', async () => {
    const [one, other] = [await api.context(), await api.context()];
    const { json } = await api.get(`/pmapi/${one}/fetch?names=mem.util.free&context=${other}`);
    expect(json.context).toBe(other);
  });

  it('says which context is unknown', async () => {
    for (const url of ['/pmapi/99/fetch?names=x', '/pmapi/fetch?names=x&context=99']) {
      const { status, json } = await api.get(url);
      expect(status).toBe(404);
      expect(json).toEqual({
        context: 99,
        message: 'unknown context identifier: 99',
        success: false,
        code: 'UNKNOWN_CONTEXT',
        pmErr: -12376,
      });
    }
  });
});

describe('/pmapi/_fetch', () => {
  it('has plain numbers, -1 for no instance, and no context', async () => {
    const { json } = await api.get('/pmapi/_fetch?names=mem.util.free,no.such&client=x');
    expect(json).toEqual({
      timestamp: { s: expect.any(Number) as number, us: expect.any(Number) as number },
      values: [{ pmid: 251659266, name: 'mem.util.free', instances: [{ instance: -1, value: 23987772 }] }],
      warnings: [expect.objectContaining({ name: 'no.such' })],
    });
  });
});
