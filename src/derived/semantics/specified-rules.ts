/**
 * Every semantic rule, in the order in which they are checked: of several errors in one place, the first is reported when a
 * definition is registered. Each rule names the passage of pmRegisterDerived(3) that it comes from.
 */
import { arithmeticArgument, arithmeticNegation, arithmeticNot, arithmeticOperands } from './rules/arithmetic.js';
import { counterAndNonCounter, counters, nonCounterAndCounter } from './rules/counters.js';
import {
  dimensionlessBoolean,
  dimensionlessNonCounter,
  extraUnitsProduct,
  extraUnitsQuotient,
  extraUnitsSame,
  rateTimeDimension,
  rescaleDimensions,
  sameDimensionsRelation,
  sameDimensionsSum,
} from './rules/units.js';
import { instanceDomainNeeded, sameInstanceDomain } from './rules/instance-domains.js';
import type { ArmsRule, BinaryRule, GuardRule, OperandRule } from './rules/rule.js';
import {
  ternaryGuardInstanceDomain,
  ternaryGuardSet,
  ternaryGuardType,
  ternaryInstanceDomains,
  ternarySemantics,
  ternaryTypes,
  ternaryUnits,
} from './rules/ternary.js';

export const BINARY_RULES: readonly BinaryRule[] = [
  counters,
  counterAndNonCounter,
  nonCounterAndCounter,
  arithmeticOperands,
  sameDimensionsSum,
  sameDimensionsRelation,
  dimensionlessBoolean,
  dimensionlessNonCounter,
  extraUnitsProduct,
  extraUnitsQuotient,
  extraUnitsSame,
  sameInstanceDomain,
];

export const OPERAND_RULES: readonly OperandRule[] = [
  arithmeticArgument,
  arithmeticNegation,
  arithmeticNot,
  rateTimeDimension,
  rescaleDimensions,
  instanceDomainNeeded,
];

export const ARMS_RULES: readonly ArmsRule[] = [ternaryTypes, ternaryInstanceDomains, ternarySemantics, ternaryUnits];

export const GUARD_RULES: readonly GuardRule[] = [ternaryGuardType, ternaryGuardSet, ternaryGuardInstanceDomain];
