import { MetricType, PM_ERR } from '../../../src/pmapi/index.js';
import { History } from '../../../src/derived/evaluation/index.js';
import { failed, INDOM, read, singular, valueSet } from './support/values.js';

describe('History', () => {
  it('keeps a copy of values of any lane, or of the error', () => {
    const history = new History(1);
    const wide = valueSet(MetricType.U64, [[4, 2n ** 64n - 1n]]);
    history.remember(0, { sec: 5, nsec: 6 }, wide);
    wide.reset(0, MetricType.U64);
    expect(history.samples[0]!.timestamp).toEqual({ sec: 5, nsec: 6 });
    expect(read(history.samples[0]!.values)).toEqual([[4, 2n ** 64n - 1n]]);
    history.remember(0, { sec: 7, nsec: 0 }, failed(MetricType.U64, PM_ERR.AGAIN));
    expect(read(history.samples[0]!.values)).toBe(PM_ERR.AGAIN);
    history.remember(0, { sec: 8, nsec: 0 }, valueSet(MetricType.U64, [[1, 3n]]));
    expect(read(history.samples[0]!.values)).toEqual([[1, 3n]]);
  });

  it('forgets samples across a mark, but not which instance a name stands for', () => {
    const history = new History(2);
    history.remember(0, { sec: 1, nsec: 0 }, singular(MetricType.U32, 1));
    const found = { domain: { indom: INDOM, instances: [] }, id: 4 };
    history.resolved[1] = found;
    history.forgetSamples();
    expect(history.samples[0]).toBeUndefined();
    expect(history.resolved[1]).toBe(found);
  });

  it('forgets everything when it is reset', () => {
    const history = new History(3);
    const answer = singular(MetricType.U32, 1);
    history.remember(0, { sec: 1, nsec: 0 }, answer);
    history.resolved[1] = { domain: { indom: INDOM, instances: [] }, id: 4 };
    history.matches[2] = { domain: { indom: INDOM, instances: [] }, decisions: new Map() };
    history.noteAnswer(1, answer);
    expect(history.answerOf(1)).toBe(answer);
    expect(history.answerOf(2)).toBeUndefined();
    history.reset();
    expect([history.samples[0], history.resolved[1], history.matches[2], history.answerOf(1)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
