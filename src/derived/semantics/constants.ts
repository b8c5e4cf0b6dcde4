import { DIMENSIONLESS, INDOM_NULL, MetricType, Semantics } from '../../pmapi/index.js';
import type { ConstantMetadata, DoubleExpression, Expression, IntegerExpression } from '../language/ast.js';
import type { NodeMetadata } from './bound-expression.js';

export const INTEGER_METADATA: NodeMetadata = Object.freeze({
  type: MetricType.U32,
  semantics: Semantics.DISCRETE,
  units: DIMENSIONLESS,
  indom: INDOM_NULL,
});

export const DOUBLE_METADATA: NodeMetadata = Object.freeze({ ...INTEGER_METADATA, type: MetricType.DOUBLE });

export const NOVALUE_METADATA: NodeMetadata = Object.freeze({ ...INTEGER_METADATA, type: MetricType.I32 });

/** Metadata of a constant with tags: what `meta=` names, or the default, with every other tag on top. */
export function constantMetadata(
  tags: ConstantMetadata,
  like: NodeMetadata | undefined,
  fallback: NodeMetadata,
): NodeMetadata {
  const base = like ?? fallback;
  return {
    type: tags.type ?? base.type,
    semantics: tags.semantics ?? base.semantics,
    units: tags.units ?? base.units,
    indom: tags.indom ?? base.indom,
  };
}

/** A constant's value in its type: a bigint for 64 and U64, else a number. PCP: converted as in C, so 4294967295 of type 32 is -1. */
export function constantValue(number: IntegerExpression | DoubleExpression, type: MetricType): number | bigint {
  switch (type) {
    case MetricType.I32:
      return number.value | 0;
    case MetricType.I64:
    case MetricType.U64:
      return BigInt(Math.trunc(number.value));
    case MetricType.FLOAT:
      return Math.fround(number.value);
    default:
      return number.value;
  }
}

/**
 * The value of a guard that can be decided when the expression is bound: one built from defined(), integer constants, `!`,
 * `&&` and `||`, read from left to right with short circuits. Undefined for any other guard.
 * PCP: a floating-point constant or any other operator, even `defined(x) == 1`, makes it dynamic.
 */
export function evaluateStatically(guard: Expression, isDefined: (name: string) => boolean): boolean | undefined {
  switch (guard.kind) {
    case 'integer':
      return guard.value !== 0;
    case 'mkconst':
      return guard.number.kind === 'integer' ? guard.number.value !== 0 : undefined;
    case 'name-call':
      return guard.function === 'defined' ? isDefined(guard.operand.name) : undefined;
    case 'unary': {
      if (guard.operator !== '!') return undefined;
      const value = evaluateStatically(guard.operand, isDefined);
      return value === undefined ? undefined : !value;
    }
    case 'binary': {
      if (guard.operator !== '&&' && guard.operator !== '||') return undefined;
      const left = evaluateStatically(guard.left, isDefined);
      const decides = guard.operator === '||';
      if (left === undefined || left === decides) return left;
      return evaluateStatically(guard.right, isDefined);
    }
    default:
      return undefined;
  }
}
