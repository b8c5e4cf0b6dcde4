import { type AnswerJson, Api } from '../support/api.js';

const api = Api.serving();

const namesOf = (json: AnswerJson): string[] => json.metrics.map(({ name }) => name);

describe('/pmapi/metric', () => {
  it('tells everything of a metric', async () => {
    const { json } = await api.get('/pmapi/metric?name=kernel.all.load');
    expect(json.metrics).toEqual([
      {
        name: 'kernel.all.load',
        series: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        pmid: '60.2.0',
        indom: '60.2',
        type: 'float',
        sem: 'instant',
        units: 'none',
        labels: { agent: 'linux', 'bad-json': '{oops', hostname: 'web1', indom_name: 'load', nodes: ['a', 'b'] },
        'text-oneline': 'load average',
        'text-help': 'load average of the last minutes',
      },
    ]);
  });

  it('leaves indom out for a metric without instances, and gives empty help', async () => {
    const { json } = await api.get('/pmapi/metric?names=disk.all.total_bytes');
    expect(json.metrics).toMatchObject([{ units: 'byte', sem: 'counter', type: 'u64', 'text-oneline': '' }]);
    expect(json.metrics[0]).not.toHaveProperty('indom');
  });

  it('answers subtrees in the order of the request', async () => {
    const { json } = await api.get('/pmapi/metric?prefix=test.collide,kernel.all');
    expect(namesOf(json)).toEqual(['test.collide.a_b', 'kernel.all.load', 'kernel.all.sysfork']);
  });

  it('answers an interior node once, however often a list repeats it, and metrics as often as they stand there', async () => {
    const { json } = await api.get('/pmapi/metric?names=mem,mem.util.free,mem,mem.util.free,kernel.all,mem,kernel.all');
    const [free, load, forks] = ['mem.util.free', 'kernel.all.load', 'kernel.all.sysfork'];
    expect(namesOf(json)).toEqual([free, free, free, load, forks]);
  });

  it.each(['/pmapi/metric', '/metrics'])('looks the nodes of a list up at once, and each once: %s', async (path) => {
    const far = await Api.start();
    await far.get('/pmapi/children');
    const source = far.gateway.sources.at(-1)!;
    const traverse = source.traverse.bind(source);
    const [asked, under] = [[] as string[], { now: 0, most: 0 }];
    source.traverse = async (prefix) => {
      asked.push(prefix);
      under.most = Math.max(under.most, ++under.now);
      await Promise.resolve();
      under.now--;
      return traverse(prefix);
    };
    expect((await far.get(`${path}?names=mem,kernel.all.sysfork,mem,nope`)).status).toBe(200);
    await far.stop();
    // And all of them, for what 'nope' was meant to be.
    expect([asked, under.most]).toEqual([['mem', 'kernel.all.sysfork', 'nope', ''], 3]);
  });

  it.each(['', '?names='])('answers the whole namespace without names: %p', async (query) => {
    const { json } = await api.get(`/pmapi/metric${query}`);
    expect(namesOf(json)).toHaveLength(12);
  });

  it('puts failures of several in their place, and lists them', async () => {
    const { json } = await api.get('/pmapi/metric?names=nope,mem.util.free,,also.nope');
    expect(json.metrics).toMatchObject([
      { name: 'nope', message: 'Unknown metric name', success: false },
      { name: 'mem.util.free' },
      { name: '', success: false },
      { name: 'also.nope', success: false },
    ]);
    expect(json.warnings).toMatchObject([
      { name: 'nope', code: 'UNKNOWN_METRIC' },
      { name: '' },
      { name: 'also.nope' },
    ]);
    const unknown = await api.get('/pmapi/metric?names=nope,also.nope');
    expect([unknown.status, unknown.json.metrics.length, unknown.json.warnings.length]).toEqual([200, 2, 2]);
  });

  it.each(['names', 'prefix', 'name'])('is an error when the only one is unknown: %s', async (parameter) => {
    const { status, json } = await api.get(`/pmapi/metric?${parameter}=no.such`);
    expect(status).toBe(404);
    expect(json).toMatchObject({
      message: 'no.such traversal failed - Unknown metric name',
      code: 'UNKNOWN_METRIC',
      pmErr: -12357,
      context: expect.any(Number) as number,
    });
  });

  it('has chosen members in the older form, too, with numbers as there', async () => {
    const { json } = await api.get('/pmapi/_metric?name=mem.util.free&fields=pmid');
    expect(json.metrics).toEqual([
      { name: 'mem.util.free', pmid: expect.any(Number), type: 'u64', sem: 'instant', units: 'Kbyte' },
    ]);
  });

  it('has the display hints of derived metrics', async () => {
    const { context } = (await api.get('/pmapi/context')).json;
    const definitions = 'my.share = mem.util.free\n# pmgate: display my.share unit=% min=0 max=100\n';
    const query = new URLSearchParams({ expr: definitions }).toString();
    expect((await api.get(`/pmapi/${context}/derive?${query}`)).status).toBe(200);
    const display = { unit: '%', min: 0, max: 100 };
    for (const choice of ['', '&fields=display']) {
      const { json } = await api.get(`/pmapi/${context}/metric?names=my.share,mem.util.free${choice}`);
      expect(json.metrics[0]).toMatchObject({ name: 'my.share', display });
      expect(json.metrics[1]).not.toHaveProperty('display');
    }
    const listed = (await api.get(`/derived?context=${context}`)).json as unknown as { derived: readonly object[] };
    expect(listed.derived).toMatchObject([{ name: 'my.share', display }]);
  });

  it('finds metrics by PMID', async () => {
    const { json } = await api.get('/pmapi/metric?pmids=60.1.2,9.9.9');
    expect(json.metrics).toMatchObject([{ name: 'mem.util.free' }, { name: '9.9.9', success: false }]);
    expect(await api.get('/pmapi/metric?pmid=9.9.9')).toMatchObject({ status: 404, json: { code: 'UNKNOWN_METRIC' } });
  });

  it('gives plain numbers in the underscore form', async () => {
    const { json } = await api.get('/pmapi/_metric?names=kernel.all.load&client=x');
    expect(json).toMatchObject({ client: 'x', metrics: [{ pmid: 251660288, indom: 251658242 }] });
  });
});

describe('/pmapi/children', () => {
  it('answers leaves and interior nodes apart', async () => {
    expect((await api.get('/pmapi/children?prefix=test&client=x')).json).toEqual({
      context: expect.any(Number) as number,
      client: 'x',
      name: 'test',
      leaf: ['broken', 'nan', 'infinite', 'aggregate', 'event'],
      nonleaf: ['collide', 'collide_a'],
    });
  });

  it('begins at the root, and knows name for prefix', async () => {
    expect((await api.get('/pmapi/children')).json).toMatchObject({
      name: '',
      leaf: [],
      nonleaf: ['kernel', 'mem', 'disk', 'pmcd', 'test'],
    });
    expect((await api.get('/pmapi/_children?name=kernel')).json).toMatchObject({ nonleaf: ['all'] });
  });

  it('finds nothing below a metric', async () => {
    expect((await api.get('/pmapi/children?prefix=mem.util.free')).json).toMatchObject({ leaf: [], nonleaf: [] });
  });

  it.each(['no.such', 'kernel.', '.'])('does not know %p', async (prefix) => {
    expect(await api.get(`/pmapi/children?prefix=${prefix}`)).toMatchObject({
      status: 404,
      json: { message: 'child traversal failed - Unknown metric name', code: 'UNKNOWN_METRIC' },
    });
  });
});
