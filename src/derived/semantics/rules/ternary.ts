import {
  INDOM_NULL,
  formatIndom,
  formatMetricType,
  formatSemantics,
  formatUnits,
  isArithmeticType,
} from '../../../pmapi/index.js';
import { rule, type ArmsRule, type GuardRule } from './rule.js';

/** Rule (c): both arms have the same type. */
const ternaryTypes: ArmsRule = rule({
  name: 'ternary-types',
  section: 'Different <metadata> for ternary operands: types',
  reason: 'Different types for ternary operands',
  explain({ whenTrue, whenFalse }) {
    if (whenTrue.type === whenFalse.type) return undefined;
    return `The arms are of type ${formatMetricType(whenTrue.type)} and ${formatMetricType(whenFalse.type)}.`;
  },
});

const ternaryInstanceDomains: ArmsRule = rule({
  name: 'ternary-instance-domains',
  section: 'Different <metadata> for ternary operands: instance domains',
  reason: 'Different instance domains for ternary operands',
  explain({ whenTrue, whenFalse }) {
    const [a, b] = [whenTrue.indom, whenFalse.indom];
    if (a === INDOM_NULL || b === INDOM_NULL || a === b) return undefined;
    return `The arms have the instance domains ${formatIndom(a)} and ${formatIndom(b)}.`;
  },
});

/** Rule (c): both arms have the same semantics. */
const ternarySemantics: ArmsRule = rule({
  name: 'ternary-semantics',
  section: 'Different <metadata> for ternary operands: semantics',
  reason: 'Different semantics for ternary operands',
  explain({ whenTrue, whenFalse }) {
    if (whenTrue.semantics === whenFalse.semantics) return undefined;
    return `The arms have the semantics ${formatSemantics(whenTrue.semantics)} and ${formatSemantics(whenFalse.semantics)}.`;
  },
});

const AXES = [
  ['space', 'dimSpace', 'scaleSpace'],
  ['time', 'dimTime', 'scaleTime'],
  ['count', 'dimCount', 'scaleCount'],
  ['extra', 'extraUnit', 'extraScale'],
] as const;

/** Rule (c): both arms have the same units, scales included. PCP: scales count even without a dimension. */
export const ternaryUnits: ArmsRule = {
  name: 'ternary-units',
  section: 'Different <metadata> for ternary operands: units (dimension and scale)',
  check({ whenTrue, whenFalse }) {
    const [a, b] = [whenTrue.units, whenFalse.units];
    const [axis] = AXES.find(([, ...keys]) => keys.some((key) => a[key] !== b[key])) ?? [];
    if (axis === undefined) return undefined;
    return {
      code: 'ternary-units',
      reason: `Different units or scale (${axis}) for ternary operands`,
      explanation: `The arms are in ${formatUnits(a) || 'no units'} and ${formatUnits(b) || 'no units'}.`,
    };
  },
};

/** Rule (d): the guard is a number, which is true or false. */
const ternaryGuardType: GuardRule = rule({
  name: 'ternary-guard-type',
  section: 'Non-arithmetic operand for ternary guard',
  explain({ guard }) {
    if (isArithmeticType(guard.type)) return undefined;
    return `The guard is of type ${formatMetricType(guard.type)}, but a number is required.`;
  },
});

/** A set of decisions cannot select between two single values. */
const ternaryGuardSet: GuardRule = rule({
  name: 'ternary-guard-set',
  section: 'Non-scalar ternary guard with scalar expressions',
  explain({ guard, result }) {
    if (guard.indom === INDOM_NULL || result.indom !== INDOM_NULL) return undefined;
    return 'The guard is a set of values but both arms are single values; aggregate the guard, or use scalar().';
  },
});

/** Rules (b) and (f): a guard over instances has the arms' domain. Differs from PCP, which does not check and pairs by position. */
const ternaryGuardInstanceDomain: GuardRule = rule({
  name: 'ternary-guard-instance-domain',
  code: 'ternary-instance-domains',
  section: 'ternary rules (b) and (f)',
  reason: 'Different instance domains for ternary operands',
  explain({ guard, result }) {
    if (guard.indom === INDOM_NULL || result.indom === INDOM_NULL || guard.indom === result.indom) return undefined;
    return `The guard has the instance domain ${formatIndom(guard.indom)}, the arms have ${formatIndom(result.indom)}.`;
  },
});

export const ARMS_RULES: readonly ArmsRule[] = [ternaryTypes, ternaryInstanceDomains, ternarySemantics, ternaryUnits];

export const GUARD_RULES: readonly GuardRule[] = [ternaryGuardType, ternaryGuardSet, ternaryGuardInstanceDomain];
