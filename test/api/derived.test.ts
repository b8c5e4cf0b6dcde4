import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createPmgateClient } from '../../src/client/index.js';
import { Api, type ApiAnswer } from '../support/api.js';
import { DerivedApi } from '../support/derived-api.js';
import { rows } from '../support/rows.js';

const TEXT = 'text/plain';
let derived: DerivedApi;
const api = (): Api => derived.api;
beforeEach(async () => {
  derived = await DerivedApi.start();
});
afterEach(() => derived.stop());

const put = (name: string, expr: string): Promise<ApiAnswer> =>
  api().request('PUT', `/derived/${name}`, { body: { expr } });
const remove = (name: string): Promise<ApiAnswer> => api().request('DELETE', `/derived/${name}`);
const load = (body: string): Promise<ApiAnswer> => api().post('/derived', { type: TEXT, body });
const list = async (query = ''): Promise<readonly string[]> =>
  (JSON.parse((await api().get(`/derived${query}`)).text) as { derived: { name: string }[] }).derived.map(
    ({ name }) => name,
  );

async function startWith(text: string): Promise<void> {
  await derived.stop();
  const file = path.join(derived.directory, 'mine.conf');
  await mkdir(derived.directory, { recursive: true });
  await writeFile(file, text);
  derived = await DerivedApi.start({ directory: derived.directory, files: [file] });
}

describe('#control lines of a definition file', () => {
  const UNKNOWN = 'my.unknown = no.such\nmy.sum = 1 + no.such\nmy.known = mem.util.free\n';

  it('OPTION_NOVALUE binds metrics that do not exist as novalue()', async () => {
    await startWith(UNKNOWN);
    expect((await api().get('/pmapi/metric?names=my.unknown')).json).toMatchObject({ code: 'SEMANTIC_ERROR' });
    await startWith(`#control OPTION_NOVALUE=1\n${UNKNOWN}`);
    expect((await api().get('/pmapi/metric?names=my.unknown,my.sum')).json).toMatchObject({
      metrics: [{ name: 'my.unknown', type: '32', sem: 'discrete', units: 'none' }, { name: 'my.sum' }],
    });
    expect((await api().get('/pmapi/fetch?names=my.unknown,my.sum,my.known')).json).toMatchObject({
      values: [
        { name: 'my.unknown', instances: [] },
        { name: 'my.sum', instances: [] },
        { name: 'my.known', instances: [{}] },
      ],
    });
    expect((await api().get('/derived/check?expr=no.such')).json).toMatchObject({
      ok: true,
      operands: [{ name: 'no.such', known: false }],
    });
  });

  it('CONTEXT_LIMIT bounds the definitions of one context', async () => {
    await startWith('#control CONTEXT_LIMIT=1\n');
    const { context } = (await api().get('/pmapi/context')).json as { context: number };
    const derive = (name: string): Promise<ApiAnswer> => api().get(`/pmapi/${context}/derive?name=${name}&expr=1`);
    expect((await derive('my.first')).status).toBe(200);
    expect((await derive('my.second')).json).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: 'Too many per-context derived metrics: the limit is 1',
    });
  });
});

describe('/derived', () => {
  it('lists what there is, with everything about it', async () => {
    expect((await api().get('/derived?client=me')).json).toEqual({ client: 'me', derived: [] });
    await load('my.free = 100*mem.util.free\nmy.free(oneline) = in per cent\nmy.free(helptext) = "more\nof it"\n');
    expect((await api().get('/derived')).json).toEqual({
      derived: [
        {
          name: 'my.free',
          expression: '100*mem.util.free',
          canonical: '100 * mem.util.free',
          pmid: '511.0.1',
          origin: 'api',
          oneline: 'in per cent',
          helptext: 'more\nof it',
        },
      ],
    });
  });

  it('lists by prefix and by origin', async () => {
    await startWith('a.b = 1\na.bc = 2\n');
    await put('a.b.c', '3');
    expect(await list()).toEqual(['a.b', 'a.bc', 'a.b.c']);
    expect(await list('?prefix=a.b')).toEqual(['a.b', 'a.b.c']);
    expect(await list('?origin=file')).toEqual(['a.b', 'a.bc']);
    expect(await list('?origin=api')).toEqual(['a.b.c']);
    expect(await list('?origin=shipped')).toEqual([]);
    expect(await list('?origin=api&prefix=a.bc')).toEqual([]);
    expect((await api().get('/derived?origin=mars')).status).toBe(400);
    expect(await remove('a.b')).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
  });

  it('lists what one context sees', async () => {
    await load('a = 1\nb = 2\n');
    const context = await api().context();
    await api().get(`/pmapi/${context}/derive?name=b&expr=3`);
    const { json } = await api().get(`/derived?context=${context}`);
    expect(json).toMatchObject({
      context,
      derived: rows({ name: 'b', origin: 'context', canonical: '3' }, { name: 'a', origin: 'api' }),
    });
    expect(await list(`?context=${context}&origin=context`)).toEqual(['b']);
    expect((await api().get('/derived?context=4711')).status).toBe(404);
  });

  it.each<[string, string | object, string | undefined]>([
    ['JSON', { name: 'a', expr: 'mem.util.free' }, undefined],
    ['a form', 'name=a&expr=mem.util.free', 'form'],
    ['a file', '# one\na = mem.util.free', TEXT],
    ['a file in JSON', { expr: 'a = mem.util.free\n' }, undefined],
  ])('registers by POST with %s', async (_, body, type) => {
    const answer = await api().post('/derived', type === undefined ? { body } : { body, type });
    expect(answer).toMatchObject({
      status: 201,
      json: { derived: [{ name: 'a', expression: 'mem.util.free', origin: 'api' }] },
    });
    const again = await api().post('/derived', type === undefined ? { body } : { body, type });
    expect([again.status, again.text]).toEqual([200, answer.text]);
  });

  it.each([
    ['another definition of a name', 'b = 2\na = 2\n', 409, 'DUPLICATE_NAME'],
    ['a syntax error', 'b = 2\nc = (\n', 400, 'SYNTAX_ERROR'],
    ['a line that is none', 'b = 2\nc d e\n', 400, 'SYNTAX_ERROR'],
    ['a name that comes twice', 'b = 2\nb = 3\n', 409, 'DUPLICATE_NAME'],
    ['no definition at all', 'mem.util.free', 400, 'BAD_PARAMETER'],
    ['nothing', '', 400, 'BAD_PARAMETER'],
  ])('takes a whole file or nothing: %s', async (_, body, status, code) => {
    await put('a', '1');
    expect(await load(body)).toMatchObject({ status, json: { code } });
    expect(await list()).toEqual(['a']);
    expect(await readFile(path.join(derived.directory, 'state', 'derived.json'), 'utf8')).not.toContain('"b"');
  });
});

describe('/derived/{name}', () => {
  it('registers new ones (201), takes the same again (200), refuses others (409)', async () => {
    const made = await put('my.a', 'mem.util.free*2');
    expect(made).toMatchObject({
      status: 201,
      json: {
        name: 'my.a',
        expression: 'mem.util.free*2',
        canonical: 'mem.util.free * 2',
        pmid: '511.0.1',
        origin: 'api',
      },
    });
    const again = await put('my.a', '(mem.util.free * 2)');
    expect([again.status, again.text]).toEqual([200, made.text]);
    const other = await put('my.a', 'mem.util.free * 3');
    expect(other).toMatchObject({ status: 409, json: { code: 'DUPLICATE_NAME', pmErr: -12409 } });
    expect(other.json.message).toContain('Duplicate global derived metric name');
    expect((await api().get('/derived/my.a')).text).toBe(made.text);
    const together = await Promise.all([put('my.b', '1'), put('my.b', '1')]);
    expect(together.map(({ status }) => status).sort()).toEqual([200, 201]);
  });

  it('takes the expression as plain text, in a form and in the query', async () => {
    expect((await api().request('PUT', '/derived/a', { type: TEXT, body: '1 + 1' })).status).toBe(201);
    expect((await api().request('PUT', '/derived/b', { type: 'form', body: 'expr=1+%2B+1' })).status).toBe(201);
    expect((await api().request('PUT', '/derived/c?expr=1%2B1')).status).toBe(201);
    const names = derived.registry.store.list().map(({ canonical }) => canonical);
    expect(names).toEqual(['1 + 1', '1 + 1', '1 + 1']);
  });

  it.each([
    ['a', '1 +', 400, 'SYNTAX_ERROR'],
    ['a', '', 400, 'SYNTAX_ERROR'],
    ['9', '1', 400, 'BAD_PARAMETER'],
    ['a%20b', '1', 400, 'BAD_PARAMETER'],
    ['%zz', '1', 400, 'BAD_REQUEST'],
    ['a'.repeat(2000), '1', 400, 'BAD_PARAMETER'],
  ])('refuses to register %.10s as %p', async (name, expr, status, code) => {
    expect(await put(name, expr)).toMatchObject({ status, json: { code } });
    expect(await list()).toEqual([]);
  });

  it('wants an expression', async () => {
    expect(await api().request('PUT', '/derived/a', { body: {} })).toMatchObject({
      status: 400,
      json: { code: 'BAD_PARAMETER', parameter: 'expr' },
    });
  });

  it('forgets what it is told to forget', async () => {
    await put('a', '1');
    expect(await remove('a')).toMatchObject({ status: 200, json: { name: 'a', success: true } });
    for (const answer of [await remove('a'), await api().get('/derived/a')]) {
      expect(answer).toMatchObject({ status: 404, json: { code: 'UNKNOWN_DERIVED' } });
    }
    expect((await put('a', '2')).json).toMatchObject({ pmid: '511.0.2' });
  });

  it('lists the functions of expressions', async () => {
    const { functions } = (await api().get('/derived/functions')).json as unknown as { functions: { name: string }[] };
    expect(functions.map(({ name }) => name)).toEqual(expect.arrayContaining(['rate', 'matchinst', 'novalue']));
    expect(functions[0]).toEqual({ name: 'avg', synopsis: 'avg(metric)', summary: expect.any(String) as string });
  });

  it('has every name, even those of operations', async () => {
    expect((await put('%66unctions', '1')).status).toBe(201);
    expect((await api().get('/derived/%66unctions')).json).toMatchObject({ name: 'functions' });
    expect((await remove('%66unctions')).status).toBe(200);
    expect((await put('%63heck', '1')).status).toBe(201);
    expect((await api().get('/derived/%63heck')).json).toMatchObject({ name: 'check' });
    expect((await remove('%63heck')).status).toBe(200);
    expect((await put('check', '1')).status).toBe(405);
  });

  it('says what it is in a context: bound, unbound, or masked', async () => {
    await load('a.bound = kernel.all.load * 2\na.unbound = no.such + 1\nmem.util.free = 1\na.own = 1\n');
    const context = await api().context();
    await api().get(`/pmapi/${context}/derive?name=a.own&expr=2`);
    const read = async (name: string, query = `?context=${context}`): Promise<unknown> =>
      (await api().get(`/derived/${name}${query}`)).json;
    expect(await read('a.bound')).toMatchObject({
      name: 'a.bound',
      binding: { context, bound: true, metadata: { type: 'FLOAT', semantics: 'instant', units: '', indom: '60.2' } },
    });
    expect(await read('a.unbound')).toMatchObject({
      binding: {
        context,
        bound: false,
        reason:
          'Derived metric definition failed: Semantic error: derived metric a.unbound: operand no.such: Unknown operand metric',
        pmErr: -12409,
      },
    });
    expect(await read('mem.util.free')).toMatchObject({ binding: { context, bound: false, maskedBy: 'source' } });
    expect(await read('a.own')).toMatchObject({ binding: { context, bound: false, maskedBy: 'context' } });
    expect(await read('a.own', '?hostspec=localhost')).toMatchObject({ binding: { bound: true } });
    expect(await read('a.own', '')).not.toHaveProperty('binding');
    expect((await api().get('/derived/a.own?context=4711')).status).toBe(404);
  });
});

describe('a global derived metric', () => {
  it('is seen by contexts that are open already, until it is forgotten', async () => {
    const context = await api().context();
    const url = `/pmapi/${context}/fetch?names=my.two,mem.util.free`;
    expect((await api().get(url)).json.warnings).toHaveLength(1);
    await put('my.two', '2');
    expect((await api().get(url)).json.values.map(({ name }) => name)).toEqual(['my.two', 'mem.util.free']);
    await remove('my.two');
    expect((await api().get(url)).json.values.map(({ name }) => name)).toEqual(['mem.util.free']);
  });

  it('is masked by the source, and masked by the definition of a context in that context alone', async () => {
    await load('mem.util.free = 1\nmy.a = 1 + 1\n');
    const context = await api().context();
    await api().get(`/pmapi/${context}/derive?name=my.a&expr=3%2B3`);
    const values = async (path: string): Promise<unknown> =>
      (await api().get(`${path}/fetch?names=mem.util.free,my.a`)).json.values.map(
        ({ instances }) => instances[0]!.value,
      );
    expect(await values(`/pmapi/${context}`)).toEqual([23_987_772, 6]);
    expect(await values('/pmapi')).toEqual([23_987_772, 2]);
    expect((await api().get(`/pmapi/${context}/metric?names=my`)).json.metrics).toHaveLength(1);
    expect((await api().get('/pmapi/children?prefix=my')).json).toMatchObject({ leaf: ['a'] });
    expect((await api().get('/pmapi/children?prefix=mem.util')).json).toMatchObject({ leaf: ['free'] });
  });

  it('tells, by name, why it has no values where it does not bind', async () => {
    await put('my.bad', 'kernel.all.load + mem.util.free');
    const reason =
      'Derived metric definition failed: Semantic error: derived metric my.bad: kernel.all.load + mem.util.free: Dimensions are not the same';
    const warnings = [{ name: 'my.bad', message: reason, code: 'SEMANTIC_ERROR', pmErr: -12409 }];
    const both = 'names=my.bad,mem.util.free';
    for (const path of ['fetch', '_fetch', 'metric', '_metric']) {
      const { status, json } = await api().get(`/pmapi/${path}?${both}`);
      expect([path, status, json.warnings]).toEqual([path, 200, warnings]);
    }
    const { headers } = await api().get(`/metrics?${both}`);
    expect(JSON.parse(headers['x-pmgate-warnings']!)).toEqual(warnings);
    for (const path of ['fetch?name=my.bad', 'metric?name=my.bad', 'indom?name=my.bad', 'metrics?names=my.bad']) {
      const { status, json } = await api().get(`/pmapi/${path}`);
      expect([path, status, json]).toEqual([
        path,
        422,
        expect.objectContaining({
          code: 'SEMANTIC_ERROR',
          pmErr: -12409,
          message: expect.stringContaining(reason) as string,
        }),
      ]);
    }
    const byPmid = await api().get('/pmapi/fetch?pmids=511.0.1');
    expect(byPmid.json.warnings).toEqual(
      [{ ...warnings[0], name: undefined, pmid: '511.0.1' }].map((w) => JSON.parse(JSON.stringify(w)) as unknown),
    );
    expect((await api().get('/pmapi/metric?pmids=511.0.1,60.1.2')).json.warnings).toMatchObject([{ message: reason }]);
    expect((await api().get('/pmapi/children?prefix=my')).status).toBe(404);
  });
});

describe('help texts', () => {
  const request = (url: string, body?: object): Promise<ApiAnswer> => api().request('PUT', url, body ? { body } : {});
  const described = { expr: 'mem.util.free / 2', oneline: 'half of it', helptext: 'The free half.\nIn kilobytes.' };

  it('come with a definition, are told by the metadata, and kept', async () => {
    expect(await request('/derived/my.half', described)).toMatchObject({
      status: 201,
      json: { oneline: 'half of it', helptext: 'The free half.\nIn kilobytes.' },
    });
    for (let started = 0; started < 2; started++) {
      const { json } = await api().get('/pmapi/metric?name=my.half');
      expect(json.metrics[0]).toMatchObject({ 'text-oneline': 'half of it', 'text-help': described.helptext });
      derived = await derived.restart();
    }
  });

  it('replace those that there were, one by one, and an empty one takes one away', async () => {
    await request('/derived/a', described);
    const again = async (parts: object): Promise<readonly unknown[]> => {
      const { status, text } = await request('/derived/a', { expr: described.expr, ...parts });
      const { oneline, helptext } = JSON.parse(text) as { oneline?: string; helptext?: string };
      return [status, oneline, helptext];
    };
    expect(await again({})).toEqual([200, described.oneline, described.helptext]);
    expect(await again({ oneline: 'other' })).toEqual([200, 'other', described.helptext]);
    expect(await again({ helptext: '' })).toEqual([200, 'other', undefined]);
    expect(await request('/derived/a', { expr: '1', oneline: 'x' })).toMatchObject({ status: 409 });
    expect(await again({})).toEqual([200, 'other', undefined]);
  });

  it('may come in the query, and with the name and expression of one', async () => {
    expect((await request('/derived/a?expr=1&oneline=the%20one')).json).toMatchObject({ oneline: 'the one' });
    const { json } = await api().post('/derived', { body: { name: 'b', expr: '2', helptext: 'two' } });
    expect(json).toMatchObject({ derived: [{ name: 'b', helptext: 'two' }] });
  });

  it.each([
    ['of more than one line', 'PUT', { expr: '1', oneline: 'a\nb' }],
    ['too long', 'PUT', { expr: '1', oneline: 'x'.repeat(1025) }],
    ['of nothing', 'POST', { expr: 'a = 1\n', oneline: 'x' }],
  ])('are refused when they are %s', async (_, method, body) => {
    const answer = method === 'PUT' ? await request('/derived/a', body) : await api().post('/derived', { body });
    expect(answer).toMatchObject({ status: 400, json: { code: 'BAD_PARAMETER', parameter: 'oneline' } });
    expect(await list()).toEqual([]);
  });

  it('of what files define are changed in the files', async () => {
    await startWith('a = 1\na(oneline) = the one\n');
    expect(await request('/derived/a', { expr: '1', oneline: 'x' })).toMatchObject({
      status: 403,
      json: { code: 'FORBIDDEN', message: expect.stringContaining('change its help texts there') as string },
    });
    expect((await request('/derived/a', { expr: '1' })).json).toMatchObject({ oneline: 'the one', origin: 'file' });
  });
});

describe('the client', () => {
  it('registers, describes, lists and forgets', async () => {
    const { derived: definitions } = createPmgateClient(api().url);
    expect(await definitions.register('my.a', '1', { oneline: 'one' })).toMatchObject({ oneline: 'one' });
    expect(await definitions.register('my.a', '1', { helptext: 'more' })).toMatchObject({
      oneline: 'one',
      helptext: 'more',
    });
    expect(await definitions.list({ prefix: 'my' })).toMatchObject([{ name: 'my.a', helptext: 'more' }]);
    await definitions.unregister('my.a');
    expect(await definitions.list()).toEqual([]);
  });
});

describe('changes', () => {
  const changes: readonly [string, string, object][] = [
    ['PUT', '/derived/a', { body: { expr: '1' } }],
    ['POST', '/derived', { type: TEXT, body: 'a = 1' }],
    ['DELETE', '/derived/a', {}],
  ];

  it.each(changes)('are refused when they are switched off: %s', async (method, url, request) => {
    await derived.stop();
    derived = await DerivedApi.start({ allowMutation: false });
    expect(await api().request(method, url, request)).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
    expect((await api().get('/derived')).status).toBe(200);
  });

  it.each(changes)('are refused by a gateway that has nowhere to keep them: %s', async (method, url, request) => {
    const bare = await Api.start();
    expect(await bare.request(method, url, request)).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
    expect((await bare.get('/derived')).json).toEqual({ derived: [] });
    await bare.stop();
  });

  it('are asked for with these methods', async () => {
    expect((await api().request('OPTIONS', '/derived')).headers['allow']).toBe('GET, POST, HEAD, OPTIONS');
    expect((await api().request('OPTIONS', '/derived/a')).headers['allow']).toBe('GET, PUT, DELETE, HEAD, OPTIONS');
    expect((await api().post('/derived/a')).status).toBe(405);
  });
});
