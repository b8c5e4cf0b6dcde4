import fc, { tries } from '../../support/properties.js';
import {
  DIMENSIONLESS,
  INDOM_NULL,
  INSTANCE_NULL,
  isWideType,
  MetricType,
  PM_ERR,
  Semantics,
  ValueSet,
  type MetricDescriptor,
} from '../../../src/pmapi/index.js';
import { bindExpression, compileProgram, evaluate, History, parseExpression } from '../../../src/derived/index.js';
import { ARITHMETIC_TYPES, modelValue, stored } from './support/c-model.js';
import { ModelInterpreter, type ModelSample, type ModelSet } from './support/model-interpreter.js';
import { INDOM, read, valueSet } from './support/values.js';

const NAMES = new Map([0, 1, 2, 3, 4].map((id) => [id, `disk${id}`]));
const DOMAIN = { indom: INDOM, instances: [...NAMES].map(([id, name]) => ({ id, name })) };

/** `t0` … `t5`: one singular metric of each type; `s0` … `s5`: the same with instances; `c0` … : counters with instances. */
const METRICS = new Map<string, MetricDescriptor>(
  ARITHMETIC_TYPES.flatMap((type) =>
    (['t', 's', 'c'] as const).map((letter, kind): [string, MetricDescriptor] => [
      `${letter}${type}`,
      {
        pmid: 10 * kind + type + 1,
        type,
        indom: letter === 't' ? INDOM_NULL : INDOM,
        semantics: letter === 'c' ? Semantics.COUNTER : Semantics.INSTANT,
        units: DIMENSIONLESS,
      },
    ]),
  ),
);

const name = fc.constantFrom(...METRICS.keys());
const OPERATORS = ['+', '-', '*', '/', '<', '<=', '==', '>=', '>', '!=', '&&', '||'];
const binary = fc.constantFrom(...OPERATORS);

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(name, fc.constantFrom('0', '1', '3', '4294967295', '0.5', 'mkconst(7, type=64)')),
    fc.tuple(tie('expression'), binary, tie('expression')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(fc.constantFrom('-', '!'), tie('expression')).map(([op, a]) => `(${op}${a})`),
    fc
      .tuple(fc.constantFrom('delta', 'rate', 'instant', 'scalar'), tie('expression'))
      .map(([call, a]) => `${call}(${a})`),
    fc.tuple(fc.constantFrom('avg', 'count', 'max', 'min', 'sum'), name).map(([call, a]) => `${call}(${a})`),
    tie('expression').map((a) => `(${a})[disk2]`),
    fc.tuple(fc.constantFrom('', '!'), tie('expression')).map(([not, a]) => `matchinst(${not}/[13]/, ${a})`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'), fc.nat(3))
      .map(
        ([guard, a, b, which]) => `(${guard} ? ${which === 0 ? 'novalue()' : a} : ${which === 1 ? 'novalue()' : b})`,
      ),
  ),
}));

/** What a metric has at one fetch: mostly values, sometimes none, sometimes an error. */
function modelSet({ type, indom }: MetricDescriptor): fc.Arbitrary<ModelSet> {
  const values =
    indom === INDOM_NULL
      ? modelValue(type).map((value) => [[INSTANCE_NULL, value]] as const)
      : fc
          .shuffledSubarray([...NAMES.keys()])
          .chain((ids) => fc.tuple(...ids.map((id) => modelValue(type).map((value) => [id, value] as const))));
  return fc.oneof({ weight: 12, arbitrary: values }, { weight: 1, arbitrary: fc.constantFrom([], PM_ERR.AGAIN) });
}

function toValueSet(type: MetricType, set: ModelSet): ValueSet {
  if (typeof set !== 'number')
    return valueSet(
      type,
      set.map(([instance, value]) => [instance, stored(type, value)]),
    );
  const failed = valueSet(type, []);
  failed.fail(set);
  return failed;
}

function expected(type: MetricType, set: ModelSet): ReturnType<typeof read> {
  if (typeof set === 'number') return set;
  return set.map(([instance, value]) => [instance, isWideType(type) ? BigInt(value) : Number(value)]);
}

/** The operators and functions over metrics of every type, and of every two types, with instances. */
const EACH = ARITHMETIC_TYPES.flatMap((type) => [
  ...['-', '!'].map((operator) => `${operator}s${type}`),
  ...['avg', 'count', 'max', 'min', 'sum', 'delta', 'rate'].map((call) => `${call}(s${type})`),
  `rate(c${type})`,
  ...OPERATORS.flatMap((operator) => ARITHMETIC_TYPES.map((other) => `s${type} ${operator} s${other}`)),
]);

/** Holds the values of an expression at three moments against a plain walk of its tree; false where it does not bind. */
function agrees(text: string, draw: (descriptor: MetricDescriptor) => ModelSet): boolean {
  const parsed = parseExpression(text);
  if (!parsed.ok) {
    // PCP: within matchinst() a slash always begins a pattern.
    expect(text).toMatch(/matchinst\(.* \/ /);
    return false;
  }
  const outcome = bindExpression(parsed.expression, {
    operand: (each) => ({ descriptor: METRICS.get(each)! }),
    isDerived: () => false,
  });
  if (!outcome.ok) return false;
  const { root, operands, slots } = outcome.bound;
  const program = compileProgram(outcome.bound);
  const history = new History(slots);
  const model = new ModelInterpreter();
  const into = new ValueSet();
  for (let sequence = 1; sequence <= 3; sequence++) {
    const sets = operands.map(({ descriptor }) => draw(descriptor));
    const sample: ModelSample = { seconds: sequence * 2, operands: sets, names: NAMES };
    const inputs = {
      sequence,
      timestamp: { sec: sample.seconds, nsec: 0 },
      operands: operands.map(({ descriptor }, i) => toValueSet(descriptor.type, sets[i]!)),
      instances: () => DOMAIN,
    };
    evaluate(program, inputs, history, into);
    expect({ text, sequence, values: read(into) }).toEqual({
      text,
      sequence,
      values: expected(root.meta.type, model.evaluate(root, sample)),
    });
    expect(into.type).toBe(root.meta.type);
  }
  return true;
}

describe('evaluate agrees with a plain walk of the tree', () => {
  it('for every expression that binds', () => {
    let bound = 0;
    fc.assert(
      fc.property(expression, fc.gen(), (text, draw) => {
        if (agrees(text, (descriptor) => draw(modelSet, descriptor))) bound++;
      }),
      { numRuns: tries(1500) },
    );
    expect(bound).toBeGreaterThan(tries(1500) / 5);
  });

  it('for every operator and function, whatever the types', () => {
    for (const text of EACH) {
      const property = fc.property(fc.gen(), (draw) => agrees(text, (descriptor) => draw(modelSet, descriptor)));
      fc.assert(property, { numRuns: tries(15) });
    }
  });
});
