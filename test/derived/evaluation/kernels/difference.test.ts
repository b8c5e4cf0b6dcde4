import fc from '../../../support/properties.js';
import { INDOM_NULL, MetricType, PM_ERR, ValueSet } from '../../../../src/pmapi/index.js';
import type { BoundDelta, BoundNode, BoundRate } from '../../../../src/derived/semantics/bound-expression.js';
import { ARITHMETIC_TYPES, isInteger, modelValue, stored, wrap, type ModelValue } from '../support/c-model.js';
import { ANYWHERE, Bench, failed, INDOM, metadata, operand, singular, valueSet } from '../support/values.js';
import { rows } from '../../../support/rows.js';

function deltaType(type: MetricType): MetricType {
  if (type === MetricType.U32) return MetricType.I64;
  return type === MetricType.U64 ? MetricType.DOUBLE : type;
}

function delta(type: MetricType, indom = INDOM, over: BoundNode = operand(0, type, indom), slot = 0): BoundDelta {
  return { kind: 'delta', slot, operand: over, meta: metadata({ type: deltaType(type), indom }), range: ANYWHERE };
}

function rate(type: MetricType, parts: Partial<BoundRate> = {}): BoundRate {
  return {
    kind: 'rate',
    slot: 0,
    counter: false,
    timeFactor: 1,
    operand: operand(0, type),
    meta: metadata({ type: MetricType.DOUBLE, indom: INDOM }),
    range: ANYWHERE,
    ...parts,
  };
}

const { U32, I32, I64, U64, FLOAT, DOUBLE } = MetricType;

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

  it('has values for the instances in both samples, in the order of the present one', () => {
    const bench = new Bench(delta(U32));
    bench.sample(0, u32([0, 1], [1, 10], [2, 100]));
    expect(bench.sample(1, u32([3, 7], [2, 105], [0, 2]))).toEqual(rows([2, 5n], [0, 1n]));
    // Instance 1 is back: what it was before it went away counts no more.
    expect(bench.sample(2, u32([0, 2], [1, 20], [3, 8]))).toEqual(rows([0, 0n], [3, 1n]));
  });

  it('has no values in a sample without the metric, nor in the next one', () => {
    const bench = new Bench(delta(U32));
    bench.sample(0, u32([0, 1]));
    expect(bench.sample(1, u32())).toEqual([]);
    expect(bench.sample(2, u32([0, 5]))).toEqual([]);
    expect(bench.sample(3, u32([0, 7]))).toEqual([[0, 2n]]);
  });

  it('shows an error twice: in its own sample and in the next one', () => {
    const bench = new Bench(delta(U32));
    bench.sample(0, u32([0, 1]));
    expect(bench.sample(1, failed(U32, PM_ERR.AGAIN))).toBe(PM_ERR.AGAIN);
    expect(bench.sample(2, u32([0, 5]))).toBe(PM_ERR.AGAIN);
    expect(bench.sample(3, u32([0, 7]))).toEqual([[0, 2n]]);
  });

  it('keeps a copy of the sample: the operand set may be refilled', () => {
    const bench = new Bench(delta(U64));
    const scratch = valueSet(U64, [[0, 2n ** 60n]]);
    bench.sample(0, scratch);
    scratch.reset(1, U64);
    scratch.addInteger(0, 2n ** 60n + 4096n);
    expect(bench.sample(1, scratch)).toEqual([[0, 4096]]);
  });

  it('keeps one history a node: delta(delta(x)) takes three samples', () => {
    const inner = delta(U32);
    const bench = new Bench(delta(I64, INDOM, inner, 1));
    expect(bench.sample(0, u32([0, 1]))).toEqual([]);
    expect(bench.sample(1, u32([0, 3]))).toEqual([]);
    expect(bench.sample(2, u32([0, 8]))).toEqual([[0, 3n]]);
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
  it.each([
    ['U32', U32, 100, 400, 150],
    ['U32 down, no counter: as unsigned', U32, 400, 100, (2 ** 32 - 300) / 2],
    ['32 wraps as signed', I32, 2147483647, -2147483648, 0.5],
    ['64', I64, 0n, 2n ** 60n, 2 ** 59],
    ['U64 down, no counter: as unsigned', U64, 1n, 0n, 2 ** 63],
    ['U64 exact difference of huge counts', U64, 2n ** 63n, 2n ** 63n + 3n, 1.5],
    ['FLOAT', FLOAT, 1, 2, 0.5],
    ['DOUBLE', DOUBLE, 1, 0, -0.5],
  ] as const)('%s', (_what, type, before, now, expected) => {
    const bench = new Bench(rate(type));
    expect(bench.sample(10, valueSet(type, [[0, before]]))).toEqual([]);
    expect(bench.sample(12, valueSet(type, [[0, now]]))).toEqual([[0, expected]]);
    expect(bench.into.type).toBe(DOUBLE);
  });

  it.each([
    ['32', I32, 5, 4],
    ['32 that wraps', I32, 2147483647, -2147483648],
    ['U32', U32, 5, 4],
    ['64', I64, 5n, 4n],
    ['U64', U64, 2n ** 63n, 2n ** 63n - 1n],
    ['U64 across the sign', U64, 2n ** 64n - 1n, 1n],
    ['FLOAT', FLOAT, 5, 4],
    ['DOUBLE', DOUBLE, 5, 4],
  ] as const)('leaves out the instances of a counter that went down: %s', (_what, type, before, now) => {
    const bench = new Bench(rate(type, { counter: true }));
    bench.sample(0, valueSet(type, rows([0, before], [1, now])));
    expect(bench.sample(1, valueSet(type, rows([0, now], [1, now])))).toEqual([[1, 0]]);
  });

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

  it('turns a counter of time into utilisation', () => {
    const bench = new Bench(rate(U32, { counter: true, timeFactor: 1e-3 }));
    bench.sample(0, u32([0, 1000]));
    expect(bench.sample(2, u32([0, 2000]))).toEqual([[0, 0.5]]);
  });
});
