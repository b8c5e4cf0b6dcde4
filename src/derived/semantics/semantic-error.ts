import { formatUnits } from '../../pmapi/index.js';
import type { AnyExpression, Expression, SourceRange } from '../language/ast.js';
import { printExpression } from '../language/print.js';

/** The error as a stable word; one for each rule. */
export type SemanticErrorCode =
  | 'unknown-metric'
  | 'no-metadata'
  | 'nested-derived-metric'
  | 'counters'
  | 'counter-and-non-counter'
  | 'non-counter-and-counter'
  | 'non-arithmetic-operand'
  | 'different-dimensions'
  | 'dimensional-non-counter'
  | 'extra-units'
  | 'different-instance-domains'
  | 'no-instance-domain'
  | 'rate-time-dimension'
  | 'incompatible-rescale'
  | 'ternary-unknown-metric'
  | 'ternary-types'
  | 'ternary-instance-domains'
  | 'ternary-semantics'
  | 'ternary-units'
  | 'ternary-guard-type'
  | 'ternary-guard-set'
  | 'constant-type'
  | 'limit';

export interface Failure {
  readonly code: SemanticErrorCode;
  /** The reason in PCP's words. @see pmRegisterDerived(3), "SEMANTIC CHECKS AND RULES" */
  readonly reason: string;
  /** The same as a sentence that names what was found and what would be accepted. */
  readonly explanation: string;
}

/** An expression that parses, but cannot be bound in a context. */
export interface SemanticError extends Failure {
  /** The construct at fault as PCP prints it: `a + b`, `RATE(x)`, `operand no.such`. */
  readonly where: string;
  readonly operator?: string;
  readonly operands: readonly string[];
  readonly range: SourceRange;
}

/** PCP's report of a global definition that does not bind: `Semantic error: derived metric NAME: WHERE: REASON`. */
export function formatSemanticError(name: string, { where, reason }: SemanticError): string {
  return `Semantic error: derived metric ${name}: ${where}: ${reason}`;
}

/** An operand in PCP's semantic errors: a metric or a constant by its text (mkconst() by its number), else `<expr>`. */
function describeOperand(node: AnyExpression): string {
  if (node.kind === 'mkconst') return describeOperand(node.number);
  return node.kind === 'name' || node.kind === 'integer' || node.kind === 'double' ? printExpression(node) : '<expr>';
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
