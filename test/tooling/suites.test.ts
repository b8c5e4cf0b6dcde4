/** How jest runs several suites in one place: `test/support/jest`. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SUITES = {
  a: `import { jest } from '@jest/globals';
    globalThis.loads = (globalThis.loads ?? 0) + 1;
    jest.useFakeTimers();
    jest.spyOn(Math, 'max').mockReturnValue(7);
    process.env.LEFT = 'behind';
    beforeEach(() => { throw new Error('of another suite'); });
    describe('many', () => { it('fails in a hook', () => undefined); it.skip('is left out', () => undefined); });`,
  b: `it('has nothing of the one before', () => {
      expect([globalThis.loads, process.env.LEFT, Math.max(1, 2), setTimeout.clock]).toEqual([1, undefined, 2, undefined]);
    });
    it('fails', () => expect(1).toBe(2));`,
  c: `import './gone.mjs';`,
  d: `export {};`,
  e: `it('runs after those that could not', () => undefined);
    afterAll(() => { throw new Error('at the end'); });`,
};

const directory = temporaryDirectory();

it('reports each suite, whatever the others do', () => {
  for (const [name, text] of Object.entries(SUITES)) directory.write(`${name}.test.mjs`, text);
  const support = path.resolve('test/support/jest');
  const config = {
    rootDir: directory.path,
    runner: path.join(support, 'runner.js'),
    testRunner: path.join(support, 'framework.js'),
    testMatch: ['**/*.mjs'],
    transform: {},
  };
  const words = ['node_modules/jest/bin/jest.js', '--config', JSON.stringify(config), '-i', '--json'];
  const { stdout, status } = spawnSync(process.execPath, ['--experimental-vm-modules', ...words], { encoding: 'utf8' });
  const { testResults, numTotalTestSuites } = JSON.parse(stdout) as {
    readonly numTotalTestSuites: number;
    readonly testResults: readonly {
      readonly name: string;
      readonly status: string;
      readonly message: string;
      readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
    }[];
  };
  const told = testResults
    .map(({ name, assertionResults }) => [
      path.basename(name, '.test.mjs'),
      assertionResults.map((one) => `${one.fullName}: ${one.status}`),
    ])
    .sort();
  expect(told).toEqual([
    ['a', ['many fails in a hook: failed', 'many is left out: pending']],
    ['b', ['has nothing of the one before: passed', 'fails: failed']],
    ['c', ['is loaded: failed']],
    ['d', ['has tests: failed']],
    ['e', ['runs after those that could not: passed']],
  ]);
  expect([numTotalTestSuites, status]).toEqual([5, 1]);
  expect(testResults.map(({ message }) => message).join('\n')).toContain('at the end');
});
