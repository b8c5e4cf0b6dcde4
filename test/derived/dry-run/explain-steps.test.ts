import { DIMENSIONLESS, MetricType, Semantics, ValueSet } from '../../../src/pmapi/index.js';
import type { BindingEnvironment } from '../../../src/derived/index.js';
import { StepCounter } from '../../support/step-counter.js';

const INDOM = 5;
const descriptor = { type: MetricType.U32, semantics: Semantics.INSTANT, units: DIMENSIONLESS, indom: INDOM };
const environment: BindingEnvironment = {
  operand: (name) => ({ descriptor: { pmid: name === 'left' ? 1 : 2, ...descriptor } }),
  isDerived: () => false,
};

function valuesOf(pmid: number, from: number, count: number): ValueSet {
  const set = new ValueSet();
  set.reset(pmid, MetricType.U32);
  for (let i = from; i < from + count; i++) set.addNumber(i, i);
  return set;
}

describe('the steps of explaining values that are missing', () => {
  let counter: StepCounter;
  let explain: (count: number) => string | undefined;

  beforeAll(async () => {
    counter = await StepCounter.start(/\/src\/derived\//);
    const derived = await import('../../../src/derived/index.js');
    explain = (count) => {
      const { report, parts } = derived.checkExpression('(left + right) * (left - right)', { environment });
      const compiled = derived.compileParts(parts!)!;
      const trace = new derived.EvaluationTrace();
      const operands = [valuesOf(1, 0, count), valuesOf(2, count, count)];
      const inputs = { sequence: 1, timestamp: { sec: 1, nsec: 0 }, operands, instances: () => undefined, trace };
      derived.evaluate(compiled.program, inputs, new derived.History(0), new ValueSet());
      return compiled.explain(report.tree!, trace, () => undefined).lost[0]?.reason;
    };
    await counter.count(() => explain(1));
  });
  afterAll(() => counter.stop());

  it('grow as the number of instances does', async () => {
    expect(explain(10)).toBe('instance 0 is not in right');
    const few = await counter.count(() => explain(200));
    const many = await counter.count(() => explain(2000));
    expect(many).toBeLessThan(11 * few);
  });
});
