import http from 'node:http';
import { AccessControl, readAccessFile } from '../../../src/access/index.js';
import type { HandedCall, LinkAnswer } from '../../../src/fleet/link/index.js';
import { handedAnswerer } from '../../../src/http/index.js';
import type { FleetMember, FleetState, HttpOptions } from '../../../src/http/index.js';
import { GatewayError, systemClock } from '../../../src/pmapi/index.js';
import { cheapHash } from '../../access/support/cheap-hash.js';
import { Api } from '../../support/api.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { memoryGateway } from '../../support/memory-gateway.js';
import { until } from '../../support/until.js';

type Hand = (call: HandedCall, onClose: (listener: () => void) => void) => Promise<LinkAnswer | undefined>;

/** Gateways that stand beside the one that is asked, by name: what each does with a call; undefined: it has no link. */
let members: Map<string, Hand | undefined>;
let handed: HandedCall[];
let isAlone: boolean;
const link = { path: '/member' };
const fleet: FleetState = {
  get isAlone() {
    return isAlone;
  },
  get others() {
    return new Map([...members].map(([id, hand]) => [id, hand && ({ id, link } satisfies FleetMember)]));
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

async function start(options: Partial<HttpOptions> = {}): Promise<Api> {
  const api = await Api.start(memoryGateway(), { fleet, timers, ...options });
  apis.push(api);
  return api;
}

/** Another gateway of the fleet. */
async function startOther(name: string, options: Partial<HttpOptions> = {}): Promise<Api> {
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
        contexts: [
          { ...entry, polltimeout: 9 },
          { ...entry, context: 7, hostspec: 'web4', isTold: false },
        ],
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
