import { formatUnits } from '../../pmapi/index.js';
import type { AnyExpression, Expression } from '../language/ast.js';

/**
 * How PCP names an operand in a semantic error: a metric or a constant by its text (mkconst() by its number alone), anything
 * else as `<expr>`.
 */
function describeOperand(node: AnyExpression): string {
  switch (node.kind) {
    case 'name':
      return node.name;
    case 'integer':
      return String(node.value);
    case 'double':
      return node.text;
    case 'mkconst':
      return describeOperand(node.number);
    default:
      return '<expr>';
  }
}

/** How PCP names the construct at fault: `a + b`, `- a`, `RATE(a)`, `a RESCALE Kbyte`, `g ? t : f`. */
export function describeConstruct(node: AnyExpression): string {
  switch (node.kind) {
    case 'unary':
      return `${node.operator} ${describeOperand(node.operand)}`;
    case 'binary':
      return `${describeOperand(node.left)} ${node.operator} ${describeOperand(node.right)}`;
    case 'ternary':
      return `${describeOperand(node.guard)} ? ${describeArms(node)}`;
    case 'name-call':
    case 'call':
      return `${node.function.toUpperCase()}(${describeOperand(node.operand)})`;
    case 'rescale':
      return `${describeOperand(node.operand)} RESCALE ${formatUnits(node.units) || 'none'}`;
    case 'select':
      return `${describeOperand(node.operand)}[${node.instance}]`;
    case 'matchinst':
      return `MATCHINST(${describeOperand(node.operand)})`;
    default:
      return describeOperand(node);
  }
}

/** `t : f`, for what is wrong between the arms of a ternary. */
export function describeArms(node: Extract<Expression, { kind: 'ternary' }>): string {
  return `${describeOperand(node.whenTrue)} : ${describeOperand(node.whenFalse)}`;
}
