import { INDOM_NULL, INSTANCE_NULL, MetricType } from '../../../../src/pmapi/index.js';
import type { BoundNode } from '../../../../src/derived/semantics/bound-expression.js';
import { arithmetic, convert, isInteger, relation, wrap, type ModelValue } from './c-model.js';

/** The values of a node: pairs in order, or an error code. */
export type ModelSet = number | readonly (readonly [instance: number, value: ModelValue])[];

/** One sample of the model. */
export interface ModelSample {
  readonly seconds: number;
  readonly operands: readonly ModelSet[];
  readonly names: ReadonlyMap<number, string>;
}

type Pairs = Exclude<ModelSet, number>;

/**
 * Evaluates a bound expression by walking the tree, value by value, with C's arithmetic on bigints: what evaluation is to
 * give, written for clearness alone. One object is one context; it keeps the previous sample of every node.
 */
export class ModelInterpreter {
  readonly #before = new Map<BoundNode, { seconds: number; values: ModelSet }>();

  evaluate(node: BoundNode, sample: ModelSample): ModelSet {
    switch (node.kind) {
      case 'operand':
        return sample.operands[node.operand]!;
      case 'constant':
        return [[INSTANCE_NULL, isInteger(node.meta.type) ? BigInt(node.value) : Number(node.value)]];
      case 'novalue':
        return [];
      case 'arithmetic':
        return this.#pair(node, sample, (a, b) => arithmetic(node.operator, node.computeType, a, b));
      case 'relational':
        return this.#pair(node, sample, (a, b) => BigInt(relation(node.operator, node.computeType, a, b)));
      case 'boolean':
        return this.#pair(node, sample, (a, b) => {
          const [x, y] = [Number(a) !== 0, Number(b) !== 0];
          return (node.operator === '&&' ? x && y : x || y) ? 1n : 0n;
        });
      case 'negate':
        return this.#each(node.operand, sample, (value) =>
          typeof value === 'bigint' ? wrap(node.meta.type, -value) : -value,
        );
      case 'not':
        return this.#each(node.operand, sample, (value) => (Number(value) === 0 ? 1n : 0n));
      case 'instant':
        return this.evaluate(node.operand, sample);
      case 'scalar':
        return whole(this.evaluate(node.operand, sample), ([first]) => (first ? [[INSTANCE_NULL, first[1]]] : []));
      case 'select-instance':
        return whole(this.evaluate(node.operand, sample), (pairs) =>
          pairs.filter(([instance]) => sample.names.get(instance) === node.instance),
        );
      case 'match-instances':
        return whole(this.evaluate(node.operand, sample), (pairs) =>
          pairs.filter(([instance]) => node.pattern.test(sample.names.get(instance)!) !== node.negated),
        );
      case 'aggregate':
        return aggregate(node, this.evaluate(node.operand, sample));
      case 'delta':
        return this.#difference(node, node.operand, sample, (now, before) =>
          difference(node.operand.meta.type, now, before),
        );
      case 'rate':
        return this.#difference(node, node.operand, sample, (now, before, seconds) => {
          if (node.counter && now < before) return undefined;
          const { type } = node.operand.meta;
          return (Number(arithmetic('-', type, now, before)) / seconds) * node.timeFactor;
        });
      case 'ternary':
        return this.#choose(node, sample);
      case 'rescale':
        throw new Error('the model does not rescale');
    }
  }

  #pair(
    { left, right }: { left: BoundNode; right: BoundNode },
    sample: ModelSample,
    combine: (a: ModelValue, b: ModelValue) => ModelValue,
  ): ModelSet {
    const [a, b] = [this.evaluate(left, sample), this.evaluate(right, sample)];
    if (typeof a === 'number') return a;
    if (typeof b === 'number') return b;
    const [leftSingular, rightSingular] = [isSingular(left), isSingular(right)];
    if (a.length === 0 || b.length === 0) return [];
    if (leftSingular) return b.map(([instance, value]) => [instance, combine(a[0]![1], value)]);
    if (rightSingular) return a.map(([instance, value]) => [instance, combine(value, b[0]![1])]);
    return a.flatMap(([instance, value]) => {
      const other = b.find(([each]) => each === instance);
      return other ? [[instance, combine(value, other[1])] as const] : [];
    });
  }

  #each(operand: BoundNode, sample: ModelSample, convertOne: (value: ModelValue) => ModelValue): ModelSet {
    return whole(this.evaluate(operand, sample), (pairs) =>
      pairs.map(([instance, value]) => [instance, convertOne(value)]),
    );
  }

  #difference(
    node: BoundNode,
    operand: BoundNode,
    sample: ModelSample,
    subtract: (now: ModelValue, before: ModelValue, seconds: number) => ModelValue | undefined,
  ): ModelSet {
    const now = this.evaluate(operand, sample);
    const before = this.#before.get(node);
    this.#before.set(node, { seconds: sample.seconds, values: now });
    if (typeof now === 'number') return now;
    if (!before) return [];
    const { values } = before;
    if (typeof values === 'number') return values;
    return now.flatMap(([instance, value]) => {
      const old = values.find(([each]) => each === instance);
      const result = old && subtract(value, old[1], sample.seconds - before.seconds);
      return result === undefined ? [] : [[instance, result] as const];
    });
  }

  #choose(node: Extract<BoundNode, { kind: 'ternary' }>, sample: ModelSample): ModelSet {
    const { guard, whenTrue, whenFalse } = node;
    const sets = [guard, whenTrue, whenFalse].map((each) => this.evaluate(each, sample));
    const error = sets.find((set) => typeof set === 'number');
    if (error !== undefined) return error;
    const [guards, yes, no] = sets as [Pairs, Pairs, Pairs];
    const arms = [
      { node: whenTrue, pairs: yes },
      { node: whenFalse, pairs: no },
    ];
    if (guards.length === 0 || arms.some((arm) => arm.node.kind !== 'novalue' && arm.pairs.length === 0)) return [];
    const spread = arms.filter((arm) => arm.node.kind !== 'novalue' && !isSingular(arm.node));
    const instances =
      spread.length === 0
        ? [INSTANCE_NULL]
        : [...new Set(spread.flatMap(({ pairs }) => pairs.map(([instance]) => instance)))];
    const at = (each: BoundNode, pairs: Pairs, instance: number): ModelValue | undefined =>
      (isSingular(each) ? pairs[0] : pairs.find(([id]) => id === instance))?.[1];
    return instances.flatMap((instance) => {
      const chosen = at(guard, guards, instance);
      if (chosen === undefined) return [];
      const arm = Number(chosen) !== 0 ? arms[0]! : arms[1]!;
      const value = arm.node.kind === 'novalue' ? undefined : at(arm.node, arm.pairs, instance);
      return value === undefined ? [] : [[instance, value] as const];
    });
  }
}

function isSingular(node: BoundNode): boolean {
  return node.meta.indom === INDOM_NULL;
}

function whole(set: ModelSet, change: (pairs: Pairs) => Pairs): ModelSet {
  return typeof set === 'number' ? set : change(set);
}

function difference(type: MetricType, now: ModelValue, before: ModelValue): ModelValue {
  if (type === MetricType.U64) return Number(now) - Number(before);
  if (type === MetricType.U32) return (now as bigint) - (before as bigint);
  return arithmetic('-', type, now, before);
}

function aggregate(node: Extract<BoundNode, { kind: 'aggregate' }>, set: ModelSet): ModelSet {
  if (node.function === 'count') return [[INSTANCE_NULL, typeof set === 'number' ? 0n : BigInt(set.length)]];
  if (typeof set === 'number') return set;
  const values = set.map(([, value]) => value);
  const { type } = node.operand.meta;
  const zero: ModelValue = isInteger(type) ? 0n : 0;
  const one = (value: ModelValue): ModelSet => [[INSTANCE_NULL, value]];
  if (node.function === 'sum') return one(values.reduce((sum, value) => arithmetic('+', type, sum, value), zero));
  if (values.length === 0) return [];
  if (node.function === 'min') return one(values.reduce((a, b) => (b < a ? b : a)));
  if (node.function === 'max') return one(values.reduce((a, b) => (b > a ? b : a)));
  const mean = values.reduce<number>((sum, value) => sum + Number(value), 0) / values.length;
  return one(convert(mean, MetricType.FLOAT));
}
