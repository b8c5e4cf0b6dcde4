/**
 * Every semantic rule, in the order in which they are checked: of several errors in one place, the first is reported when a
 * definition is registered. Each rule names the passage of pmRegisterDerived(3) that it comes from.
 */
import {
  arithmeticArgument,
  arithmeticNegation,
  arithmeticNot,
  arithmeticOperands,
  counterRules,
  instanceDomainNeeded,
  sameInstanceDomain,
} from './rules/operands.js';
import { rateTimeDimension, rescaleDimensions, unitRules } from './rules/units.js';
import type { BinaryRule, OperandRule } from './rules/rule.js';

export { ARMS_RULES, GUARD_RULES } from './rules/ternary.js';

export const BINARY_RULES: readonly BinaryRule[] = [
  ...counterRules,
  arithmeticOperands,
  ...unitRules,
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
