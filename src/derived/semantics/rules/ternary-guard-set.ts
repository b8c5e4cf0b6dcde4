import { INDOM_NULL } from '../../../pmapi/index.js';
import type { GuardRule } from './rule.js';

/** A set of decisions cannot select between two single values. */
export const ternaryGuardSet: GuardRule = {
  name: 'ternary-guard-set',
  section: 'Non-scalar ternary guard with scalar expressions',
  check({ guard, result }) {
    if (guard.indom === INDOM_NULL || result.indom !== INDOM_NULL) return undefined;
    return {
      code: 'ternary-guard-set',
      reason: 'Non-scalar ternary guard with scalar expressions',
      explanation:
        'The guard is a set of values but both arms are single values; aggregate the guard, or use scalar().',
    };
  },
};
