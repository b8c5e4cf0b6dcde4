import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  ARMS_RULES,
  BINARY_RULES,
  GUARD_RULES,
  OPERAND_RULES,
} from '../../../src/derived/semantics/specified-rules.js';

const RULES = [...BINARY_RULES, ...OPERAND_RULES, ...ARMS_RULES, ...GUARD_RULES];
const FOLDER = path.join(import.meta.dirname, '../../../src/derived/semantics/rules');

describe('specified rules', () => {
  it('list every file of rules/, each by its own name', () => {
    const files = readdirSync(FOLDER).filter((file) => file !== 'rule.ts');
    expect(RULES.map(({ name }) => `${name}.ts`).sort()).toEqual(files.sort());
  });

  it('have a test each', () => {
    const missing = RULES.filter(({ name }) => !existsSync(path.join(import.meta.dirname, 'rules', `${name}.test.ts`)));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

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
