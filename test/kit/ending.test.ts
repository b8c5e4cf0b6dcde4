import { Ending } from '../../src/kit/index.js';

describe('Ending', () => {
  it('calls every listener once, and those that come late immediately', () => {
    const ending = new Ending();
    const called: string[] = [];
    ending.onEnd(() => called.push('early'));
    expect([called, ending.isOver]).toEqual([[], false]);
    ending.end();
    expect([called, ending.isOver]).toEqual([['early'], true]);
    ending.onEnd(() => called.push('late'));
    ending.end();
    expect(called).toEqual(['early', 'late']);
  });
});
