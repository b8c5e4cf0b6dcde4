import { createHash } from 'node:crypto';
import { AccessControl, readAccessFile } from '../../src/access/index.js';
import type { AccessOptions, AnonymousFrom, Principal } from '../../src/access/index.js';
import { FakeClock } from '../support/fake-clock.js';
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

async function identify(access: AccessControl, authorization?: string, isLoopback = true): Promise<Principal> {
  return access.identify({ authorization, isLoopback: () => isLoopback });
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
  const guesses = Array.from({ length: 100 }, (_, i) => identify(access, basic('alice', `guess ${i}`)));
  const codes = (await Promise.allSettled(guesses)).map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'let in',
  );
  expect(new Set(codes)).toEqual(new Set(['AUTHENTICATION_REQUIRED', 'TOO_MANY_REQUESTS']));
  expect((await identify(access, basic('alice', 'secret'))).name).toBe('user alice');
});

test('an anonymous role that is none', () => {
  expect(() => control('loopback', { anonymous: { from: 'loopback', roles: ['guest'] } })).toThrow('guest is no role');
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
