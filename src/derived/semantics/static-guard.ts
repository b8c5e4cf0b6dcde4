import type { Expression } from '../language/ast.js';

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
