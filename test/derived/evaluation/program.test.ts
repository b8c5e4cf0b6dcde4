import { INDOM_NULL, MetricType } from '../../../src/pmapi/index.js';
import { compileProgram } from '../../../src/derived/evaluation/index.js';
import { NO_CELL } from '../../../src/derived/evaluation/program.js';
import type { KernelStep } from '../../../src/derived/evaluation/program.js';
import type { BoundNode } from '../../../src/derived/semantics/bound-expression.js';
import { ANYWHERE, bound, constant, INDOM, metadata, operand } from './support/values.js';

const { U32, I32, U64 } = MetricType;

describe('compileProgram', () => {
  it('needs no step for a renamed metric, nor for instant()', () => {
    const instant: BoundNode = {
      kind: 'instant',
      operand: operand(0, U64),
      meta: metadata({ type: U64, indom: INDOM }),
      range: ANYWHERE,
    };
    const program = compileProgram(bound(instant));
    expect(program.steps).toEqual([]);
    expect(program.result).toBe(NO_CELL + 1);
  });

  it('puts operands before their operator, left before right', () => {
    const negate = (index: number): BoundNode => ({
      kind: 'negate',
      operand: operand(index, I32),
      meta: metadata({ type: I32, indom: INDOM }),
      range: ANYWHERE,
    });
    const program = compileProgram(
      bound({
        kind: 'arithmetic',
        operator: '-',
        left: negate(1),
        right: negate(0),
        computeType: I32,
        meta: metadata({ type: I32, indom: INDOM }),
        range: ANYWHERE,
      }),
    );
    expect(program.steps.map((step) => step.kernel && [step.a, step.b])).toEqual([
      [2, NO_CELL],
      [1, NO_CELL],
      [3, 4],
    ]);
    expect(program.result).toBe(5);
  });

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

  it('says what it is about: operands, their domains, and the domains whose instances it asks for', () => {
    const program = compileProgram(
      bound({
        kind: 'match-instances',
        operand: operand(0, U32),
        pattern: { source: 'x', test: () => true },
        negated: false,
        slot: 0,
        meta: metadata({ type: U32, indom: INDOM }),
        range: ANYWHERE,
      }),
    );
    expect(program).toMatchObject({
      operandTypes: [U32],
      operandIndoms: [INDOM],
      indoms: [INDOM],
      constantIndoms: [],
      slots: 1,
    });
    expect(compileProgram(bound(constant(1, U32, INDOM)))).toMatchObject({ indoms: [INDOM], constantIndoms: [INDOM] });
    expect(compileProgram(bound(operand(0, U32, INDOM_NULL))).indoms).toEqual([]);
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(compileProgram(bound(constant(1, U32))))).toBe(true);
  });
});
