import {
  DIMENSIONLESS,
  formatPmErr,
  INDOM_NULL,
  MetricType,
  PM_ERR,
  rateTimeFactor,
  rateUnits,
  Semantics,
} from '../../pmapi/index.js';
import type { MetricDescriptor } from '../../pmapi/index.js';
import type * as ast from '../language/ast.js';
import { childrenOf, operatorOf, type AnyExpression, type Expression } from '../language/ast.js';
import { compilePattern } from '../language/posix-pattern.js';
import { printExpression } from '../language/print.js';
import { anonymousType, constantTypeMismatch } from '../language/tag-values.js';
import type { BindingEnvironment, BoundExpression, BoundNode, BoundOperand, NodeMetadata } from './bound-expression.js';
import {
  DOUBLE_METADATA,
  INTEGER_METADATA,
  NOVALUE_METADATA,
  constantMetadata,
  constantValue,
  evaluateStatically,
} from './constants.js';
import { asInstant, COUNT_UNITS } from './functions.js';
import {
  arithmeticSemantics,
  arithmeticUnits,
  comparisonSemantics,
  computeType,
  deltaType,
  negatedType,
  promote,
  toCommonScales,
} from './result-metadata.js';
import { isArithmeticOperator, isBooleanOperator, type OperandView } from './rules/rule.js';
import { ARMS_RULES, BINARY_RULES, GUARD_RULES, OPERAND_RULES } from './specified-rules.js';
import { describeArms, describeConstruct, type Failure, type SemanticError } from './semantic-error.js';

/** A bound expression, or at least one error, in the order of the checks. */
export type BindResult =
  | { readonly ok: true; readonly bound: BoundExpression }
  | {
      readonly ok: false;
      readonly errors: readonly [SemanticError, ...SemanticError[]];
      /** The operands and slots of the parts that do bind: see {@link BindOptions.onNode}. */
      readonly parts: Pick<BoundExpression, 'operands' | 'slots'>;
    };

export interface BindOptions {
  readonly allErrors?: boolean;
  readonly onNode?: (node: AnyExpression, bound: BoundNode) => void;
  readonly onDropped?: (node: AnyExpression) => void;
}

export interface OperandNames {
  readonly metrics: readonly string[];
  readonly like: readonly string[];
}

/** Every name that binding will look up. */
export function operandNames(expression: Expression): OperandNames {
  const metrics = new Set<string>();
  const like = new Set<string>();
  const visit = (node: AnyExpression): void => {
    if (node.kind === 'name') metrics.add(node.name);
    else if ((node.kind === 'mkconst' || node.kind === 'novalue') && node.metadata.like !== undefined) {
      like.add(node.metadata.like);
    }
    if (node.kind === 'name-call' && node.function === 'anon') return;
    for (const child of childrenOf(node)) visit(child);
  };
  visit(expression);
  return { metrics: [...metrics], like: [...like] };
}

/** Checks a parsed expression against the metrics of a context. @see pmRegisterDerived(3), "SEMANTIC CHECKS AND RULES" */
export function bindExpression(
  expression: Expression,
  environment: BindingEnvironment,
  options: BindOptions = {},
): BindResult {
  const binder = new Binder(environment, options);
  try {
    binder.checkNames(expression, false);
    const root = binder.bind(expression);
    const [first, ...others] = binder.errors;
    const { operands, slots } = binder;
    if (first) return { ok: false, errors: [first, ...others], parts: { operands, slots } };
    return { ok: true, bound: { root: root!, operands, slots } };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { ok: false, errors: [binder.errors[0]!], parts: { operands: [], slots: 0 } };
  }
}

class Stop extends Error {}

class Binder {
  readonly errors: SemanticError[] = [];
  readonly operands: BoundOperand[] = [];
  slots = 0;
  readonly #environment: BindingEnvironment;
  readonly #options: BindOptions;
  readonly #operandIndex = new Map<number, number>();
  /** Constants whose `meta=` has been reported, because they are visited twice. */
  readonly #withoutModel = new Set<ast.MkconstExpression | ast.NovalueExpression>();

  constructor(environment: BindingEnvironment, options: BindOptions) {
    this.#environment = environment;
    this.#options = options;
  }

  /** The first pass: no name may be a derived metric; those that no ternary or defined() makes optional must exist. */
  checkNames(node: AnyExpression, isOptional: boolean): void {
    if (node.kind === 'name') {
      this.#checkName(node, isOptional);
      return;
    }
    if (node.kind === 'name-call') {
      if (node.function !== 'anon') this.#checkName(node.operand, isOptional || node.function === 'defined');
      return;
    }
    if ((node.kind === 'mkconst' || node.kind === 'novalue') && node.metadata.like !== undefined && !isOptional) {
      this.#findModel(node, node.metadata.like);
    }
    for (const child of childrenOf(node)) this.checkNames(child, isOptional || node.kind === 'ternary');
  }

  #checkName(node: ast.NameExpression, isOptional: boolean): void {
    const { name } = node;
    if (this.#environment.isDerived(name)) {
      this.#report(node, {
        code: 'nested-derived-metric',
        reason: 'Illegal nested derived metric',
        explanation: `${name} is a derived metric itself; operands must be metrics of the source.`,
      });
      return;
    }
    const found = this.#environment.operand(name);
    if (found.descriptor || isOptional || this.#environment.unknownIsNovalue === true) return;
    if (isUnknown(found.error)) {
      this.#report(node, {
        code: 'unknown-metric',
        reason: 'Unknown operand metric',
        explanation: `There is no metric ${name} here.`,
      });
    } else {
      this.#reportNoMetadata(node, found.error);
    }
  }

  #reportNoMetadata(node: ast.NameExpression, error: number): void {
    this.#report(node, {
      code: 'no-metadata',
      reason: 'Metadata for operand metric not available',
      explanation: `${node.name} exists, but its descriptor is not available: ${formatPmErr(error)}.`,
    });
  }

  /** Binds a node; undefined after an error in it was reported. */
  bind(node: Expression): BoundNode | undefined {
    const bound = this.#bindKind(node);
    if (bound) this.#options.onNode?.(node, bound);
    return bound;
  }

  #bindKind(node: Expression): BoundNode | undefined {
    const range = rangeOf(node);
    switch (node.kind) {
      case 'name':
        return this.#bindName(node);
      case 'integer':
        return { kind: 'constant', meta: INTEGER_METADATA, range, value: node.value };
      case 'double':
        return { kind: 'constant', meta: DOUBLE_METADATA, range, value: node.value };
      case 'mkconst':
        return this.#bindMkconst(node);
      case 'unary': {
        const operand = this.#bindOperand(node, node.operator);
        if (!operand) return undefined;
        const { meta } = operand;
        if (node.operator === '-') {
          const negated = { ...meta, type: negatedType(meta.type), semantics: Semantics.INSTANT };
          return { kind: 'negate', meta: negated, range, operand };
        }
        return { kind: 'not', meta: truthOf(meta.indom, meta.semantics, meta.semantics), range, operand };
      }
      case 'binary':
        return this.#bindBinary(node);
      case 'ternary':
        return this.#bindTernary(node);
      case 'select': {
        const operand = this.#bindOperand(node, '[]');
        if (!operand) return undefined;
        const { instance } = node;
        return { kind: 'select-instance', meta: operand.meta, range, operand, instance, slot: this.#newSlot() };
      }
      case 'name-call':
        return this.#bindNameCall(node);
      case 'call':
        return this.#bindCall(node);
      case 'rescale': {
        const operand = this.#bindOperand(node, 'rescale');
        if (!operand) return undefined;
        const meta = { ...operand.meta, units: node.units };
        return { kind: 'rescale', meta, range, operand, from: operand.meta.units, to: node.units };
      }
      case 'matchinst': {
        const operand = this.#bindOperand(node, 'matchinst');
        const pattern = compilePattern(node.pattern);
        // The parser has compiled it: a pattern without a meaning does not get here.
        if (!operand || 'reason' in pattern) return undefined;
        const { negated } = node;
        return { kind: 'match-instances', meta: operand.meta, range, operand, pattern, negated, slot: this.#newSlot() };
      }
    }
  }

  #bindName(node: ast.NameExpression): BoundNode | undefined {
    const range = rangeOf(node);
    if (this.#environment.isDerived(node.name)) return undefined;
    const found = this.#environment.operand(node.name);
    if (!found.descriptor) {
      if (this.#environment.unknownIsNovalue === true) return { kind: 'novalue', meta: NOVALUE_METADATA, range };
      return undefined;
    }
    const meta = metadataOf(found.descriptor);
    return { kind: 'operand', meta, range, operand: this.#operandOf(node.name, found.descriptor) };
  }

  #operandOf(name: string, descriptor: MetricDescriptor): number {
    const known = this.#operandIndex.get(descriptor.pmid);
    if (known !== undefined) return known;
    this.#operandIndex.set(descriptor.pmid, this.operands.length);
    return this.operands.push({ name, descriptor }) - 1;
  }

  /** The metric that `meta=` names; reported once if missing, for novalue() in the words of its ternary. */
  #findModel(node: ast.MkconstExpression | ast.NovalueExpression, name: string): MetricDescriptor | undefined {
    const found = this.#environment.operand(name);
    if (found.descriptor || this.#withoutModel.has(node)) return found.descriptor;
    this.#withoutModel.add(node);
    const tag = node.tags.findLast((each) => each.tag === 'meta')!;
    const [code, reason] =
      node.kind === 'novalue'
        ? (['ternary-unknown-metric', 'Unknown metric for ternary expression'] as const)
        : (['unknown-metric', 'Unknown operand metric'] as const);
    this.#report(
      { kind: 'name', name, start: tag.start, end: tag.end },
      { code, reason, explanation: `There is no metric ${name} here to take metadata from.` },
    );
    return undefined;
  }

  /** Metadata of mkconst() and novalue(); undefined when `meta=` names nothing. */
  #constantMetadata(
    node: ast.MkconstExpression | ast.NovalueExpression,
    tags: ast.ConstantMetadata,
    fallback: NodeMetadata,
  ): NodeMetadata | undefined {
    if (tags.like === undefined) return constantMetadata(tags, undefined, fallback);
    const model = this.#findModel(node, tags.like);
    return model && constantMetadata(tags, metadataOf(model), fallback);
  }

  #bindMkconst(node: ast.MkconstExpression): BoundNode | undefined {
    const fallback = node.number.kind === 'integer' ? INTEGER_METADATA : DOUBLE_METADATA;
    const meta = this.#constantMetadata(node, node.metadata, fallback);
    if (!meta) return undefined;
    const mismatch = constantTypeMismatch(node.number.kind, meta.type);
    if (mismatch !== undefined) {
      this.#report(node, { code: 'constant-type', reason: mismatch, explanation: `${mismatch}.` });
      return undefined;
    }
    return { kind: 'constant', meta, range: rangeOf(node), value: constantValue(node.number, meta.type) };
  }

  #bindNovalue(node: ast.NovalueExpression): BoundNode | undefined {
    const meta = this.#constantMetadata(node, node.metadata, NOVALUE_METADATA);
    if (!meta) return undefined;
    const bound: BoundNode = { kind: 'novalue', meta, range: rangeOf(node) };
    this.#options.onNode?.(node, bound);
    return bound;
  }

  #bindBinary(node: ast.BinaryExpression): BoundNode | undefined {
    const left = this.bind(node.left);
    const right = this.bind(node.right);
    if (!left || !right) return undefined;
    const { operator } = node;
    const operation = { operator, left: viewOf(node.left, left), right: viewOf(node.right, right) };
    const failure = firstFailure(BINARY_RULES, operation);
    if (failure) {
      this.#report(node, failure);
      return undefined;
    }
    const range = rangeOf(node);
    const [a, b] = [left.meta, right.meta];
    const indom = a.indom === INDOM_NULL ? b.indom : a.indom;
    if (isBooleanOperator(operator)) {
      const meta = truthOf(indom, a.semantics, b.semantics);
      return { kind: 'boolean', operator, meta, range, left, right, computeType: promote(a.type, b.type) };
    }
    const { left: leftUnits, right: rightUnits, ...scales } = toCommonScales(a.units, b.units);
    const isScaled = scales.leftScale !== undefined || scales.rightScale !== undefined;
    const type = computeType(operator, a.type, b.type, isScaled);
    if (!isArithmeticOperator(operator)) {
      const meta = truthOf(indom, a.semantics, b.semantics);
      return { kind: 'relational', operator, meta, range, left, right, computeType: type, ...scales };
    }
    const semantics = arithmeticSemantics(a.semantics, b.semantics, isLiteral(node.left));
    const meta = { type, semantics, units: arithmeticUnits(operator, leftUnits, rightUnits), indom };
    return { kind: 'arithmetic', operator, meta, range, left, right, computeType: type, ...scales };
  }

  #bindNameCall(node: ast.NameCallExpression): BoundNode | undefined {
    const range = rangeOf(node);
    if (node.function === 'anon') {
      const type = anonymousType(node.operand.name) ?? MetricType.U32;
      return { kind: 'novalue', meta: { ...NOVALUE_METADATA, type }, range };
    }
    if (node.function === 'defined') {
      const value = this.#isDefined(node.operand.name) ? 1 : 0;
      return { kind: 'constant', meta: INTEGER_METADATA, range, value };
    }
    const operand = this.#bindOperand(node, node.function);
    if (!operand) return undefined;
    return { kind: 'aggregate', function: node.function, meta: aggregateMetadata(node, operand.meta), range, operand };
  }

  #bindCall(node: ast.CallExpression): BoundNode | undefined {
    const operand = this.#bindOperand(node, node.function);
    if (!operand) return undefined;
    const range = rangeOf(node);
    const { meta } = operand;
    switch (node.function) {
      case 'scalar':
        return { kind: 'scalar', meta: { ...meta, indom: INDOM_NULL }, range, operand };
      case 'instant':
        return { kind: 'instant', meta: { ...meta, semantics: asInstant(meta.semantics) }, range, operand };
      case 'delta': {
        const result = { ...meta, type: deltaType(meta.type), semantics: Semantics.INSTANT };
        return { kind: 'delta', meta: result, range, operand, slot: this.#newSlot() };
      }
      case 'rate':
        return {
          kind: 'rate',
          meta: { ...meta, type: MetricType.DOUBLE, semantics: Semantics.INSTANT, units: rateUnits(meta.units) },
          range,
          operand,
          slot: this.#newSlot(),
          counter: meta.semantics === Semantics.COUNTER,
          timeFactor: rateTimeFactor(meta.units),
        };
    }
  }

  #bindTernary(node: ast.TernaryExpression): BoundNode | undefined {
    const choice = evaluateStatically(node.guard, (name) => this.#isDefined(name));
    if (choice !== undefined) {
      // The dropped arm may hold anything; the guard has been decided and needs no place in the tree.
      const arm = choice ? node.whenTrue : node.whenFalse;
      this.#describeGuard(node.guard);
      this.#options.onDropped?.(choice ? node.whenFalse : node.whenTrue);
      return this.#bindArm(arm, 'the guard always selects it');
    }
    const why = 'whether it is needed is not known in advance';
    const whenTrue = this.#bindArm(node.whenTrue, why);
    const whenFalse = this.#bindArm(node.whenFalse, why);
    const guard = this.#bindGuard(node);
    if (!whenTrue || !whenFalse) return undefined;

    let result: NodeMetadata;
    if (node.whenTrue.kind === 'novalue') result = whenFalse.meta;
    else if (node.whenFalse.kind === 'novalue') result = whenTrue.meta;
    else {
      const arms = { whenTrue: whenTrue.meta, whenFalse: whenFalse.meta };
      const failure = firstFailure(ARMS_RULES, arms);
      if (failure) {
        this.#report(node, failure, { where: describeArms(node), operator: ':' });
        return undefined;
      }
      const indom = arms.whenTrue.indom === INDOM_NULL ? arms.whenFalse.indom : arms.whenTrue.indom;
      result = { ...arms.whenTrue, indom };
    }
    if (!guard) return undefined;
    const failure = firstFailure(GUARD_RULES, { guard: guard.meta, result });
    if (failure) {
      this.#report(node, failure, { operator: '?' });
      return undefined;
    }
    return { kind: 'ternary', meta: result, range: rangeOf(node), guard, whenTrue, whenFalse };
  }

  /** A selected arm: its names must exist. `why` is reported for one that does not. */
  #bindArm(node: Expression | ast.NovalueExpression, why: string): BoundNode | undefined {
    if (node.kind === 'novalue') return this.#bindNovalue(node);
    this.#checkArmNames(node, (name) => ({
      code: 'ternary-unknown-metric',
      reason: 'Unknown metric for ternary expression',
      explanation: `There is no metric ${name} here, and ${why}.`,
    }));
    return this.bind(node);
  }

  /** Metadata of a decided guard. Its errors do not count, and its metrics are not fetched. */
  #describeGuard(guard: Expression): void {
    const { onNode } = this.#options;
    if (onNode) new Binder(this.#environment, { onNode, allErrors: true }).bind(guard);
  }

  /** PCP: an unknown metric in the guard is reported as if the guard were a set of values. */
  #bindGuard(ternary: ast.TernaryExpression): BoundNode | undefined {
    this.#checkArmNames(ternary.guard, (name) => ({
      code: 'ternary-unknown-metric',
      reason: 'Non-scalar ternary guard with scalar expressions',
      explanation: `The guard needs the metric ${name}, which does not exist here.`,
    }));
    return this.bind(ternary.guard);
  }

  #checkArmNames(node: AnyExpression, failure: (name: string) => Failure): void {
    if (node.kind === 'name') {
      const found = this.#environment.operand(node.name);
      if (found.descriptor || this.#environment.isDerived(node.name)) return;
      if (this.#environment.unknownIsNovalue === true) return;
      if (isUnknown(found.error)) this.#report(node, failure(node.name));
      else this.#reportNoMetadata(node, found.error);
      return;
    }
    // Ternaries look after their own arms; defined() and anon() need no metric.
    if (node.kind === 'ternary') return;
    if (node.kind === 'name-call' && (node.function === 'defined' || node.function === 'anon')) return;
    for (const child of childrenOf(node)) this.#checkArmNames(child, failure);
  }

  #isDefined(name: string): boolean {
    const found = this.#environment.operand(name);
    return found.descriptor !== undefined || !isUnknown(found.error);
  }

  /** Binds the operand of a node, and checks it; undefined after an error was reported. */
  #bindOperand(node: Expression & { readonly operand: Expression }, operator: string): BoundNode | undefined {
    const bound = this.bind(node.operand);
    if (!bound) return undefined;
    const target = node.kind === 'rescale' ? { target: node.units } : {};
    const failure = firstFailure(OPERAND_RULES, { operator, operand: viewOf(node.operand, bound), ...target });
    if (failure) this.#report(node, failure);
    return failure ? undefined : bound;
  }

  #newSlot(): number {
    return this.slots++;
  }

  #report(node: AnyExpression, failure: Failure, override: { where?: string; operator?: string } = {}): void {
    const isName = node.kind === 'name';
    const operator = override.operator ?? describedOperator(node);
    this.errors.push({
      ...failure,
      where: override.where ?? (isName ? `operand ${node.name}` : describeConstruct(node)),
      ...(operator !== undefined && { operator }),
      operands: isName ? [node.name] : childrenOf(node).map((child) => printExpression(child)),
      range: rangeOf(node),
    });
    if (this.#options.allErrors !== true) throw new Stop();
  }
}

function firstFailure<T>(
  rules: readonly { check(subject: T): Failure | undefined }[],
  subject: T,
): Failure | undefined {
  for (const rule of rules) {
    const failure = rule.check(subject);
    if (failure) return failure;
  }
  return undefined;
}

function aggregateMetadata(node: ast.NameCallExpression, meta: NodeMetadata): NodeMetadata {
  const singular = { ...meta, indom: INDOM_NULL };
  switch (node.function) {
    case 'avg':
      return { ...singular, type: MetricType.FLOAT, semantics: Semantics.INSTANT };
    case 'count':
      return { ...singular, type: MetricType.U32, semantics: Semantics.INSTANT, units: COUNT_UNITS };
    case 'sum':
      return singular;
    default:
      return { ...singular, semantics: Semantics.INSTANT };
  }
}

function truthOf(indom: number, left: Semantics, right: Semantics): NodeMetadata {
  return { type: MetricType.U32, semantics: comparisonSemantics(left, right), units: DIMENSIONLESS, indom };
}

function viewOf(node: Expression, { meta }: BoundNode): OperandView {
  return { node, meta, isConstant: isConstant(node) };
}

function isLiteral({ kind }: Expression): boolean {
  return kind === 'integer' || kind === 'double' || kind === 'mkconst';
}

function isConstant(node: Expression): boolean {
  return isLiteral(node) || (node.kind === 'unary' && node.operator === '-' && isConstant(node.operand));
}

function isUnknown(error: number): boolean {
  return error === PM_ERR.NAME || error === PM_ERR.NONLEAF;
}

function metadataOf({ type, semantics, units, indom }: MetricDescriptor): NodeMetadata {
  return { type, semantics, units, indom };
}

function rangeOf({ start, end }: AnyExpression): ast.SourceRange {
  return { start, end };
}

function describedOperator(node: AnyExpression): string | undefined {
  if (node.kind === 'rescale' || node.kind === 'matchinst' || node.kind === 'mkconst') return node.kind;
  return node.kind === 'select' ? '[]' : operatorOf(node);
}
