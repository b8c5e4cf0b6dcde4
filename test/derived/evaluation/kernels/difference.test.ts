import fc from '../../../support/properties.js';
import { INDOM_NULL, MetricType, ValueSet } from '../../../../src/pmapi/index.js';
import type { BoundDelta, BoundNode, BoundRate } from '../../../../src/derived/semantics/bound-expression.js';
import { ARITHMETIC_TYPES, isInteger, modelValue, stored, wrap, type ModelValue } from '../support/c-model.js';
import { ANYWHERE, Bench, INDOM, metadata, operand, singular, valueSet } from '../support/values.js';

function deltaType(type: MetricType): MetricType {
  if (type === MetricType.U32) return MetricType.I64;
  return type === MetricType.U64 ? MetricType.DOUBLE : type;
}

function delta(type: MetricType, indom = INDOM, over: BoundNode = operand(0, type, indom), slot = 0): BoundDelta {
  return { kind: 'delta', slot, operand: over, meta: metadata({ type: deltaType(type), indom }), range: ANYWHERE };
}

function rate(type: MetricType): BoundRate {
  return {
    kind: 'rate',
    slot: 0,
    counter: false,
    timeFactor: 1,
    operand: operand(0, type),
    meta: metadata({ type: MetricType.DOUBLE, indom: INDOM }),
    range: ANYWHERE,
  };
}

const { U32, U64, FLOAT, DOUBLE } = MetricType;

/** U32 values of instances 0, 1, … */
function u32(...values: readonly (readonly [number, number])[]): ValueSet {
  return valueSet(U32, values);
}

describe('deltaKernel', () => {
  it('subtracts in the type that the manual gives it, for every type', () => {
    for (const type of ARITHMETIC_TYPES) {
      fc.assert(
        fc.property(modelValue(type), modelValue(type), (before, now) => {
          const bench = new Bench(delta(type, INDOM_NULL));
          expect(bench.sample(0, singular(type, stored(type, before)))).toEqual([]);
          expect(bench.sample(1, singular(type, stored(type, now)))).toEqual([[-1, expectedDelta(type, now, before)]]);
        }),
        { numRuns: 80 },
      );
    }
  });

  function expectedDelta(type: MetricType, now: ModelValue, before: ModelValue): number | bigint {
    if (type === U64) return Number(now) - Number(before);
    const result = deltaType(type);
    if (isInteger(result)) return stored(result, wrap(result, (now as bigint) - (before as bigint)));
    const difference = (now as number) - (before as number);
    return type === FLOAT ? Math.fround(difference) : difference;
  }

  it('keeps a copy of the sample: the operand set may be refilled', () => {
    const bench = new Bench(delta(U64));
    const scratch = valueSet(U64, [[0, 2n ** 60n]]);
    bench.sample(0, scratch);
    scratch.reset(1, U64);
    scratch.addInteger(0, 2n ** 60n + 4096n);
    expect(bench.sample(1, scratch)).toEqual([[0, 4096]]);
  });

  it('starts over after a reset, and after a mark', () => {
    const bench = new Bench(delta(U32));
    bench.sample(0, u32([0, 1]));
    bench.history.reset();
    expect(bench.sample(1, u32([0, 2]))).toEqual([]);
    bench.history.forgetSamples();
    expect(bench.sample(2, u32([0, 3]))).toEqual([]);
    expect(bench.sample(3, u32([0, 5]))).toEqual([[0, 2n]]);
  });
});

describe('rateKernel', () => {
  it('divides by the time between the samples it saw, to the nanosecond', () => {
    const bench = new Bench(rate(U32));
    bench.sample(1_700_000_000.25, u32([0, 0]));
    expect(bench.sample(1_700_000_000.75, u32([0, 1]))).toEqual([[0, 2]]);
    // A fetch without this metric leaves its history alone: the interval is the longer one.
    expect(bench.sample(1_700_000_004.75, u32([0, 9]))).toEqual([[0, 2]]);
  });

  it('has a negative interval when time goes back', () => {
    const bench = new Bench(rate(DOUBLE));
    bench.sample(10, valueSet(DOUBLE, [[0, 1]]));
    expect(bench.sample(8, valueSet(DOUBLE, [[0, 5]]))).toEqual([[0, -2]]);
  });
});
