import type { MetricType, Semantics, Units } from '../../pmapi/index.js';

/** A half-open range of UTF-16 offsets into the text of the expression. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

type Node<Kind extends string, Parts> = { readonly kind: Kind } & Readonly<Parts> & SourceRange;

// The syntax tree. Parentheses have no node. See pmRegisterDerived(3).

/** A metric's name. A trailing dot and double dots are not checked here: such a name is simply unknown. */
export type NameExpression = Node<'name', { name: string }>;

/** An integer literal, 0 … 4294967295: U32, discrete, without units. */
export type IntegerExpression = Node<'integer', { value: number }>;

/** A floating-point literal: DOUBLE, discrete, without units. `text` keeps the digits as written. */
export type DoubleExpression = Node<'double', { text: string; value: number }>;

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

interface Tagged {
  readonly tags: readonly TagExpression[];
  readonly metadata: ConstantMetadata;
}

/** mkconst(number, tag=value, …). */
export type MkconstExpression = Node<'mkconst', Tagged & { number: IntegerExpression | DoubleExpression }>;

/** novalue(tag=value, …): an arm of a ternary and nothing else. */
export type NovalueExpression = Node<'novalue', Tagged>;

export type UnaryOperator = '-' | '!';
export type BinaryOperator = '+' | '-' | '*' | '/' | '<' | '<=' | '==' | '>=' | '>' | '!=' | '&&' | '||';

export type UnaryExpression = Node<'unary', { operator: UnaryOperator; operand: Expression }>;
export type BinaryExpression = Node<'binary', { operator: BinaryOperator; left: Expression; right: Expression }>;
type Arm = Expression | NovalueExpression;
export type TernaryExpression = Node<'ternary', { guard: Expression; whenTrue: Arm; whenFalse: Arm }>;

/** `x[instance]` or `(e)[instance]`; `instance` has its escapes resolved. */
export type SelectExpression = Node<'select', { operand: Expression; instance: string }>;

/** These functions take the bare name of a metric. */
export type NameCallExpression = Node<
  'name-call',
  { function: 'avg' | 'count' | 'max' | 'min' | 'sum' | 'defined' | 'anon'; operand: NameExpression }
>;

/** These functions take an expression. */
export type CallExpression = Node<'call', { function: 'delta' | 'rate' | 'instant' | 'scalar'; operand: Expression }>;

/** rescale(e, "units"); `unitsText` is as written between the quotes. */
export type RescaleExpression = Node<'rescale', { operand: Expression; unitsText: string; units: Units }>;

/** matchinst(/pattern/, e) or matchinst(!/pattern/, e); `pattern` is the regular expression, escapes resolved. */
export type MatchinstExpression = Node<
  'matchinst',
  { negated: boolean; pattern: string; patternRange: SourceRange; operand: Expression }
>;

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
