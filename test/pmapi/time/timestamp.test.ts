import fc from '../../support/properties.js';
import {
  addInterval,
  addSeconds,
  compareTimestamps,
  formatTimestamp,
  makeTimestamp,
  secondsBetween,
  subtractInterval,
  systemClock,
  timestampFromSeconds,
  timestampToSeconds,
} from '../../../src/pmapi/index.js';

const time = fc.record({
  sec: fc.integer({ min: -4_000_000_000, max: 8_000_000_000 }),
  nsec: fc.integer({ min: 0, max: 999_999_999 }),
});

describe('timestamps', () => {
  it.each([
    [1, 1_000_000_000, { sec: 2, nsec: 0 }],
    [1, -1, { sec: 0, nsec: 999_999_999 }],
    [0, -1_000_000_001, { sec: -2, nsec: 999_999_999 }],
  ])('carry nanoseconds: %d %d', (sec, nsec, expected) => {
    expect(makeTimestamp(sec, nsec)).toEqual(expected);
  });

  it.each([
    [{ sec: 0, nsec: 0 }, '0.000000000'],
    [{ sec: 1, nsec: 5 }, '1.000000005'],
    [{ sec: -1, nsec: 0 }, '-1.000000000'],
    [{ sec: -1, nsec: 500_000_000 }, '-0.500000000'],
    [{ sec: -2, nsec: 999_999_999 }, '-1.000000001'],
  ])('print %j as %s', (t, text) => {
    expect(formatTimestamp(t)).toBe(text);
  });

  it('print what JSON reads as the nearest number', () => {
    fc.assert(
      fc.property(time, (t) => {
        expect(Math.abs(Number(formatTimestamp(t)) - timestampToSeconds(t))).toBeLessThan(2e-6);
      }),
    );
  });

  it('come from real numbers to the nanosecond that those can tell', () => {
    expect(timestampFromSeconds(1.5)).toEqual({ sec: 1, nsec: 500_000_000 });
    expect(timestampFromSeconds(-0.25)).toEqual({ sec: -1, nsec: 750_000_000 });
    expect(timestampFromSeconds(0.9999999999)).toEqual({ sec: 1, nsec: 0 });
  });

  it('compare by seconds, then nanoseconds', () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        const exact = BigInt(a.sec - b.sec) * 1_000_000_000n + BigInt(a.nsec - b.nsec);
        expect(Math.sign(compareTimestamps(a, b))).toBe(exact > 0n ? 1 : exact < 0n ? -1 : 0);
        expect(Math.sign(secondsBetween(a, b))).toBe(exact > 0n ? 1 : exact < 0n ? -1 : 0);
      }),
    );
  });

  it('move there and back exactly', () => {
    const interval = fc.record({ sec: fc.nat(), nsec: fc.integer({ min: 0, max: 999_999_999 }) });
    fc.assert(
      fc.property(time, interval, (t, step) => {
        expect(subtractInterval(addInterval(t, step), step)).toEqual(t);
      }),
    );
    expect(addSeconds({ sec: 10, nsec: 0 }, -0.25)).toEqual({ sec: 9, nsec: 750_000_000 });
  });
});

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
