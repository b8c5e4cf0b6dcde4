import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import tls from 'node:tls';
import { Gateway } from '../../src/gateway/gateway.js';
import { createLog } from '../../src/log/log.js';
import { FakeClock } from '../support/fake-clock.js';
import { FakePmcd } from '../support/fake-pmcd.js';
import { errorPdu } from '../support/pdu-builder.js';
import { type Reply, ask } from '../support/plain-request.js';
import { rows } from '../support/rows.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

const gateways: RunningGateway[] = [];
const hosts: FakePmcd[] = [];
afterEach(async () => {
  for (const { close } of gateways.splice(0)) await close();
  for (const host of hosts.splice(0)) await host.stop();
});

/** A gateway that ends with the test, for which no host that answers is ever too slow. */
async function setUp(environment: Record<string, string> = {}) {
  const usual = { PMGATE_HOSTS_CONNECT_TIMEOUT_SEC: '60', PMGATE_LIMITS_DRAIN_SEC: '10' };
  const running = await startGateway({ ...usual, ...environment });
  gateways.push(running);
  const asking = (target: string, headers = {}, method = 'GET'): Promise<Reply> =>
    ask(running.port, target, { headers, method });
  return { ...running, ask: asking };
}

async function startHost(): Promise<FakePmcd> {
  const host = await FakePmcd.start();
  hosts.push(host);
  return host;
}

it('says without a trace why the state directory cannot be used', async () => {
  const { close, ask, lines } = await setUp({ PMGATE_STATE_DIRECTORY: '/dev/null/state' });
  await ask('/pmapi/fetch?names=disk.dev.read,network.interface.in.bytes');
  await close();
  const told = lines.filter(({ msg }) => msg.startsWith('cannot read /dev/null/state/60.'));
  expect(told.length).toBeGreaterThan(0);
  for (const line of told) expect(line).toMatchObject({ reason: expect.stringMatching(/^ENOTDIR: /) });
  for (const line of lines) expect(line).not.toHaveProperty('err');
});

/** Hosts that cannot be had are answered soon. */
const IMPATIENT = { PMGATE_HOSTS_CONNECT_TIMEOUT_SEC: '0.05' };

/** Connect from an address of this machine's, and ask for the health over that; answers whether that was answered. */
function isTakenOn(port: number, localAddress: string, opened: net.Socket[]): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, localAddress });
    opened.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  });
}

/** A POST whose headers the server has seen and whose body it waits for. */
async function beginPost(port: number, bodyBytes: number) {
  const request = http.request({
    host: '127.0.0.1',
    port,
    path: '/pmapi/fetch',
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': bodyBytes,
      Expect: '100-continue',
    },
  });
  const answer = new Promise<number>((resolve, reject) => {
    request.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
  });
  await new Promise<void>((resolve) => request.once('continue', resolve).flushHeaders());
  return { request, answer };
}

describe('Gateway', () => {
  it('listens on a free port and answers, with nothing configured', async () => {
    const { ask } = await setUp();
    const { status, body } = await ask('/pmapi/fetch?names=pmgate.version,pmgate.contexts.open');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      values: [
        { name: 'pmgate.version', instances: [{ instance: null, value: expect.stringMatching(/^\d+\.\d+\.\d+$/) }] },
        { name: 'pmgate.contexts.open', instances: [{ instance: null, value: 1 }] },
      ],
    });
  });

  it('counts requests by route, status and latency, and errors of clients too', async () => {
    const { ask } = await setUp();
    await ask('/healthz');
    await ask('/nowhere');
    await ask('/pmapi/metric?names=no.such');
    const names = [
      'requests.total',
      'requests.route.count',
      'requests.status.count',
      'requests.latency',
      'requests.defects',
    ];
    const { body } = await ask(`/pmapi/fetch?names=${names.map((n) => `pmgate.${n}`).join(',')}`);
    const [total, byRoute, byStatus, latency, defects] = (
      JSON.parse(body) as { values: { instances: { instance: number; value: number }[] }[] }
    ).values.map((v) => v.instances);
    expect(total![0]!.value).toBe(3);
    expect(byRoute!.map((i) => i.value)).toEqual([1, 1, 1]);
    expect(byStatus!.map((i) => i.value)).toEqual([0, 1, 0, 2, 0]);
    expect(latency!.at(-1)!.value).toBe(3);
    expect(defects![0]!.value).toBe(0);
    const indom = JSON.parse((await ask('/pmapi/indom?name=pmgate.requests.route.count')).body) as {
      instances: { name: string }[];
    };
    expect(indom.instances.map((i) => i.name)).toEqual(['/healthz', 'unmatched', '/pmapi/metric', '/pmapi/fetch']);
  });

  it('serves its own metrics with the collector turned off, and no others', async () => {
    const { ask } = await setUp({ PMGATE_LOCAL_COLLECTOR: 'false', PMGATE_DERIVED_SHIPPED: 'false' });
    const { body } = await ask('/pmapi/children');
    expect(JSON.parse(body)).toMatchObject({ leaf: [], nonleaf: ['pmgate', 'pmcd'] });
  });

  it('reaches no host but this machine, and says the same of every other', async () => {
    const { ask } = await setUp(IMPATIENT);
    const targets = ['no.such.host.invalid', '192.0.2.1', '127.0.0.1:22', 'localhost:1'];
    const replies = await Promise.all(targets.map((h) => ask(`/pmapi/context?hostspec=${h}`)));
    expect(new Set(replies.map((r) => `${r.status} ${r.body}`)).size).toBe(1);
    expect(replies[0]).toMatchObject({ status: 503, body: expect.stringContaining('cannot connect to PMCD') });
    for (const local of ['localhost', '127.0.0.1', '%3A%3A1', '%5B%3A%3A1%5D']) {
      expect((await ask(`/pmapi/context?hostspec=${local}`)).status).toBe(200);
    }
  });

  it('puts a new configuration in force while it runs, and says what must wait for a restart', async () => {
    const { gateway, ask, read } = await setUp();
    const origin = { Origin: 'https://grafana.example.com' };
    expect((await ask('/healthz', origin)).headers['access-control-allow-origin']).toBeUndefined();
    const waiting = gateway.reload(
      read({
        PMGATE_CORS_ORIGINS: 'https://grafana.example.com',
        PMGATE_LIMITS_CONTEXTS: '1',
        PMGATE_LIMITS_NAMES: '2',
        PMGATE_LISTEN_HOST: '::1',
      }),
    );
    expect(waiting).toEqual(['listen.host']);
    expect((await ask('/healthz', origin)).headers['access-control-allow-origin']).toBe(origin.Origin);
    expect((await ask('/pmapi/fetch?names=a,b,c')).status).toBe(413);
    expect((await ask('/pmapi/context')).status).toBe(200);
    expect((await ask('/pmapi/context')).status).toBe(429);
  });

  it('goes by what it was started with in telling what waits, however often it reads its configuration', async () => {
    const { gateway, read } = await setUp();
    const other = { PMGATE_LOCAL_SNAPSHOT_MS: '20', PMGATE_LISTEN_PORT: '1' };
    expect(gateway.reload(read(other))).toEqual(['listen.port', 'local.snapshotMs']);
    expect(gateway.reload(read(other))).toEqual(['listen.port', 'local.snapshotMs']);
    expect(gateway.reload(read())).toEqual([]);
  });

  it('serves from elsewhere on this machine as soon as it is told to', async () => {
    const { gateway, ask, read } = await setUp(IMPATIENT);
    const sourceLine = async (): Promise<string> => (await ask('/readyz')).body;
    expect(await sourceLine()).toContain('embedded');
    expect(gateway.reload(read({ ...IMPATIENT, PMGATE_LOCAL_SOURCE: 'pmcd' }))).toEqual([]);
    expect(await sourceLine()).not.toContain('embedded');
  });

  it('takes longer and larger requests as soon as it is told to', async () => {
    const { gateway, ask, read } = await setUp({ PMGATE_ARCHIVES_ROOTS: 'test/fixtures/archives' });
    const long = `/${'x'.repeat(50_000)}`;
    const range = '/pmapi/fetch?archive=live-v3&names=kernel.all.load&samples=2&interval=1';
    expect([(await ask(long)).status, (await ask(range)).status]).toEqual([414, 200]);
    const other = { PMGATE_LIMITS_URL_BYTES: '60000', PMGATE_ARCHIVES_RANGE_VALUES: '1' };
    expect(gateway.reload(read(other))).toEqual([]);
    expect([(await ask(long)).status, (await ask(range)).status]).toEqual([404, 413]);
  });

  it('is not opened to everybody where it listens by what is meant for where it will', async () => {
    const { gateway, ask, read } = await setUp({
      PMGATE_LISTEN_HOST: '0.0.0.0',
      PMGATE_ACCESS_ANONYMOUS_FROM: 'anywhere',
    });
    const local = { PMGATE_LISTEN_HOST: '127.0.0.1', PMGATE_ACCESS_ANONYMOUS_FROM: 'loopback' };
    expect(() => gateway.reload(read(local))).toThrow('0.0.0.0 is beyond loopback');
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('closes connections beyond those that one address may have, and counts them', async () => {
    const bounds = { PMGATE_CLIENTS_CONNECTIONS: '2', PMGATE_CLIENTS_EXEMPT: '127.0.0.1' };
    const { gateway, port, ask, read } = await setUp(bounds);
    const opened: net.Socket[] = [];
    const take = async (from: string, count: number): Promise<boolean[]> => {
      const taken: boolean[] = [];
      while (taken.length < count) taken.push(await isTakenOn(port, from, opened));
      return taken;
    };
    expect(await take('127.0.0.5', 3)).toEqual([true, true, false]);
    expect(await take('127.0.0.6', 1)).toEqual([true]);
    expect(await take('127.0.0.1', 3)).toEqual([true, true, true]);
    expect(gateway.reload(read({ PMGATE_CLIENTS_CONNECTIONS: '3' }))).toEqual([]);
    expect(await take('127.0.0.5', 2)).toEqual([true, false]);
    const { body } = await ask('/pmapi/fetch?names=pmgate.connections,pmgate.connections_refused');
    const { values } = JSON.parse(body) as { values: { instances: { value: number }[] }[] };
    // The last of them asks.
    expect(values.map(({ instances: [only] }) => only!.value)).toEqual([8, 2]);
    for (const socket of opened) socket.destroy();
  });

  it('remembers metrics before the first request, as long as the configuration lists them', async () => {
    const { gateway, ask, read } = await setUp({ PMGATE_CONTEXTS_REMEMBER: 'mem.util.free' });
    const range = '/pmapi/fetch?names=mem.util.free&format=columns&samples=100';
    while (!/"times":\[\d/.test((await ask(range)).body)) await setImmediate();
    expect(gateway.reload(read({ PMGATE_CONTEXTS_REMEMBER: '' }))).toEqual([]);
  });

  it('says that an address is taken', async () => {
    const { port, read } = await setUp();
    const config = read({ PMGATE_LISTEN_PORT: String(port) });
    const second = await Gateway.create({ config, log: await createLog('silent', new FakeClock()) });
    await expect(second.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close();
  });

  it('finishes a request that is under way before it closes, and takes no new one', async () => {
    const { port, close, ask } = await setUp();
    const body = 'names=pmgate.version';
    const { request, answer } = await beginPost(port, body.length);
    const closed = close();
    await expect(ask('/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    request.end(body);
    expect(await answer).toBe(200);
    await closed;
  });

  it('cuts a request that does not finish in time when it closes', async () => {
    const { port, close } = await setUp({ PMGATE_LIMITS_DRAIN_SEC: '0.05' });
    const { answer } = await beginPost(port, 100);
    const failure = expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' });
    await close();
    await failure;
  });

  it('waits no longer for connections that have not agreed on TLS', async () => {
    const { port, close } = await setUp({
      PMGATE_LIMITS_DRAIN_SEC: '0.05',
      PMGATE_LIMITS_HEADERS_TIMEOUT_SEC: '3600',
      PMGATE_LISTEN_CERTIFICATE_FILE: 'test/fixtures/tls/one.cert.pem',
      PMGATE_LISTEN_KEY_FILE: 'test/fixtures/tls/one.key.pem',
    });
    const silent = net.connect(port, '127.0.0.1');
    silent.on('error', () => undefined);
    const cut = once(silent, 'close');
    await once(silent, 'connect');
    // Connections are accepted in the order in which they come.
    const later = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(later, 'secureConnect');
    later.destroy();
    await close();
    await cut;
  });
});

describe('Gateway in front of a pmcd', () => {
  it('serves archives below its roots, and below others with a new configuration', async () => {
    const roots = { PMGATE_ARCHIVES_ROOTS: 'test/fixtures/archives' };
    const { gateway, ask, read } = await setUp(roots);
    const url = '/pmapi/fetch?archive=live-v3&names=kernel.all.load&format=csv';
    expect(await ask(url)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/csv; charset=utf-8; header=present' },
    });
    expect((await ask('/archives')).body).toContain('"name":"packed-v3"');
    expect(gateway.reload(read({ PMGATE_ARCHIVES_ROOTS: 'test/fixtures/tls' }))).toEqual([]);
    expect((await ask('/pmapi/context?archive=live-v3')).body).toContain('UNKNOWN_ARCHIVE');
    expect((await ask('/archives')).body.trim()).toBe('{"archives":[]}');
    expect(gateway.reload(read({ PMGATE_ARCHIVES_ROOTS: 'test/fixtures/tls', PMGATE_ARCHIVES_IDLE_SEC: '1' }))).toEqual(
      ['archives.idleSec'],
    );
  });

  it('serves no archives when nothing is configured', async () => {
    const { ask } = await setUp();
    const { status, body } = await ask('/pmapi/context?archive=live-v3');
    expect([status, JSON.parse(body)]).toMatchObject([404, { code: 'UNKNOWN_ARCHIVE', parameter: 'archive' }]);
  });

  it('says which source serves', async () => {
    const fake = await startHost();
    const { ask } = await setUp({
      PMGATE_LOCAL_SOURCE: 'embedded',
      PMGATE_HOSTS_NAMED: JSON.stringify({ web1: `pcp://${fake.hostspec}` }),
    });
    const json = async (target: string): Promise<unknown> => JSON.parse((await ask(target)).body);
    expect(await json('/pmapi/context')).toMatchObject({ kind: 'local' });
    expect(await json('/pmapi/context?hostspec=web1')).toMatchObject({ kind: 'host', hostspec: 'web1' });
    expect(await json('/readyz')).toEqual({ status: 'ready', success: true, local: 'embedded' });
  });

  it('lets a host in, and another one out, with a new configuration', async () => {
    const fake = await startHost();
    const { gateway, ask, read } = await setUp(IMPATIENT);
    const target = `/pmapi/context?hostspec=${fake.hostspec}`;
    expect((await ask(target)).status).toBe(503);
    const allowed = { PMGATE_HOSTS_ALLOW: fake.hostspec, PMGATE_HOSTS_CONNECT_TIMEOUT_SEC: '60' };
    expect(gateway.reload(read(allowed))).toEqual([]);
    const own = JSON.parse((await ask(target)).body) as { context: number };
    const ownFetch = `/pmapi/${own.context}/fetch?names=no.such`;
    expect((await ask(ownFetch)).status).toBe(200);
    // Neither contexts that clients made nor the one that requests without one share must let anybody go on.
    const shared = `/pmapi/fetch?hostspec=${fake.hostspec}&names=no.such`;
    expect((await ask(shared)).status).toBe(200);
    expect(gateway.reload(read({ PMGATE_HOSTS_CONNECTIONS: '1' }))).toEqual(['hosts.connections']);
    expect((await ask(target)).status).toBe(503);
    expect((await ask(shared)).status).toBe(503);
    const refused = await ask(ownFetch);
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      404,
      expect.objectContaining({
        code: 'UNKNOWN_CONTEXT',
        message: `withdrawn context identifier: ${own.context}: its host is no longer configured`,
      }),
    ]);
  });

  it('stores what the configuration allows, 64-bit integers exactly', async () => {
    const fake = await startHost();
    const pmid = 0x07400001;
    fake.metrics = [{ name: 'w.u64', descriptor: [pmid, 3, 0xffffffff, 3, 0], values: 0 }];
    const { ask } = await setUp({
      PMGATE_STORE_ENABLED: 'true',
      PMGATE_STORE_ALLOW_GET: 'true',
      PMGATE_ACCESS_ANONYMOUS_ROLES: 'read,store',
      PMGATE_HOSTS_ALLOW: fake.hostspec,
    });
    const { body } = await ask(`/pmapi/store?hostspec=${fake.hostspec}&name=w.u64&value=18446744073709551615`);
    expect(JSON.parse(body)).toMatchObject({ success: true });
    const [stored] = fake.requestsOf(0x7001);
    expect(stored!.bytes.toString('hex')).toContain('ffffffffffffffff');
  });

  it('passes credentials on to pmcd, and asks for others when it refuses them', async () => {
    const fake = await startHost();
    fake.challenge = errorPdu(-12387);
    const { ask } = await setUp({ PMGATE_HOSTS_ALLOW: fake.hostspec });
    const authorization = `Basic ${Buffer.from('bob:wrong').toString('base64')}`;
    const { status, body, headers } = await ask(`/pmapi/context?hostspec=${fake.hostspec}`, { authorization });
    expect([status, JSON.parse(body)]).toEqual([401, expect.objectContaining({ code: 'AUTHENTICATION_REQUIRED' })]);
    expect(headers['www-authenticate']).toMatch(/^Basic /);
  });

  it('does not let a silent host keep the others of a request waiting beyond the limit', async () => {
    const [fake, silent] = [await startHost(), await startHost()];
    silent.challenge = 'nothing';
    const { gateway, ask, read } = await setUp({ PMGATE_HOSTS_ALLOW: `${fake.hostspec},${silent.hostspec}` });
    // One that is connected already is there at once.
    await ask(`/pmapi/fetch?names=x&hostspec=${fake.hostspec}`);
    gateway.reload(read(IMPATIENT));
    const list = `${silent.hostspec};${fake.hostspec};192.0.2.1`;
    // Clients on this machine would be told the reasons.
    const elsewhere = { 'x-forwarded-for': '192.0.2.9' };
    const { body } = await ask(`/pmapi/fetch?names=x&hostspec=${list}`, elsewhere);
    const { hosts } = JSON.parse(body) as { hosts: { error?: object; values?: unknown[] }[] };
    const unreachable = {
      message: 'cannot connect to PMCD: No route to host',
      success: false,
      code: 'SOURCE_UNREACHABLE',
      pmErr: -113,
    };
    expect(hosts.map(({ error }) => error)).toEqual([unreachable, undefined, unreachable]);
    expect(hosts[1]!.values).toEqual([]);
  });
});

describe('storing', () => {
  it('tells clients on loopback which option is missing, until none is', async () => {
    const found: Reply[] = [];
    for (const roles of ['read,derive', 'read,derive,store']) {
      for (const enabled of ['false', 'true']) {
        const { ask } = await setUp({ PMGATE_ACCESS_ANONYMOUS_ROLES: roles, PMGATE_STORE_ENABLED: enabled });
        found.push(await ask('/pmapi/store?hostspec=embedded&name=kernel.all.load&value=1', {}, 'POST'));
      }
    }
    expect(found.map(({ status }) => status)).toEqual([401, 401, 403, 403]);
    const [, lacksRole, lacksSwitch, lacksNothing] = found.map(({ body }) => body);
    expect(lacksRole).toContain('access.anonymousRoles');
    expect(lacksSwitch).toContain('storing is disabled (store.enabled)');
    // Nothing of the embedded collector can be changed: that far it comes.
    expect(lacksNothing).toContain('failed to store value to metric kernel.all.load');
  });
});

describe('a host that gives its metrics other numbers', () => {
  const metric = (name: string, pmid: number, value: number) => ({
    name,
    descriptor: [pmid, 1, 0xffffffff, 3, 0] as const,
    values: [[-1, value] as const],
  });
  const swapped = [metric('host.one', 2, 1), metric('host.two', 1, 2)];
  let fake: FakePmcd;
  let ask: Awaited<ReturnType<typeof setUp>>['ask'];
  const get = (target: string): Promise<Reply> => ask(`${target}&hostspec=${fake.hostspec}`);
  const valuesOf = ({ body }: Reply): unknown =>
    (JSON.parse(body) as { values: { name: string; instances: { value: number }[] }[] }).values.map(
      ({ name, instances }) => [name, instances[0]?.value],
    );
  const RIGHT = rows(['host.one', 1], ['host.two', 2]);

  beforeEach(async () => {
    fake = await startHost();
    fake.metrics = [metric('host.one', 1, 1), metric('host.two', 2, 2)];
    ({ ask } = await setUp({
      PMGATE_HOSTS_ALLOW: fake.hostspec,
      PMGATE_STORE_ENABLED: 'true',
      PMGATE_STORE_ALLOW_GET: 'true',
      PMGATE_ACCESS_ANONYMOUS_ROLES: 'read,derive,store',
    }));
    expect(valuesOf(await get('/pmapi/fetch?names=host.one,host.two'))).toEqual(RIGHT);
  });

  const trouble: readonly [string, () => void][] = [
    [
      'when it was started anew during a fetch',
      () => {
        fake.intercept = ({ type }) => {
          if (type !== 0x7014) return undefined;
          fake.intercept = undefined;
          fake.metrics = swapped;
          fake.cut();
          return 'nothing';
        };
      },
    ],
    [
      'when it was started anew before a fetch',
      () => {
        fake.metrics = swapped;
        fake.cut();
      },
    ],
    [
      'when it says so together with the values',
      () => {
        fake.metrics = swapped;
        fake.stateChange = 16;
      },
    ],
  ];

  it.each(trouble)('is asked again %s', async (_, change) => {
    change();
    expect(valuesOf(await get('/pmapi/fetch?names=host.one,host.two'))).toEqual(RIGHT);
    expect(valuesOf(await get('/pmapi/fetch?names=host.one,host.two'))).toEqual(RIGHT);
  });

  it.each(trouble)('is exposed right %s', async (_, change) => {
    await get('/metrics?names=host.one,host.two');
    change();
    const { body } = await get('/metrics?names=host.one,host.two');
    expect(body).toMatch(/^host_one\S* 1$/m);
    expect(body).toMatch(/^host_two\S* 2$/m);
  });

  it('is not asked twice for values when numbers stayed', async () => {
    fake.stateChange = 2;
    expect(valuesOf(await get('/pmapi/fetch?names=host.one,host.two'))).toEqual(RIGHT);
    expect(fake.requestsOf(0x7014)).toHaveLength(2);
  });

  it('forgets what it remembers of other metrics', async () => {
    fake.metrics = swapped;
    fake.cut();
    await get('/pmapi/fetch?names=host.one,host.two');
    const { body } = await get('/pmapi/fetch?names=host.one&start=-1hour&format=rows');
    expect(body).not.toContain('"value":2');
  });

  it('is not told to change another metric', async () => {
    fake.metrics = swapped;
    fake.cut();
    const { status } = await get('/pmapi/store?name=host.one&value=7');
    expect(status).toBe(503);
    expect(fake.requestsOf(0x7001)).toHaveLength(0);
    expect((await get('/pmapi/store?name=host.one&value=7')).status).toBe(200);
    expect(fake.requestsOf(0x7001)[0]!.bytes.readUInt32BE(24)).toBe(2);
  });
});
