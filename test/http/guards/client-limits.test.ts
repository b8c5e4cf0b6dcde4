import { type ClientBounds, ClientLimits, isLoopback, networkOf } from '../../../src/http/guards/client-limits.js';
import { FakeClock } from '../../support/fake-clock.js';

const NONE: ClientBounds = { requestsPerSec: 0, requests: 0, contexts: 0, streams: 0, connections: 0, exempt: [] };

function setUp(bounds: Partial<ClientBounds> = {}) {
  const clock = new FakeClock();
  return { clock, limits: new ClientLimits({ ...NONE, ...bounds }, clock) };
}

const from = (remoteAddress: string, name?: string) => ({ remoteAddress, principal: { name } });

describe('ClientLimits', () => {
  it('has no bounds when none are given, and remembers nobody then', () => {
    const { limits } = setUp();
    for (let i = 0; i < 1000; i++) limits.request(from('192.0.2.1'));
    expect([limits.context(from('192.0.2.1')), limits.stream(from('192.0.2.1')), limits.size]).toEqual([
      undefined,
      undefined,
      0,
    ]);
  });

  it('counts requests per second, and says when the next one may come', () => {
    const { limits, clock } = setUp({ requestsPerSec: 4 });
    const client = from('192.0.2.1');
    const send = (count: number): number => {
      let taken = 0;
      for (let i = 0; i < count; i++) {
        try {
          limits.request(client);
          taken++;
        } catch (error) {
          expect(error).toMatchObject({ code: 'TOO_MANY_REQUESTS', details: { retryAfterSec: 0.25 } });
        }
      }
      return taken;
    };
    expect(send(10)).toBe(4);
    clock.advance(500);
    expect(send(10)).toBe(2);
    clock.advance(3_600_000);
    expect(send(10)).toBe(4);
  });

  it('knows a client by its name wherever it comes from, and else by its address', () => {
    const { limits } = setUp({ requests: 1 });
    limits.request(from('192.0.2.1', 'user alice'));
    expect(() => limits.request(from('192.0.2.2', 'user alice'))).toThrow();
    limits.request(from('192.0.2.1', 'user bob'));
    limits.request(from('192.0.2.1'));
    expect(() => limits.request(from('::ffff:192.0.2.1'))).toThrow();
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::99', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::99', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['', ''],
  ])('knows %s as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('exempts addresses that many come from, unless they say a name', () => {
    const { limits } = setUp({ requests: 1, exempt: ['10.0.0.0/8', '::1', '2001:db8::/32'] });
    for (const address of ['10.1.2.3', '::1', '2001:db8:7::1', '::ffff:10.0.0.1']) {
      for (let i = 0; i < 3; i++) expect(limits.request(from(address))).toBeUndefined();
    }
    limits.request(from('10.1.2.3', 'user alice'));
    expect(() => limits.request(from('10.1.2.3', 'user alice'))).toThrow();
    limits.request(from('11.1.2.3'));
    expect(() => limits.request(from('11.1.2.3'))).toThrow();
  });

  it('takes other bounds while clients have things open', () => {
    const { limits } = setUp({ requests: 1 });
    const release = limits.request(from('192.0.2.1'))!;
    limits.bounds = { ...NONE, requests: 2 };
    limits.request(from('192.0.2.1'));
    expect(() => limits.request(from('192.0.2.1'))).toThrow();
    release();
    limits.request(from('192.0.2.1'));
    limits.bounds = { ...NONE, requests: 1, exempt: ['192.0.2.1'] };
    expect(limits.request(from('192.0.2.1'))).toBeUndefined();
    expect(() => (limits.bounds = { ...NONE, exempt: ['nonsense'] })).toThrow('"nonsense" is neither an address nor');
  });

  it('bounds connections of an address or network, until they are closed, whatever names are said over them', () => {
    const { limits } = setUp({ connections: 2, exempt: ['10.0.0.0/8'] });
    const releases = ['2001:db8::1', '2001:db8::2:3'].map((address) => limits.connection(address));
    for (const address of ['2001:db8::1', '2001:db8:0:0:7::']) expect(limits.connection(address)).toBeUndefined();
    expect(limits.connection('2001:db8:0:1::1')).toBeDefined();
    for (let i = 0; i < 3; i++) expect(limits.connection('10.1.2.3')).toBeDefined();
    for (const release of [releases[0], releases[0]]) release!();
    expect(limits.connection('2001:db8::3')).toBeDefined();
    expect(limits.connection('2001:db8::3')).toBeUndefined();
    // Requests are told, connections are not: nobody was answered 429.
    expect([limits.refused, limits.refusedConnections]).toEqual([0, 3]);
    limits.bounds = { ...NONE, connections: 3 };
    expect(limits.connection('2001:db8::3')).toBeDefined();
    limits.bounds = NONE;
    expect(limits.connection('2001:db8::3')).toBeDefined();
  });

  it('remembers no more than ten thousand clients, and never forgets one that has something open', () => {
    const { limits, clock } = setUp({ contexts: 1, connections: 1 });
    const release = limits.context(from('user', 'user alice'))!;
    limits.connection('192.0.2.1');
    for (let i = 0; i < 20_000; i++) {
      clock.advance(1);
      limits.context(from(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`))!();
    }
    expect(limits.size).toBeLessThanOrEqual(10_001);
    expect(() => limits.context(from('user', 'user alice'))).toThrow();
    expect(limits.connection('192.0.2.1')).toBeUndefined();
    release();
    limits.context(from('user', 'user alice'));
  });

  it('has newcomers share one place while everybody has something open', () => {
    const { limits } = setUp({ contexts: 1 });
    for (let i = 0; i < 10_000; i++) limits.context(from('x', `user ${i}`));
    limits.context(from('192.0.2.1'));
    expect(() => limits.context(from('192.0.2.2'))).toThrow();
    expect(limits.size).toBe(10_001);
  });
});

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::FFFF:127.0.0.1', true],
    ['128.0.0.1', false],
    ['10.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['::', false],
    ['fe80::1%eth0', false],
    ['', false],
    [undefined, false],
  ])('of %s is %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected);
  });
});
