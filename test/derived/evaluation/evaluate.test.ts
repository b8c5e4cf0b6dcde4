import { INDOM_NULL, MetricType, PM_ERR, ValueSet, type InstanceDomain } from '../../../src/pmapi/index.js';
import { compileProgram, evaluate, History, outdatedIndoms } from '../../../src/derived/evaluation/index.js';
import type { Program } from '../../../src/derived/evaluation/index.js';
import type { BoundArithmetic, BoundDelta, BoundNode } from '../../../src/derived/semantics/bound-expression.js';
import {
  ANYWHERE,
  Bench,
  bound,
  constant,
  failed,
  INDOM,
  metadata,
  operand,
  read,
  run,
  singular,
  valueSet,
} from './support/values.js';
import { rows } from '../../support/rows.js';

const { U32, U64, I64, STRING } = MetricType;

function plus(left: BoundNode, right: BoundNode): BoundArithmetic {
  const indom = left.meta.indom === INDOM_NULL ? right.meta.indom : left.meta.indom;
  return {
    kind: 'arithmetic',
    operator: '+',
    left,
    right,
    computeType: U32,
    meta: metadata({ type: U32, indom }),
    range: ANYWHERE,
  };
}

function delta(over: BoundNode, slot = 0): BoundDelta {
  return { kind: 'delta', slot, operand: over, meta: metadata({ type: I64, indom: over.meta.indom }), range: ANYWHERE };
}

const one = (index: number): BoundNode => operand(index, U32, INDOM_NULL);

function asked(program: Program, history: History, sec: number, value: number): ReturnType<typeof read> {
  const into = new ValueSet();
  const operands = [singular(U32, value)];
  evaluate(
    program,
    { sequence: sec, timestamp: { sec, nsec: 0 }, operands, instances: () => undefined },
    history,
    into,
  );
  return read(into);
}

describe('evaluate', () => {
  it('gives a renamed metric the values of its operand, of any type, and keeps its own PMID', () => {
    const bench = new Bench(operand(0, STRING));
    bench.into.pmid = 77;
    expect(bench.sample(0, valueSet(STRING, [[3, 'x']]))).toEqual([[3, 'x']]);
    expect(bench.into.pmid).toBe(77);
    const instant: BoundNode = {
      kind: 'instant',
      operand: operand(0, U64),
      meta: metadata({ type: U64, indom: INDOM }),
      range: ANYWHERE,
    };
    expect(run(instant, valueSet(U64, [[3, 2n ** 64n - 1n]]))).toEqual([[3, 2n ** 64n - 1n]]);
  });

  it('answers the error that is first from left to right', () => {
    const root = plus(one(0), plus(one(1), one(2)));
    const [ok, again, pmid] = [singular(U32, 1), failed(U32, PM_ERR.AGAIN), failed(U32, PM_ERR.PMID)];
    expect(run(root, again, pmid, ok)).toBe(PM_ERR.AGAIN);
    expect(run(root, ok, pmid, again)).toBe(PM_ERR.PMID);
    expect(run(root, ok, ok, ok)).toEqual([[-1, 3]]);
  });

  it('answers PM_ERR_TYPE for values of a type that the descriptor does not promise', () => {
    expect(run(plus(one(0), one(1)), singular(U32, 1), singular(U64, 1n))).toBe(PM_ERR.TYPE);
  });

  it('gives constants their value, over an instance domain for every instance it has', () => {
    expect(run(constant(2n ** 64n - 1n, U64))).toEqual([[-1, 2n ** 64n - 1n]]);
    const bench = new Bench(constant(5, U32, INDOM));
    bench.domain = {
      indom: INDOM,
      instances: rows({ id: 4, name: 'a' }, { id: 2, name: 'b' }),
    };
    expect(bench.sample(0)).toEqual(rows([4, 5], [2, 5]));
    expect(bench.program.indoms).toEqual([INDOM]);
    bench.domain = { indom: INDOM + 1, instances: [] };
    expect(bench.sample(1)).toEqual([]);
  });

  it('is evaluated once a fetch: asked again it answers the same and leaves the history alone', () => {
    const program = compileProgram(bound(delta(one(0))));
    const history = new History(program.slots);
    const ask = (sequence: number, value: number): ReturnType<typeof read> => asked(program, history, sequence, value);
    expect(ask(1, 10)).toEqual([]);
    expect(ask(1, 10)).toEqual([]);
    expect(ask(2, 15)).toEqual([[-1, 5n]]);
    expect(ask(2, 15)).toEqual([[-1, 5n]]);
  });

  it('leaves its operands and constants as they were', () => {
    const set = valueSet(U32, [[0, 1]]);
    const bench = new Bench(plus(operand(0, U32), constant(1, U32)));
    for (let i = 0; i < 3; i++) expect(bench.sample(i, set)).toEqual([[0, 2]]);
    expect(read(set)).toEqual([[0, 1]]);
  });
});

describe('outdatedIndoms', () => {
  const program = compileProgram(
    bound({
      kind: 'select-instance',
      instance: 'a',
      slot: 0,
      operand: operand(0, U32),
      meta: metadata({ type: U32, indom: INDOM }),
      range: ANYWHERE,
    }),
  );
  const listing: InstanceDomain = { indom: INDOM, instances: [{ id: 1, name: 'a' }] };

  it('names a domain whose listing is absent or lacks an instance that has a value', () => {
    expect(outdatedIndoms(program, [valueSet(U32, [[1, 5]])], () => listing)).toEqual([]);
    expect(outdatedIndoms(program, [valueSet(U32, [[2, 5]])], () => listing)).toEqual([INDOM]);
    expect(outdatedIndoms(program, [valueSet(U32, [])], () => undefined)).toEqual([INDOM]);
    expect(outdatedIndoms(program, [failed(U32, PM_ERR.PMID)], () => listing)).toEqual([]);
  });

  it('names a domain that a constant spans at every sample: instances may be gone', () => {
    const spanning = compileProgram(bound(constant(1, U32, INDOM)));
    expect(outdatedIndoms(spanning, [], () => listing)).toEqual([INDOM]);
  });
});
