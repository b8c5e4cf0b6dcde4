import { readFileSync, readdirSync } from 'node:fs';
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
  it('list every rule of rules/, each once', async () => {
    const exported: string[] = [];
    for (const file of readdirSync(FOLDER)) {
      const rules = Object.values((await import(path.join(FOLDER, file))) as Record<string, unknown>);
      for (const rule of rules) if (typeof rule === 'object') exported.push((rule as { name: string }).name);
    }
    expect(RULES.map(({ name }) => name).sort()).toEqual(exported.sort());
    expect(exported.length).toBeGreaterThan(20);
  });

  it('have a test each', () => {
    const tests = path.join(import.meta.dirname, 'rules');
    const texts = readdirSync(tests).map((file) => readFileSync(path.join(tests, file), 'utf8'));
    const missing = RULES.filter(({ name }) => !texts.some((text) => text.includes(`describe('${name}',`)));
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
