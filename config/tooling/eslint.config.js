import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { rooms } from './rooms.js';

/** One `no-restricted-imports` block a room: a room may import itself and the rooms listed for it, nothing else. */
const roomRules = rooms.map(({ room, mayImport }) => ({
  files: [`src/${room}/**/*.{ts,tsx}`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: rooms
          .filter((other) => other.room !== room && !mayImport.includes(other.room))
          .map((other) => ({
            regex: `^(\\.\\./)+${other.room}/`,
            message: `src/${room} must not import src/${other.room} (see src/README.md, "Import order").`,
          })),
      },
    ],
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
);
