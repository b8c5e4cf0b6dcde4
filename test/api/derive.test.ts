import { Api, type ApiAnswer } from '../support/api.js';
import { rows } from '../support/rows.js';

const api = Api.serving();

const q = (parameters: Readonly<Record<string, string>>): string => new URLSearchParams(parameters).toString();
const TEXT = 'text/plain';

async function valueOf(context: number, name: string): Promise<unknown> {
  const { json } = await api.get(`/pmapi/${context}/fetch?name=${name}`);
  return json.values[0]!.instances.map(({ value }) => value);
}

describe('/pmapi/derive', () => {
  it('defines a metric for one context', async () => {
    const context = await api.context();
    const answer = await api.get(
      `/pmapi/${context}/derive?${q({ name: 'my.twice', expr: 'mem.util.free + mem.util.free' })}`,
    );
    expect(answer.text).toBe(`{"context":${context},"success":true}\r\n`);
    expect((await api.get(`/pmapi/${context}/fetch?names=my.twice`)).json.values).toEqual([
      { pmid: '511.2047.1023', name: 'my.twice', instances: [{ instance: null, value: 47_975_544 }] },
    ]);
    const other = await api.context();
    expect((await api.get(`/pmapi/${other}/fetch?name=my.twice`)).status).toBe(404);
  });

  it.each(['/pmapi/derive', '/pmapi/_derive'])('makes a context when it is given none: %s', async (path) => {
    const { json } = await api.get(`${path}?${q({ name: 'my.one', expr: '1', polltimeout: '60' })}`);
    expect(await valueOf(json.context, 'my.one')).toEqual([1]);
    expect(api.gateway.contexts.use(json.context)).toMatchObject({ isShared: false, pollTimeoutMs: 60_000 });
  });

  it.each(['derive', '_derive'])(
    'takes the context from the path, from the query and from a body: %s',
    async (path) => {
      const context = await api.context();
      await api.get(`/pmapi/${context}/${path}?${q({ name: 'my.a', expr: '1 + 1' })}`);
      await api.get(`/pmapi/${path}?${q({ name: 'my.b', expr: '1 + 2', context: String(context) })}`);
      await api.post(`/pmapi/${path}`, { body: { name: 'my.c', expr: '1 + 3', context } });
      await api.post(`/pmapi/${context}/${path}`, { type: 'form', body: q({ name: 'my.d', expr: '1 + 4' }) });
      const { json } = await api.get(`/pmapi/${context}/fetch?names=my.a,my.b,my.c,my.d`);
      expect(json.values.map(({ instances }) => instances[0]!.value)).toEqual([2, 3, 4, 5]);
    },
  );

  describe('with a body', () => {
    it.each<[string, string, string | object, string | undefined]>([
      ['the expression as plain text', '?name=my.a', 'mem.util.free + mem.util.free', TEXT],
      ['the expression as plain text with a charset', '?name=my.a', 'mem.util.free * 2', 'text/plain; charset=UTF-8'],
      ['the expression as curl -d sends it', '?name=my.a', 'mem.util.free + mem.util.free', 'form'],
      ['a form', '', 'name=my.a&expr=mem.util.free+%2B+mem.util.free', 'form'],
      ['a form, the name in the query', '?name=my.a', 'expr=mem.util.free*2', 'form'],
      ['JSON', '', { name: 'my.a', expr: 'mem.util.free * 2' }, undefined],
      ['JSON, the name in the query', '?name=my.a', { expr: 'mem.util.free * 2' }, undefined],
      ['JSON with a text of definitions', '', { expr: 'my.a = mem.util.free * 2' }, undefined],
      ['JSON that calls itself text', '', '{"name":"my.a","expr":"mem.util.free * 2"}', TEXT],
      ['a definition', '', 'my.a = mem.util.free * 2\n', TEXT],
      ['a definition without newline', '', 'my.a = mem.util.free * 2', TEXT],
      ['a definition as curl -d sends it', '', 'my.a = mem.util.free + mem.util.free', 'form'],
      ['definitions between semicolons', '', 'my.b = 1;my.a=mem.util.free*2;', TEXT],
      ['definitions between ampersands', '', 'my.b = 1&my.a=mem.util.free*2&my.c=1&&1', TEXT],
      ['comments and blank lines', '', '# of free memory\n\n  # more\n  \nmy.a = mem.util.free * 2 \r\n', TEXT],
    ])('takes %s', async (_, query, body, type) => {
      const context = await api.context();
      const sent = type === undefined ? { body } : { body, type };
      expect(await api.post(`/pmapi/${context}/derive${query}`, sent)).toMatchObject({
        status: 200,
        json: { context },
      });
      expect(await valueOf(context, 'my.a')).toEqual([47_975_544]);
    });

    it('takes plain text that has no Content-Type', async () => {
      const context = await api.context();
      const response = await fetch(`${api.url}/pmapi/${context}/derive`, {
        method: 'POST',
        body: new TextEncoder().encode('my.a = 1\nmy.b = 2'),
      });
      expect(response.status).toBe(200);
      expect(await valueOf(context, 'my.b')).toEqual([2]);
    });

    it.each([
      [TEXT, '{"name":"my.a"}', 400, 'BAD_PARAMETER'],
      [TEXT, '{"name":"my.a","expr":', 400, 'BAD_PARAMETER'],
      ['application/xml', '<expr/>', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['text/plain; charset=latin1', 'my.a = 1', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['application/json', '[1]', 400, 'BAD_BODY'],
      ['application/json', '{"name":"my.a","expr":1}', 400, 'BAD_PARAMETER'],
      ['application/json', '{"name":"my.a","expr":"1","colour":"red"}', 400, 'UNKNOWN_PARAMETER'],
      [TEXT, `my.a = ${'1 + '.repeat(3000)}1`, 413, 'BODY_TOO_LARGE'],
    ])('refuses %s %.40s', async (type, body, status, code) => {
      expect(await api.post('/pmapi/derive', { type, body })).toMatchObject({ status, json: { code } });
    });

    it('refuses an expression both in the query and in the body', async () => {
      expect(await api.post('/pmapi/derive?name=my.a&expr=1', { type: TEXT, body: '2' })).toMatchObject({
        status: 400,
        json: { code: 'BAD_PARAMETER', parameter: 'expr' },
      });
    });
  });

  it('takes a text of comments alone', async () => {
    expect((await api.post('/pmapi/derive', { type: TEXT, body: '# one\n\n  # two' })).status).toBe(200);
    expect((await api.post('/pmapi/derive', { type: TEXT, body: '# one\nmem.util.free' })).status).toBe(400);
  });

  it.each(['', 'name=my.a', 'expr=mem.util.free', 'expr=a==b'])('wants name and expression: %p', async (query) => {
    const { status, json } = await api.get(`/pmapi/derive?${query}`);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'BAD_PARAMETER' });
    expect(json.message).toMatch(/^invalid derive parameters/);
  });

  it('says what pmproxy says of a name that is taken, even by the same expression', async () => {
    const context = await api.context();
    const url = `/pmapi/${context}/derive?${q({ name: 'my.a', expr: '1' })}`;
    await api.get(url);
    expect(await api.get(url)).toMatchObject({
      status: 409,
      json: {
        context,
        message: 'Error: pmAddDerivedMetric("my.a", ...): returns -12409\nDuplicate per-context derived metric name',
        code: 'DUPLICATE_NAME',
        pmErr: -12409,
      },
    });
    const file = await api.post(`/pmapi/${context}/derive`, { type: TEXT, body: 'my.b = 2; my.a = 1' });
    expect(file).toMatchObject({
      status: 409,
      json: { code: 'DUPLICATE_NAME', position: { offset: 9, line: 1, column: 10 } },
    });
    expect(file.json.message).toContain('Duplicate per-context derived metric name');
  });

  it('says what pmproxy says of an expression that does not parse', async () => {
    const { status, json } = await api.get(`/pmapi/derive?${q({ name: 'my.b', expr: 'mem.util.free++3' })}`);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      code: 'SYNTAX_ERROR',
      message:
        'Syntax Error: pmAddDerivedMetric("my.b", ...)\nmem.util.free++3\n              ^\n' +
        'Arithmetic expression expected to follow PLUS',
      position: { offset: 14, end: 15, line: 1, column: 15 },
    });
  });

  it('says what pmproxy says of operands that do not fit', async () => {
    const { status, json } = await api.get(`/pmapi/derive?${q({ name: 'my.c', expr: 'test.nan + mem.util.free' })}`);
    expect(status).toBe(422);
    expect(json).toMatchObject({
      code: 'SEMANTIC_ERROR',
      message:
        'Semantic Error: pmAddDerivedMetric("my.c", ...)\ntest.nan + mem.util.free\n^\nDimensions are not the same',
      pmErr: -12409,
    });
  });

  it('refuses a metric that does not exist, and a name that is none', async () => {
    expect(await api.get(`/pmapi/derive?${q({ name: 'my.d', expr: 'no.such' })}`)).toMatchObject({
      status: 422,
      json: { code: 'SEMANTIC_ERROR' },
    });
    expect(await api.get(`/pmapi/derive?${q({ name: '9bad name', expr: '1' })}`)).toMatchObject({
      status: 400,
      json: { code: 'BAD_PARAMETER', parameter: 'name' },
    });
  });

  it.each([
    ['the syntax of the second', 'my.a = 1\nmy.b = 1 ++\n', 400, 'SYNTAX_ERROR', 'Syntax Error'],
    ['the operands of the second', 'my.a = 1\nmy.b = no.such\n', 422, 'SEMANTIC_ERROR', 'Semantic Error'],
    [
      'a name that comes twice',
      'my.a = 1\nmy.a = 2\n',
      409,
      'DUPLICATE_NAME',
      'Duplicate per-context derived metric name',
    ],
    ['a line that is none', 'my.a = 1\nwhat is this\n', 400, 'SYNTAX_ERROR', 'after derived metric name'],
    ['one that names another', 'my.a = 1\nmy.b = my.a + 1\n', 422, 'SEMANTIC_ERROR', 'Semantic Error'],
  ])('takes all definitions or none: %s', async (_, body, status, code, words) => {
    const context = await api.context();
    const answer = await api.post(`/pmapi/${context}/derive`, { type: TEXT, body });
    expect(answer).toMatchObject({ status, json: { code, context } });
    expect(answer.json.message).toContain(words);
    expect(api.gateway.contexts.use(context).derived.own()).toEqual([]);
    expect((await api.get(`/pmapi/${context}/fetch?name=my.a`)).status).toBe(404);
  });

  it('leaves a shared context alone', async () => {
    const { json } = await api.get('/pmapi/fetch?names=mem.util.free');
    for (const url of [`/pmapi/${json.context}/derive?name=a&expr=1`, `/pmapi/${json.context}/_derive?name=a&expr=1`]) {
      expect(await api.get(url)).toMatchObject({ status: 409, json: { code: 'SHARED_CONTEXT' } });
    }
  });

  it('changes nothing with HEAD', async () => {
    const context = await api.context();
    const head = await api.request('HEAD', `/pmapi/${context}/derive?name=my.a&expr=1`);
    expect([head.status, head.headers['content-length']]).toEqual([200, undefined]);
    expect(api.gateway.contexts.use(context).derived.own()).toEqual([]);
  });

  it('knows the contexts that there are', async () => {
    expect(await api.get('/pmapi/4711/derive?name=a&expr=1')).toMatchObject({
      status: 404,
      json: { code: 'UNKNOWN_CONTEXT' },
    });
  });
});

describe('a derived metric of a context', () => {
  let context: number;
  const ask = (what: string): Promise<ApiAnswer> => api.get(`/pmapi/${context}/${what}`);
  beforeAll(async () => {
    context = await api.context('?polltimeout=600');
    const body = [
      'my.load = kernel.all.load * 100',
      'my.forks = rate(kernel.all.sysfork)',
      'my.big = disk.all.total_bytes + disk.all.total_bytes - disk.all.total_bytes',
      'kernel.all.forks = delta(kernel.all.sysfork)',
      'mem.util.free = 1',
    ].join('\n');
    await api.post(`/pmapi/${context}/derive`, { type: TEXT, body });
  });

  it('has metadata, labels and a series', async () => {
    const { json } = await ask('metric?names=my.load,my.forks');
    expect(json.metrics).toEqual([
      {
        name: 'my.load',
        series: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        pmid: '511.2047.1023',
        indom: '60.2',
        type: 'float',
        sem: 'instant',
        units: 'none',
        labels: { hostname: 'web1', nodes: ['a', 'b'], indom_name: 'load' },
        'text-oneline': '',
        'text-help': '',
      },
      expect.objectContaining({ name: 'my.forks', type: 'double', sem: 'instant', units: 'count / sec' }),
    ]);
  });

  it('has values by instance, and none before there are two samples for a rate', async () => {
    const fresh = await api.context();
    await api.get(`/pmapi/${fresh}/derive?name=my.forks&expr=rate(kernel.all.sysfork)`);
    const values = async (): Promise<readonly unknown[]> =>
      (await api.get(`/pmapi/${fresh}/fetch?names=my.forks`)).json.values[0]!.instances;
    expect(await values()).toEqual([]);
    expect(await values()).toEqual([{ instance: null, value: 0 }]);
    const { json } = await ask('fetch?names=my.load');
    expect(json.values[0]!.instances.map(({ instance }) => instance)).toEqual([1, 5, 15]);
  });

  it('keeps all digits of 64-bit integers', async () => {
    expect((await ask('fetch?names=my.big')).text).toContain('"value":18446744073709551615}');
  });

  it('can be fetched by PMID, and looked at by its instance domain', async () => {
    expect((await ask('fetch?pmids=511.2047.1023')).json.values[0]!.name).toBe('my.load');
    expect((await ask('indom?name=my.load')).json.instances).toHaveLength(3);
  });

  it('is among the children and in the namespace', async () => {
    expect((await ask('children?prefix=my')).json).toMatchObject({ leaf: ['load', 'forks', 'big'], nonleaf: [] });
    expect((await ask('children?prefix=kernel.all')).json).toMatchObject({ leaf: ['load', 'sysfork', 'forks'] });
    expect((await ask('metric?prefix=my')).json.metrics.map(({ name }) => name)).toEqual([
      'my.load',
      'my.forks',
      'my.big',
    ]);
  });

  it('does not hide a metric of the source', async () => {
    const { json } = await ask('fetch?name=mem.util.free');
    expect(json.values[0]).toMatchObject({ pmid: '60.1.2', instances: [{ value: 23_987_772 }] });
  });

  it.each(['fetch', '_fetch'])(
    'starts over when the source was lost and found again, and %s says so once',
    async (path) => {
      const fresh = await api.context();
      const source = api.gateway.sources.at(-1)!;
      await api.get(`/pmapi/${fresh}/derive?name=my.forks&expr=rate(kernel.all.sysfork)`);
      const ask = async (): Promise<unknown> => {
        const { text } = await api.get(`/pmapi/${fresh}/${path}?names=my.forks`);
        const { reconnected, values } = JSON.parse(text) as { reconnected?: true; values: { instances: object[] }[] };
        return [reconnected, values[0]!.instances.length];
      };
      expect([await ask(), await ask()]).toEqual(rows([undefined, 0], [undefined, 1]));
      Object.assign(source, { reconnects: 1 });
      expect([await ask(), await ask()]).toEqual(rows([true, 0], [undefined, 1]));
    },
  );

  it.each(['text/plain', 'application/openmetrics-text', 'application/json'])('is exposed as %s', async (accept) => {
    const { status, text } = await api.get(`/pmapi/${context}/metrics?names=my`, { headers: { accept } });
    expect(status).toBe(200);
    expect(text).toMatch(/my[._]load/);
    expect(text).toMatch(/1 minute/);
  });

  it('is left out of an exposition as long as its rate has no history', async () => {
    const fresh = await api.context();
    await api.get(`/pmapi/${fresh}/derive?name=my.forks&expr=rate(kernel.all.sysfork)`);
    const scrape = (): Promise<ApiAnswer> => api.get(`/pmapi/${fresh}/metrics?names=my,mem.util.free`);
    expect((await scrape()).text).not.toContain('my_forks');
    expect((await scrape()).text).toMatch(/^my_forks\{.*\} 0$/m);
  });
});
