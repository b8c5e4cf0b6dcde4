import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  ARMS_RULES,
  BINARY_RULES,
  GUARD_RULES,
  OPERAND_RULES,
} from '../../../src/derived/semantics/specified-rules.js';
import { bindExpression, parseExpression } from '../../../src/derived/index.js';
import type { Rule } from '../../../src/derived/semantics/rules/rule.js';
import { readCaseScript } from '../support/case-script.js';
import { Given } from '../support/given.js';

const LISTS = [BINARY_RULES, OPERAND_RULES, ARMS_RULES, GUARD_RULES] as Rule<never>[][];
const RULES = LISTS.flat();
const FOLDER = path.join(import.meta.dirname, '../../../src/derived/semantics/rules');
const CASES = path.join(import.meta.dirname, '../cases');

/** Each expression that the scripts say does not bind, with the error that they give. */
const REFUSED = readdirSync(CASES)
  .filter((file) => file.endsWith('.test'))
  .flatMap((file) => {
    const { given, cases } = readCaseScript(file, readFileSync(path.join(CASES, file), 'utf8'));
    const environment = new Given(given);
    return cases
      .flatMap(({ checks }) => checks)
      .flatMap(({ expression, directives }) =>
        directives.filter(({ word }) => word === 'error').map(({ rest }) => ({ environment, expression, rest })),
      );
  });

/** How many of them bind, or fail for another reason. */
function disagreements(): number {
  return REFUSED.filter(({ environment, expression, rest }) => {
    const parsed = parseExpression(expression);
    const result = parsed.ok && bindExpression(parsed.expression, environment);
    return !result || result.ok || `${result.errors[0].where}: ${result.errors[0].reason}` !== rest;
  }).length;
}

describe('specified rules', () => {
  it('list every rule of rules/, each once', async () => {
    const exported = new Set<string>();
    for (const file of readdirSync(FOLDER)) {
      const rules = Object.values((await import(path.join(FOLDER, file))) as Record<string, unknown>);
      for (const rule of rules.flat()) if (typeof rule === 'object') exported.add((rule as { name: string }).name);
    }
    expect(RULES.map(({ name }) => name).sort()).toEqual([...exported].sort());
    expect(exported.size).toBeGreaterThan(20);
  });

  it.each(LISTS.flatMap((list) => list.map((rule) => ({ name: rule.name, rule, list }))))(
    'decide a case of the language scripts each: $name',
    ({ rule, list }) => {
      expect(disagreements()).toBe(0);
      const place = list.indexOf(rule);
      list.splice(place, 1);
      const without = disagreements();
      list.splice(place, 0, rule as never);
      expect(without).toBeGreaterThan(0);
    },
  );

  it('look at counters before types, and at types before dimensions', () => {
    const order = BINARY_RULES.map(({ name }) => name);
    expect(order.slice(0, 5)).toEqual([
      'counters',
      'counter-and-non-counter',
      'non-counter-and-counter',
      'arithmetic-operands',
      'same-dimensions-sum',
    ]);
  });
});
