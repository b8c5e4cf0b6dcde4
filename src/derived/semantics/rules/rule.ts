import type { BinaryOperator, Expression } from '../../language/ast.js';
import type { NodeMetadata } from '../bound-expression.js';
import type { Failure, SemanticErrorCode } from '../semantic-error.js';

export interface OperandView {
  readonly node: Expression;
  readonly meta: NodeMetadata;
  /** A literal or mkconst(), its sign included. */
  readonly isConstant: boolean;
}

/** A semantic rule over operations of one kind; `section` says where it is specified. */
export interface Rule<Operation> {
  readonly name: string;
  readonly section: string;
  check(operation: Operation): Failure | undefined;
}

type RuleSpec<Operation> = {
  readonly section: string;
  readonly reason?: string;
  /** What is wrong, if anything. */
  readonly explain: (operation: Operation) => string | undefined;
} & (
  | { readonly name: SemanticErrorCode; readonly code?: never }
  | { readonly name: string; readonly code: SemanticErrorCode }
);

/** A rule with one code, its name by default, and one reason, that of its section by default. */
export function rule<Operation>(spec: RuleSpec<Operation>): Rule<Operation> {
  const { name, section, reason = section } = spec;
  const code = spec.code === undefined ? spec.name : spec.code;
  const check = (operation: Operation): Failure | undefined => {
    const explanation = spec.explain(operation);
    return explanation === undefined ? undefined : { code, reason, explanation };
  };
  return { name, section, check };
}

export interface BinaryCheck {
  readonly operator: BinaryOperator;
  readonly left: OperandView;
  readonly right: OperandView;
}

export type BinaryRule = Rule<BinaryCheck>;

export interface OperandCheck {
  /** The function's name, `-`, `[]` for the selection of an instance. */
  readonly operator: string;
  readonly operand: OperandView;
  readonly target?: NodeMetadata['units'];
}

export type OperandRule = Rule<OperandCheck>;

/** The two arms of a ternary, neither of them novalue(). */
export interface ArmsCheck {
  readonly whenTrue: NodeMetadata;
  readonly whenFalse: NodeMetadata;
}

export type ArmsRule = Rule<ArmsCheck>;

/** The guard of a ternary, and what the ternary's arms come to. */
export interface GuardCheck {
  readonly guard: NodeMetadata;
  readonly result: NodeMetadata;
}

export type GuardRule = Rule<GuardCheck>;

export function isArithmeticOperator(operator: BinaryOperator): operator is '+' | '-' | '*' | '/' {
  return operator === '+' || operator === '-' || operator === '*' || operator === '/';
}

export function isBooleanOperator(operator: BinaryOperator): operator is '&&' | '||' {
  return operator === '&&' || operator === '||';
}
