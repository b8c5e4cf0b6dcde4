import { DIMENSIONLESS, INDOM_NULL, MetricType, Semantics, parseUnits } from '../../../src/pmapi/index.js';
import type { NodeMetadata } from '../../../src/derived/index.js';
import type { BinaryCheck, OperandView } from '../../../src/derived/semantics/rules/rule.js';
import type { BinaryOperator } from '../../../src/derived/language/ast.js';

/** Metadata of a node: a singular 32, instant, without units, unless told otherwise. */
export function node(change: Partial<Omit<NodeMetadata, 'units'>> & { units?: string } = {}): NodeMetadata {
  const { units, ...others } = change;
  return {
    type: MetricType.I32,
    semantics: Semantics.INSTANT,
    indom: INDOM_NULL,
    units: units === undefined ? DIMENSIONLESS : parseUnits(units).units,
    ...others,
  };
}

/** An operand: a metric, or a constant. */
export function operand(meta: NodeMetadata, isConstant = false): OperandView {
  return { node: { kind: 'name', name: 'x', start: 0, end: 1 }, meta, isConstant };
}

/** A binary operator over two metrics. */
export function binary(left: NodeMetadata, operator: BinaryOperator, right: NodeMetadata): BinaryCheck {
  return { operator, left: operand(left), right: operand(right) };
}

export const counter = node({ semantics: Semantics.COUNTER });
export const instant = node();
export const text = node({ type: MetricType.STRING });
