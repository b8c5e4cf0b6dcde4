import { readdirSync, readFileSync } from 'node:fs';

/** Unit, API, property and language tests: everything under test/ but long suites, interop (real PCP), install (fresh clones) and bench. */
const base = {
  rootDir: '../..',
  testEnvironment: 'node',
  // What the bundle of the console says of itself, and how many inputs of properties are tried (`test/support/properties.ts`).
  globals: { IS_VIEWER: false, IS_LONG: false },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/support/global-setup.js',
  // What ends a test that hangs; how long one takes on a busy machine says nothing.
  testTimeout: 120_000,
  // Jest leaves a core free, which of two leaves one process for all suites: it gets slower with each of them.
  maxWorkers: '100%',
};

export const interop = {
  ...base,
  testTimeout: 600_000,
  testMatch: ['<rootDir>/test/interop/**/*.test.ts'],
};

/** Fresh clones, which load packages from the registry. */
export const install = {
  ...base,
  testMatch: ['<rootDir>/test/install/**/*.test.ts'],
  testTimeout: 1_200_000,
};

/** Properties of which `npm test` tries a quarter of the inputs. */
const scaled = readdirSync('test', { recursive: true })
  .filter((file) => file.endsWith('.test.ts') && /\btries\(/.test(readFileSync(`test/${file}`, 'utf8')))
  .map((file) => `<rootDir>/test/${file}`);

/**
 * Slow by design: browsers, the commands of the guide, large inputs, all inputs of properties, and simulated fleets
 * (FLEET_SEEDS=1-100 for a hundred seeds).
 */
export const long = {
  ...base,
  testTimeout: 600_000,
  globals: { ...base.globals, IS_LONG: true },
  testMatch: ['<rootDir>/test/**/*.long.test.ts', ...scaled],
};

export default {
  ...base,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/test/interop/',
    '/test/install/',
    '/test/bench/',
    '\\.long\\.test\\.ts$',
  ],
};
