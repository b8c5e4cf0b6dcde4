import { MetricType, Semantics } from '../../pmapi/index.js';
import type { BinaryOperator } from '../language/ast.js';

/** First hit wins: the table of pmRegisterDerived(3), "EXPRESSION EVALUATION". */
const PROMOTION: readonly MetricType[] = [
  MetricType.DOUBLE,
  MetricType.FLOAT,
  MetricType.U64,
  MetricType.I64,
  MetricType.U32,
  MetricType.I32,
];

/** The type that two operands of arithmetic type are brought to. Unsigned wins over signed of the same width, as in C. */
export function promote(left: MetricType, right: MetricType): MetricType {
  return PROMOTION.find((type) => type === left || type === right) ?? MetricType.DOUBLE;
}

/** The type a binary operator computes in: division and scaled operands always take DOUBLE. */
export function computeType(
  operator: BinaryOperator,
  left: MetricType,
  right: MetricType,
  isScaled: boolean,
): MetricType {
  return operator === '/' || isScaled ? MetricType.DOUBLE : promote(left, right);
}

/** Unary minus makes integers signed: `-x` of U32 is 32, of U64 is 64. */
export function negatedType(type: MetricType): MetricType {
  if (type === MetricType.U32) return MetricType.I32;
  return type === MetricType.U64 ? MetricType.I64 : type;
}

/** The type in which delta() subtracts, which is also that of its values: it widens unsigned operands to keep what precision there is: U32 to 64, U64 to DOUBLE. */
export function deltaType(type: MetricType): MetricType {
  if (type === MetricType.U32) return MetricType.I64;
  return type === MetricType.U64 ? MetricType.DOUBLE : type;
}

/**
 * Semantics of `+ - * /` for operands that passed the counter rules. `rightLeads` tells that the left operand is a literal or
 * mkconst(), so that the right one decides.
 *
 * PCP: a counter times a plain number is a counter, and so is a plain number literal times a counter; but a metric that is no
 * counter times a counter has the semantics of the left one.
 */
export function arithmeticSemantics(left: Semantics, right: Semantics, rightLeads: boolean): Semantics {
  if (left !== Semantics.COUNTER && right !== Semantics.COUNTER) return comparisonSemantics(left, right);
  return rightLeads ? right : left;
}

/** Semantics of relational and boolean results: never a counter; discrete when both operands are. */
export function comparisonSemantics(left: Semantics, right: Semantics): Semantics {
  return left === Semantics.DISCRETE && right === Semantics.DISCRETE ? Semantics.DISCRETE : Semantics.INSTANT;
}
