import { INDOM_NULL, MetricType, PM_ERR, type ValueSet } from '../../../../src/pmapi/index.js';
import type { BoundNode } from '../../../../src/derived/semantics/bound-expression.js';
import { ANYWHERE, failed, INDOM, metadata, operand, run, singular, valueSet } from '../support/values.js';

const { U32, I64, STRING, AGGREGATE } = MetricType;

const NOVALUE: BoundNode = { kind: 'novalue', meta: metadata({ type: U32 }), range: ANYWHERE };

function ternary(guard: BoundNode, whenTrue: BoundNode, whenFalse: BoundNode): BoundNode {
  const indom = [whenTrue, whenFalse].some(({ meta }) => meta.indom !== INDOM_NULL) ? INDOM : INDOM_NULL;
  const { type } = whenTrue.kind === 'novalue' ? whenFalse.meta : whenTrue.meta;
  return { kind: 'ternary', guard, whenTrue, whenFalse, meta: metadata({ type, indom }), range: ANYWHERE };
}

const set = (index: number, type: MetricType = U32): BoundNode => operand(index, type);
const one = (index: number, type: MetricType = U32): BoundNode => operand(index, type, INDOM_NULL);
const values = (...pairs: readonly (readonly [number, number])[]): ValueSet => valueSet(U32, pairs);

describe('ternaryKernel', () => {
  it.each([
    [1, 10],
    [0, 20],
    [4294967295, 10],
  ])('all singular: guard %i gives %i', (guard, expected) => {
    const root = ternary(one(0), one(1), one(2));
    expect(run(root, singular(U32, guard), singular(U32, 10), singular(U32, 20))).toEqual([[-1, expected]]);
  });

  it('lets a singular guard apply to all instances (rule e)', () => {
    const root = ternary(one(0), set(1), set(2));
    const [yes, no] = [values([1, 11], [2, 12]), values([1, 21], [2, 22])];
    expect(run(root, singular(U32, 1), yes, no)).toEqual([
      [1, 11],
      [2, 12],
    ]);
    expect(run(root, singular(U32, 0), yes, no)).toEqual([
      [1, 21],
      [2, 22],
    ]);
  });

  it('evaluates a guard over a set once for each instance (rule f)', () => {
    const root = ternary(set(0), set(1), set(2));
    expect(run(root, values([1, 1], [2, 0]), values([1, 11], [2, 12]), values([1, 21], [2, 22]))).toEqual([
      [1, 11],
      [2, 22],
    ]);
  });

  it('spreads a selected singular arm over the instances of the other (rule g)', () => {
    const root = ternary(one(0), one(1), set(2));
    expect(run(root, singular(U32, 1), singular(U32, 10), values([3, 23], [1, 21]))).toEqual([
      [3, 10],
      [1, 10],
    ]);
    const mixed = ternary(set(0), set(1), one(2));
    expect(run(mixed, values([1, 0], [2, 1]), values([1, 11], [2, 12]), singular(U32, 20))).toEqual([
      [1, 20],
      [2, 12],
    ]);
  });

  it('pairs by instance id, whatever the order of guard and arms', () => {
    const root = ternary(set(0), set(1), set(2));
    expect(
      run(root, values([3, 0], [2, 1], [1, 0]), values([2, 12], [1, 11], [3, 13]), values([1, 21], [3, 23], [2, 22])),
    ).toEqual([
      [2, 12],
      [1, 21],
      [3, 23],
    ]);
  });

  it('leaves out instances without a guard or without a value in the selected arm', () => {
    const root = ternary(set(0), set(1), set(2));
    expect(
      run(root, values([1, 1], [2, 0], [4, 0]), values([1, 11], [2, 12], [3, 13]), values([1, 21], [4, 24])),
    ).toEqual([
      [1, 11],
      [4, 24],
    ]);
  });

  it('leaves out instances that select novalue()', () => {
    const root = ternary(set(0), NOVALUE, set(1));
    expect(run(root, values([1, 1], [2, 0], [3, 1], [4, 0]), values([1, 11], [2, 12], [3, 13], [4, 14]))).toEqual([
      [2, 12],
      [4, 14],
    ]);
    const scalar = ternary(one(0), one(1), NOVALUE);
    expect(run(scalar, singular(U32, 0), singular(U32, 5))).toEqual([]);
    expect(run(scalar, singular(U32, 1), singular(U32, 5))).toEqual([[-1, 5]]);
  });

  it('has no values when guard or arm has none, even when the other arm is selected', () => {
    const root = ternary(one(0), one(1), one(2));
    const [yes, none] = [singular(U32, 1), values()];
    expect(run(root, none, yes, yes)).toEqual([]);
    expect(run(root, yes, none, yes)).toEqual([]);
    expect(run(root, yes, yes, none)).toEqual([]);
  });

  it('answers the first error among guard, true arm and false arm', () => {
    const root = ternary(one(0), one(1), one(2));
    const [ok, again, pmid] = [singular(U32, 1), failed(U32, PM_ERR.AGAIN), failed(U32, PM_ERR.PMID)];
    expect(run(root, ok, ok, pmid)).toBe(PM_ERR.PMID);
    expect(run(root, ok, again, pmid)).toBe(PM_ERR.AGAIN);
    expect(run(root, pmid, again, ok)).toBe(PM_ERR.PMID);
  });

  it('keeps 64-bit integers exact', () => {
    const root = ternary(set(0), set(1, I64), set(2, I64));
    const guard = values([1, 1], [2, 0]);
    const big = 2n ** 62n + 1n;
    const [yes, no] = [
      valueSet(I64, [
        [1, big],
        [2, 0n],
      ]),
      valueSet(I64, [
        [1, 0n],
        [2, 7n],
      ]),
    ];
    expect(run(root, guard, yes, no)).toEqual([
      [1, big],
      [2, 7n],
    ]);
  });

  it('chooses between strings, and between nothing else that is no number', () => {
    const root = ternary(one(0), one(1, STRING), one(2, STRING));
    expect(run(root, singular(U32, 0), singular(STRING, 'yes'), singular(STRING, 'no'))).toEqual([[-1, 'no']]);
    const aggregate = valueSet(AGGREGATE, []);
    aggregate.addBytes(-1, Uint8Array.of(1));
    expect(run(ternary(one(0), one(1, AGGREGATE), one(2, AGGREGATE)), singular(U32, 0), aggregate, aggregate)).toBe(
      PM_ERR.TYPE,
    );
  });
});
