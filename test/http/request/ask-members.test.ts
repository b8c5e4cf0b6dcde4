import http from 'node:http';
import { AccessControl, readAccessFile } from '../../../src/access/index.js';
import type { HandedCall, LinkAnswer } from '../../../src/fleet/link/index.js';
import { type FleetState, handedAnswerer } from '../../../src/http/index.js';
import type { Peer } from '../../../src/fleet/index.js';
import { GatewayError, systemClock } from '../../../src/pmapi/index.js';
import { cheapHash } from '../../access/support/cheap-hash.js';
import { Api, type FlatOptions } from '../../support/api.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { memoryGateway } from '../../support/memory-gateway.js';
import { until } from '../../support/until.js';
import { rows } from '../../support/rows.js';

type Hand = (call: HandedCall, onClose: (listener: () => void) => void) => Promise<LinkAnswer | undefined>;

/** Gateways that stand beside the one that is asked, by name: what each does with a call; undefined: it has no link. */
let members: Map<string, Hand | undefined>;
let handed: HandedCall[];
let isAlone: boolean;
const link = { host: '127.0.0.1', port: 1 };
const fleet: FleetState = {
  version: 0,
  reached: () => Promise.resolve(true),
  get isAlone() {
    return isAlone;
  },
  get others() {
    return new Map([...members].map(([id, hand]) => [id, hand && ({ id, link } satisfies Peer)]));
  },
  owner: () => undefined,
  isHome: () => true,
  atHome: (_id, { gone }) => Promise.resolve(gone(undefined)),
  hand: (call, { id }, onClose) => {
    handed.push(call);
    return members.get(id)!(call, onClose);
  },
};

let timers: ManualTimers;
let apis: Api[];
beforeEach(() => {
  members = new Map();
  handed = [];
  isAlone = false;
  timers = new ManualTimers();
  apis = [];
});
afterEach(() => Promise.all(apis.map((api) => api.stop())));

async function start(options: FlatOptions = {}): Promise<Api> {
  const api = await Api.start(memoryGateway(), { fleet, timers, ...options });
  apis.push(api);
  return api;
}

async function startOther(name: string, options: FlatOptions = {}): Promise<Api> {
  const api = await start(options);
  members.set(name, handedAnswerer(api.options));
  return api;
}

const part = (json: object | string, headers = { 'pmgate-own': '1' }): Hand => {
  const body = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
  return () => Promise.resolve({ status: 200, headers, body });
};
const missing = (who: string): object => ({
  message: `no answer from ${who}: what they have is missing`,
  code: 'UNAVAILABLE',
});
const host = { hostspec: 'web9', origin: 'open', open: true };

describe('the list of hosts', () => {
  test('is the same at all gateways', async () => {
    const one = await start({ namedHosts: () => ['web1', 'web2'] });
    const two = await startOther('two');
    await one.get('/pmapi/fetch?names=mem.util.free&hostspec=web3');
    await two.get('/pmapi/fetch?names=mem.util.free&hostspec=web2');
    members.set('one', handedAnswerer(one.options));
    for (const api of [one, two]) {
      expect((await api.get('/hosts')).json).toEqual({
        hosts: [
          { hostspec: 'localhost', origin: 'local', open: false },
          { hostspec: 'web1', origin: 'named', open: false },
          { hostspec: 'web2', origin: 'named', open: true },
          { hostspec: 'web3', origin: 'open', open: true },
        ],
      });
    }
  });

  test('has what the role of the client shows, at each gateway', async () => {
    const roles = { some: { permissions: ['read'], hosts: ['web1', 'localhost'] } };
    const users = { alice: { password: cheapHash('secret'), roles: ['some'] } };
    const file = readAccessFile({ roles, users });
    const access = new AccessControl({ file, anonymous: { from: 'nowhere', roles: [] }, clock: systemClock });
    const one = await start({ access });
    await startOther('two', { access, namedHosts: () => ['web1', 'web2'] });
    const headers = { authorization: `Basic ${Buffer.from('alice:secret').toString('base64')}` };
    const { hosts } = (await one.get('/hosts', { headers })).json as unknown as { hosts: { hostspec: string }[] };
    expect(hosts.map(({ hostspec }) => hostspec)).toEqual(['localhost', 'web1']);
    expect(handed[0]!.principal).toEqual({ kind: 'user', name: 'alice', roles: ['some'] });
  });
});

describe('the list of contexts', () => {
  test('has those of all gateways, and a shared one once', async () => {
    const [one, two] = [await start(), await startOther('two')];
    const { context } = (await one.get('/pmapi/context?hostspec=web1')).json;
    const { context: other } = (await two.get('/pmapi/context?hostspec=web2&polltimeout=60')).json;
    const { context: shared } = (await one.get('/pmapi/fetch?names=mem.util.free&hostspec=web3')).json;
    const entry = { context: shared, isTold: true, hostspec: 'web3', kind: 'local', polltimeout: 5, shared: true };
    members.set(
      'three',
      part({
        contexts: rows({ ...entry, polltimeout: 9 }, { ...entry, context: 7, hostspec: 'web4', isTold: false }),
      }),
    );
    expect((await one.get('/pmapi/contexts')).json).toEqual({
      contexts: [
        { context, hostspec: 'web1', kind: 'local', polltimeout: 5, shared: false },
        { context: other, hostspec: 'web2', kind: 'local', polltimeout: 60, shared: false },
        { context: shared, hostspec: 'web3', kind: 'local', polltimeout: 5, shared: true },
        { hostspec: 'web4', kind: 'local', polltimeout: 5, shared: true },
      ],
    });
  });

  test('does not show numbers to clients of other machines, whichever gateway they ask', async () => {
    await start();
    const two = await startOther('two');
    await two.get('/pmapi/context?hostspec=web2');
    const call = { method: 'GET', url: '/pmapi/contexts', headers: { 'pmgate-own': '1' }, requestId: 'r' };
    const answer = await handedAnswerer(two.options)({ ...call, client: '192.0.2.1' }, () => undefined);
    expect(JSON.parse(Buffer.from(answer.body as Uint8Array).toString())).toMatchObject({
      contexts: [{ hostspec: 'web2', isTold: false }],
    });
  });
});

describe('a gateway that does not answer', () => {
  test.each<[string, Hand | undefined]>([
    ['without a link', undefined],
    ['that cannot be reached', () => Promise.resolve(undefined)],
    ['that fails', () => Promise.reject(new GatewayError('UNAVAILABLE', 'gone'))],
    ['of an earlier release, which answers as if a client had asked it', part({ hosts: [host] }, {} as never)],
    ['with JSON of another kind', part({ hosts: [{ ...host, origin: '<b>' }] })],
    ['with no JSON', part('{"hosts":')],
    ['with nothing', part('')],
  ])('is named, and the others are listed: one %s', async (_, hand) => {
    const one = await start();
    members.set('two#ab12', hand).set('three', part({ hosts: [host] }));
    const { json } = await one.get('/hosts');
    expect(json).toEqual({
      hosts: [{ hostspec: 'localhost', origin: 'local', open: false }, host],
      warnings: [missing('two')],
    });
    // A proxy's client may be anywhere.
    const { warnings } = (await one.get('/hosts', { headers: { 'x-forwarded-for': '192.0.2.1' } })).json;
    expect(warnings).toEqual([missing('1 of 2 other gateways')]);
  });

  test('is not waited for', async () => {
    const one = await start();
    let cancelled = 0;
    members.set('two', (_call, onClose) => {
      onClose(() => cancelled++);
      return new Promise(() => undefined);
    });
    members.set('three', part({ hosts: [host] }));
    const answering = one.get('/hosts');
    await until(() => handed.length === 2);
    expect(cancelled).toBe(0);
    timers.advance(3000);
    const { hosts, warnings } = (await answering).json as unknown as { hosts: object[]; warnings: object[] };
    expect([hosts.length, warnings, cancelled]).toEqual([2, [missing('two')], 1]);
    expect(timers.pending).toBe(0);
  });

  test('is not read to the end of a hundred megabytes', async () => {
    const one = await start();
    let [sent, isCancelled] = [0, false];
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        for (; sent < 100; sent++) yield await Promise.resolve(Buffer.alloc(1_048_576, ' '));
      } finally {
        isCancelled = true;
      }
    }
    members.set('two', () => Promise.resolve({ status: 200, headers: { 'pmgate-own': '1' }, body: pieces() }));
    expect((await one.get('/hosts')).json.warnings).toEqual([missing('two')]);
    expect({ sent, isCancelled }).toEqual({ sent: 8, isCancelled: true });
  });

  test('is told when the client has left', async () => {
    const one = await start();
    let cancelled = 0;
    members.set('two', (_call, onClose) => {
      onClose(() => cancelled++);
      return new Promise(() => undefined);
    });
    const client = http.get(`${one.url}/hosts`, { agent: false }).on('error', () => undefined);
    await until(() => handed.length === 1);
    client.destroy();
    await until(() => cancelled === 1);
    await until(() => timers.pending === 0);
  });
});

describe('a search', () => {
  /** Two gateways, each with a host of its own and this machine, and one that has it all. */
  async function startThree(): Promise<{ readonly pair: readonly Api[]; readonly single: Api }> {
    const [one, two, single] = [await start(), await startOther('two'), await start({ fleet: undefined })];
    for (const [api, host] of rows([one, 'web1'], [two, 'web2'], [single, 'web1'], [single, 'web2'])) {
      await api.get(`/pmapi/fetch?names=mem.util.free&hostspec=${host}`);
    }
    members.set('one', handedAnswerer(one.options));
    return { pair: [one, two], single };
  }
  interface Found {
    readonly total: number;
    readonly likeness: string;
    readonly results: readonly { readonly name: string; readonly hostspec: string }[];
    readonly warnings?: readonly object[];
  }
  const find = async (api: Api, url: string): Promise<Found> => (await api.get(url)).json as unknown as Found;
  const inAnyOrder = (results: readonly object[]): readonly string[] =>
    results.map((one) => JSON.stringify(one)).sort();

  test('finds at each gateway what one gateway with all hosts finds', async () => {
    const { pair, single } = await startThree();
    for (const url of [
      '/search?q=load&limit=100',
      '/search?q=loax&limit=100',
      '/search?q=free+memory&limit=100',
      '/search?q=nothing-of-the-kind',
      '/search/text?query=load&limit=100&return=name',
      '/search/indom?query=60.2&limit=100',
    ]) {
      const expected = await find(single, url);
      for (const api of pair) {
        const found = await find(api, url);
        expect({ ...found, url, elapsed: 0, results: [] }).toEqual({ ...expected, url, elapsed: 0, results: [] });
        expect(inAnyOrder(found.results)).toEqual(inAnyOrder(expected.results));
        expect(found.results.map(({ name }) => name)).toEqual(expected.results.map(({ name }) => name));
      }
    }
  });

  test('has each result on one page, in the same order at each gateway', async () => {
    const { pair } = await startThree();
    const whole = await find(pair[0]!, '/search?q=test&limit=100');
    expect(whole.total).toBeGreaterThan(9);
    for (const url of ['/search?q=test', '/search/text?query=test', '/search/indom?query=60.2']) {
      const { total, results } = await find(pair[0]!, `${url}&limit=100`);
      const pages: object[] = [];
      for (let offset = 0; offset < total; offset += 4) {
        pages.push(...(await find(pair[(offset / 4) % 2]!, `${url}&limit=4&offset=${offset}`)).results);
      }
      expect(pages).toEqual(results);
    }
  });

  test('completes names of all gateways, each once', async () => {
    const { pair, single } = await startThree();
    for (const url of [
      '/search/suggest?query=kernel',
      '/search/suggest?query=load&limit=3',
      '/search/suggest?query=zz',
    ]) {
      const { text } = await single.get(url);
      for (const api of pair) expect((await api.get(url)).text).toBe(text);
    }
    const { json: sizes } = (await pair[0]!.get('/search/info')) as unknown as { json: { docs: number } };
    const { json: same } = await pair[1]!.get('/search/info');
    expect([same, sizes.docs > 0]).toEqual([sizes, true]);
  });

  test('says which gateways did not answer', async () => {
    const one = await start();
    await one.get('/search?q=load');
    members.set('two', undefined);
    for (const url of ['/search?q=zz', '/search/text?query=zz', '/search/indom?query=9.9']) {
      expect((await one.get(url)).json.warnings).toContainEqual(missing('two'));
    }
    for (const url of ['/search/suggest?query=zz', '/search/info']) {
      const { 'x-pmgate-warnings': header = '[]' } = (await one.get(url)).headers;
      expect(JSON.parse(header)).toContainEqual(missing('two'));
    }
    expect((await one.get('/search?q=zz&hostspec=web1')).text).not.toContain('no answer');
  });

  test('has no similar words where a gateway finds the words themselves', async () => {
    const one = await start();
    const result = { name: 'loax', source: 'a'.repeat(40), score: 1, fields: ['name'], highlights: {} };
    const hit = { rank: 1, score: 1, name: 'loax', source: 0, result };
    const found = { likeness: 'all', sources: [{ key: 'k', total: 1 }], hits: [hit], warnings: [] };
    members.set('two', part(found));
    expect(await find(one, '/search?q=loax')).toMatchObject({ likeness: 'all', total: 1, results: [result] });
    members.set('two', part({ ...found, hits: [{ ...hit, result: { name: 7 } }] }));
    expect(await find(one, '/search?q=loax')).toMatchObject({ likeness: 'similar' });
    members.set('two', part({ ...found, hits: [{ ...hit, source: 5 }] }));
    expect(await find(one, '/search?q=loax')).toMatchObject({ likeness: 'all', results: [] });
  });

  test('asks other gateways for no more than a thousand results', async () => {
    const one = await start();
    members.set('two', (call, onClose) => handedAnswerer(one.options)(call, onClose));
    const found = { likeness: 'all', sources: [{ key: 'k', total: 2000 }], hits: [], warnings: [] };
    members.set('three', part(found));
    expect((await find(one, '/search?q=load&limit=100')).warnings ?? []).not.toContainEqual(
      expect.objectContaining({ code: 'LIMIT_EXCEEDED' }),
    );
    expect((await find(one, '/search?q=load&offset=1000')).warnings).toContainEqual({
      message: 'of other gateways, only the best 1000 results are listed',
      code: 'LIMIT_EXCEEDED',
    });
  });

  test('finds what this machine has at the gateway that it belongs to', async () => {
    const local: Peer = { id: 'two', link };
    const one = await start({ fleet: { ...fleet, others: new Map([['two', local]]), owner: () => local } });
    await startOther('two');
    expect((await find(one, '/search?q=load')).results.map(({ hostspec }) => hostspec)).toContain('localhost');
    expect(one.gateway.opened).toEqual([]);
    const failures = { localhost: new GatewayError('SOURCE_UNREACHABLE', 'no pmcd') };
    const failing = await Api.start(memoryGateway({ failures }), { fleet: undefined });
    apis.push(failing);
    members.set('two', handedAnswerer(failing.options));
    const { status, json } = await one.get('/search?q=load');
    expect([status, json.code, json.message]).toEqual([503, 'SOURCE_UNREACHABLE', 'no pmcd']);
  });
});

test('a long answer in pieces is read whole', async () => {
  const one = await start();
  const text = Buffer.from(JSON.stringify({ hosts: [host] }));
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const byte of text) yield await Promise.resolve(Uint8Array.of(byte));
  }
  members.set('two', () => Promise.resolve({ status: 200, headers: { 'pmgate-own': '1' }, body: pieces() }));
  expect((await one.get('/hosts')).json).toMatchObject({ hosts: [{}, host] });
});

test('a gateway that is alone says that others may have more', async () => {
  const one = await start();
  isAlone = true;
  expect((await one.get('/hosts')).json.warnings).toEqual([
    {
      message: 'this gateway cannot reach its fleet: what the other gateways have may be missing',
      code: 'UNAVAILABLE',
    },
  ]);
});

test('clients cannot ask for the part of one gateway, and gateways ask no further', async () => {
  const one = await start();
  const two = await startOther('two');
  const { json } = await one.get('/pmapi/contexts', { headers: { 'pmgate-own': '1' } });
  expect(json).toEqual({ contexts: [] });
  expect(handed).toHaveLength(1);
  await handedAnswerer(two.options)(handed[0]!, () => undefined);
  expect(handed).toHaveLength(1);
});
