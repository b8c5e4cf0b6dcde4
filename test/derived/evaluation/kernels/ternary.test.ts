import { INDOM_NULL, MetricType, PM_ERR } from '../../../../src/pmapi/index.js';
import type { BoundNode } from '../../../../src/derived/semantics/bound-expression.js';
import { ANYWHERE, metadata, operand, run, singular, valueSet } from '../support/values.js';

// What it chooses between numbers and strings is in the language scripts.
test('ternaryKernel chooses between nothing but numbers and strings', () => {
  const { U32, AGGREGATE } = MetricType;
  const root: BoundNode = {
    kind: 'ternary',
    guard: operand(0, U32, INDOM_NULL),
    whenTrue: operand(1, AGGREGATE, INDOM_NULL),
    whenFalse: operand(2, AGGREGATE, INDOM_NULL),
    meta: metadata({ type: AGGREGATE }),
    range: ANYWHERE,
  };
  const aggregate = valueSet(AGGREGATE, []);
  aggregate.addBytes(-1, Uint8Array.of(1));
  expect(run(root, singular(U32, 0), aggregate, aggregate)).toBe(PM_ERR.TYPE);
});
