import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { engine, rooms } from './rooms.js';

/** The rooms that a room must not import: all but itself and those listed for it. */
function forbiddenRooms(room) {
  const { mayImport } = rooms.find((each) => each.room === room);
  return rooms
    .filter((other) => other.room !== room && !mayImport.includes(other.room))
    .map((other) => ({
      regex: `^(\\.\\./)+${other.room}/`,
      message: `src/${room} must not import src/${other.room} (see src/README.md, "Import order").`,
    }));
}

const roomRules = rooms.map(({ room }) => ({
  files: [`src/${room}/**/*.{ts,tsx}`],
  rules: { 'no-restricted-imports': ['error', { patterns: forbiddenRooms(room) }] },
}));

const IN_PAGES = 'The engine runs in pages, too: what is Node\'s own is in directories named "node" (see rooms.js).';
const NODES_GLOBALS = ['Buffer', 'process', 'global', 'require', '__dirname', 'setImmediate', 'clearImmediate'];
const engineRules = engine.map(({ room, but = [] }) => ({
  files: [`src/${room}/**/*.ts`],
  ignores: ['node', ...but].map((directory) => `src/${room}/**/${directory}/**`),
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [...forbiddenRooms(room), { regex: '^node:|(^|/)(node|writing)/', message: IN_PAGES }] },
    ],
    'no-restricted-globals': ['error', ...NODES_GLOBALS.map((name) => ({ name, message: IN_PAGES }))],
  },
}));

export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', 'src/**/*.generated.ts', 'node_modules/**'] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((c) => ({ ...c, files: ['**/*.{ts,tsx}'] })),
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './src/features/console/page/tsconfig.json'],
        tsconfigRootDir: new URL('../..', import.meta.url).pathname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Typed arrays are read with `a[i]!` where the loop bound is in sight: the alternative is a branch per value.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/require-await': 'off',
      // Jest's asymmetric matchers are typed `any`.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    files: ['**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        URL: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        fetch: 'readonly',
        structuredClone: 'readonly',
      },
    },
  },
  ...roomRules,
  ...engineRules,
);
