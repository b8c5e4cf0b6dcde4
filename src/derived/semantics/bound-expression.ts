/**
 * A bound expression: the result of binding a parsed expression in one context, with all that evaluation needs. Every typing
 * decision is made here: the type each node computes in, the factors that bring operands to one scale, the arm that a static
 * guard selects, compiled patterns. The tree is immutable and can be shared by contexts that bind the same text against the same
 * descriptors: what changes from sample to sample lives outside it, in slots that it numbers.
 * @see pmRegisterDerived(3)
 */
import type { SourceRange } from '../language/ast.js';
import type { MetricDescriptor, MetricType, Units } from '../../pmapi/index.js';

/** The metadata of a node; `indom` is INDOM_NULL for a singular one. */
export type NodeMetadata = Omit<MetricDescriptor, 'pmid'>;

/** A metric that must be fetched to evaluate the expression. */
export interface BoundOperand {
  readonly name: string;
  readonly descriptor: MetricDescriptor;
}

/** Scales a value to the result: `(value / divide) * multiply` in double. Both are exact powers; one of them is often 1. */
export interface ScaleFactor {
  readonly divide: number;
  readonly multiply: number;
}

/** A compiled matchinst() pattern; `test` searches (not anchored) and takes linear time. */
export interface InstancePattern {
  readonly source: string;
  /** `name` is the instance name up to its first blank. */
  test(name: string): boolean;
}

type Node<Kind extends string, Parts> = {
  readonly kind: Kind;
  readonly meta: NodeMetadata;
  readonly range: SourceRange;
} & Readonly<Parts>;

/**
 * A constant: a literal, mkconst(), or defined() (decided at bind time: U32 1 or 0). `meta.indom` other than INDOM_NULL
 * gives the value for every current instance of that domain. For 64 and U64 the value is a bigint in the range of the type,
 * for all other types a number of that type (32, U32 integral; FLOAT already rounded by Math.fround).
 */
export type BoundConstant = Node<'constant', { value: number | bigint }>;

export type ArithmeticOperator = '+' | '-' | '*' | '/';
export type RelationalOperator = '<' | '<=' | '==' | '>=' | '>' | '!=';
/** Operators over what is 0 or not; the result is 0 or 1. */
export type BooleanOperator = '&&' | '||';

interface Operands {
  readonly left: BoundNode;
  readonly right: BoundNode;
  /** The type that both operands are converted to first (not always the result's: see `meta`). */
  readonly computeType: MetricType;
  /** Applied to the left operand's values before anything else; absent for none. Implies `computeType` DOUBLE. */
  readonly leftScale?: ScaleFactor;
  readonly rightScale?: ScaleFactor;
}

/** `meta.type` equals `computeType`; `/` computes in DOUBLE. */
export type BoundArithmetic = Node<'arithmetic', Operands & { operator: ArithmeticOperator }>;

/** Result U32 1 or 0. */
export type BoundRelational = Node<'relational', Operands & { operator: RelationalOperator }>;

/** Result U32 1 or 0: an operand is true when it is not 0. `computeType` is the promoted type and needs no conversion. */
export type BoundBoolean = Node<'boolean', Operands & { operator: BooleanOperator }>;

export type AggregateFunction = 'avg' | 'count' | 'max' | 'min' | 'sum';

/** The difference to the previous sample (history slot `slot`): 64 for U32, DOUBLE for U64, else the operand's type. */
export type BoundDelta = Node<'delta', { operand: BoundNode; slot: number }>;

/**
 * The difference to the previous sample per second, in DOUBLE; history in slot `slot`. Of a counter, an instance whose value went down has
 * no rate. `timeFactor`: seconds in the operand's time unit when its dimension holds time^1 (utilisation); 1 otherwise.
 */
export type BoundRate = Node<'rate', { operand: BoundNode; slot: number; counter: boolean; timeFactor: number }>;

export type BoundNode =
  | BoundConstant
  /** The values of operand `operands[operand]`. `meta` is its descriptor's. */
  | Node<'operand', { operand: number }>
  | Node<'novalue', unknown>
  | BoundArithmetic
  | BoundRelational
  | BoundBoolean
  /** Unary minus: U32 becomes 32 and U64 becomes 64, reinterpreted as signed before the sign changes, wrapping. */
  | Node<'negate', { operand: BoundNode }>
  /** `!`: U32 1 when the operand is 0, else 0, for each instance. */
  | Node<'not', { operand: BoundNode }>
  /** One singular value from all of the operand's. avg: FLOAT; count: U32; the others in the operand's type. */
  | Node<'aggregate', { operand: BoundNode; function: AggregateFunction }>
  /** The first value alone, as a singular one. */
  | Node<'scalar', { operand: BoundNode }>
  /** instant(): the operand's values; only the metadata differs. */
  | Node<'instant', { operand: BoundNode }>
  | BoundDelta
  | BoundRate
  /** pmConvScale() of each value, in the type of the operand; a value that cannot be converted is left out. */
  | Node<'rescale', { operand: BoundNode; from: Units; to: Units }>
  /**
   * `e[instance]`: at most one of the operand's values; the domain stays. `slot` may hold the resolved instance. The name between the
   * brackets, escapes resolved: the whole instance name, or the part before its first blank.
   */
  | Node<'select-instance', { operand: BoundNode; instance: string; slot: number }>
  /** matchinst(): the values of those instances whose name matches, or does not. `slot` may hold decisions by instance id. */
  | Node<'match-instances', { operand: BoundNode; pattern: InstancePattern; negated: boolean; slot: number }>
  /**
   * A ternary whose guard is not static (a static one is bound to the arm it selects and is gone from the tree). Guard and
   * arms are paired by instance id; a singular guard or arm applies to every instance of `meta.indom`. Either arm may be
   * `novalue`: instances that select it are left out. Otherwise the arms have the same type, semantics and units.
   */
  | Node<'ternary', { guard: BoundNode; whenTrue: BoundNode; whenFalse: BoundNode }>;

/** The outcome of binding: the tree, the metrics it needs, and how many state slots its nodes number (0 … slots - 1). */
export interface BoundExpression {
  readonly root: BoundNode;
  /** Distinct by PMID, in order of first use; the operands of an arm that a static guard dropped are not among them. */
  readonly operands: readonly BoundOperand[];
  readonly slots: number;
}

/** A metric of the context, or the PM_ERR code of its look-up. */
export type OperandLookup =
  { readonly descriptor: MetricDescriptor } | { readonly descriptor?: never; readonly error: number };

/** A context's metrics for binding. Synchronous: look up `operandNames` first. */
export interface BindingEnvironment {
  /** The metric of a name: PM_ERR_NAME or PM_ERR_NONLEAF if there is none, another code if it has no descriptor. */
  operand(name: string): OperandLookup;
  /** Whether the name is that of a derived metric here: registered, and not masked by a metric of the source. */
  isDerived(name: string): boolean;
  /** OPTION_NOVALUE: bind an unknown metric as novalue() instead of failing. @see pmSetDerivedControl(3) */
  readonly unknownIsNovalue?: boolean;
}
