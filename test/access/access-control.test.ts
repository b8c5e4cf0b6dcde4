import { createHash } from 'node:crypto';
import { AccessControl, readAccessFile } from '../../src/access/index.js';
import type { AccessOptions, AnonymousFrom, Principal, ClientOrigin } from '../../src/access/index.js';
import { parsePasswordHash, LoginThrottle } from '../../src/access/credentials.js';
import { FakeClock } from '../support/fake-clock.js';
import { ManualTimers } from '../support/manual-timers.js';
import { cheapHash } from './support/cheap-hash.js';

const TOKEN = 'Zm9vYmFyYmF6';
const FILE = readAccessFile({
  users: {
    alice: { password: cheapHash('secret'), roles: ['read', 'store'] },
    bob: { password: cheapHash('hunter2'), roles: ['web'] },
  },
  tokens: { grafana: { sha256: createHash('sha256').update(TOKEN).digest('hex'), roles: ['read'] } },
  roles: {
    web: { permissions: ['read', 'derive'], metrics: ['kernel.*'], hosts: ['web*', 'localhost'], archives: ['web/*'] },
  },
});
const clock = new FakeClock();

function control(from: AnonymousFrom = 'loopback', options: Partial<AccessOptions> = {}): AccessControl {
  return new AccessControl({ file: FILE, anonymous: { from, roles: ['read'] }, clock, ...options });
}

async function identify(
  access: AccessControl,
  authorization?: string,
  isLoopback = true,
  origin: ClientOrigin = { network: '192.0.2.1', isShared: false },
): Promise<Principal> {
  return access.identify({ authorization, isLoopback: () => isLoopback, origin: () => origin });
}

function codeOf(deed: () => unknown): string {
  try {
    deed();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'permitted';
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

test.each<[AnonymousFrom, boolean, boolean]>([
  ['nowhere', true, false],
  ['nowhere', false, false],
  ['loopback', true, true],
  ['loopback', false, false],
  ['anywhere', false, true],
])('anonymous clients from %s, loopback %s: may read %s', async (from, isLoopback, mayRead) => {
  const principal = await identify(control(from), undefined, isLoopback);
  expect([principal.name, principal.may('read'), principal.may('store')]).toEqual([undefined, mayRead, false]);
});

test('users by password, more than once and from anywhere', async () => {
  const access = control('nowhere');
  for (let i = 0; i < 2; i++) {
    const alice = await identify(access, basic('alice', 'secret'), false);
    expect([alice.name, alice.may('store'), alice.may('admin')]).toEqual(['user alice', true, false]);
  }
  clock.advance(120_000);
  expect((await identify(access, basic('alice', 'secret'))).name).toBe('user alice');
});

test('the same user is the same principal', async () => {
  const access = control();
  expect(await identify(access, basic('alice', 'secret'))).toBe(await identify(access, basic('alice', 'secret')));
});

test.each([
  basic('alice', 'Secret'),
  basic('alice', ''),
  basic('mallory', 'secret'),
  basic('', 'secret'),
  basic('bob', 'secret'),
  'Basic',
  'Basic ???',
  `Basic ${'A'.repeat(5000)}`,
  `Bearer ${TOKEN}x`,
  'Bearer',
  'Bearer \u0000',
])('%j is refused, however often it is tried', async (authorization) => {
  const access = control('anywhere');
  for (let i = 0; i < 2; i++) {
    await expect(identify(access, authorization)).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
  }
});

test('tokens, whatever case the scheme has', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    expect((await identify(control('nowhere'), `${scheme} ${TOKEN}`, false)).name).toBe('token grafana');
  }
});

test('without users, passwords are for pmcd', async () => {
  const access = new AccessControl({ anonymous: { from: 'loopback', roles: ['read'] }, clock });
  expect(access.hasUsers).toBe(false);
  expect((await identify(access, basic('pcp', 'x'))).name).toBeUndefined();
  await expect(identify(access, `Bearer ${TOKEN}`)).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
});

test('many guesses at once do not take the machine', async () => {
  const access = control();
  const guesses = Array.from({ length: 100 }, (_, i) =>
    identify(access, basic('alice', `guess ${i}`), false, { network: `192.0.2.${i}`, isShared: false }),
  );
  const codes = (await Promise.allSettled(guesses)).map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'let in',
  );
  expect(new Set(codes)).toEqual(new Set(['AUTHENTICATION_REQUIRED', 'TOO_MANY_REQUESTS']));
  expect((await identify(access, basic('alice', 'secret'))).name).toBe('user alice');
});

test('the same wrong password again is no guess: it is refused as before, also when there may be no more guesses', async () => {
  const access = control();
  const codeOf = async (password: string): Promise<unknown> =>
    identify(access, basic('alice', password), false).catch((error: unknown) => (error as { code: string }).code);
  const codes: unknown[] = [];
  while (codes.at(-1) !== 'TOO_MANY_REQUESTS') codes.push(await codeOf(`guess ${codes.length}`));
  expect(new Set(codes)).toEqual(new Set(['AUTHENTICATION_REQUIRED', 'TOO_MANY_REQUESTS']));
  expect(await codeOf('guess 0')).toBe('AUTHENTICATION_REQUIRED');
});

describe('a flood of passwords', () => {
  const PROXY: ClientOrigin = { network: '10.0.0.1', isShared: true };
  /** What becomes of logins that come at once, before any of them has been checked. */
  const outcomes = async (
    access: AccessControl,
    logins: readonly (readonly [user: string, password: string, origin: ClientOrigin])[],
  ): Promise<string[]> => {
    const asked = logins.map(([user, password, origin]) => identify(access, basic(user, password), false, origin));
    return (await Promise.allSettled(asked)).map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'let in',
    );
  };
  const flood = (count: number, user: (i: number) => string, origin: ClientOrigin): [string, string, ClientOrigin][] =>
    Array.from({ length: count }, (_, i) => [user(i), `guess ${i}`, origin]);

  test('for names that somebody makes up behind a proxy keeps nobody out who comes through it', async () => {
    const access = control('nowhere');
    const got = await outcomes(access, [
      ...flood(500, (i) => `nobody${i}`, PROXY),
      ['alice', 'secret', PROXY],
      ['bob', 'hunter2', PROXY],
      ['bob', 'hunter2', { network: '192.0.2.7', isShared: false }],
    ]);
    expect(got.slice(-3)).toEqual(['let in', 'let in', 'let in']);
    // Unknown names are told what known ones are: that the password is wrong.
    expect(new Set(got.slice(0, -3))).toEqual(new Set(['AUTHENTICATION_REQUIRED']));
  });

  test('does not make the gateway forget who guesses at whom', async () => {
    const access = control('nowhere', { failedLogins: 3 });
    await outcomes(
      access,
      flood(3, () => 'alice', PROXY),
    );
    await outcomes(
      access,
      flood(10_500, (i) => `nobody${i}`, PROXY),
    );
    expect(await outcomes(access, [['alice', 'secret', PROXY]])).toEqual(['TOO_MANY_REQUESTS']);
  });

  test('for one user keeps out neither other users of the same proxy nor other networks', async () => {
    const access = control('nowhere', { failedLogins: 100 });
    const got = await outcomes(access, [
      ...flood(90, () => 'alice', PROXY),
      ['bob', 'hunter2', PROXY],
      ['alice', 'secret', { network: '192.0.2.7', isShared: false }],
    ]);
    expect(got.slice(-2)).toEqual(['let in', 'let in']);
    expect(got.slice(0, -2)).toContain('TOO_MANY_REQUESTS');
  });

  test('for one name tells nothing of whether it is a user’s', async () => {
    const counts = async (user: string): Promise<Record<string, number>> => {
      const told: Record<string, number> = {};
      const asked = flood(60, () => user, PROXY).map(([name, password, origin]) =>
        identify(access, basic(name, password), false, origin),
      );
      for (const outcome of await Promise.allSettled(asked)) {
        const { message } = outcome.status === 'rejected' ? (outcome.reason as Error) : { message: 'let in' };
        told[message] = (told[message] ?? 0) + 1;
      }
      return told;
    };
    const access = control('nowhere', { failedLogins: 10 });
    const [known, unknown] = [await counts('alice'), await counts('nobody')];
    expect(Object.keys(unknown).sort()).toEqual(Object.keys(known).sort());
    expect([known, unknown].map((told) => told['wrong user name or password'])).toEqual([10, 10]);
  });

  test('takes no longer for a name that is nobody’s than the last check took', async () => {
    const timers = new ManualTimers();
    const access = control('nowhere', { timers });
    let answered = 0;
    const asked = outcomes(
      access,
      flood(2, (i) => `nobody${i}`, PROXY),
    );
    void asked.then(() => answered++);
    await identify(access, basic('alice', 'secret'));
    expect([timers.pending, answered]).toEqual([1, 0]);
    timers.advance(50);
    await asked;
  });
});

describe('wrong credentials', () => {
  const PROXY: ClientOrigin = { network: '10.0.0.1', isShared: true };
  const refusedTo = async (
    access: AccessControl,
    authorization: string,
    origin?: ClientOrigin,
  ): Promise<{ code: string; details: { retryAfterSec?: number } }> => {
    const [outcome] = await Promise.allSettled([identify(access, authorization, false, origin)]);
    return outcome.status === 'rejected' ? (outcome.reason as never) : { code: 'let in', details: {} };
  };
  const guess = async (
    access: AccessControl,
    count: number,
    user = 'alice',
    origin?: ClientOrigin,
  ): Promise<string[]> => {
    const codes: string[] = [];
    for (let i = 0; i < count; i++) {
      codes.push((await refusedTo(access, basic(user, `guess ${i} at ${user}`), origin)).code);
    }
    return codes;
  };
  const WRONG = 'AUTHENTICATION_REQUIRED';
  const ENOUGH = 'TOO_MANY_REQUESTS';

  test('are bounded for an address, and the right password is not looked at either then', async () => {
    const access = control('nowhere', { failedLogins: 3 });
    expect(await guess(access, 5)).toEqual([WRONG, WRONG, WRONG, ENOUGH, ENOUGH]);
    expect(await refusedTo(access, basic('alice', 'secret'))).toMatchObject({
      code: ENOUGH,
      message: 'too many failed logins from this address (3 per minute)',
      details: { retryAfterSec: 60 },
    });
    clock.advance(45_000);
    expect((await refusedTo(access, basic('bob', 'hunter2'))).details).toMatchObject({ retryAfterSec: 15 });
    const elsewhere = { network: '192.0.2.2', isShared: false };
    expect((await refusedTo(access, basic('alice', 'secret'), elsewhere)).code).toBe('let in');
    clock.advance(15_001);
    expect((await refusedTo(access, basic('alice', 'secret'))).code).toBe('let in');
  });

  test('are told of once a minute for each client, so that a log shows who guesses', async () => {
    const told: string[] = [];
    const access = control('nowhere', { failedLogins: 3, onGuessing: (client) => told.push(client) });
    await guess(access, 2);
    expect(told).toEqual([]);
    await guess(access, 10);
    await guess(access, 10, 'alice', PROXY);
    expect(told).toEqual(['192.0.2.1', '10.0.0.1 alice']);
    clock.advance(60_001);
    for (let i = 0; i < 10; i++) await refusedTo(access, `Bearer guess${i}`);
    expect(told).toEqual(['192.0.2.1', '10.0.0.1 alice', '192.0.2.1']);
  });

  test('all at once are no more than one after the other', async () => {
    const access = control('nowhere', { failedLogins: 3 });
    const guesses = Array.from({ length: 30 }, (_, i) => refusedTo(access, basic('alice', `guess ${i}`)));
    const wrong = (await Promise.all(guesses)).filter(({ code }) => code === WRONG);
    // Two are checked at once.
    expect(wrong.length).toBeLessThanOrEqual(4);
    expect((await refusedTo(access, basic('alice', 'secret'))).code).toBe(ENOUGH);
  });

  test('of tokens are bounded alike, and neither tokens that are known nor passwords are kept out by them', async () => {
    const access = control('nowhere', { failedLogins: 3 });
    const codes = [];
    for (let i = 0; i < 4; i++) codes.push((await refusedTo(access, `Bearer guess${i}`)).code);
    expect(codes).toEqual([WRONG, WRONG, WRONG, ENOUGH]);
    expect((await refusedTo(access, `Bearer ${TOKEN}`)).code).toBe('let in');
    expect((await refusedTo(access, basic('alice', 'secret'))).code).toBe('let in');
  });

  test('that come again are no new guess: an old password in some program locks nobody out', async () => {
    const access = control('nowhere', { failedLogins: 3 });
    for (let i = 0; i < 20; i++) {
      expect((await refusedTo(access, basic('alice', 'of last year'))).code).toBe(WRONG);
      expect((await refusedTo(access, 'Bearer of-last-year')).code).toBe(WRONG);
    }
    expect((await refusedTo(access, basic('bob', 'hunter2'))).code).toBe('let in');
  });

  test('do not stop a password that was right from that address, for as long as it is used', async () => {
    const access = control('nowhere', { failedLogins: 3 });
    await identify(access, basic('alice', 'secret'));
    for (let minute = 0; minute < 3; minute++) {
      clock.advance(40_000);
      await guess(access, 10);
      expect((await refusedTo(access, basic('alice', 'secret'))).code).toBe('let in');
    }
    // What was right at one address is no way to try it from another.
    const elsewhere = { network: '192.0.2.9', isShared: false };
    await guess(access, 3, 'alice', elsewhere);
    expect((await refusedTo(access, basic('alice', 'secret'), elsewhere)).code).toBe(ENOUGH);
  });

  test('that flood in stop that, too: a password must not be guessed by asking whether it is known', async () => {
    const access = control('nowhere', { failedLogins: 3 });
    await identify(access, basic('alice', 'secret'));
    await guess(access, 3 + 300);
    expect((await refusedTo(access, basic('alice', 'secret'))).code).toBe(ENOUGH);
    clock.advance(60_001);
    expect((await refusedTo(access, basic('alice', 'secret'))).code).toBe('let in');
  });

  test('behind a proxy count for each user: others come in', async () => {
    const access = control('nowhere', { failedLogins: 3 });
    expect(await guess(access, 4, 'alice', PROXY)).toEqual([WRONG, WRONG, WRONG, ENOUGH]);
    expect(await guess(access, 4, 'mallory', PROXY)).toEqual([WRONG, WRONG, WRONG, ENOUGH]);
    expect((await refusedTo(access, basic('alice', 'secret'), PROXY)).code).toBe(ENOUGH);
    expect((await refusedTo(access, basic('bob', 'hunter2'), PROXY)).code).toBe('let in');
  });

  test('of ever more addresses take no more memory than there is for them', () => {
    const wrong = new LoginThrottle({ allowed: 3, clock });
    for (let i = 0; i < 30_000; i++) wrong.add(`192.0.${i}`, 'x');
    expect(wrong.size).toBe(10_000);
  });
});

test('requests that come at once with the same password wait for one check', async () => {
  const access = control();
  const asked = Array.from({ length: 100 }, () => identify(access, basic('alice', 'secret')));
  expect(new Set(await Promise.all(asked)).size).toBe(1);
});

test('an unknown user costs what a known one does, whatever the hashes in the file cost', async () => {
  // A hash that cannot be computed at all tells that it was taken.
  const password = { ...parsePasswordHash(cheapHash('secret'))!, logN: 60 };
  const file = { ...FILE, users: new Map([['eve', { password, roles: [] }]]) };
  await expect(identify(control('nowhere', { file }), basic('nobody', 'x'))).rejects.toThrow('"N" is out of range');
});

test('an anonymous role that is none', () => {
  expect(() => control('loopback', { anonymous: { from: 'loopback', roles: ['guest'] } })).toThrow(
    'unknown role guest',
  );
});

describe('what a principal may', () => {
  test('on which hosts and archives, and which metrics it sees there', async () => {
    const bob = await identify(control(), basic('bob', 'hunter2'));
    const { filter } = bob.see({ kind: 'host', hostspec: 'web1?container=a' });
    expect([filter?.allows('kernel.all.load'), filter?.allows('proc.nprocs')]).toEqual([true, false]);
    expect(bob.see({ kind: 'host', hostspec: 'web2' }).filter).toBe(filter);
    expect(bob.see({ kind: 'archive', archive: 'web/today' }).filter?.key).toBe(filter?.key);
    for (const spec of [
      { kind: 'host', hostspec: 'db1' },
      { kind: 'archive', archive: 'db/today' },
    ] as const) {
      expect(() => bob.see(spec)).toThrow('may not be read to user bob');
    }
  });

  test('a role without restrictions needs no filter', async () => {
    const alice = await identify(control(), basic('alice', 'secret'));
    expect(alice.see({ kind: 'host', hostspec: 'db1' })).toEqual({ filter: undefined });
  });

  test('permissions on one metric', async () => {
    const bob = await identify(control(), basic('bob', 'hunter2'));
    const web = { kind: 'host', hostspec: 'web1' } as const;
    expect(() => bob.requireOn('derive', web, 'kernel.all.load')).not.toThrow();
    expect(() => bob.requireOn('derive', web, 'proc.nprocs')).toThrow(
      'derive is not permitted for proc.nprocs to user bob',
    );
    expect(() => bob.requireOn('store', web)).toThrow('store is not permitted on this host to user bob');
    expect(() => bob.require('admin')).toThrow('admin is not permitted to user bob');
  });

  test('whoever said nothing is asked who they are', async () => {
    const nobody = await identify(control('nowhere'));
    expect(codeOf(() => nobody.require('read'))).toBe('AUTHENTICATION_REQUIRED');
    expect(codeOf(() => nobody.see({ kind: 'host', hostspec: 'localhost' }))).toBe('AUTHENTICATION_REQUIRED');
  });
});
