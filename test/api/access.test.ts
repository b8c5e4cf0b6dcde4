import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { AccessControl, readAccessFile } from '../../src/access/index.js';
import type { AnonymousFrom } from '../../src/access/index.js';
import type { AuditRecord, DerivedRegistration, HttpOptions } from '../../src/http/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { cheapHash } from '../access/support/cheap-hash.js';
import { Api, OPENAPI } from '../support/api.js';
import type { ApiAnswer } from '../support/api.js';
import { memoryGateway } from '../support/memory-gateway.js';

/** A token for each of these names, whose text is the name thrice. */
const tokenOf = (name: string): string => name.repeat(3);
const TOKENS = {
  reader: ['read'],
  deriver: ['read', 'derive'],
  storer: ['read', 'store'],
  boss: ['admin'],
  web: ['web'],
};

const FILE = readAccessFile({
  users: { alice: { password: cheapHash('secret'), roles: ['read'] } },
  tokens: Object.fromEntries(
    Object.entries(TOKENS).map(([name, roles]) => [
      name,
      { sha256: createHash('sha256').update(tokenOf(name)).digest('hex'), roles },
    ]),
  ),
  roles: { web: { permissions: ['read', 'derive', 'store'], metrics: ['kernel.*', 'w.*'], hosts: ['web*'] } },
});

const apis: Api[] = [];
let audited: AuditRecord[] = [];

async function start(from: AnonymousFrom = 'nowhere', options: Partial<HttpOptions> = {}): Promise<Api> {
  const access = new AccessControl({ file: FILE, anonymous: { from, roles: ['read'] }, clock: systemClock });
  audited = [];
  const observer = { audited: (record: AuditRecord) => void audited.push(record) };
  const api = await Api.start(memoryGateway(), {
    access,
    hostNames: ['metrics.example.com'],
    observer,
    store: { enabled: true, allowGet: true },
    ...options,
  });
  apis.push(api);
  return api;
}

afterEach(async () => {
  for (const api of apis.splice(0)) await api.stop();
});

const as = (name: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${tokenOf(name)}` },
});
const FETCH = '/pmapi/fetch?names=kernel.all.load';
const codes = async (answers: readonly Promise<ApiAnswer>[]): Promise<readonly number[]> =>
  (await Promise.all(answers)).map(({ status }) => status);

test('without credentials there is nothing but health and documentation', async () => {
  const api = await start();
  const refused = await api.get(FETCH);
  expect([refused.status, refused.json.code]).toEqual([401, 'AUTHENTICATION_REQUIRED']);
  expect(refused.headers['www-authenticate']).toContain('Basic');
  expect(await codes(['/healthz', '/readyz', '/openapi.json', '/docs'].map((url) => api.get(url)))).toEqual([
    200, 200, 200, 200,
  ]);
});

test('every operation wants a permission, but for those that tell nothing of any source', async () => {
  const api = await start();
  const open = new Set<string>();
  for (const [path, operations] of Object.entries(OPENAPI.paths)) {
    for (const method of ['get', 'post', 'put', 'delete'] as const) {
      if (!operations[method]) continue;
      const url = path.replaceAll('{context}', '1').replaceAll(/\{\w+\}/g, 'x');
      const body = method === 'post' ? { body: '[]', type: 'application/json' } : {};
      const { status } = await api.request(method.toUpperCase(), url, body);
      if (status !== 401) open.add(path);
    }
  }
  expect([...open].sort()).toEqual(
    ['/docs', '/docs/{file}', '/healthz', '/openapi.json', '/openapi.yaml', '/pmapi/batch', '/readyz'].sort(),
  );
});

test('an entry of a batch is let in or not like any other request', async () => {
  const api = await start();
  const body = JSON.stringify([{ path: FETCH }, { path: '/healthz' }]);
  const statuses = async (headers: Record<string, string>): Promise<number[]> =>
    (
      JSON.parse((await api.post('/pmapi/batch', { body, type: 'application/json', headers })).text) as {
        responses: { status: number }[];
      }
    ).responses.map(({ status }) => status);
  expect(await statuses({})).toEqual([401, 200]);
  expect(await statuses(as('reader').headers)).toEqual([200, 200]);
});

test('anonymous clients on loopback have the roles that the configuration gives them', async () => {
  const api = await start('loopback');
  expect(await codes([api.get(FETCH), api.post('/pmapi/derive?name=a.b&expr=kernel.all.load')])).toEqual([200, 401]);
});

test('users by password, tokens by name, and neither when wrong', async () => {
  const api = await start();
  const basic = (text: string): { headers: Record<string, string> } => ({
    headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
  });
  expect(
    await codes([
      api.get(FETCH, basic('alice:secret')),
      api.get(FETCH, basic('alice:guess')),
      api.get(FETCH, as('reader')),
      api.get(FETCH, as('nobody')),
    ]),
  ).toEqual([200, 401, 200, 401]);
});

test('what each role permits', async () => {
  const api = await start('nowhere');
  const derive = '/pmapi/derive?name=my.load&expr=kernel.all.load';
  const store = '/pmapi/store?name=kernel.all.sysfork&value=1';
  const table = await Promise.all(
    Object.keys(TOKENS).map(async (name) => [
      name,
      ...(await codes([api.get(FETCH, as(name)), api.post(derive, as(name)), api.post(store, as(name))])),
    ]),
  );
  expect(table).toEqual([
    ['reader', 200, 200 + 203, 403],
    ['deriver', 200, 200, 403],
    // The memory source cannot store: whoever may gets as far as that.
    ['storer', 200, 403, 403],
    ['boss', 200, 200, 403],
    ['web', 403, 403, 403],
  ]);
  const refusals = await Promise.all(['reader', 'storer'].map((name) => api.post(store, as(name))));
  expect(refusals.map(({ json }) => json.message)).toEqual([
    'store is not permitted to token reader',
    expect.stringContaining('failed to store value'),
  ]);
});

describe('a role for some hosts and metrics', () => {
  test('sees neither others', async () => {
    const api = await start();
    expect(
      await codes([
        api.get('/pmapi/fetch?hostspec=web1&names=kernel.all.load', as('web')),
        api.get('/pmapi/fetch?hostspec=db1&names=kernel.all.load', as('web')),
        api.get('/pmapi/context?hostspec=db1', as('web')),
        api.get('/pmapi/context?archive=db1', as('web')),
      ]),
    ).toEqual([200, 403, 403, 200]);
  });

  test('nor metrics that it is not for, by name, by PMID or through a derived metric', async () => {
    const api = await start();
    const get = async (path: string): Promise<ApiAnswer> => api.get(path, as('web'));
    const id = (await get('/pmapi/context?hostspec=web1')).json.context;
    expect((await get(`/pmapi/${id}/metric`)).json.metrics.map(({ name }) => name)).toEqual([
      'kernel.all.load',
      'kernel.all.sysfork',
    ]);
    const { json } = await get(`/pmapi/${id}/fetch?names=kernel.all.load,mem.util.free`);
    expect(json.values.map(({ name }) => name)).toEqual(['kernel.all.load']);
    expect(json.warnings).toEqual([expect.objectContaining({ name: 'mem.util.free', code: 'UNKNOWN_METRIC' })]);
    expect((await get(`/pmapi/${id}/fetch?pmids=60.1.2`)).json.values).toEqual([]);
    expect((await get(`/pmapi/${id}/children`)).text).not.toContain('mem');
    expect((await get(`/metrics?hostspec=web1`)).text).not.toContain('mem_util');
    expect((await get(`/search?q=free&hostspec=web1`)).text).not.toContain('mem.util');
    await api.post(`/pmapi/${id}/derive?name=spy.free&expr=mem.util.free`, as('web'));
    expect((await get(`/pmapi/${id}/fetch?names=spy.free`)).json.values).toEqual([]);
    expect((await get(`/derived/check?hostspec=web1&expr=mem.util.free`)).text).not.toContain('23987772');
  });

  test('and does not share what those see who may more', async () => {
    const api = await start();
    const free = '/pmapi/fetch?hostspec=web1&names=mem.util.free';
    expect((await api.get(free, as('boss'))).json.values).toHaveLength(1);
    expect((await api.get(free, as('web'))).json.values).toHaveLength(0);
    expect((await api.get(free, as('boss'))).json.values).toHaveLength(1);
  });
});

describe('contexts', () => {
  test('are their owner’s, and to others they do not exist', async () => {
    const api = await start();
    const id = (await api.get('/pmapi/context', as('reader'))).json.context;
    expect(
      await codes(
        ['reader', 'deriver', 'boss'].map((name) => api.get(`/pmapi/${id}/fetch?names=kernel.all.load`, as(name))),
      ),
    ).toEqual([200, 404, 200]);
    const denied = await api.request('DELETE', `/pmapi/${id}`, as('deriver'));
    expect(denied.json.message).toBe(`unknown context identifier: ${id}`);
  });

  test('that are shared are for whoever may see the same', async () => {
    const api = await start();
    const id = (await api.get('/pmapi/fetch?hostspec=web1&names=kernel.all.load', as('reader'))).json.context;
    const fetch = `/pmapi/${id}/fetch?names=kernel.all.load`;
    expect(await codes(['reader', 'boss', 'web'].map((name) => api.get(fetch, as(name))))).toEqual([200, 200, 404]);
  });

  test('a copy belongs to whoever made it', async () => {
    const api = await start();
    const shared = (await api.get(FETCH, as('reader'))).json.context;
    const copy = (await api.post(`/pmapi/${shared}/dup`, as('deriver'))).json.context;
    expect(await codes(['reader', 'deriver'].map((name) => api.get(`/pmapi/${copy}/context`, as(name))))).toEqual([
      404, 200,
    ]);
  });

  test('are listed for their owner, and all of them for an administrator', async () => {
    const api = await start();
    const mine = (await api.get('/pmapi/context', as('reader'))).json.context;
    const theirs = (await api.get('/pmapi/context', as('deriver'))).json.context;
    const list = async (name: string): Promise<unknown[]> =>
      (await api.get('/pmapi/contexts', as(name))).json.contexts.map(
        (entry) => (entry as { context?: number }).context,
      );
    expect([await list('reader'), (await list('boss')).sort()]).toEqual([[mine], [mine, theirs].sort()]);
  });
});

describe('names of the gateway', () => {
  test.each([
    ['127.0.0.1:44322', 200],
    ['localhost', 200],
    ['LOCALHOST:80', 200],
    ['[::1]:44322', 200],
    ['pmgate', 200],
    ['app.localhost', 200],
    ['metrics.example.com:8443', 200],
    ['metrics.example.com.', 200],
    ['evil.example.com', 421],
    ['127.0.0.1.evil.com', 421],
    ['localhost.evil.com', 421],
    ['metrics.example.com.evil.com', 421],
    ['a b', 421],
  ])('%j is answered %d', async (host, status) => {
    const api = await start('loopback');
    expect((await api.get(FETCH, { headers: { host } })).status).toBe(status);
  });

  test('whoever brings credentials is not led here by a page', async () => {
    const api = await start('loopback');
    const { headers } = as('reader');
    expect((await api.get(FETCH, { headers: { ...headers, host: 'evil.example.com' } })).status).toBe(200);
  });
});

test('a page of another origin changes nothing, but with a token', async () => {
  const api = await start();
  const derive = '/pmapi/derive?name=my.load&expr=kernel.all.load';
  const origin = 'https://evil.example.com';
  const { headers } = as('deriver');
  expect((await api.post(derive, { headers: { ...headers, origin } })).status).toBe(200);
  const basic = `Basic ${Buffer.from('alice:secret').toString('base64')}`;
  const byPage = await api.get('/pmapi/context', { headers: { authorization: basic, origin } });
  expect([byPage.status, byPage.json.code]).toEqual([403, 'FORBIDDEN']);
});

test('every change is put down, and every change that was refused', async () => {
  const definitions = new DefinitionStore();
  const derived: DerivedRegistration = {
    store: definitions,
    allowMutation: true,
    register: (name, expression) => Promise.resolve(definitions.register(name, expression)),
    load: () => Promise.reject(new Error('unused')),
    unregister: () => Promise.resolve(),
  };
  const api = await start('nowhere', { derived });
  await api.post('/pmapi/derive?name=my.load&expr=kernel.all.load&hostspec=web1%3Fpassword=x', as('deriver'));
  await api.request('PUT', '/derived/my.global?expr=kernel.all.load', as('reader'));
  await api.post('/pmapi/store?name=kernel.all.sysfork&value=1');
  await api.get(FETCH, as('reader'));
  expect(
    audited.map(({ requestId, remoteAddress, ...record }) => (requestId && remoteAddress ? record : 'unknown')),
  ).toEqual([
    {
      operation: 'derivePost',
      method: 'POST',
      who: 'token deriver',
      parameters: { name: 'my.load', expr: 'kernel.all.load', hostspec: 'web1' },
      status: 200,
    },
    {
      operation: 'derivedRegister',
      method: 'PUT',
      who: 'token reader',
      parameters: {},
      status: 403,
      code: 'FORBIDDEN',
    },
    {
      operation: 'storePost',
      method: 'POST',
      who: 'anonymous',
      parameters: {},
      status: 401,
      code: 'AUTHENTICATION_REQUIRED',
    },
  ]);
});

test('no request of a restricted role ever shows a hidden metric', async () => {
  const api = await start();
  const name = fc.constantFrom('kernel.all.load', 'mem.util.free', 'pmcd.hostname', 'test.nan', 'disk.all.total_bytes');
  const path = fc.oneof(
    name.map((n) => `/pmapi/fetch?names=${n}`),
    name.map((n) => `/pmapi/metric?name=${n}`),
    name.map((n) => `/pmapi/metric?prefix=${n.split('.')[0]!}`),
    name.map((n) => `/pmapi/children?prefix=${n.split('.').slice(0, 2).join('.')}`),
    name.map((n) => `/pmapi/metrics?name=${n}`),
    name.map((n) => `/pmapi/indom?name=${n}`),
    name.map((n) => `/derived/check?expr=${n}`),
    name.map((n) => `/search?q=${n.split('.')[1]!}`),
    fc.constantFrom(
      '/pmapi/fetch?prefix=',
      '/pmapi/metric',
      '/pmapi/metrics',
      '/pmapi/fetch?pmids=60.1.2,2.0.21,60.2.0',
    ),
  );
  await fc.assert(
    fc.asyncProperty(path, async (url) => {
      const separator = url.includes('?') ? '&' : '?';
      const { text } = await api.get(`${url}${separator}hostspec=web1`, as('web'));
      // Values and help of what is hidden; names that were asked for come back in messages.
      expect(text).not.toMatch(/23987772|18446744073709551615|free memory|über/);
    }),
    { numRuns: 60 },
  );
});
