import { formatSemantics } from '../../../pmapi/index.js';
import type { ArmsRule } from './rule.js';

/** Rule (c): both arms have the same semantics. */
export const ternarySemantics: ArmsRule = {
  name: 'ternary-semantics',
  section: 'Different <metadata> for ternary operands: semantics',
  check({ whenTrue, whenFalse }) {
    if (whenTrue.semantics === whenFalse.semantics) return undefined;
    return {
      code: 'ternary-semantics',
      reason: 'Different semantics for ternary operands',
      explanation: `The arms have the semantics ${formatSemantics(whenTrue.semantics)} and ${formatSemantics(whenFalse.semantics)}.`,
    };
  },
};
