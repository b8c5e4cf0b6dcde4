import type { BinaryOperator, Expression } from '../../language/ast.js';
import type { NodeMetadata } from '../bound-expression.js';
import type { Failure } from '../semantic-error.js';

/** An operand of an operator, as far as it is known when its operator is checked. */
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

/** A binary operator with both operands bound. */
export interface BinaryCheck {
  readonly operator: BinaryOperator;
  readonly left: OperandView;
  readonly right: OperandView;
}

/** A rule over binary operators. */
export type BinaryRule = Rule<BinaryCheck>;

/** A function or prefix operator with its operand bound. */
export interface OperandCheck {
  /** The function's name, `-`, `[]` for the selection of an instance. */
  readonly operator: string;
  readonly operand: OperandView;
  /** rescale()'s target. */
  readonly target?: NodeMetadata['units'];
}

/** A rule over functions and prefix operators. */
export type OperandRule = Rule<OperandCheck>;

/** The two arms of a ternary, neither of them novalue(). */
export interface ArmsCheck {
  readonly whenTrue: NodeMetadata;
  readonly whenFalse: NodeMetadata;
}

/** A rule over the arms of a ternary. */
export type ArmsRule = Rule<ArmsCheck>;

/** The guard of a ternary, and what the ternary's arms come to. */
export interface GuardCheck {
  readonly guard: NodeMetadata;
  readonly result: NodeMetadata;
}

/** A rule over the guard of a ternary. */
export type GuardRule = Rule<GuardCheck>;

/** `+ - * /` */
export function isArithmeticOperator(operator: BinaryOperator): operator is '+' | '-' | '*' | '/' {
  return operator === '+' || operator === '-' || operator === '*' || operator === '/';
}

/** `&& ||` */
export function isBooleanOperator(operator: BinaryOperator): operator is '&&' | '||' {
  return operator === '&&' || operator === '||';
}
