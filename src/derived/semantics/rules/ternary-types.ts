import { formatMetricType } from '../../../pmapi/index.js';
import type { ArmsRule } from './rule.js';

/** Rule (c): both arms have the same type. */
export const ternaryTypes: ArmsRule = {
  name: 'ternary-types',
  section: 'Different <metadata> for ternary operands: types',
  check({ whenTrue, whenFalse }) {
    if (whenTrue.type === whenFalse.type) return undefined;
    return {
      code: 'ternary-types',
      reason: 'Different types for ternary operands',
      explanation: `The arms are of type ${formatMetricType(whenTrue.type)} and ${formatMetricType(whenFalse.type)}.`,
    };
  },
};
