import type { MetricType, Semantics, Units } from '../../pmapi/index.js';

/** A half-open range of UTF-16 offsets into the text of the expression. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

// The syntax tree. Parentheses have no node. See pmRegisterDerived(3).

/** A metric's name. A trailing dot and double dots are not checked here: such a name is simply unknown. */
export interface NameExpression extends SourceRange {
  readonly kind: 'name';
  readonly name: string;
}

/** An integer literal, 0 … 4294967295: U32, discrete, without units. */
export interface IntegerExpression extends SourceRange {
  readonly kind: 'integer';
  readonly value: number;
}

/** A floating-point literal: DOUBLE, discrete, without units. `text` keeps the digits as written. */
export interface DoubleExpression extends SourceRange {
  readonly kind: 'double';
  readonly text: string;
  readonly value: number;
}

/** The tags of mkconst() and novalue(); the last of repeated ones counts. */
export interface ConstantMetadata {
  readonly type?: MetricType;
  readonly semantics?: Semantics;
  readonly units?: Units;
  /** INDOM_NULL for `indom=null`. */
  readonly indom?: number;
  /** `meta=NAME`: take type, semantics, units and indom from this metric; the other tags override. */
  readonly like?: string;
}

/** One `tag=value`, as written. */
export interface TagExpression extends SourceRange {
  readonly tag: 'type' | 'semantics' | 'units' | 'indom' | 'meta';
  readonly value: string;
}

/** mkconst(number, tag=value, …). */
export interface MkconstExpression extends SourceRange {
  readonly kind: 'mkconst';
  readonly number: IntegerExpression | DoubleExpression;
  readonly tags: readonly TagExpression[];
  readonly metadata: ConstantMetadata;
}

/** novalue(tag=value, …): an arm of a ternary and nothing else. */
export interface NovalueExpression extends SourceRange {
  readonly kind: 'novalue';
  readonly tags: readonly TagExpression[];
  readonly metadata: ConstantMetadata;
}

export type UnaryOperator = '-' | '!';
export type BinaryOperator = '+' | '-' | '*' | '/' | '<' | '<=' | '==' | '>=' | '>' | '!=' | '&&' | '||';

export interface UnaryExpression extends SourceRange {
  readonly kind: 'unary';
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

export interface BinaryExpression extends SourceRange {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

export interface TernaryExpression extends SourceRange {
  readonly kind: 'ternary';
  readonly guard: Expression;
  readonly whenTrue: Expression | NovalueExpression;
  readonly whenFalse: Expression | NovalueExpression;
}

/** `x[instance]` or `(e)[instance]`; `instance` has its escapes resolved. */
export interface SelectExpression extends SourceRange {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly instance: string;
}

/** avg, count, max, min, sum, defined and anon take the bare name of a metric. */
export interface NameCallExpression extends SourceRange {
  readonly kind: 'name-call';
  readonly function: 'avg' | 'count' | 'max' | 'min' | 'sum' | 'defined' | 'anon';
  readonly operand: NameExpression;
}

/** delta, rate, instant and scalar take an expression. */
export interface CallExpression extends SourceRange {
  readonly kind: 'call';
  readonly function: 'delta' | 'rate' | 'instant' | 'scalar';
  readonly operand: Expression;
}

/** rescale(e, "units"). */
export interface RescaleExpression extends SourceRange {
  readonly kind: 'rescale';
  readonly operand: Expression;
  /** As written between the quotes. */
  readonly unitsText: string;
  readonly units: Units;
}

/** matchinst(/pattern/, e) or matchinst(!/pattern/, e); `pattern` is the regular expression, escapes resolved. */
export interface MatchinstExpression extends SourceRange {
  readonly kind: 'matchinst';
  readonly negated: boolean;
  readonly pattern: string;
  readonly patternRange: SourceRange;
  readonly operand: Expression;
}

/** A node that can be bound: everything but novalue(), which only an arm of a ternary can be. */
export type Expression =
  | NameExpression
  | IntegerExpression
  | DoubleExpression
  | MkconstExpression
  | UnaryExpression
  | BinaryExpression
  | TernaryExpression
  | SelectExpression
  | NameCallExpression
  | CallExpression
  | RescaleExpression
  | MatchinstExpression;

export type AnyExpression = Expression | NovalueExpression;

/** The operator or the function of a node; undefined for others. */
export function operatorOf(node: AnyExpression): string | undefined {
  switch (node.kind) {
    case 'unary':
    case 'binary':
      return node.operator;
    case 'ternary':
      return '?:';
    case 'name-call':
    case 'call':
      return node.function;
    default:
      return undefined;
  }
}

/** The nodes directly below a node, from left to right. */
export function childrenOf(node: AnyExpression): readonly AnyExpression[] {
  switch (node.kind) {
    case 'unary':
    case 'select':
    case 'name-call':
    case 'call':
    case 'rescale':
    case 'matchinst':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'ternary':
      return [node.guard, node.whenTrue, node.whenFalse];
    case 'name':
    case 'integer':
    case 'double':
    case 'mkconst':
    case 'novalue':
      return [];
  }
}
