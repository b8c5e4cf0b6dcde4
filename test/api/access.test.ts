import type { FlatOptions } from '../support/api.js';
import { AccessControl, type AnonymousFrom, readAccessFile } from '../../src/access/index.js';
import { type AuditRecord, ClientLimits, type DerivedRegistration } from '../../src/http/index.js';
import type { ContextWork } from '../../src/fleet/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { GatewayError, systemClock } from '../../src/pmapi/index.js';
import { cheapHash } from '../access/support/cheap-hash.js';
import { tokenOf, tokensOf } from '../access/support/tokens.js';
import { Api, OPENAPI } from '../support/api.js';
import type { ApiAnswer, Schemas } from '../support/api.js';
import { fakeFleet } from '../support/fake-fleet.js';
import { memoryGateway } from '../support/memory-gateway.js';

const TOKENS = {
  reader: ['read'],
  deriver: ['read', 'derive'],
  storer: ['read', 'store'],
  boss: ['admin'],
  web: ['web'],
};

const FILE = readAccessFile({
  users: { alice: { password: cheapHash('secret'), roles: ['read'] } },
  tokens: tokensOf(Object.keys(TOKENS), TOKENS),
  roles: { web: { permissions: ['read', 'derive', 'store'], metrics: ['kernel.*', 'w.*'], hosts: ['web*'] } },
});

const apis: Api[] = [];
let audited: AuditRecord[] = [];

async function start(
  from: AnonymousFrom = 'nowhere',
  options: FlatOptions = {},
  gateway = memoryGateway(),
): Promise<Api> {
  const access = new AccessControl({ file: FILE, anonymous: { from, roles: ['read'] }, clock: systemClock });
  audited = [];
  const observer = { audited: (record: AuditRecord) => void audited.push(record) };
  const api = await Api.start(gateway, {
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
  expect(
    await codes(['/healthz', '/readyz', '/openapi.json', '/docs', '/docs/guide/api'].map((url) => api.get(url))),
  ).toEqual([200, 200, 200, 200, 200]);
});

test('whoami says who the client is, and what its roles permit', async () => {
  const api = await start('anywhere', { store: { enabled: false, allowGet: false } });
  const who = async (options?: object): Promise<unknown> => (await api.get('/whoami', options)).json;
  expect(await who()).toMatchObject({ kind: 'anonymous', roles: ['read'], permissions: ['read'] });
  expect(await who()).not.toHaveProperty('name');
  // Permissions that the configuration disables are not there.
  expect(await who(as('web'))).toMatchObject({ kind: 'token', name: 'web', roles: ['web'], permissions: ['read'] });
  const alice = { headers: { authorization: `Basic ${Buffer.from('alice:secret').toString('base64')}` } };
  expect(await who(alice)).toMatchObject({ kind: 'user', name: 'alice', roles: ['read'] });
});

test('the list of hosts has only those that the client may see', async () => {
  const api = await start('nowhere', { namedHosts: () => ['web1', 'db1'] });
  const hosts = async (name: string): Promise<unknown> => (await api.ok<Schemas['Hosts']>('/hosts', as(name))).hosts;
  expect(await hosts('web')).toEqual([{ hostspec: 'web1', origin: 'named', open: false }]);
  expect(await hosts('reader')).toMatchObject([{ hostspec: 'db1' }, { hostspec: 'localhost', origin: 'local' }, {}]);
});

test('the list of hosts has none that clients opened for themselves, or with credentials', async () => {
  const api = await start('anywhere');
  const urls = [
    '/pmapi/fetch?hostspec=shared&names=kernel.all.load',
    '/pmapi/context?hostspec=private',
    '/pmapi/fetch?hostspec=secret%3Fusername%3Dbob%26password%3Dhush&names=kernel.all.load',
  ];
  expect(await codes(urls.map((url) => api.get(url)))).toEqual([200, 200, 200]);
  const { hosts } = await api.ok<Schemas['Hosts']>('/hosts');
  expect(hosts.map(({ hostspec }) => hostspec)).toEqual(['localhost', 'shared']);
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
    [
      '/console',
      '/console/{file}',
      '/docs',
      '/docs/guide',
      '/docs/guide/{page}',
      '/docs/{file}',
      '/grafana/{file}',
      '/healthz',
      '/favicon.ico',
      '/llms.txt',
      '/openapi.compat.yaml',
      '/openapi.json',
      '/openapi.yaml',
      '/pmapi/batch',
      '/readyz',
      '/series/ping',
    ].sort(),
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

test('what a misspelt name was meant to be is told among the names that its client may see', async () => {
  const api = await start();
  const url = '/pmapi/fetch?hostspec=web1&name=mem.util.fre';
  expect((await api.get(url, as('reader'))).json.message).toMatch(/did you mean mem\.util\.free\?$/);
  expect((await api.get(url, as('web'))).json.message).toMatch(/mem\.util\.fre - Unknown metric name$/);
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

describe('whoever guesses', () => {
  const guess = (i: number): { headers: Record<string, string> } => ({
    headers: { authorization: `Basic ${Buffer.from(`alice:guess ${i}`).toString('base64')}` },
  });

  test('is told to wait, and for how long, wherever the guesses are', async () => {
    const api = await start();
    for (let i = 0; i < 10; i++) expect((await api.get(FETCH, guess(i))).status).toBe(401);
    const refused = await api.get(FETCH, guess(10));
    expect([refused.status, refused.json.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect(refused.headers['www-authenticate']).toBeUndefined();
    const body = JSON.stringify([{ path: FETCH }, { path: FETCH }]);
    const batch = await api.post('/pmapi/batch', { body, type: 'application/json', ...guess(11) });
    expect(batch.text.match(/"status":429/g)).toHaveLength(2);
    // Who says nothing of whom he is, or brings a token that is known, is none of those who guess.
    expect(await codes([api.get('/healthz'), api.get(FETCH, as('reader')), api.get(FETCH)])).toEqual([200, 200, 401]);
  });

  test('behind a proxy is told so for that user alone', async () => {
    const bounds = { requestsPerSec: 0, requests: 0, contexts: 0, streams: 0, connections: 0 };
    const clients = new ClientLimits({ ...bounds, exempt: ['127.0.0.0/8'] }, systemClock);
    const api = await start('nowhere', { clients });
    for (let i = 0; i < 10; i++) await api.get(FETCH, guess(i));
    const mallory = { headers: { authorization: `Basic ${Buffer.from('mallory:x').toString('base64')}` } };
    expect(await codes([api.get(FETCH, guess(10)), api.get(FETCH, mallory)])).toEqual([429, 401]);
  });
});

test.each<readonly [string, (password: string) => readonly [string, Record<string, string>]]>([
  [
    'a header',
    (password) => ['web1', { authorization: `Basic ${Buffer.from(`alice:${password}`).toString('base64')}` }],
  ],
  ['the hostspec', (password) => [`web1?user=alice&pass=${password}`, {}]],
])('whoever guesses at a host in %s is told to wait, and who brings a right password is not', async (_, login) => {
  let asked = 0;
  const host = memoryGateway({
    refuse: (spec) => {
      const password = spec.kind === 'host' ? (spec.password ?? /pass=(\w+)/.exec(spec.hostspec)?.[1]) : undefined;
      if (password === undefined) return undefined;
      asked++;
      return password === 'right' ? undefined : new GatewayError('AUTHENTICATION_REQUIRED', 'authentication failed');
    },
  });
  const access = new AccessControl({ anonymous: { from: 'anywhere', roles: ['read'] }, clock: systemClock });
  const api = await Api.start(host, { access });
  apis.push(api);
  const ask = (password: string): Promise<ApiAnswer> => {
    const [hostspec, headers] = login(password);
    return api.get(`${FETCH}&hostspec=${encodeURIComponent(hostspec)}`, { headers });
  };
  expect((await ask('right')).status).toBe(200);
  for (let i = 0; i < 10; i++) expect((await ask(`guess${i}`)).status).toBe(401);
  expect(asked).toBe(11);
  const refused = await ask('guess10');
  expect([refused.status, refused.json.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  expect(asked).toBe(11);
  // The same again is no guess, and what was right a moment ago is none either.
  expect(await codes([ask('guess3'), ask('right'), api.get(FETCH)])).toEqual([401, 200, 200]);
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

  test('are asked of each entry of a batch', async () => {
    const api = await start('loopback');
    const host = 'evil.example.com';
    const ask = (authorization?: string): Promise<ApiAnswer> =>
      api.post('/pmapi/batch', {
        body: JSON.stringify([{ path: FETCH }]),
        type: 'application/json',
        headers: { host, ...(authorization === undefined ? {} : { authorization }) },
      });
    expect((await ask()).status).toBe(421);
    expect((await ask(as('reader').headers.authorization)).text).toContain('"status":200');
    // A page may bring any credentials that it makes up.
    expect((await ask('Bearer made-up')).text).toContain('"status":401');
    expect((await ask('Digest made-up')).text).toContain('"status":421');
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

test('a page of our name that came by HTTP is none of ours when we are asked by HTTPS', async () => {
  const api = await start('loopback');
  const from = (site: Record<string, string>): { headers: Record<string, string> } => ({
    headers: { host: 'metrics.example.com', origin: 'http://metrics.example.com', ...site },
  });
  expect(
    await codes([
      api.get('/pmapi/context', from({ 'sec-fetch-site': 'cross-site' })),
      api.get('/pmapi/context', from({ 'sec-fetch-site': 'same-site' })),
      api.get('/pmapi/context', from({ 'sec-fetch-site': 'same-origin' })),
      api.get('/pmapi/context', from({})),
    ]),
  ).toEqual([403, 403, 200, 200]);
});

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0' };
const CURL = { 'user-agent': 'curl/8.5.0' };
const GRAFANA = { 'user-agent': 'Grafana/11.2.0', 'accept-language': 'en', 'x-forwarded-for': '192.0.2.7' };

test.each<[string, Record<string, string>, number]>([
  ['curl', CURL, 200],
  ['Grafana’s proxy', GRAFANA, 200],
  ['Grafana’s proxy, asked by HTTPS', { ...GRAFANA, 'sec-fetch-site': 'same-origin' }, 200],
  ['a browser’s address bar', { ...FIREFOX, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 200],
  [
    'a page of ours by plain HTTP',
    { ...FIREFOX, host: '192.0.2.2:44322', referer: 'http://192.0.2.2:44322/docs' },
    200,
  ],
  ['a page that may', { ...FIREFOX, referer: 'http://localhost:3000/d/abc' }, 200],
  ['another page by plain HTTP', { ...FIREFOX, host: '192.0.2.2', referer: 'http://evil.example/' }, 403],
  ['a page that says nothing of itself, by plain HTTP', { ...FIREFOX, host: '192.0.2.2' }, 403],
  ['what is no URL', { ...CURL, referer: 'evil' }, 403],
])('a change by GET of %s', async (_, headers, expected) => {
  const api = await start('loopback');
  expect((await api.get('/pmapi/context', { headers })).status).toBe(expected);
  expect((await api.get('/pmapi/_context', { headers })).status).toBe(expected);
  // Forms of browsers tell their origin: what does not is none.
  const isTold = headers.referer !== undefined && expected === 403;
  expect((await api.post('/pmapi/context', { headers })).status).toBe(isTold ? 403 : 200);
});

const NAVIGATION = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

test.each<[string, Record<string, string>, number]>([
  ['curl', CURL, 200],
  ['Grafana’s proxy', GRAFANA, 200],
  [
    'a page that may',
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    200,
  ],
  [
    'a page behind a proxy that calls us otherwise',
    { origin: 'https://public.example', 'sec-fetch-site': 'same-origin' },
    200,
  ],
  ['a link of another site', NAVIGATION, 200],
  ['a frame of another site', { ...NAVIGATION, 'sec-fetch-dest': 'iframe' }, 403],
  [
    'an image of another site',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    403,
  ],
  ['a page that may not', { origin: 'https://evil.example' }, 403],
])('reading by %s', async (_, headers, expected) => {
  const api = await start('loopback');
  expect(
    await codes([
      api.get(FETCH, { headers }),
      api.get('/metrics?names=kernel.all.load', { headers }),
      api.get('/healthz', { headers }),
      api.get('/docs', { headers }),
    ]),
  ).toEqual([expected, expected, 200, 200]);
  // Nothing that a link opens is sent with POST.
  expect((await api.post(FETCH, { headers })).status).toBe(headers === NAVIGATION ? 403 : expected);
});

test('passwords in the hostspec of a URL are not put down, and their contexts are not told of to others', async () => {
  const records: unknown[] = [];
  const observer = { answered: (_: unknown, record: () => unknown) => void records.push(record()) };
  const api = await start('loopback', { observer });
  for (const name of ['hostspec', 'hostname']) {
    for (const mark of ['?', '%3F', '%3f', '%26']) {
      await api.get(`/pmapi/context?${name}=web1${mark}username=u%26password=hush&client=me`);
    }
  }
  await api.get('/pmapi/context?hostspec=web1?username=u&password=hush');
  expect(records).toHaveLength(9);
  expect(JSON.stringify(records)).not.toContain('hush');
  expect(JSON.stringify(records)).toContain('client=me');
  const { contexts } = (await api.get('/pmapi/contexts')).json;
  expect(contexts).toHaveLength(8);
  expect(contexts.filter((context) => 'context' in context)).toEqual([]);
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
  await api.post('/pmapi/derive?name=my.load&expr=kernel.all.load&hostname=web1%3Fpassword=x', as('deriver'));
  await api.request('PUT', '/derived/my.global?expr=kernel.all.load', as('reader'));
  await api.post('/pmapi/store?name=kernel.all.sysfork&value=1');
  await api.get(FETCH, as('reader'));
  expect(
    audited.map(({ requestId, remoteAddress, ...record }) => (requestId && remoteAddress ? record : 'unknown')),
  ).toEqual([
    {
      operation: 'deriveMetrics',
      method: 'POST',
      who: 'token deriver',
      parameters: { name: 'my.load', expr: 'kernel.all.load', hostspec: 'web1' },
      status: 200,
    },
    {
      operation: 'deriveMetrics',
      method: 'POST',
      who: 'token deriver',
      parameters: { name: 'my.load', expr: 'kernel.all.load', hostname: 'web1' },
      status: 200,
    },
    { operation: 'putDerived', method: 'PUT', who: 'token reader', parameters: {}, status: 403, code: 'FORBIDDEN' },
    {
      operation: 'storeValue',
      method: 'POST',
      who: 'anonymous',
      parameters: {},
      status: 401,
      code: 'AUTHENTICATION_REQUIRED',
    },
  ]);
});

test('why a host cannot be had is told to clients on this machine and to administrators, and to nobody else', async () => {
  const refuse = (): Error =>
    new GatewayError('SOURCE_UNREACHABLE', 'cannot connect', {}, { cause: new Error('not in hosts.allow') });
  const api = await start('anywhere', {}, memoryGateway({ refuse }));
  const told = async (headers: Record<string, string>): Promise<boolean> => {
    const texts = await Promise.all([
      api.get('/pmapi/fetch?names=a.b&hostspec=web9', { headers }),
      api.get('/pmapi/context?hostspec=web9', { headers }),
    ]);
    expect(texts.map(({ status }) => status)).toEqual([503, 503]);
    return texts.every(({ text }) => text.includes('not in hosts.allow'));
  };
  const { authorization } = as('boss').headers as { authorization: string };
  expect(await told({})).toBe(true);
  for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    expect([name, await told({ [name]: '192.0.2.7' })]).toEqual([name, false]);
    expect([name, await told({ [name]: '192.0.2.7', authorization })]).toEqual([name, true]);
  }
});

it('who defined a metric, and in which file, is shown to administrators and to who defined it', async () => {
  const definitions = new DefinitionStore();
  definitions.load('w.filed = kernel.all.load\n', { file: '/etc/shop.conf', origin: 'file' });
  definitions.register('w.mine', 'kernel.all.load', 'api', { by: 'token web' });
  definitions.register('w.theirs', 'kernel.all.load', 'api', { by: 'user alice' });
  const api = await start('nowhere', {}, memoryGateway({ definitions }));
  const path = '/pmapi/fetch?hostspec=web1&names=w.filed,w.mine,w.theirs&why=true';
  const definedBy = async (name: string, headers = {}): Promise<unknown> => {
    const answer = await api.request('GET', path, { headers: { ...as(name).headers, ...headers } });
    const { why } = answer.json as unknown as { why: Schemas['Why'] };
    return why.metrics.map(({ meaning: { definition } }) => [definition?.by, definition?.file, definition?.line]);
  };
  const elsewhere = { 'x-forwarded-for': '10.1.2.3' };
  const all = [
    [undefined, '/etc/shop.conf', 1],
    ['token web', undefined, undefined],
    ['user alice', undefined, undefined],
  ];
  const nothing = [undefined, undefined, undefined];
  expect(await definedBy('boss', elsewhere)).toEqual(all);
  expect(await definedBy('web')).toEqual(all);
  expect(await definedBy('web', elsewhere)).toEqual([nothing, all[1], nothing]);
});

test('a context of a gateway that has gone is opened for its owner only, who sees what it showed', async () => {
  const gateway = memoryGateway({
    directory: { create: async () => undefined, save: async () => undefined, end: async () => undefined },
  });
  let record = '';
  const fleet = fakeFleet({
    async atHome<T extends object>(_: number, work: ContextWork<T>): Promise<T> {
      await work.restore(record);
      return work.here();
    },
  });
  const api = await start('nowhere', { fleet }, gateway);
  const { context } = (await api.request('GET', '/pmapi/context?hostspec=web1', as('web'))).json;
  const fetchAs = async (name: string): Promise<number> => {
    record = gateway.contexts.record(context)?.text ?? record;
    gateway.contexts.drop(context);
    return (await api.request('GET', `/pmapi/${context}/fetch?name=kernel.all.load`, as(name))).status;
  };
  expect(await fetchAs('reader')).toBe(404);
  // An administrator may use it, and sees more than it showed.
  expect(await fetchAs('boss')).toBe(404);
  expect(gateway.contexts.openAs(context)).toBeUndefined();
  expect(await fetchAs('web')).toBe(200);
  // Not even opened for another one who sees the same.
  const whole = gateway.contexts.record(context)!.text;
  record = whole.replace(/"owner":"[^"]*"/, '"owner":"another"');
  gateway.contexts.drop(context);
  expect((await api.request('GET', `/pmapi/${context}/fetch?name=kernel.all.load`, as('web'))).status).toBe(404);
  expect(gateway.contexts.openAs(context)).toBeUndefined();
  record = whole.replace('kernel.*', 'mem.*');
  expect((await api.request('GET', `/pmapi/${context}/fetch?name=kernel.all.load`, as('web'))).status).toBe(404);
});
