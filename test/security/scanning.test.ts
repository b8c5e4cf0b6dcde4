import { type AddressInfo, type Server, createServer } from 'node:net';
import type { Config } from '../../src/config/index.js';
import { GatewayError, systemClock } from '../../src/pmapi/index.js';
import { SourceResolver, type SourceResolverOptions } from '../../src/gateway/targets/source-resolver.js';
import { LinuxCollector } from '../../src/sources/linux/index.js';
import { PmcdPools, type ResolveHost, resolveHost } from '../../src/sources/pmcd/index.js';
import { ManualTimers } from '../support/manual-timers.js';
import { WAYS_HOME } from './attacks/scanning.js';
import { until } from '../support/until.js';

/** What attackers must not reach: it counts who comes. */
let canary: Server;
let visits = 0;
const LIMIT_MS = 60;
const collector = new LinuxCollector({ clock: systemClock, clusters: [] });
let pools: PmcdPools;

beforeAll(async () => {
  canary = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  visits = 0;
  pools = new PmcdPools({ maxHosts: 200 });
});
afterEach(() => pools.destroy(new Error('the test is over')));
afterAll(async () => {
  await new Promise((resolve) => canary.close(resolve));
  await collector.close();
});

const port = (): number => (canary.address() as AddressInfo).port;

function resolver(
  allow: readonly string[],
  resolve?: ResolveHost,
  named: Config['hosts']['named'] = {},
  others: Partial<SourceResolverOptions> = {},
): SourceResolver {
  const limits = { connections: 1, max: 200, requests: 100, replyTimeoutSec: 1, connectTimeoutSec: LIMIT_MS / 1000 };
  return new SourceResolver({
    local: { source: 'embedded', collector: true, processes: false, root: '/', snapshotMs: 0, mmvDirectory: null },
    hosts: { allow, named, allowSockets: false, ...limits },
    collector,
    pools,
    ...(resolve ? { resolve } : {}),
    ...others,
  });
}

interface Outcome {
  readonly code: string;
  readonly message: string;
}

async function outcomeOf(from: SourceResolver, hostspec: string): Promise<Outcome> {
  try {
    const source = await from.open({ kind: 'host', hostspec });
    await source.close();
    return { code: 'REACHED', message: source.kind };
  } catch (error) {
    const { code, message } = error as GatewayError;
    return { code, message };
  }
}

const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

/** A resolver in the hand of the attacker: every name leads here, addresses to themselves. */
const hijacked: ResolveHost = async (host) =>
  /^[\d.]+$|:/.test(host) ? resolveHost(host) : ['127.0.0.1', '::1', '0.0.0.0', '169.254.169.254'];

describe('this machine, but for its pmcd', () => {
  it.each([
    ['with nothing allowed', []],
    ['with every name allowed', ['*:*']],
    ['with every address allowed', ['*:*', '0.0.0.0/0:*', '[::/0]:*']],
  ])('is not reached, however it is written: %s', async (_, allow) => {
    const from = resolver(allow, hijacked);
    const ways = WAYS_HOME.map((way) => way.replaceAll('PORT', String(port())));
    const outcomes = await Promise.all(ways.map((way) => outcomeOf(from, way)));
    const reached = ways.filter((_way, i) => outcomes[i]!.code === 'REACHED');
    expect({ reached, visits }).toEqual({ reached: [], visits: 0 });
  });

  it('is not reached by names that lead to another address each time, or to several', async () => {
    const answers = [['203.0.113.7'], ['127.0.0.1'], ['203.0.113.7', '127.0.0.1'], ['::ffff:127.0.0.1', '::1']];
    let asked = 0;
    const changing: ResolveHost = () => Promise.resolve(answers[asked++ % answers.length]!);
    const from = resolver(['*.example:*', '0.0.0.0/0:*'], changing);
    for (let i = 0; i < answers.length; i++) {
      // Another host each time: connections to one are made once, and kept.
      const outcome = await outcomeOf(from, `rebound${i}.example:${port()}`);
      expect(outcome.code).toBe('SOURCE_UNREACHABLE');
    }
    expect({ asked, visits }).toEqual({ asked: answers.length, visits: 0 });
  });

  it('is no proxy for clients, even where it may be reached', async () => {
    const outcome = await outcomeOf(resolver(['127.0.0.1:*']), `127.0.0.1:44321@127.0.0.1:${port()}`);
    expect({ code: outcome.code, visits }).toEqual({ code: 'SOURCE_UNREACHABLE', visits: 0 });
  });

  it('is reached when an entry names it, so that the canary is alive', async () => {
    const outcome = outcomeOf(resolver([`127.0.0.1:${port()}`]), `127.0.0.1:${port()}`);
    await until(() => visits > 0);
    await outcome;
    expect(visits).toBe(1);
  });
});

describe('hosts that cannot be had', () => {
  it('are told alike, and none before the others: forbidden, unknown, closed, named and dead', async () => {
    const timers = new ManualTimers();
    let told = 0;
    const onUnreachable = (): unknown => told++;
    const named = { inside: '127.0.0.1:1' };
    const from = resolver([`127.0.0.1:${port()}`, '*.example'], hijacked, named, { timers, onUnreachable });
    const hosts = ['10.0.0.1', 'no-such-host', 'a.example', `127.0.0.1:${port()}`, '127.0.0.1:1', 'inside', 'insight'];
    let answered = 0;
    const asking = hosts.map(async (host) => {
      const { code, message } = await outcomeOf(from, host);
      answered++;
      return `${code} ${message}`;
    });
    // What became of each is known by now, and no time has passed: nobody hears of it.
    await until(() => told === hosts.length);
    timers.advance(LIMIT_MS - 1);
    for (let turns = 0; turns < 10; turns++) await turn();
    expect(answered).toBe(0);
    timers.advance(2);
    expect([...new Set(await Promise.all(asking))]).toEqual([
      'SOURCE_UNREACHABLE cannot connect to PMCD: No route to host',
    ]);
  });
});
