import { MetricType } from '../../../src/pmapi/index.js';
import { History } from '../../../src/derived/evaluation/index.js';
import { INDOM, singular } from './support/values.js';

describe('History', () => {
  it('forgets samples across a mark, but not which instance a name stands for', () => {
    const history = new History(2);
    history.remember(0, { sec: 1, nsec: 0 }, singular(MetricType.U32, 1));
    const found = { domain: { indom: INDOM, instances: [] }, id: 4 };
    history.resolved[1] = found;
    history.forgetSamples();
    expect(history.samples[0]).toBeUndefined();
    expect(history.resolved[1]).toBe(found);
  });
});
