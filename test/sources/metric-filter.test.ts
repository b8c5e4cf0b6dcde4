import fc from '../support/properties.js';
import { metricFilter, metricRule } from '../../src/sources/index.js';

const through = (globs: readonly string[], name: string): boolean =>
  metricFilter([metricRule(globs)])?.allows(name) ?? true;

test.each([
  [['kernel.*'], 'kernel.all.load', true],
  [['kernel.*'], 'kernelx.all', false],
  [['kernel'], 'kernel.all.load', true],
  [['kernel'], 'kernel', true],
  [['kernel'], 'kernelx', false],
  [['kernel.all.load'], 'kernel.all.load', true],
  [['kernel.all.load'], 'kernel.all.loadavg', false],
  [['*.util'], 'my.disk.util', true],
  [['*.util'], 'my.disk.utils', false],
  [['disk.*.read*'], 'disk.dev.read_bytes', true],
  [['a*a'], 'a', false],
  [['!proc.*'], 'proc.psinfo.pid', false],
  [['!proc.*'], 'kernel.all.load', true],
  [['kernel.*', '!kernel.all.load'], 'kernel.all.load', false],
  [['kernel.*', '!kernel.all.load'], 'kernel.all.intr', true],
  [['kernel.*', '!kernel.all.load'], 'disk.all.read', false],
  [[], 'kernel.all.load', false],
])('%j of %s: %s', (globs, name, allowed) => {
  expect(through(globs, name)).toBe(allowed);
});

test('a rule that lets everything through needs no filter', () => {
  expect(metricFilter([metricRule(['*'])])).toBeUndefined();
  expect(metricFilter([metricRule(['a']), metricRule(['*'])])).toBeUndefined();
  expect(metricFilter([metricRule(['*', '!a'])])).toBeDefined();
});

test('what one rule denies another may allow', () => {
  const filter = metricFilter([metricRule(['*', '!proc']), metricRule(['proc.nprocs'])])!;
  expect(filter.allows('proc.nprocs')).toBe(true);
  expect(filter.allows('proc.psinfo.pid')).toBe(false);
});

test('the key does not depend on the order of globs, and tells rules apart', () => {
  const key = (globs: readonly string[]): string => metricFilter([metricRule(globs)])!.key;
  expect(key(['a', 'b', '!c'])).toBe(key(['!c', 'b', 'a']));
  expect(key(['a', 'b'])).not.toBe(key(['a', '!b']));
});

test('globs match as regular expressions would, in linear time', () => {
  const part = fc.constantFrom('a', 'b', '.', '*', 'ab');
  const glob = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
  const name = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(glob, name, (pattern, text) => {
      const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*');
      const expected = new RegExp(pattern.includes('*') ? `^${source}$` : `^${source}(?:\\..*)?$`).test(text);
      expect(metricFilter([metricRule([pattern, '!never'])])!.allows(text)).toBe(expected);
    }),
  );
});
