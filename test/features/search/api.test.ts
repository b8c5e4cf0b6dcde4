import { GatewayError, makeIndom, makeLabel, makePmid } from '../../../src/pmapi/index.js';
import { Api, type Schemas } from '../../support/api.js';
import { descriptor, memoryGateway, TEST_CONTENT } from '../../support/memory-gateway.js';
import { rows } from '../../support/rows.js';

const DISKS = makeIndom(60, 1);
/** The metrics of PMWEBAPI(3)'s examples of /search, beside the usual ones. */
const CONTENT: typeof TEST_CONTENT = {
  ...TEST_CONTENT,
  metrics: [
    ...TEST_CONTENT.metrics,
    ...['disk.all.avactive', 'disk.all.aveq', 'disk.all.blkread', 'disk.all.blktotal'].map((name, i) => ({
      name,
      descriptor: descriptor(makePmid(60, 4, i)),
      values: 0,
    })),
    {
      name: 'kvm.halt_exits',
      descriptor: descriptor(makePmid(95, 0, 1)),
      oneline: 'Number of guest exits due to halt calls.',
      help: 'This type of exit is usually seen when a guest is idle.',
      values: 0,
    },
    {
      name: 'kvm.halt_wakeup',
      descriptor: descriptor(makePmid(95, 0, 2)),
      oneline: 'Number of wakeups from a halt.',
      values: 0,
    },
    {
      name: 'disk.dev.read',
      descriptor: descriptor(makePmid(60, 0, 4), { indom: DISKS }),
      oneline: 'per-disk read operations',
      values: new Map([[0, 1]]),
    },
  ],
  indoms: [
    ...TEST_CONTENT.indoms!,
    {
      indom: DISKS,
      instances: rows({ id: 0, name: 'sda' }, { id: 1, name: '<img src=x onerror=alert(1)>' }),
      oneline: 'set of disks',
      instanceLabels: new Map([[0, [makeLabel('model', 'Samsung 990')]]]),
    },
  ],
};

let api: Api;
beforeEach(async () => (api = await Api.start(memoryGateway({ content: CONTENT }))));
afterEach(() => api.stop());

type SearchJson = Schemas['Search'];
const read = (url: string): Promise<SearchJson> => api.ok(url);
const search = (query: string): Promise<SearchJson> => read(`/search?${query}`);
const namesOf = ({ results }: SearchJson): unknown[] => results.map(({ name }) => name);

describe('/search', () => {
  it('finds metrics by the words of their names and help texts, and says where', async () => {
    const { results, ...rest } = await search('q=disk%20dev%20reads&client=me');
    expect(rest).toEqual({
      client: 'me',
      total: 1,
      elapsed: expect.any(Number) as number,
      offset: 0,
      limit: 10,
      likeness: 'all',
    });
    expect(results).toEqual([
      {
        name: 'disk.dev.read',
        type: 'metric',
        indom: '60.1',
        oneline: 'per-disk read operations',
        source: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        hostspec: 'localhost',
        score: expect.any(Number) as number,
        fields: ['name', 'oneline'],
        highlights: {
          name: rows([0, 4], [5, 8], [9, 13]),
          oneline: rows([4, 8], [9, 13]),
        },
      },
    ]);
  });

  it('finds instances and labels', async () => {
    expect((await search('q=samsung')).results).toMatchObject([
      { name: 'sda', type: 'instance', indom: '60.1', fields: ['labels'], labels: { model: 'Samsung 990' } },
    ]);
    expect((await search('q=linux&type=metric')).results[0]).toMatchObject({
      fields: ['labels'],
      labels: { agent: 'linux' },
    });
    expect((await search('q=linux&field=name,oneline')).total).toBe(0);
  });

  it('marks what it found as HTML that nobody else writes', async () => {
    const marked = await search('q=img&type=instance&highlight=name');
    expect(namesOf(marked)).toEqual(['&lt;<b>img</b> src=x onerror=alert(1)&gt;']);
    for (const route of ['/search?q=img', '/search/text?query=img']) {
      const [none, all] = await Promise.all([read(`${route}&type=0`), read(route)]);
      expect(none.results).toEqual(all.results);
    }
    expect(namesOf(await search('q=img&type=instance'))).toEqual(['<img src=x onerror=alert(1)>']);
  });

  it('searches a context with its own derived metrics, which nobody else finds', async () => {
    const context = await api.context();
    await api.get(`/pmapi/${context}/derive?name=my.secret.sum&expr=2*mem.util.free`);
    expect(namesOf(await search(`q=secret&context=${context}`))).toEqual(['my.secret.sum']);
    expect((await search('q=secret')).total).toBe(0);
    expect((await search('q=secret&hostspec=localhost')).total).toBe(0);
    expect((await api.get(`/search?q=free&context=${context + 1}`)).status).toBe(404);
  });

  it('finds a global derived metric by what its help texts say now', async () => {
    const { definitions } = api.gateway.contexts;
    definitions.register('my.ratio', '2*mem.util.free', 'api', { oneline: 'share of quokkas' });
    expect(namesOf(await search('q=quokkas'))).toEqual(['my.ratio']);
    definitions.register('my.ratio', '2*mem.util.free', 'api', { oneline: 'share of wombats' });
    expect((await search('q=quokkas')).total).toBe(0);
    expect(namesOf(await search('q=wombats'))).toEqual(['my.ratio']);
    definitions.unregister('my.ratio');
  });

  it('searches an archive when it is named, and no other way', async () => {
    expect((await search('q=free&archive=web1/today')).results).toMatchObject([{ archive: 'web1/today' }]);
    expect((await search('q=free')).results.map(({ hostspec }) => hostspec)).toEqual(['localhost']);
  });

  it('searches the hosts that contexts are open on', async () => {
    await api.context('?hostspec=web2');
    const { results } = await search('q=mem.util.free');
    expect(results.map(({ hostspec }) => hostspec).sort()).toEqual(['localhost', 'web2']);
    expect((await search('q=mem.util.free&hostspec=web2')).results).toMatchObject([{ hostspec: 'web2' }]);
  });

  it('searches this machine once, by whatever names others asked for it', async () => {
    for (const name of ['embedded', '127.0.0.1', 'local:']) await api.context(`?hostspec=${name}`);
    const { results } = await search('q=mem.util.free');
    expect(results.map(({ hostspec }) => hostspec)).toEqual(['localhost']);
  });

  it('tells nobody of contexts that a password opened', async () => {
    const headers = { authorization: `Basic ${Buffer.from('alice:sesame').toString('base64')}` };
    const { json } = await api.get('/pmapi/context?hostspec=vault', { headers });
    await api.context('?hostspec=safe%3Fusername%3Dbob%26password%3Dx');
    const everywhere = await search('q=mem.util.free&limit=100');
    expect(everywhere.results.map(({ hostspec }) => hostspec)).toEqual(['localhost']);
    expect((await api.get(`/search?q=free&context=${json.context}`)).status).toBe(401);
    const own = await api.ok<SearchJson>(`/search?q=free&context=${json.context}`, { headers });
    expect(own.results).toMatchObject([{ hostspec: 'vault' }]);
  });

  it('shows a password to no host but this machine', async () => {
    await api.context('?hostspec=web2');
    const headers = { authorization: `Basic ${Buffer.from('alice:sesame').toString('base64')}` };
    await api.ok<SearchJson>('/search?q=free', { headers });
    expect(api.gateway.opened.filter((spec) => spec.kind === 'host' && spec.username !== undefined)).toEqual([
      { kind: 'host', hostspec: 'localhost', username: 'alice', password: 'sesame' },
    ]);
  });

  it('tells which contexts there are to nobody', async () => {
    const context = await api.context('?hostspec=web2');
    expect((await api.get('/search?q=mem.util.free')).text).not.toContain(String(context));
  });

  it.each([
    ['', 'BAD_PARAMETER', "'q' is missing"],
    ['q=', 'BAD_PARAMETER', "'q'"],
    ['q=.*', 'BAD_PARAMETER', "'q' has no words"],
    ['q=b+c+d+e+f+g+h+i+j+k+l+m+n', 'BAD_PARAMETER', 'words; at most 12'],
    [`q=${'x'.repeat(257)}`, 'BAD_PARAMETER', "'q'"],
    ['q=x&type=host', 'BAD_PARAMETER', 'type'],
    ['q=x&limit=1001', 'BAD_PARAMETER', 'limit'],
    ['q=x&offset=-1', 'BAD_PARAMETER', 'offset'],
    ['q=x&hostspec=a&archive=b', 'BAD_PARAMETER', 'mutually exclusive'],
    ['query=x', 'UNKNOWN_PARAMETER', 'query'],
  ])('refuses %p', async (query, code, message) => {
    const { status, json } = await api.get(`/search?${query}`);
    expect([status, json.code]).toEqual([400, code]);
    expect(json.message).toContain(message);
  });
});

describe('/search without some of its sources', () => {
  it('lists them in warnings, and fails when the one that is named is not there', async () => {
    const failures: Record<string, Error> = {};
    const gateway = memoryGateway({ content: CONTENT, failures });
    const own = await Api.start(gateway);
    await own.context('?hostspec=web2');
    failures.web2 = new GatewayError('SOURCE_UNREACHABLE', 'cannot connect to PMCD: No route to host');
    const { json } = await own.get('/search?q=mem.util.free');
    expect(json).toMatchObject({ total: 1, warnings: [{ hostspec: 'web2', code: 'SOURCE_UNREACHABLE' }] });
    expect((await own.get('/search?q=free&hostspec=web2')).json.code).toBe('SOURCE_UNREACHABLE');
    expect((await own.get('/search/suggest?query=mem')).json).toEqual(['mem.util.free']);
    await own.stop();
  });
});

describe('/search on a machine without metrics', () => {
  it('fails as any other request, unless there are other hosts', async () => {
    const localhost = new GatewayError('SOURCE_UNREACHABLE', 'cannot connect to PMCD: No route to host');
    const own = await Api.start(memoryGateway({ content: CONTENT, failures: { localhost } }));
    expect((await own.get('/search?q=free')).json.code).toBe('SOURCE_UNREACHABLE');
    await own.context('?hostspec=web2');
    const { json } = await own.get('/search?q=mem.util.free');
    expect(json).toMatchObject({
      results: [{ hostspec: 'web2' }],
      warnings: [{ hostspec: 'localhost', code: 'SOURCE_UNREACHABLE' }],
    });
    await own.stop();
  });
});

describe('/search/text', () => {
  it('answers as PMWEBAPI(3) shows it', async () => {
    // The example there: /search/text?query=halt
    const { text } = await api.get('/search/text?query=halt');
    const { elapsed, ...rest } = JSON.parse(text) as Record<string, unknown>;
    expect(elapsed).toEqual(expect.any(Number));
    expect(rest).toEqual({
      total: 2,
      offset: 0,
      limit: 10,
      results: expect.arrayContaining([
        {
          name: 'kvm.halt_exits',
          type: 'metric',
          oneline: 'Number of guest exits due to halt calls.',
          helptext: 'This type of exit is usually seen when a guest is idle.',
        },
        { name: 'kvm.halt_wakeup', type: 'metric', oneline: 'Number of wakeups from a halt.' },
      ]) as unknown,
    });
    expect(text).toMatch(/^\{"total":2,"elapsed":0\.\d{6},"offset":0,"limit":10,"results":\[\{"name":/);
  });

  it('takes the parameters that grafana-pcp sends', async () => {
    // PmSearchApiService.text: lists joined by commas, all of them at once.
    const { results } = await read(
      '/search/text?query=halt&highlight=name,oneline,helptext&offset=0&limit=10&field=name,oneline&return=name,type&type=metric,indom',
    );
    expect(results).toEqual(expect.arrayContaining([{ name: 'kvm.<b>halt</b>_exits', type: 'metric' }]));
  });

  it('does not search labels', async () => {
    expect((await read('/search/text?query=samsung')).total).toBe(0);
  });

  it('answers an empty list, and 10 results for a limit of 0', async () => {
    expect(await read('/search/text?query=xylophone')).toMatchObject({ total: 0, results: [] });
    expect(await read('/search/text?query=disk&limit=0')).toMatchObject({ limit: 10 });
    expect((await read('/search/text?query=disk&limit=1&offset=1')).results).toHaveLength(1);
  });

  it('puts client beside the result', async () => {
    const { json } = await api.get('/search/text?query=halt&client=me');
    expect(json).toMatchObject({ client: 'me', result: { total: 2 } });
  });
});

describe('/search/suggest', () => {
  it('answers as PMWEBAPI(3) shows it', async () => {
    // The example there: /search/suggest?query=disk&limit=4
    const { json } = await api.get('/search/suggest?query=disk&limit=4');
    expect(json).toEqual(['disk.all.avactive', 'disk.all.aveq', 'disk.all.blkread', 'disk.all.blktotal']);
  });

  it('offers what words lead to, and nothing for what is none', async () => {
    expect((await api.get('/search/suggest?query=wakeup')).json).toEqual(['kvm.halt_wakeup']);
    expect((await api.get('/search/suggest?query=sd')).json).toEqual(['sda']);
    expect((await api.get('/search/suggest?query=%25')).json).toEqual([]);
    expect((await api.get('/search/suggest?query=sd&client=me')).json).toEqual({ client: 'me', result: ['sda'] });
    expect((await api.get('/search/suggest')).json.code).toBe('BAD_PARAMETER');
  });
});

describe('/search/indom', () => {
  it('answers the domain itself, its metrics, and its instances', async () => {
    expect(await read('/search/indom?query=60.1')).toMatchObject({
      total: 4,
      results: [
        { name: '60.1', type: 'indom', indom: '60.1', oneline: 'set of disks' },
        { name: 'disk.dev.read', type: 'metric', indom: '60.1' },
        { name: 'sda', type: 'instance', indom: '60.1' },
        { name: '<img src=x onerror=alert(1)>', type: 'instance', indom: '60.1' },
      ],
    });
    expect((await read('/search/indom?query=60.1&limit=1&offset=1')).results).toMatchObject([{ type: 'metric' }]);
    expect((await read('/search/indom?query=251658241')).total).toBe(4);
    expect((await read('/search/indom?query=9.9')).total).toBe(0);
  });

  it('refuses what is no instance domain', async () => {
    expect((await api.get('/search/indom?query=disk')).json).toMatchObject({
      code: 'BAD_PARAMETER',
      message: "invalid instance domain 'disk' in 'query'",
    });
  });
});

describe('/search/info', () => {
  it('counts what is there to be searched', async () => {
    expect((await api.get('/search/info')).json).toMatchObject({ docs: 0, terms: 0, records_per_doc_avg: 0 });
    await search('q=disk');
    const { json } = await api.get('/search/info');
    expect(json).toMatchObject({ docs: CONTENT.metrics.length + 2 + 5, bytes_per_record_avg: 0 });
    const { docs, records, records_per_doc_avg: average } = json as unknown as Record<string, number>;
    expect(average).toBeCloseTo(records! / docs!, 2);
    expect((await api.get('/search/info?client=me')).json).toMatchObject({ client: 'me', result: { docs } });
  });
});
