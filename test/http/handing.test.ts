import { jest } from '@jest/globals';
import { AccessControl, readAccessFile } from '../../src/access/index.js';
import { type HandedCall, LinkError, type ListeningLink, MemberLink, listenLink } from '../../src/fleet/link/index.js';
import type { ContextDirectory } from '../../src/context/index.js';
import { type FleetState, handedAnswerer } from '../../src/http/index.js';
import type { ContextWork, Peer } from '../../src/fleet/index.js';
import { GatewayError, makeIndom, makePmid, makeTimestamp, systemClock } from '../../src/pmapi/index.js';
import { cheapHash } from '../access/support/cheap-hash.js';
import { Api, type FlatOptions } from '../support/api.js';
import { fakeFleet } from '../support/fake-fleet.js';
import { type MemoryGateway, TEST_CONTENT, descriptor, memoryGateway } from '../support/memory-gateway.js';
import { MemorySource } from '../support/memory-source.js';
import { openStream } from '../support/sse-reader.js';

const INDOM = makeIndom(29, 1);
const instances = Array.from({ length: 6000 }, (_, id) => ({ id, name: `instance ${id}` }));
const content = {
  ...TEST_CONTENT,
  metrics: [
    ...TEST_CONTENT.metrics,
    {
      name: 'test.many',
      descriptor: descriptor(makePmid(29, 0, 9), { indom: INDOM }),
      values: new Map(instances.map(({ id }) => [id, id])),
    },
  ],
  indoms: [...(TEST_CONTENT.indoms ?? []), { indom: INDOM, instances }],
};
const clock = { ...systemClock, now: () => makeTimestamp(1_700_000_000, 5), monotonicMs: () => 0 };

/** A gateway that has no source of its own and hands everything to another one, as if that had all sources. */
class First implements FleetState {
  isAlone = false;
  version = 0;
  reached(): Promise<boolean> {
    return Promise.resolve(true);
  }

  readonly others = new Map<string, Peer>();
  readonly handed: HandedCall[] = [];
  /** Whether the other gateway is the home of every context; otherwise of none. */
  hasRecords = true;
  readonly #link = new MemberLink({ name: 'first', security: SECRET, warn: () => undefined });
  readonly #second: Peer;

  constructor(second: Peer) {
    this.#second = second;
  }

  owner(): Peer {
    return this.#second;
  }

  isHome(): boolean {
    return true;
  }

  /** What the engine has of shared contexts. */
  record: string | undefined;

  async atHome<T extends object>(_id: number, { hand, gone, shared }: ContextWork<T>): Promise<T> {
    if (this.record !== undefined) return shared(this.record);
    const answer = this.hasRecords ? await hand(this.#second) : undefined;
    return answer ?? gone(undefined);
  }

  async hand(call: HandedCall, to: Peer, onClose: (listener: () => void) => void): ReturnType<FleetState['hand']> {
    this.handed.push(call);
    try {
      return await this.#link.call(to, call, onClose);
    } catch (error) {
      if (error instanceof LinkError && !error.isSent) return undefined;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}

/** Versions that it waits for. */
const waitedFor: number[] = [];
/** The fleet as the other gateway sees it: it has all that belongs to it, and nothing is elsewhere. */
const OTHER = fakeFleet({
  reached: (version) => {
    waitedFor.push(version);
    return Promise.resolve(OTHER.version >= version);
  },
  atHome: (_id, { gone }) => Promise.resolve(gone(undefined)),
});

const SECRET = { secret: 'a secret for tests, of 32 characters' };

let second: Api;
let listening: ListeningLink;
/** Whether the other gateway dies over the next call. */
let isDying = false;
let fleet: First;
let first: Api;

async function start(options: FlatOptions = {}, contexts?: ContextDirectory): Promise<void> {
  const noted = contexts && { directory: contexts };
  second = await Api.start(memoryGateway({ content, clock, ...noted }), { ...options, fleet: OTHER });
  second.gateway.contexts.sources = {
    open: () => Promise.resolve(new MemorySource(content, clock)),
    placeOf: () => 'x',
  };
  const answer = handedAnswerer(second.options);
  listening = await listenLink(
    { name: 'second', at: { host: '127.0.0.1', port: 0 }, security: SECRET, warn: () => undefined },
    (call, onClose) => {
      if (!isDying) return answer(call, onClose);
      void listening.close();
      return new Promise(() => undefined);
    },
  );
  fleet = new First({ id: 'second', link: listening.address });
  first = await Api.start(emptyGateway(noted), { ...options, fleet });
}

/** It can open nothing, so all that it answers comes from the other one. */
function emptyGateway(noted: { directory: ContextDirectory } | undefined): MemoryGateway {
  const gateway = memoryGateway({ clock, ...noted });
  gateway.contexts.sources = {
    open: () => Promise.reject(new Error('opened here')),
    placeOf: () => 'host second:44321',
  };
  return gateway;
}

afterEach(async () => {
  OTHER.isAlone = isDying = false;
  OTHER.version = 0;
  waitedFor.length = 0;
  await fleet.close();
  await listening.close();
  // It can open nothing.
  first.defects.length = 0;
  await first.stop();
  await second.stop();
});

describe('a handed call', () => {
  beforeEach(() => start());

  it('is not answered by a gateway that is alone, except for another one that is', async () => {
    const { context } = (await first.get('/pmapi/context?hostspec=x')).json;
    const url = `/pmapi/${context}/derive?name=own.one&expr=1`;
    OTHER.isAlone = true;
    expect((await first.get(url)).status).toBe(404);
    // It would open it itself.
    expect((await first.get('/pmapi/context?hostspec=x')).status).toBe(500);
    fleet.isAlone = true;
    expect((await first.get(url)).status).toBe(200);
  });

  it('of a change says so if the gateway that made it is alone by then', async () => {
    const { context } = (await first.get('/pmapi/context?hostspec=x')).json;
    // Its lease ends before the change is saved.
    jest.spyOn(second.gateway.contexts, 'save').mockImplementation(() => {
      OTHER.isAlone = true;
      return undefined;
    });
    const { headers, status } = await first.get(`/pmapi/${context}/derive?name=own.one&expr=1`);
    expect([status, headers['pmgate-cluster']]).toEqual([200, 'alone']);
  });

  it('says it once where both gateways are alone', async () => {
    const { context } = (await first.get('/pmapi/context?hostspec=x')).json;
    OTHER.isAlone = fleet.isAlone = true;
    const { headers } = await first.get(`/pmapi/${context}/fetch?names=mem.util.free`);
    expect(headers['pmgate-cluster']).toBe('alone');
  });

  test.each([
    ['GET', '/pmapi/fetch?hostspec=x&names=kernel.all.load,mem.util.free&client=c'],
    ['GET', '/pmapi/fetch?hostspec=x&names=test.many'],
    ['GET', '/pmapi/indom?hostspec=x&name=test.many'],
    ['GET', '/pmapi/metric?hostspec=x&prefix=kernel'],
    ['GET', '/pmapi/metrics?hostspec=x&names=kernel.all.load'],
    ['GET', '/pmapi/fetch?hostspec=x&names=no.such.metric'],
    ['GET', '/pmapi/fetch?hostspec=x&names=mem.util.free&units=celsius'],
    ['HEAD', '/pmapi/metric?hostspec=x&prefix=kernel'],
    ['GET', '/pmapi/fetch?context=12345&names=mem.util.free'],
  ])('is answered as the other gateway answers it: %s %s', async (method, url) => {
    const handed = await first.request(method, url);
    const direct = await second.request(method, url);
    expect(fleet.handed).toHaveLength(1);
    const withoutId = (text: string): string => text.replace(/"context":\d+|"timestamp":[\d.]+/g, '');
    expect(withoutId(handed.text)).toBe(withoutId(direct.text));
    expect(handed.status).toBe(direct.status);
    const own = { 'x-request-id': expect.any(String) as string, date: expect.any(String) as string };
    expect(handed.headers).toEqual({ ...direct.headers, ...own });
  });

  test.each([
    ['a form', 'application/x-www-form-urlencoded', 'hostspec=x&names=mem.util.free&client=a%26b'],
    ['JSON', 'application/json', { hostspec: 'x', names: ['mem.util.free'], client: 'ü' }],
  ])('has its body: %s', async (_what, type, body) => {
    const { json, status } = await first.request('POST', '/pmapi/fetch', { type, body });
    expect(status).toBe(200);
    expect(json.values.map(({ name }) => name)).toEqual(['mem.util.free']);
    expect(json).toMatchObject({ client: typeof body === 'string' ? 'a&b' : 'ü' });
  });

  test('says nothing in the name of this gateway', async () => {
    await first.get('/pmapi/fetch?hostspec=x&names=mem.util.free', { headers: { 'Pmgate-Counted': '1', 'x-y': 'z' } });
    expect(fleet.handed[0]!.headers).toMatchObject({ 'x-y': 'z' });
    expect(Object.keys(fleet.handed[0]!.headers).filter((name) => name.startsWith('pmgate-'))).toEqual([
      'pmgate-from-member',
    ]);
  });

  test('opens contexts at the other gateway, where they are used and destroyed', async () => {
    const { context } = (await first.get('/pmapi/context?hostspec=x')).json;
    expect(second.gateway.contexts.list().map(({ id }) => id)).toEqual([context]);
    expect((await first.get(`/pmapi/${context}/fetch?names=mem.util.free`)).json.context).toBe(context);
    expect((await first.request('DELETE', `/pmapi/context?context=${context}`)).status).toBeLessThan(500);
    expect((await first.request('DELETE', `/pmapi/${context}`)).status).toBe(200);
    expect((await first.get(`/pmapi/${context}/fetch?names=mem.util.free`)).json.code).toBe('UNKNOWN_CONTEXT');
  });

  test.each(['/pmapi/fetch?hostspec=x&names=mem.util.free', '/pmapi/metric?hostspec=x'])(
    'names a shared context of the other gateway, which is known from then on: %s',
    async (url) => {
      fleet.hasRecords = false;
      const { context } = (await first.get(url)).json;
      expect(second.gateway.contexts.openAs(context)).toBe('shared');
      expect((await first.get(`/pmapi/${context}/fetch?names=mem.util.free`)).json.context).toBe(context);
      second.gateway.contexts.drop(context);
      expect((await first.get(`/pmapi/${context}/fetch?names=mem.util.free`)).json.code).toBe('UNKNOWN_CONTEXT');
      expect(fleet.handed).toHaveLength(3);
      await first.get(`/pmapi/${context}/fetch?names=mem.util.free`);
      expect(fleet.handed).toHaveLength(3);
    },
  );

  test('may be an entry of a batch', async () => {
    const requests = [
      { path: '/pmapi/context?hostspec=x', id: 'c' },
      { path: '/pmapi/fetch?context={$c.context}&names=mem.util.free' },
    ];
    const { text } = await first.request('POST', '/pmapi/batch', { body: requests });
    const { responses } = JSON.parse(text) as { responses: { status: number }[] };
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  });

  test.each([
    ['answered here', 'cannot be reached', '/pmapi/fetch?hostspec=x&names=mem.util.free', 500],
    ['answered here', 'dies over it', '/pmapi/fetch?hostspec=x&names=mem.util.free', 500],
    ['answered here', 'dies over it', '/metrics?hostspec=x&names=mem.util.free', 500],
    ['answered here', 'dies over it', '/pmapi/stream?hostspec=x&names=mem.util.free', 500],
    ['looked for elsewhere', 'dies over it', '/pmapi/metric?context=12345', 404],
    ['refused, for it may have moved', 'dies over it', '/pmapi/fetch?context=12345&names=mem.util.free', 503],
    ['refused, for it may be there', 'dies over it', '/pmapi/context?hostspec=x', 503],
  ])('is %s when the other gateway %s: %s', async (_, how, url, status) => {
    if (how === 'dies over it') isDying = true;
    else await listening.close();
    expect((await first.get(url)).status).toBe(status);
    expect(first.defects).toEqual(status === 500 ? [new Error('opened here')] : []);
  });
});

describe('a shared context of a fleet', () => {
  const contexts: ContextDirectory = {
    create: () => Promise.resolve(),
    save: () => Promise.resolve(),
    end: () => Promise.resolve(),
    shared: { idOf: (key) => key.length, note: () => Promise.resolve() },
  };
  const url = '/pmapi/fetch?names=mem.util.free';

  /** A fleet whose first gateway has never heard of the shared context of the second one. */
  async function startShared(): Promise<number> {
    await start({}, contexts);
    const { context } = (await second.get(`${url}&hostspec=x`)).json;
    fleet.record = second.gateway.contexts.record(context)!.text;
    return context;
  }

  test('works at every gateway by its number', async () => {
    const context = await startShared();
    expect((await first.get(`${url}&context=${context}`)).json).toMatchObject({ context, values: [{}] });
    expect(fleet.handed).toHaveLength(1);
  });

  test('is opened again where it belongs when it has ended there', async () => {
    const context = await startShared();
    second.gateway.contexts.drop(context);
    expect((await first.get(`${url}&context=${context}`)).json).toMatchObject({ context, values: [{}] });
    expect(second.gateway.contexts.openAs(context)).toBe('shared');
  });

  test('is opened at the gateway that is asked when the other one is gone', async () => {
    const context = await startShared();
    await listening.close();
    const sources = { open: () => Promise.resolve(new MemorySource(TEST_CONTENT, clock)), placeOf: () => 'x' };
    first.gateway.contexts.sources = sources;
    expect((await first.get(`${url}&context=${context}`)).json).toMatchObject({ context, values: [{}] });
    expect(first.gateway.contexts.openAs(context)).toBe('shared');
  });

  test('works where it was, as long as nothing else is known', async () => {
    await start({}, contexts);
    const { context } = (await first.get(`${url}&hostspec=x`)).json;
    // Both gateways lose the engine, the second one first.
    OTHER.isAlone = true;
    fleet.atHome = () => {
      fleet.isAlone = true;
      return Promise.reject(new GatewayError('UNAVAILABLE', 'no engine'));
    };
    expect((await first.get(`${url}&context=${context}`)).json).toMatchObject({ context, values: [{}] });
  });

  test('is unknown where its record leads to another one', async () => {
    const context = await startShared();
    second.gateway.contexts.drop(context);
    const { json, status } = await first.get(`${url}&context=${context + 1}`);
    expect([status, json.code]).toEqual([404, 'UNKNOWN_CONTEXT']);
  });

  test('is unknown to clients who would see something else there', async () => {
    const roles = { some: { permissions: ['read'], metrics: ['kernel.*'] } };
    const anonymous = { from: 'anywhere', roles: ['some'] } as const;
    const access = new AccessControl({ file: readAccessFile({ roles }), anonymous, clock: systemClock });
    const context = await startShared();
    const headers = { 'pmgate-record': encodeURIComponent(fleet.record!) };
    second.gateway.contexts.drop(context);
    const call = { method: 'GET', url: `${url}&context=${context}`, headers, client: '', requestId: 'r' };
    const principal = { kind: 'anonymous', name: '', roles: ['some'] };
    const { status } = await handedAnswerer({ ...second.options, guards: { ...second.options.guards, access } })(
      { ...call, principal },
      () => undefined,
    );
    expect(status).toBe(404);
  });
});

describe('the principal of a handed call', () => {
  const roles = { hidden: { permissions: ['read'], metrics: ['kernel.*'] } };
  const users = { alice: { password: cheapHash('secret'), roles: ['hidden'] } };
  const login = { authorization: `Basic ${Buffer.from('alice:secret').toString('base64')}` };
  const accessOf = (file: object): AccessControl =>
    new AccessControl({ file: readAccessFile(file), anonymous: { from: 'nowhere', roles: [] }, clock: systemClock });
  const ask = '/pmapi/fetch?hostspec=x&names=kernel.all.load,mem.util.free';

  test('is that of the first gateway; its password does not leave it', async () => {
    await start({ access: accessOf({ roles, users }) });
    const { json } = await first.get(ask, { headers: login });
    expect(json.values.map(({ name }) => name)).toEqual(['kernel.all.load']);
    expect(fleet.handed[0]!.principal).toEqual({ kind: 'user', name: 'alice', roles: ['hidden'] });
    expect(JSON.stringify(fleet.handed[0])).not.toContain(login.authorization);
  });

  test('has no roles that the second gateway does not know', async () => {
    await start({ access: accessOf({ roles, users }) });
    const call = { method: 'GET', url: ask, headers: {}, client: '192.0.2.1', requestId: 'r' };
    const principal = { kind: 'user', name: 'alice', roles: ['other'] };
    const answer = await handedAnswerer(second.options)({ ...call, principal }, () => undefined);
    expect(answer.status).toBe(403);
  });

  test('must be there where there is access control', async () => {
    await start({ access: accessOf({ roles, users }) });
    const call = { method: 'GET', url: ask, headers: login, client: '192.0.2.1', requestId: 'r' };
    const answer = await handedAnswerer(second.options)(call, () => undefined);
    expect(answer.status).toBe(403);
  });

  test('shares streams only with those who have the same roles', async () => {
    const other = { other: { permissions: ['read'], metrics: ['*'] } };
    const all = { ...users, bob: { ...users.alice, roles: ['hidden', 'other'] }, carol: users.alice };
    await start({ access: accessOf({ roles: { ...roles, ...other }, users: all }) });
    const url = `${first.url}/pmapi/stream?hostspec=x&names=kernel.all.load,mem.util.free`;
    const streams = await Promise.all(
      ['alice', 'bob', 'carol'].map((name) =>
        openStream(url, { authorization: `Basic ${Buffer.from(`${name}:secret`).toString('base64')}` }),
      ),
    );
    const begun = await Promise.all(streams.map((stream) => stream.until(2)));
    expect(begun.map(([, sample]) => sample!.data.includes('mem.util.free'))).toEqual([false, true, false]);
    expect(second.options.streams.subscribers).toBe(2);
    await Promise.all(streams.map((stream) => stream.close()));
  });

  test('owns the contexts that it makes there', async () => {
    await start({ access: accessOf({ roles, users }) });
    await first.get('/pmapi/context?hostspec=x', { headers: login });
    expect(second.gateway.contexts.list().map(({ owner }) => owner)).toEqual(['user alice']);
  });
});

test('a call that was handed over for a context that is not there is not answered', async () => {
  await start();
  const call = { method: 'GET', url: '/pmapi/77/fetch?names=x', headers: {}, client: '192.0.2.1', requestId: 'r' };
  const options = { ...second.options, fleet };
  const answer = await handedAnswerer(options)(call, () => undefined);
  expect([answer.status, answer.headers]).toEqual([503, { 'pmgate-not-home': '1' }]);
  expect(fleet.handed).toEqual([]);
});

test('a handed call knows of the definitions that the first gateway has', async () => {
  await start();
  const fetched = '/pmapi/fetch?hostspec=x&names=mem.util.free';
  Object.assign(fleet, { version: 7 });
  OTHER.version = 7;
  expect((await first.get(fetched)).status).toBe(200);
  expect(waitedFor).toEqual([]);
  Object.assign(fleet, { version: 8 });
  // The other one never gets them: this one tries itself, which has no source.
  expect((await first.get(fetched)).status).toBe(500);
  expect(waitedFor).toEqual([8]);
});

test('a request waits for the version of the definitions that it names', async () => {
  await start();
  const headers = { 'Pmgate-Definitions': '5' };
  const refused = await second.get('/derived', { headers });
  expect([refused.status, refused.json.code, waitedFor]).toEqual([503, 'UNAVAILABLE', [5]]);
  OTHER.version = 5;
  expect((await second.get('/derived', { headers })).status).toBe(200);
});

test('a call that was handed over is never handed on', async () => {
  await start();
  // Its source belongs to yet another gateway, as this one sees it.
  second.gateway.contexts.sources = {
    open: () => Promise.resolve(new MemorySource(TEST_CONTENT, clock)),
    placeOf: () => 'host x:44321',
  };
  const call = {
    method: 'GET',
    url: '/pmapi/fetch?hostspec=x&names=mem.util.free',
    headers: {},
    client: '192.0.2.1',
    requestId: 'r',
  };
  const answer = await handedAnswerer({ ...second.options, fleet })(call, () => undefined);
  expect(answer.status).toBe(200);
  expect(fleet.handed).toEqual([]);
});

describe('a handed stream', () => {
  beforeEach(() => start());

  test('has the events of the other gateway, and ends with its client', async () => {
    const left = new AbortController();
    const response = await fetch(`${first.url}/pmapi/stream?hostspec=x&names=mem.util.free`, { signal: left.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes('23987772')) text += Buffer.from((await reader.read()).value).toString();
    expect(text).toContain('event: metrics');
    expect(second.options.streams.subscribers).toBe(1);
    left.abort();
    await reader.read().catch(() => undefined);
    while (second.options.streams.subscribers > 0) await new Promise(setImmediate);
  });

  test('is shared by clients of the same samples, which it tells their own context and client', async () => {
    const url = `${first.url}/pmapi/stream?names=mem.util.free&hostspec=x`;
    const streams = await Promise.all([
      openStream(`${url}&client=a%22`),
      openStream(`${url}&client=b`),
      openStream(url, { 'pmgate-counted': '1' }),
    ]);
    const begun = await Promise.all(streams.map((stream) => stream.until(2)));
    const [context] = second.gateway.contexts.list().map(({ id }) => id);
    expect(begun.map(([event]) => JSON.parse(event!.data) as object)).toEqual([
      expect.objectContaining({ context, client: 'a"' }),
      expect.objectContaining({ context, client: 'b' }),
      expect.not.objectContaining({ client: expect.anything() as string }),
    ]);
    expect(second.options.streams.subscribers).toBe(1);
    expect(fleet.handed).toHaveLength(1);
    expect(fleet.handed[0]).toMatchObject({ url: '/pmapi/stream?names=mem.util.free&hostspec=x', client: '127.0.0.1' });
    await Promise.all(streams.map((stream) => stream.close()));
  });

  test('has long events, too', async () => {
    const url = '/pmapi/stream?hostspec=x&names=test.many';
    const [relayed, direct] = [await openStream(`${first.url}${url}`), await openStream(`${second.url}${url}`)];
    const [[, one], [, other]] = [await relayed.until(2), await direct.until(2)];
    expect(one!.data.length).toBeGreaterThan(100_000);
    expect(one).toEqual(other);
    await relayed.close();
    await direct.close();
  });

  test.each(['names=kernel.all.load', 'names=mem.util.free&interval=2s', 'names=mem.util.free&units=Mbyte'])(
    'is another one for other samples: %s',
    async (parameters) => {
      const url = `${first.url}/pmapi/stream?hostspec=x&`;
      const streams = await Promise.all([openStream(`${url}names=mem.util.free`), openStream(`${url}${parameters}`)]);
      await Promise.all(streams.map((stream) => stream.until(2)));
      expect(second.options.streams.subscribers).toBe(2);
      await Promise.all(streams.map((stream) => stream.close()));
    },
  );

  test.each([
    ['hostspec=x&names=mem.util.free&units=celsius', {}],
    ['hostspec=x&names=mem.util.free&start=yesteryear', {}],
    ['hostspec=x&names=mem.util.free&lastEventId=yesterday', {}],
    ['hostspec=x&names=mem.util.free', { 'last-event-id': 'yesterday' }],
    ['hostspec=x&names=mem.util.free&interval=1msec', {}],
  ])('is refused as the other gateway refuses it: %s', async (parameters, headers) => {
    const url = `/pmapi/stream?${parameters}`;
    // Also where others have the same stream.
    const open = await openStream(`${first.url}/pmapi/stream?hostspec=x&names=mem.util.free`);
    const [handed, direct] = [await first.get(url, { headers }), await second.get(url, { headers })];
    expect([handed.status, handed.json.message]).toEqual([direct.status, direct.json.message]);
    expect(handed.status).toBeGreaterThanOrEqual(400);
    await open.close();
  });

  test('ends when the other gateway does', async () => {
    const response = await fetch(`${first.url}/pmapi/stream?hostspec=x&names=mem.util.free`);
    const reader = response.body!.getReader();
    await reader.read();
    await listening.close();
    for (let next = await reader.read(); !next.done; next = await reader.read());
  });
});
