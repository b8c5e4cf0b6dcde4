import { ternaryTypes } from '../../../../src/derived/semantics/rules/ternary-types.js';
import { MetricType } from '../../../../src/pmapi/index.js';
import { instant, node, text } from '../../support/rule-checks.js';

describe('ternary-types', () => {
  it('wants arms of one type', () => {
    const unsigned = node({ type: MetricType.U32 });
    const failure = ternaryTypes.check({ whenTrue: instant, whenFalse: unsigned });
    expect(failure?.reason).toBe('Different types for ternary operands');
    expect(ternaryTypes.check({ whenTrue: text, whenFalse: text })).toBeUndefined();
  });
});
