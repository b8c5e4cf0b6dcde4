import type { BinaryOperator, Expression } from '../../language/ast.js';
import type { NodeMetadata } from '../bound-expression.js';
import type { Failure } from '../semantic-error.js';

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

/** `+ - * /` */
export function isArithmeticOperator(operator: BinaryOperator): operator is '+' | '-' | '*' | '/' {
  return operator === '+' || operator === '-' || operator === '*' || operator === '/';
}

/** `&& ||` */
export function isBooleanOperator(operator: BinaryOperator): operator is '&&' | '||' {
  return operator === '&&' || operator === '||';
}
