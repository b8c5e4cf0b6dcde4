import { AccessFileError, readAccessFile } from '../../src/access/index.js';

const HASH = `$scrypt$ln=4,r=1,p=1$${'A'.repeat(22)}$${'B'.repeat(43)}`;
const SHA = 'ab'.repeat(32);

function problems(content: unknown): readonly string[] {
  try {
    readAccessFile(content);
  } catch (error) {
    if (error instanceof AccessFileError) return error.problems.map(({ option, message }) => `${option}: ${message}`);
    throw error;
  }
  return [];
}

test('users, tokens and roles', () => {
  const file = readAccessFile({
    users: { 'alice@example.com': { password: HASH, roles: ['read', 'web'] } },
    tokens: { grafana: { sha256: SHA, roles: ['read'] } },
    roles: { web: { permissions: ['derive'], metrics: ['kernel.*'], hosts: ['web*'], archives: ['a/*'] } },
  });
  const alice = file.users.get('alice@example.com')!;
  expect(alice.roles.map(({ name }) => name)).toEqual(['read', 'web']);
  expect(file.tokens.get(SHA)).toMatchObject({ name: 'grafana' });
  const web = file.roles.get('web')!;
  expect([web.coversHost('web1'), web.coversHost('web1?container=x'), web.coversHost('db1')]).toEqual([
    true,
    true,
    false,
  ]);
  expect([web.coversArchive('a/b'), web.coversArchive('b')]).toEqual([true, false]);
});

test('a role that is limited to hosts covers the recordings of this one only if it lists them', () => {
  const { roles } = readAccessFile({
    roles: {
      web: { permissions: ['read'], hosts: ['web*'] },
      both: { permissions: ['read'], hosts: ['web*'], archives: ['recorded*'] },
      all: { permissions: ['read'], metrics: ['kernel.*'] },
    },
  });
  const covered = (role: string): boolean[] =>
    ['recorded', './recorded', 'recorded/./20261123', 'web/1,recorded//x', 'web/recorded', 'recorded2'].map((archive) =>
      roles.get(role)!.coversArchive(archive),
    );
  expect(covered('web')).toEqual([false, false, false, false, true, true]);
  expect(covered('both')).toEqual([true, false, true, false, false, true]);
  expect(covered('all')).toEqual([true, true, true, true, true, true]);
});

test('an empty file knows the built-in roles', () => {
  expect([...readAccessFile(null).roles.keys()]).toEqual(['read', 'derive', 'store', 'push', 'admin']);
});

test('everything that is wrong is told at once, with its place', () => {
  expect(
    problems({
      users: {
        bob: { password: 'plain', roles: ['read'] },
        'bad name': {},
        eve: { password: HASH, roles: ['root'], shell: '/bin/sh' },
        dan: { password: HASH },
      },
      tokens: {
        one: { sha256: SHA, roles: [] },
        two: { sha256: SHA, roles: [] },
        three: { sha256: 'x', roles: 'read' },
      },
      roles: { odd: { permissions: ['fly'], metric: ['a'] }, none: {}, list: [] },
      groups: {},
    }),
  ).toEqual([
    'groups: is unknown (known: users, tokens, roles)',
    'roles.odd.metric: is unknown (known: permissions, metrics, hosts, archives)',
    'roles.odd.permissions: unknown permission fly (known: read, derive, store, push, admin)',
    'roles.none.permissions: is missing: expected some of read, derive, store, push, admin',
    'roles.list: must be a map with permissions, metrics, hosts, archives',
    'roles.list.permissions: is missing: expected some of read, derive, store, push, admin',
    'users.bad name: invalid name: expected letters, digits and . @ _ -, at most 64',
    "users.bob.password: must be a hash printed by `pmgate passwd`, in quotes: '$scrypt$ln=15,r=8,p=1$…'",
    'users.eve.shell: is unknown (known: password, roles)',
    'users.eve.roles: unknown role root (known: read, derive, store, push, admin, odd, none, list)',
    'users.dan.roles: is missing: expected some of read, derive, store, push, admin, odd, none, list',
    'tokens.two.sha256: is a duplicate of the token one',
    'tokens.three.sha256: must be a SHA-256 in hex, as printed by `pmgate token`',
  ]);
});

test.each([['a text'], [[1]], [5]])('%j is no file', (content) => {
  expect(problems(content)).toEqual(['the file: must be a map with users, tokens, roles']);
});

test('names of the prototype are names like any other', () => {
  expect(problems(JSON.parse('{"users":{"__proto__":{"password":"x","roles":[]}}}'))).toHaveLength(1);
});

test.each(['hosts', 'archives'])("a '!' in %s is refused: what it keeps out could be written otherwise", (member) => {
  const role = { permissions: ['read'], [member]: ['*', '!secret*'] };
  expect(problems({ roles: { some: role } })).toEqual([
    `roles.some.${member}: !secret* excludes nothing: '!' is for metrics only; list the ${member} of the role`,
  ]);
});
