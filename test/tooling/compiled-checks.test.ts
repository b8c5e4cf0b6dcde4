import { createRequire } from 'node:module';
import { transformSync } from 'esbuild';
import { checksOf, numberedSchemas } from '../../config/tooling/bundle-viewer.js';
import { checkOf } from '../../src/http/request/compile-schema.js';
import type { Schema } from '../../src/http/request/openapi.js';

type Check = ReturnType<typeof checkOf>;

const VALUES: readonly unknown[] = [
  ...'| |x|é|a b|@|-1|1|json|columns|sum|true|2020-01-01|-10sec|a.b'.split('|'),
  ...(JSON.parse('[0,1,-1,1.5,1e9,true,null,{},[],["a"],["a","a"],[""],[1],[-1],[1.5],["x",1]]') as unknown[]),
  'x'.repeat(5000),
  Array.from({ length: 10_001 }, () => 'x'),
];

describe('checks of parameters that the build compiles', () => {
  const { schemas } = numberedSchemas();
  const { code } = transformSync(`${checksOf(schemas)}\nexport { CHECKS }`, { format: 'cjs' });
  const module = { exports: {} as { readonly CHECKS: readonly Check[] } };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const load = new Function('module', 'exports', 'require', code) as (...of: unknown[]) => void;
  load(module, module.exports, createRequire(import.meta.url));
  const outcome = (check: Check, value: unknown): unknown => check(value) || check.errors;

  it('are one for each schema, and accept and refuse what ajv does, for the same reason', () => {
    expect(schemas.length).toBeGreaterThan(40);
    for (const schema of schemas as readonly Schema[]) {
      const compiled = module.exports.CHECKS[schema['x-check'] as number]!;
      for (const value of VALUES)
        expect([schema, value, outcome(compiled, value)]).toEqual([schema, value, outcome(checkOf(schema), value)]);
    }
  });
});
