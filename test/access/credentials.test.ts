import { isPassword, parsePasswordHash } from '../../src/access/credentials.js';
import { hashPassword } from '../../src/access/index.js';
import { cheapHash } from './support/cheap-hash.js';

test('a hash knows its password and no other', async () => {
  const hash = parsePasswordHash(cheapHash('tr0ub4dor'))!;
  expect(await isPassword('tr0ub4dor', hash)).toBe(true);
  expect(await isPassword('tr0ub4dor ', hash)).toBe(false);
  expect(await isPassword('', hash)).toBe(false);
});

test('new hashes have a salt of their own and cost what they say', async () => {
  const [first, second] = [await hashPassword('same'), await hashPassword('same')];
  expect(first).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(first).not.toBe(second);
  expect(await isPassword('same', parsePasswordHash(first)!)).toBe(true);
});

test('a password is the same however its letters are composed', async () => {
  expect(await isPassword('caf\u0065\u0301', parsePasswordHash(await hashPassword('caf\u00e9'))!)).toBe(true);
});

test.each([
  '',
  'plain',
  '$2b$10$abcdefghijklmnopqrstuv',
  '$scrypt$ln=15,r=8,p=1$salt',
  '$scrypt$ln=30,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$scrypt$ln=20,r=99,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$scrypt$ln=0,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
])('%j is no hash that is used', (text) => {
  expect(parsePasswordHash(text)).toBeUndefined();
});
