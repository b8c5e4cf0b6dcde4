import { Semantics } from '../../pmapi/index.js';

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
