import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import path from 'node:path';
import type { Config } from '../../../src/config/index.js';
import { FetchResult, GatewayError, INDOM_NULL, PM_ERR, systemClock } from '../../../src/pmapi/index.js';
import { checkHosts, checkLocal, SourceResolver } from '../../../src/gateway/targets/source-resolver.js';
import type { LocalMeaning, SourceResolverOptions } from '../../../src/gateway/targets/source-resolver.js';
import { systemTimers } from '../../../src/kit/index.js';
import { InstanceProfile, type MetricSource, type SourceSpec } from '../../../src/sources/index.js';
import { LinuxCollector } from '../../../src/sources/linux/index.js';
import { PmcdPools } from '../../../src/sources/pmcd/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { FakePmcd } from '../../support/fake-pmcd.js';
import { freePort } from '../../support/free-port.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { errorPdu } from '../../support/pdu-builder.js';
import { until } from '../../support/until.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** How long whoever asks may wait, by the tests' own timers. */
const LIMIT_SEC = 1;
const LIMIT_MS = 1000;
const PERMISSION = -12387;
/** The PDU that tells pmcd a container or another attribute of the connection. */
const ATTRIBUTES = 0x7011;

const DIR = temporaryDirectory().path;
const collector = new LinuxCollector({ clock: systemClock, clusters: [] });
const accepted = new Set<Socket>();
const holders = new Set<Socket>();
const holding = createServer((socket) => holders.add(socket.on('error', () => undefined)));
const silent = createServer((socket) => accepted.add(socket.on('error', () => undefined)));
let fake: FakePmcd;
let pools: PmcdPools;
let told: { hostspec: string; reason: string }[];
let timers: ManualTimers;

beforeAll(async () => {
  fake = await FakePmcd.start();
  for (const server of [silent, holding]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  fake.challenge = undefined;
  fake.intercept = undefined;
  fake.metrics = [];
  told = [];
  timers = new ManualTimers();
  pools = new PmcdPools();
});
afterEach(() => pools.destroy(new Error('the test is over')));
afterAll(async () => {
  for (const socket of [...accepted, ...holders]) socket.destroy();
  for (const server of [silent, holding]) await new Promise((resolve) => server.close(resolve));
  await fake.stop();
  await collector.close();
});

interface Setting extends Partial<SourceResolverOptions> {
  readonly source?: Config['local']['source'];
  readonly hosts?: Config['hosts'];
}

function hosts(parts: Partial<Config['hosts']> = {}): Config['hosts'] {
  return {
    allow: [],
    named: {},
    allowSockets: false,
    connections: 2,
    max: 10,
    requests: 1000,
    connectTimeoutSec: LIMIT_SEC,
    replyTimeoutSec: 1,
    ...parts,
  };
}

function resolver({ source = 'auto', ...rest }: Setting = {}): SourceResolver {
  // A resolver may still hear of a closed pool after its test: that moves nothing of the next test.
  const own = { told, timers };
  return new SourceResolver({
    local: { source, collector: true, processes: false, root: '/', snapshotMs: 0, mmvDirectory: null },
    hosts: hosts(),
    collector,
    pools,
    localPort: fake.port,
    timers,
    // Whoever cannot be had is answered so once the time is over.
    onUnreachable: (hostspec, error) => {
      own.told.push({ hostspec, reason: (error as Error).message });
      setImmediate(() => own.timers.advance(LIMIT_MS + 1));
    },
    ...rest,
  });
}

const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

/** Let so much time pass, and everything come of it that does. */
async function pass(ms: number): Promise<void> {
  timers.advance(ms);
  for (let turns = 0; turns < 10; turns++) await turn();
}

const open = (from: SourceResolver, hostspec: string, credentials = {}): Promise<MetricSource> =>
  from.open({ kind: 'host', hostspec, ...credentials });

/** Where a hostspec leads: the kind of its source, or the code of the error. */
async function reach(from: SourceResolver, hostspec: string, credentials = {}): Promise<string> {
  try {
    const source = await open(from, hostspec, credentials);
    await source.close();
    return source.kind;
  } catch (error) {
    return (error as GatewayError).code;
  }
}

/** A port of this machine on which nobody listens, nor can until the suite ends: a connection has it. */
async function closedPort(): Promise<number> {
  const { port } = holding.address() as AddressInfo;
  const holder = connect(port, '127.0.0.1').on('error', () => undefined);
  holders.add(holder);
  await once(holder, 'connect');
  return holder.localPort ?? 0;
}

describe('local hostspecs', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]', '::1', 'localhost:44321', 'pcp://localhost'])(
    '%s is the embedded collector when it is to be, and the pmcd of this machine when that is to be',
    async (hostspec) => {
      expect(await reach(resolver({ source: 'embedded' }), hostspec)).toBe('local');
      // Nobody listens at ::1 here; the answer tells that pmcd was tried.
      const expected = hostspec.includes('::1') ? 'SOURCE_UNREACHABLE' : 'host';
      expect(await reach(resolver({ source: 'pmcd' }), hostspec)).toBe(expected);
    },
  );

  it('auto takes pmcd when one answers, and the embedded collector when none does or it speaks something else', async () => {
    expect(await reach(resolver(), 'localhost')).toBe('host');
    expect(await reach(resolver({ localPort: await closedPort() }), 'localhost')).toBe('local');
    fake.challenge = Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await reach(resolver({ pools: new PmcdPools() }), 'localhost')).toBe('local');
  });

  it('auto takes the embedded collector beside a pmcd that is silent, once the limit is over', async () => {
    const { port } = silent.address() as AddressInfo;
    const before = accepted.size;
    let reached: string | undefined;
    const reaching = reach(resolver({ localPort: port }), 'localhost').then((kind) => (reached = kind));
    await until(() => accepted.size > before);
    await pass(LIMIT_MS - 1);
    expect(reached).toBeUndefined();
    timers.advance(1);
    expect(await reaching).toBe('local');
  });

  it.each([PM_ERR.NOAGENT, PM_ERR.AGAIN, PM_ERR.PMDANOTREADY])(
    'auto takes the embedded collector beside a pmcd whose own agent answers %i, says so, and takes the pmcd once that is back',
    async (code) => {
      const DESC_REQ = 0x7004;
      const from = resolver();
      fake.metrics = [{ name: 'kernel.all.load', descriptor: [1, 1, INDOM_NULL, 3, 0], values: code }];
      fake.intercept = ({ type }) => (type === DESC_REQ ? errorPdu(code) : undefined);
      expect(await reach(from, 'localhost')).toBe('local');
      expect(await from.localSource()).toBe('embedded');
      expect(from.problems).toEqual([expect.stringContaining('kernel.all.load')]);
      expect(await reach(resolver({ source: 'pmcd' }), 'localhost')).toBe('host');
      fake.intercept = undefined;
      expect(await reach(from, 'localhost')).toBe('host');
      expect([await from.localSource(), from.problems]).toEqual(['pmcd', []]);
    },
  );

  it('only a pmcd serves another user, a container or an encrypted view', async () => {
    const from = resolver({ source: 'auto', localPort: await closedPort() });
    expect(await reach(from, 'localhost', { username: 'bob', password: 'x' })).toBe('SOURCE_UNREACHABLE');
    expect(await reach(from, 'localhost?container=db')).toBe('SOURCE_UNREACHABLE');
    expect(await reach(from, 'localhost?username=bob&password=x')).toBe('SOURCE_UNREACHABLE');
    expect(await reach(from, 'pcps://localhost')).toBe('SOURCE_UNREACHABLE');
  });

  it('says what they reach now', async () => {
    expect(await resolver().localSource()).toBe('pmcd');
    expect(await resolver({ source: 'embedded' }).localSource()).toBe('embedded');
    const port = await closedPort();
    expect(await resolver({ localPort: port }).localSource()).toBe('embedded');
    await expect(resolver({ source: 'pmcd', localPort: port }).localSource()).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    });
  });

  describe('that have to follow what is here', () => {
    const AUTO = { kind: 'host', hostspec: 'localhost' } as const;

    /** An resolver whose pmcd comes and goes with `fake` behind a port that stays the same. */
    async function changing() {
      const clock = new FakeClock();
      const port = await freePort();
      const connections = new PmcdPools({ timers: { ...systemTimers, nowMs: () => clock.monotonicMs() } });
      const from = resolver({ localPort: port, clock, pools: connections });
      /** What a context at one of the two would be told once everybody has looked again. */
      const look = async (kind: 'host' | 'local', spec: SourceSpec = AUTO): Promise<boolean> => {
        clock.advance(30_000);
        from.hasMoved(spec, kind);
        await from.localSource();
        return from.hasMoved(spec, kind);
      };
      const stop = async (pmcd: FakePmcd): Promise<void> => {
        await pmcd.stop();
        await until(() => connections.openConnections === 0);
      };
      return { clock, from, look, start: () => FakePmcd.start(port), stop };
    }

    it('a context on the collector moves once a pmcd is found, and back once that has been gone for 5 seconds', async () => {
      const { clock, from, look, start, stop } = await changing();
      expect(await from.localSource()).toBe('embedded');
      expect(await look('local')).toBe(false);
      const pmcd = await start();
      expect(await look('local')).toBe(true);
      expect(from.isWithdrawn(AUTO)).toBe(false);
      expect(await from.localSource()).toBe('pmcd');
      expect(await look('host')).toBe(false);
      await stop(pmcd);
      expect(await look('host')).toBe(false);
      expect(await from.localSource()).toBe('pmcd');
      // One that was made meanwhile stays: there is nothing else to go to.
      expect(from.hasMoved(AUTO, 'local')).toBe(false);
      clock.advance(5000);
      expect(from.hasMoved(AUTO, 'host')).toBe(true);
      expect(await from.localSource()).toBe('embedded');
    });

    it('are those on this machine, where either of the two may answer, and archives', () => {
      const can = (from: SourceResolver, hostspec: string): boolean => from.canMove({ kind: 'host', hostspec });
      const specs = ['localhost', 'web1', 'embedded', 'localhost?container=a'];
      expect(specs.map((spec) => can(resolver(), spec))).toEqual([true, false, false, false]);
      expect(can(resolver({ source: 'embedded' }), 'localhost')).toBe(false);
      expect(resolver().canMove({ kind: 'archive', archive: 'a' })).toBe(true);
    });

    it('a pmcd that only starts anew keeps its contexts', async () => {
      const { clock, look, start, stop, from } = await changing();
      const first = await start();
      expect(await look('host')).toBe(false);
      await stop(first);
      expect(await look('host')).toBe(false);
      clock.advance(3000);
      const second = await start();
      expect(await look('host')).toBe(false);
      clock.advance(60_000);
      expect(from.hasMoved(AUTO, 'host')).toBe(false);
      await stop(second);
    });

    it('looks at most once a second, behind the answer', async () => {
      const clock = new FakeClock();
      const asked: string[] = [];
      const noPmcd = new PmcdPools();
      noPmcd.open = () => {
        asked.push('pmcd');
        return Promise.reject(new GatewayError('SOURCE_UNREACHABLE', 'nobody'));
      };
      const from = resolver({ pools: noPmcd, clock });
      for (let i = 0; i < 50; i++) {
        expect(from.hasMoved(AUTO, 'local')).toBe(false);
        await turn();
        clock.advance(100);
      }
      expect(asked).toHaveLength(5);
    });

    it.each([
      ['another host', 'example.com'],
      ['the collector by its name', 'embedded'],
      ['a container', 'localhost?container=db'],
      ['another port', 'localhost:4321'],
    ])('%s does not', async (_, hostspec) => {
      const { look, start, stop } = await changing();
      const pmcd = await start();
      expect(await look('local', { kind: 'host', hostspec })).toBe(false);
      await stop(pmcd);
    });

    it('a gateway with either of the two alone does not', async () => {
      for (const source of ['embedded', 'pmcd'] as const) {
        const from = resolver({ source });
        await from.localSource();
        expect([from.hasMoved(AUTO, 'local'), from.hasMoved(AUTO, 'host')]).toEqual([false, false]);
      }
    });
  });

  it.each(['web1', 'WEB1', 'web1.example.com', 'web1:44321'])(
    '%s is this machine where that is called so',
    async (name) => {
      const hostName = 'Web1.example.com';
      expect(await reach(resolver({ source: 'embedded', hostName }), name)).toBe('local');
      expect(await reach(resolver({ source: 'pmcd', hostName }), name)).toBe('host');
      expect(await reach(resolver({ source: 'embedded', hostName: 'web2' }), name)).toBe('SOURCE_UNREACHABLE');
      expect(await reach(resolver({ source: 'embedded', hostName }), 'web1.example.org')).toBe('SOURCE_UNREACHABLE');
    },
  );

  it('another port of this machine is another host', async () => {
    expect(await reach(resolver(), `localhost:${fake.port}`)).toBe('SOURCE_UNREACHABLE');
    const allowed = resolver({ hosts: hosts({ allow: [`127.0.0.1:${fake.port}`] }) });
    expect(await reach(allowed, `127.0.0.1:${fake.port}`)).toBe('host');
  });

  it('contexts on pmcd and on the collector share no metadata', async () => {
    const [onPmcd, onCollector] = [
      await open(resolver(), 'localhost'),
      await open(resolver({ source: 'embedded' }), '::1'),
    ];
    expect(onPmcd.origin).toBe((await open(resolver(), 'localhost')).origin);
    expect(onPmcd.origin).not.toBe(onCollector.origin);
  });
});

describe('sockets', () => {
  it.each(['unix:', 'local:', 'unix:///run/pcp/pmcd.socket', 'local://tmp/x?container=a'])(
    'refuses %s at once',
    async (hostspec) => {
      expect(await reach(resolver(), hostspec)).toBe('FORBIDDEN');
    },
  );

  it('reaches one when the configuration allows it', async () => {
    const socket = path.join(DIR, 'pmcd.socket');
    const onSocket = await FakePmcd.start(socket);
    expect(await reach(resolver({ hosts: hosts({ allowSockets: true }) }), `unix:${socket}`)).toBe('host');
    await onSocket.stop();
  });
});

describe('named hosts', () => {
  const named = (): SourceResolver =>
    resolver({ hosts: hosts({ named: { web1: `pcp://127.0.0.1:${fake.port}`, db: `unix:${DIR}/absent` } }) });

  it('reaches what the operator wrote, which need not be allowed', async () => {
    expect(await reach(named(), 'web1')).toBe('host');
    expect(await reach(named(), 'web2')).toBe('SOURCE_UNREACHABLE');
    expect(await reach(named(), 'db')).toBe('SOURCE_UNREACHABLE');
  });

  it('takes a container, and nothing else that would change who asks', async () => {
    const before = fake.requestsOf(ATTRIBUTES).length;
    expect(await reach(named(), 'web1?container=shop')).toBe('host');
    await fake.arrived(ATTRIBUTES, before + 1);
    expect(fake.requestsOf(ATTRIBUTES).at(-1)!.bytes.toString('latin1')).toContain('shop');
    expect(await reach(named(), 'web1?username=root')).toBe('BAD_PARAMETER');
    expect(await reach(named(), 'web1?secure=relaxed')).toBe('BAD_PARAMETER');
  });
});

describe('localhost in a fleet', () => {
  const of = (localhost: LocalMeaning['localhost'], rest: Setting = {}): SourceResolver =>
    resolver({ source: 'embedded', fleet: { localhost, isOneMachine: false }, hostName: 'web1', ...rest });

  it('may be refused, since it is another machine at each gateway', async () => {
    for (const hostspec of ['localhost', '127.0.0.1', '::1', 'localhost?container=db']) {
      await expect(open(of('refuse'), hostspec)).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('cluster.local') as string,
      });
    }
    expect(await reach(of('refuse'), 'embedded')).toBe('local');
    expect(await reach(of('refuse'), 'web1')).toBe('local');
    expect(await of('refuse').localSource()).toBe('embedded');
  });

  it('may be a host', async () => {
    const named = of({ hostspec: fake.hostspec });
    for (const hostspec of ['localhost', '127.0.0.1:44321', '::1']) expect(await reach(named, hostspec)).toBe('host');
    expect(named.placeOf({ kind: 'host', hostspec: 'localhost' })).toBe(`host ${fake.hostspec}`);
    expect(await named.localSource()).toBe('embedded');
    const other = hosts({ named: { localhost: 'web2.example.com' } });
    const localhost = { kind: 'host', hostspec: 'localhost' } as const;
    expect(of({ hostspec: fake.hostspec }, { hosts: other }).placeOf(localhost)).toBe('host web2.example.com:44321');
  });

  it.each([
    [false, 'localhost', true],
    [false, 'embedded', true],
    [false, 'web2', false],
    [true, 'localhost', false],
    [true, 'embedded', false],
  ])('on one machine: %p; whether a context on %p ends with its gateway: %p', (isOneMachine, hostspec, isOnlyHere) => {
    const allowed = hosts({ allow: ['web2'] });
    const one = of('own', { hosts: allowed, fleet: { localhost: 'own', isOneMachine } });
    expect(one.isOnlyHere({ kind: 'host', hostspec })).toBe(isOnlyHere);
    expect(one.isOnlyHere({ kind: 'archive', archive: 'recorded/20261123' })).toBe(true);
    expect(one.isOnlyHere({ kind: 'archive', archive: 'web1/20261123' })).toBe(false);
    expect(resolver().isOnlyHere({ kind: 'host', hostspec })).toBe(false);
  });

  it.each([
    ['auto', 0],
    ['own', 0],
    ['refuse', 0],
    ['web1?container=db', 0],
    ['localhost', 1],
    ['[::1]:44321', 1],
    ['pcp://[', 1],
  ])('cluster.local may be %p, with %p problems', (local, count) => {
    const problems = checkLocal({ local } as Config['cluster']);
    expect(problems.map(({ option }) => option)).toEqual(Array.from({ length: count }, () => 'cluster.local'));
  });
});

describe('archives', () => {
  it('are opened, and asked whether they are others by now, by the same spec', async () => {
    const asked: object[] = [];
    const archives = {
      open: (spec: object) => (asked.push(spec), Promise.reject(new GatewayError('UNKNOWN_ARCHIVE', 'none'))),
      hasChanged: (spec: object) => asked.push(spec) > 1,
    };
    const spec: SourceSpec = { kind: 'archive', archive: 'a' };
    const from = resolver({ archives });
    await expect(from.open(spec)).rejects.toThrow('none');
    expect(from.hasMoved(spec, 'archive')).toBe(true);
    expect(from.isWithdrawn(spec)).toBe(false);
    expect(asked).toEqual([spec, spec]);
    expect(asked[0]).toBe(spec);
    expect(resolver().hasMoved(spec, 'archive')).toBe(false);
  });
});

describe('another configuration', () => {
  /** Whether a source that was opened under one configuration leads elsewhere under another. */
  async function moves(hostspec: string, before: Partial<Config['hosts']>, after: Partial<Config['hosts']>) {
    const spec: SourceSpec = { kind: 'host', hostspec };
    const [first, second] = [resolver({ hosts: hosts(before) }), resolver({ hosts: hosts(after) })];
    const source = await first.open(spec);
    const { kind } = source;
    await source.close();
    expect(first.hasMoved(spec, kind)).toBe(false);
    const hasMoved = second.hasMoved(spec, kind);
    expect([first.isWithdrawn(spec), second.isWithdrawn(spec)]).toEqual([false, hasMoved]);
    await (await second.open(spec).catch(() => undefined))?.close();
    expect([second.hasMoved(spec, kind), second.isWithdrawn(spec)]).toEqual([false, false]);
    return hasMoved;
  }

  it('leads a name elsewhere when it says another host, or none', async () => {
    const named = { web1: `pcp://127.0.0.1:${fake.port}` };
    expect(await moves('web1', { named }, { named: { ...named, web2: 'pcp://127.0.0.1' } })).toBe(false);
    expect(await moves('web1', { named }, { named: { web1: `pcp://127.0.0.2:${fake.port}` } })).toBe(true);
    expect(await moves('web1', { named }, {})).toBe(true);
  });

  it('leads this machine to itself', async () => {
    expect(await moves('localhost', {}, { allow: ['web1'] })).toBe(false);
    expect(await moves('embedded', {}, { allow: ['web1'] })).toBe(false);
  });
});

describe('errors of a named host that is lost later', () => {
  /** Whatever of an error a client can see. */
  const told = (error: unknown): string => {
    const { code, message, details } = error as GatewayError;
    return JSON.stringify([code, message, details]);
  };
  const failureOf = (doing: Promise<unknown>): Promise<string> =>
    doing.then(
      () => 'none',
      (error: unknown) => told(error),
    );
  let pmcd: FakePmcd;
  let source: MetricSource;
  let impatient: PmcdPools;
  const REPLY_MS = 100;
  beforeEach(async () => {
    pmcd = await FakePmcd.start();
    impatient = new PmcdPools({ replyTimeoutMs: REPLY_MS, timers });
    const named = resolver({ hosts: hosts({ named: { web1: `127.0.0.1:${pmcd.port}` } }), pools: impatient });
    source = await open(named, 'web1');
  });
  afterEach(async () => {
    impatient.destroy(new Error('the test is over'));
    await pmcd.stop();
  });
  /** Everything that a source can be asked for. */
  const requests: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['names', () => source.lookupNames(['a.b'])],
    ['children', () => source.children('a')],
    ['a fetch', () => source.fetch(source.prepare([1]), new InstanceProfile(), new FetchResult())],
    ['a reconnection', () => source.reconnect!()],
  ];
  const expectNamed = (text: string, code: string): void => {
    expect(text).toContain(code);
    expect(text).toContain('web1');
    expect(text).not.toMatch(/127|localhost|:\d{3,}/);
  };

  it.each(requests)('name it as the client does when nobody is there any more: %s', async (_, request) => {
    await pmcd.stop();
    await until(() => impatient.openConnections === 0);
    expectNamed(await failureOf(request()), 'SOURCE_UNREACHABLE');
  });

  it.each(requests.slice(0, 3))('when the connection is cut in the middle of the answer: %s', async (_, request) => {
    pmcd.cutReplyAt = () => 3;
    expectNamed(await failureOf(request()), 'SOURCE_UNREACHABLE');
  });

  it.each(requests.slice(0, 3))('when the answer is garbage: %s', async (_, request) => {
    pmcd.garbleReply = () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n');
    expectNamed(await failureOf(request()), 'SOURCE_FAILED');
  });

  it.each(requests.slice(0, 3))('when there is no answer: %s', async (_, request) => {
    pmcd.intercept = () => {
      setImmediate(() => timers.advance(REPLY_MS));
      return 'nothing';
    };
    expectNamed(await failureOf(request()), 'SOURCE_TIMEOUT');
  });

  it('when it wants other credentials', async () => {
    pmcd.challenge = errorPdu(PERMISSION);
    const fresh = resolver({ hosts: hosts({ named: { web1: `127.0.0.1:${pmcd.port}` } }) });
    expectNamed(await failureOf(open(fresh, 'web1')), 'AUTHENTICATION_REQUIRED');
  });

  it('keep the address for the log', async () => {
    await pmcd.stop();
    const error: unknown = await source.children('a').catch((reason: unknown) => reason);
    expect(String((error as GatewayError).cause)).toContain('127.0.0.1');
  });
});

describe('the container attribute', () => {
  it('is told to pmcd, on connections of its own', async () => {
    const before = fake.requestsOf(ATTRIBUTES).length;
    const from = resolver();
    await Promise.all(['localhost', 'localhost?container=shop', 'localhost?container=shop'].map((h) => reach(from, h)));
    await fake.arrived(ATTRIBUTES, before + 1);
    const attributes = fake.requestsOf(ATTRIBUTES).slice(before);
    expect(attributes.map(({ bytes }) => bytes.toString('latin1', 16))).toEqual([expect.stringContaining('shop')]);
    // Two to the host itself: one of them for metadata, which its own agent is looked up with.
    expect(pools.openConnections).toBe(3);
  });
});

describe('what cannot be had', () => {
  it('keeps the reason for those who may know', async () => {
    const error: unknown = await open(resolver(), '192.0.2.1').catch((failure: unknown) => failure);
    expect(((error as GatewayError).cause as Error).message).toBe('not in hosts.allow');
  });

  it('is not told faster when it is asked again', async () => {
    const from = resolver({ onUnreachable: () => undefined });
    for (let i = 0; i < 2; i++) {
      let reached: string | undefined;
      const reaching = reach(from, '192.0.2.1').then((code) => (reached = code));
      await pass(LIMIT_MS - 1);
      expect(reached).toBeUndefined();
      timers.advance(2);
      expect(await reaching).toBe('SOURCE_UNREACHABLE');
    }
  });

  it('keeps attributes, which may hold a password, out of what is logged', async () => {
    await reach(resolver(), '192.0.2.1?username=a&password=secret');
    expect(told).toEqual([{ hostspec: '192.0.2.1', reason: 'not in hosts.allow' }]);
  });

  it('lets go of a source that comes after the limit', async () => {
    const late = await FakePmcd.start();
    late.challenge = 'nothing';
    const from = resolver({ hosts: hosts({ allow: [late.hostspec] }) });
    const reaching = reach(from, late.hostspec);
    await until(() => late.connections > 0);
    timers.advance(LIMIT_MS);
    expect(await reaching).toBe('SOURCE_UNREACHABLE');
    late.cut();
    await late.stop();
    expect(pools.openConnections).toBe(0);
  });
});

describe('checkHosts', () => {
  it('names the options at fault', () => {
    const problems = checkHosts(hosts({ allow: ['web1', '10.0.0.0/99'], named: { a: 'pcp://x', b: 'pcp://[' } }));
    expect(problems.map(({ option }) => option)).toEqual(['hosts.allow.1', 'hosts.named.b']);
  });
});

describe('the place of a source', () => {
  const named = { web1: 'pcp://Web1.example.com:4000?container=db' };
  const placeOf = (spec: SourceSpec): string | undefined =>
    resolver({ hosts: hosts({ named, allow: ['*.example.com', '*.example.com:4000'] }) }).placeOf(spec);

  it.each([
    ['web1', 'host web1.example.com:4000'],
    ['web1.example.com:4000', 'host web1.example.com:4000'],
    ['web2.example.com?username=a&password=b', 'host web2.example.com:44321'],
    ['localhost', undefined],
    ['embedded', undefined],
    ['other.example.org', undefined],
    ['unix:/run/pmcd', undefined],
    [':', undefined],
  ])('%p is %p', (hostspec, place) => {
    expect(placeOf({ kind: 'host', hostspec, username: 'alice', password: 'secret' })).toBe(place);
  });

  it('is the name of an archive, unless only this gateway has it', () => {
    expect(placeOf({ kind: 'archive', archive: 'web1/20261123' })).toBe('archive web1/20261123');
    expect(placeOf({ kind: 'archive', archive: 'recorded/20261123' })).toBeUndefined();
    expect(placeOf({ kind: 'archive', archive: 'pushed/web1/20261123' })).toBeUndefined();
  });
});
