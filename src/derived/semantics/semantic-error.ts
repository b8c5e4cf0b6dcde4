import type { SourceRange } from './bound-expression.js';

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

/** What a rule reports. */
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
  /** The operator or function at fault, if there is one. */
  readonly operator?: string;
  /** Texts of its operands. */
  readonly operands: readonly string[];
  /** The part of the expression at fault. */
  readonly range: SourceRange;
}

/** PCP's report of a global definition that does not bind: `Semantic error: derived metric NAME: WHERE: REASON`. */
export function formatSemanticError(name: string, { where, reason }: SemanticError): string {
  return `Semantic error: derived metric ${name}: ${where}: ${reason}`;
}
