import { Leaving } from '../../../../src/http/operations/batch/batch.js';

describe('Leaving', () => {
  it('calls every listener once, and those that come late immediately', () => {
    let leave = (): void => undefined;
    const leaving = new Leaving({ onClose: (listener) => (leave = listener) });
    const called: string[] = [];
    leaving.onClose(() => called.push('early'));
    expect([called, leaving.isGone]).toEqual([[], false]);
    leave();
    expect([called, leaving.isGone]).toEqual([['early'], true]);
    leaving.onClose(() => called.push('late'));
    leave();
    expect(called).toEqual(['early', 'late']);
  });
});
