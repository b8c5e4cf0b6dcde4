import { ternaryUnits } from '../../../../src/derived/semantics/rules/ternary.js';
import { INDOM_NULL, MetricType, Semantics, makeUnits } from '../../../../src/pmapi/index.js';

// Metrics can have such units, but no text stands for them: all else that rules refuse is in the language scripts.
test('scales without a dimension are units of their own in the arms of a ternary', () => {
  const arm = (scaleSpace: number): Parameters<typeof ternaryUnits.check>[0]['whenTrue'] => ({
    type: MetricType.I32,
    semantics: Semantics.INSTANT,
    indom: INDOM_NULL,
    units: makeUnits({ scaleSpace }),
  });
  expect(ternaryUnits.check({ whenTrue: arm(0), whenFalse: arm(1) })?.reason).toMatch('(space)');
  expect(ternaryUnits.check({ whenTrue: arm(1), whenFalse: arm(1) })).toBeUndefined();
});
