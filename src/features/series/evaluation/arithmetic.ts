import { GatewayError, INDOM_NULL, INSTANCE_NULL, MetricType, Semantics, ValueSet } from '../../../pmapi/index.js';
import type { MetricDescriptor } from '../../../pmapi/index.js';
import { getOrMake, type InSteps } from '../../../kit/index.js';
import { bindExpression, compileProgram, evaluate, History, type Program } from '../../../derived/index.js';
import { valueAt } from './read-values.js';
import { eachSample, NO_INSTANCE, type SeriesMetadata, type SeriesSample, type SeriesValues } from './series-values.js';

type Operator = '+' | '-' | '*' | '/';

/** The only instance domain of an operation: both sides have it, or none. */
const SHARED_INDOM = 1;

/**
 * Combines two series sample by sample, with the types and units of derived metrics; unlike there, a counter's factor may have a dimension.
 * Times are the left side's. Throws BAD_PARAMETER for bad combinations, and different numbers of samples or instances.
 */
export function* combine(operator: Operator, left: SeriesValues, right: SeriesValues): InSteps<SeriesValues> {
  const hasInstances = left.metadata.indom !== INDOM_NULL;
  if (left.metadata.indom !== right.metadata.indom) throw refusal(operator, 'different instance domains');
  if (left.samples.length !== right.samples.length) throw refusal(operator, 'different numbers of samples');
  const hasCounter = requireCounters(operator, left.metadata, right.metadata);
  const program = programOf(operator, left.metadata, right.metadata, hasInstances);
  const { type, units } = program.meta;
  const semantics = hasCounter ? Semantics.COUNTER : program.meta.semantics;
  const numbers = new InstanceNumbers();
  const [a, b, out] = [new ValueSet(), new ValueSet(), new ValueSet()];
  const history = new History(program.slots);
  const samples: SeriesSample[] = [];
  yield* eachSample(left.samples, (sample, sequence) => {
    const other = right.samples[sequence]!;
    if (sample.instances.length !== other.instances.length) throw refusal(operator, 'different numbers of instances');
    fill(a, program.operandTypes[0]!, sample, numbers);
    fill(b, program.operandTypes[1]!, other, numbers);
    const inputs = { sequence, operands: [a, b], timestamp: sample.time, instances: () => undefined };
    evaluate(program, inputs, history, out);
    if (out.status > 0) samples.push({ time: sample.time, ...results(out, sample, numbers) });
  });
  const isReal = type === MetricType.FLOAT || type === MetricType.DOUBLE;
  return {
    ...left,
    metadata: { type, semantics, units, indom: left.metadata.indom, form: isReal ? 'real' : 'integer' },
    samples,
  };
}

/** Whether one of the sides is a counter. Throws BAD_PARAMETER for an operator that means nothing then. */
function requireCounters(operator: Operator, left: SeriesMetadata, right: SeriesMetadata): boolean {
  const [isLeft, isRight] = [left, right].map(({ semantics }) => semantics === Semantics.COUNTER);
  const allowed = isLeft ? (isRight ? '+-' : '*/') : isRight ? '*' : '+-*/';
  if (!allowed.includes(operator)) throw refusal(operator, 'illegal for a counter');
  return isLeft === true || isRight === true;
}

function programOf(operator: Operator, left: SeriesMetadata, right: SeriesMetadata, hasInstances: boolean): Program {
  const operands = new Map([
    ['left', descriptorOf(1, operator, left, hasInstances)],
    ['right', descriptorOf(2, operator, right, hasInstances)],
  ]);
  const place = { start: 0, end: 0 };
  const name = (text: string) => ({ kind: 'name', name: text, ...place }) as const;
  const result = bindExpression(
    { kind: 'binary', operator, left: name('left'), right: name('right'), ...place },
    { operand: (text) => ({ descriptor: operands.get(text)! }), isDerived: () => false },
  );
  if (!result.ok) throw refusal(operator, result.errors[0].reason);
  return compileProgram(result.bound);
}

function descriptorOf(
  pmid: number,
  operator: Operator,
  { type, semantics: own, units }: SeriesMetadata,
  hasInstances: boolean,
): MetricDescriptor {
  const indom = hasInstances ? SHARED_INDOM : INDOM_NULL;
  const semantics = own === Semantics.COUNTER ? Semantics.INSTANT : own;
  return { pmid, type: operator === '-' ? signed(type) : type, semantics, units, indom };
}

/** A difference of unsigned numbers may be below 0. */
function signed(type: MetricType): MetricType {
  return type === MetricType.U32 || type === MetricType.U64 ? MetricType.I64 : type;
}

/** Numbers for the identifiers of instances, as value sets have them. */
class InstanceNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #instances: string[] = [];

  numberOf(instance: string): number {
    if (instance === NO_INSTANCE) return INSTANCE_NULL;
    return getOrMake(this.#numbers, instance, () => this.#instances.push(instance) - 1);
  }

  instanceOf(number: number): string {
    return number === INSTANCE_NULL ? NO_INSTANCE : this.#instances[number]!;
  }
}

function fill(set: ValueSet, type: MetricType, { instances, values }: SeriesSample, numbers: InstanceNumbers): void {
  set.reset(0, type);
  for (const [i, instance] of instances.entries()) {
    const value = values[i]!;
    const number = numbers.numberOf(instance);
    if (typeof value === 'bigint') set.addInteger(number, value);
    else set.addNumber(number, Number(value));
  }
}

/** Instances are those of the left side's sample, as long as all have a value. */
function results(
  { status: count, instances, column }: ValueSet,
  left: SeriesSample,
  numbers: InstanceNumbers,
): Pick<SeriesSample, 'instances' | 'values'> {
  const values = Array.from({ length: count }, (_, i) => valueAt(column, i));
  const named = [...instances.subarray(0, count)].map((number) => numbers.instanceOf(number));
  const isSame = named.length === left.instances.length && named.every((each, i) => each === left.instances[i]);
  return { instances: isSame ? left.instances : named, values };
}

function refusal(operator: Operator, reason: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', `operands of ${operator}: ${reason}`, { parameter: 'expr' });
}
