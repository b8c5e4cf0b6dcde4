import fc from '../support/properties.js';
import { globMatcher } from '../../src/kit/index.js';

test.each([
  ['kernel.*', 'kernel.all.load', true],
  ['kernel.*', 'kernel', false],
  ['*.util', 'disk.dev.util', true],
  ['*.util', 'disk.dev.utilisation', false],
  ['a*b*a', 'aba', true],
  ['a*a', 'a', false],
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['a.c', 'abc', false],
])('%s on %j: %s', (glob, text, expected) => {
  expect(globMatcher(glob)(text)).toBe(expected);
});

test('agrees with the regular expression that it stands for', () => {
  const words = fc.array(fc.constantFrom('a', 'b', '*', '.'), { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(words, words, (glob, text) => {
      const regex = new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
      expect(globMatcher(glob)(text)).toBe(regex.test(text));
    }),
  );
});
