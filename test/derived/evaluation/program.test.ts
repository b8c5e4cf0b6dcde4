import { MetricType } from '../../../src/pmapi/index.js';
import { compileProgram } from '../../../src/derived/evaluation/index.js';
import { type KernelStep, NO_CELL } from '../../../src/derived/evaluation/program.js';
import type { BoundNode } from '../../../src/derived/semantics/bound-expression.js';
import { ANYWHERE, bound, INDOM, metadata, operand } from './support/values.js';

const { I32 } = MetricType;

describe('compileProgram', () => {
  it('keeps results in few registers, none of which a step reads and writes', () => {
    const meta = metadata({ type: I32, indom: INDOM });
    let sum: BoundNode = operand(0, I32);
    for (let i = 0; i < 100; i++) {
      const negate: BoundNode = { kind: 'negate', operand: operand(1, I32), meta, range: ANYWHERE };
      sum = { kind: 'arithmetic', operator: '+', left: sum, right: negate, computeType: I32, meta, range: ANYWHERE };
    }
    const steps = compileProgram(bound(sum)).steps as readonly KernelStep[];
    expect(new Set(steps.map(({ register }) => register)).size).toBeLessThan(5);
    const firstResult = NO_CELL + 1 + 2;
    for (const { a, b, register } of steps) {
      for (const cell of [a, b])
        if (cell >= firstResult) expect(steps[cell - firstResult]!.register).not.toBe(register);
    }
  });
});
