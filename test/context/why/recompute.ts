import { bindExpression, compileProgram, evaluate, History, parseExpression } from '../../../src/derived/index.js';
import type { BoundNode, OperandLookup } from '../../../src/derived/index.js';
import {
  DIMENSIONLESS,
  formatMetricType,
  formatSemantics,
  INDOM_NULL,
  INSTANCE_NULL,
  MetricType,
  parseIndom,
  parseUnits,
  Semantics,
  ValueSet,
} from '../../../src/pmapi/index.js';
import type { components } from '../../../src/client/index.js';

const TYPES = [
  MetricType.I32,
  MetricType.U32,
  MetricType.I64,
  MetricType.U64,
  MetricType.FLOAT,
  MetricType.DOUBLE,
  MetricType.STRING,
] as const;
const SEMANTICS = [Semantics.COUNTER, Semantics.INSTANT, Semantics.DISCRETE] as const;

type Schemas = components['schemas'];
type Value = Schemas['Value'];

/** A metric of an explanation, recomputed from nothing else: what its values must have been, by instance. */
export function recompute(metric: Schemas['WhyMetric']): ReadonlyMap<number | null, Value> {
  const computed = metric.expression && evaluateAgain(metric.expression, metric.meaning.definition!.expression);
  return new Map(
    metric.values.map(({ instance, from, rate }) => {
      const original = from ? originalOf(from, metric.metadata.type) : computed?.get(instance);
      let value = asRecorded(original ?? null, metric.metadata.type);
      if (rate) value = rateOf(rate, value);
      if (metric.units) value = Number(value) * metric.units.factor + metric.units.offset;
      return [instance, value ?? null];
    }),
  );
}

/** A value as the metric's type has it: answers write a float with the digits that tell it from other floats. */
export function asRecorded(value: Value, type: string): Value {
  return type === 'FLOAT' && value !== null ? Math.fround(Number(value)) : value;
}

function originalOf(from: Schemas['WhyOrigin'], type: string): Value {
  const { rule, sample, low, high, elapsed, span, wrapped } = from;
  if (rule === 'exact') return sample!.value;
  if (rule !== 'line') return rule === 'earlier' ? low!.value : high!.value;
  const wraps = wrapped ? 2 ** (type.endsWith('64') ? 64 : 32) : 0;
  if (typeof low!.value === 'string' || typeof high!.value === 'string' || (wrapped && type.endsWith('64'))) {
    const [a, b] = [BigInt(low!.value!), BigInt(high!.value!)];
    const value = a + BigInt(Math.round(Number(b - a + BigInt(wraps)) * (elapsed! / span!)));
    return exact(type === 'U64' ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value));
  }
  const [a, b] = [Number(low!.value), Number(high!.value)];
  const value = a + (elapsed! * (b - a + wraps)) / span!;
  if (type === 'DOUBLE') return value;
  if (type === 'FLOAT') return Math.fround(value);
  const whole = Math.trunc(value + 0.5);
  return wraps > 0 && whole >= wraps ? whole - wraps : whole;
}

function exact(value: bigint): Value {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function rateOf(
  { before, after, elapsed, wraps, wrapsBy, factor }: Schemas['WhyRate'],
  value: Value | undefined,
): number {
  expect(value).toEqual(after.value);
  const rise =
    typeof before.value === 'string' || typeof after.value === 'string'
      ? Number(BigInt(after.value!) - BigInt(before.value!) + BigInt(wraps * wrapsBy))
      : Number(after.value) - Number(before.value) + wraps * wrapsBy;
  return (rise * factor) / elapsed;
}

type Node = Schemas['WhyNode'];

/** Evaluate an expression over the values of its leaves, and of what delta() and rate() compared them with. */
function evaluateAgain(tree: Node, expression: string): ReadonlyMap<number | null, Value> {
  const nodes = flatten(tree);
  const parsed = parseExpression(expression);
  if (!parsed.ok) throw new Error(expression);
  const leaves = new Map(
    nodes.filter(({ kind, metadata }) => kind === 'name' && metadata).map((node) => [node.text, node]),
  );
  const pmids = new Map([...leaves.keys()].map((name, i) => [name, i + 1]));
  const operand = (name: string): OperandLookup => {
    const node = leaves.get(name);
    if (!node) return { error: -12357 };
    return { descriptor: { pmid: pmids.get(name)!, ...describe(node) } };
  };
  const result = bindExpression(parsed.expression, { operand, isDerived: () => false, unknownIsNovalue: false });
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  const { bound } = result;
  const program = compileProgram(bound);
  const history = new History(program.slots);
  for (const node of boundNodes(bound.root)) {
    if (node.kind !== 'delta' && node.kind !== 'rate') continue;
    const { previous, children } = nodes.find(
      ({ start, end }) => start === node.range.start && end === node.range.end,
    )!;
    if (!previous) continue;
    const set = setOf(previous.values, describe(children[0]!).type);
    history.remember(node.slot, { sec: -previous.elapsed, nsec: 0 }, set);
  }
  const operands = bound.operands.map(({ name }) => {
    const { values = [], metadata } = leaves.get(name)!;
    for (const { from, value } of values) {
      expect(from).toBeDefined();
      expect(asRecorded(originalOf(from!, metadata!.type), metadata!.type)).toEqual(asRecorded(value, metadata!.type));
    }
    return setOf(values, typeOf(metadata!.type));
  });
  const instances = (indom: number): { indom: number; instances: { id: number; name: string }[] } => {
    const named = nodes.flatMap(({ metadata, values = [] }) =>
      describeIndom(metadata!.indom) === indom ? values : [],
    );
    return { indom, instances: named.map(({ instance, name }) => ({ id: instance!, name: name ?? '' })) };
  };
  const into = new ValueSet();
  evaluate(program, { sequence: 1, timestamp: { sec: 0, nsec: 0 }, operands, instances }, history, into);
  return new Map(
    Array.from({ length: Math.max(into.status, 0) }, (_, i) => {
      const instance = into.instances[i]!;
      const value = into.column.wide ? exact(into.column.integerAt(i)) : into.column.numbers[i]!;
      return [instance === INSTANCE_NULL ? null : instance, value];
    }),
  );
}

function flatten(node: Node): readonly Node[] {
  return [node, ...node.children.flatMap(flatten)];
}

function boundNodes(node: BoundNode): readonly BoundNode[] {
  const below = Object.values(node).filter((value): value is BoundNode => typeof value === 'object' && 'kind' in value);
  return [node, ...below.flatMap(boundNodes)];
}

function describe({ metadata }: Node): {
  type: MetricType;
  semantics: Semantics;
  units: ReturnType<typeof parseUnits>['units'];
  indom: number;
} {
  const { type, semantics, units, indom } = metadata!;
  return {
    type: typeOf(type),
    semantics: SEMANTICS.find((one) => formatSemantics(one) === semantics)!,
    units: units === '' ? DIMENSIONLESS : parseUnits(units).units,
    indom: describeIndom(indom),
  };
}

function typeOf(text: string): MetricType {
  return TYPES.find((type) => formatMetricType(type) === text)!;
}

function describeIndom(indom: string | null): number {
  return indom === null ? INDOM_NULL : parseIndom(indom)!;
}

function setOf(values: Node['values'] & object, type: MetricType): ValueSet {
  const set = new ValueSet();
  set.reset(0, type);
  for (const { instance, value } of values) {
    const id = instance ?? INSTANCE_NULL;
    if (type === MetricType.I64 || type === MetricType.U64) set.addInteger(id, BigInt(value!));
    else if (type === MetricType.STRING) set.addText(id, String(value));
    else set.addNumber(id, type === MetricType.FLOAT ? Math.fround(Number(value)) : Number(value));
  }
  return set;
}
