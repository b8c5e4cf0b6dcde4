import { systemClock, timestampToSeconds } from '../../../src/pmapi/index.js';

describe('systemClock', () => {
  it('tells the time of the machine', () => {
    const before = Date.now();
    const now = systemClock.now();
    const after = Date.now();
    // The finer clock may run up to two milliseconds apart from the coarse one.
    expect(timestampToSeconds(now) * 1000).toBeGreaterThan(before - 3);
    expect(timestampToSeconds(now) * 1000).toBeLessThan(after + 4);
    expect(Number.isInteger(now.sec) && Number.isInteger(now.nsec) && now.nsec >= 0 && now.nsec < 1e9).toBe(true);
  });

  it('never measures backwards', () => {
    const readings = Array.from({ length: 100 }, () => systemClock.monotonicMs());
    expect(readings).toEqual([...readings].sort((a, b) => a - b));
  });
});
