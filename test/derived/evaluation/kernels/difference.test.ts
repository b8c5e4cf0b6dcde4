import { MetricType, ValueSet } from '../../../../src/pmapi/index.js';
import type { BoundDelta, BoundRate } from '../../../../src/derived/semantics/bound-expression.js';
import { ANYWHERE, Bench, INDOM, metadata, operand, valueSet } from '../support/values.js';

function delta(type: MetricType, result: MetricType): BoundDelta {
  return {
    kind: 'delta',
    slot: 0,
    operand: operand(0, type),
    meta: metadata({ type: result, indom: INDOM }),
    range: ANYWHERE,
  };
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

const { U32, U64, DOUBLE } = MetricType;

function u32(...values: readonly (readonly [number, number])[]): ValueSet {
  return valueSet(U32, values);
}

describe('deltaKernel', () => {
  it('keeps a copy of the sample: the operand set may be refilled', () => {
    const bench = new Bench(delta(U64, DOUBLE));
    const scratch = valueSet(U64, [[0, 2n ** 60n]]);
    bench.sample(0, scratch);
    scratch.reset(1, U64);
    scratch.addInteger(0, 2n ** 60n + 4096n);
    expect(bench.sample(1, scratch)).toEqual([[0, 4096]]);
  });

  it('starts over after a mark', () => {
    const bench = new Bench(delta(U32, MetricType.I64));
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
