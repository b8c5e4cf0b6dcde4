/**
 * Every semantic rule, in the order in which they are checked: of several errors in one place, the first is reported when a
 * definition is registered. Each rule names the passage of pmRegisterDerived(3) that it comes from.
 */
import { arithmeticArgument } from './rules/arithmetic-argument.js';
import { arithmeticNegation } from './rules/arithmetic-negation.js';
import { arithmeticNot } from './rules/arithmetic-not.js';
import { arithmeticOperands } from './rules/arithmetic-operands.js';
import { counterAndNonCounter } from './rules/counter-and-non-counter.js';
import { counters } from './rules/counters.js';
import { dimensionlessBoolean } from './rules/dimensionless-boolean.js';
import { dimensionlessNonCounter } from './rules/dimensionless-non-counter.js';
import { extraUnitsProduct } from './rules/extra-units-product.js';
import { extraUnitsQuotient } from './rules/extra-units-quotient.js';
import { extraUnitsSame } from './rules/extra-units-same.js';
import { instanceDomainNeeded } from './rules/instance-domain-needed.js';
import { nonCounterAndCounter } from './rules/non-counter-and-counter.js';
import { rateTimeDimension } from './rules/rate-time-dimension.js';
import { rescaleDimensions } from './rules/rescale-dimensions.js';
import type { ArmsRule, BinaryRule, GuardRule, OperandRule } from './rules/rule.js';
import { sameDimensionsRelation } from './rules/same-dimensions-relation.js';
import { sameDimensionsSum } from './rules/same-dimensions-sum.js';
import { sameInstanceDomain } from './rules/same-instance-domain.js';
import { ternaryGuardInstanceDomain } from './rules/ternary-guard-instance-domain.js';
import { ternaryGuardSet } from './rules/ternary-guard-set.js';
import { ternaryGuardType } from './rules/ternary-guard-type.js';
import { ternaryInstanceDomains } from './rules/ternary-instance-domains.js';
import { ternarySemantics } from './rules/ternary-semantics.js';
import { ternaryTypes } from './rules/ternary-types.js';
import { ternaryUnits } from './rules/ternary-units.js';

/** Rules over binary operators. */
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

/** Rules over functions, prefix operators and `[instance]`. */
export const OPERAND_RULES: readonly OperandRule[] = [
  arithmeticArgument,
  arithmeticNegation,
  arithmeticNot,
  rateTimeDimension,
  rescaleDimensions,
  instanceDomainNeeded,
];

/** Rules over the two arms of a ternary whose guard is not static. */
export const ARMS_RULES: readonly ArmsRule[] = [ternaryTypes, ternaryInstanceDomains, ternarySemantics, ternaryUnits];

/** Rules over the guard of such a ternary. */
export const GUARD_RULES: readonly GuardRule[] = [ternaryGuardType, ternaryGuardSet, ternaryGuardInstanceDomain];
