import { secondHalf, trendOf } from './trend.js';

const line = (count: number, value: (sec: number) => number): { sec: number; value: number }[] =>
  Array.from({ length: count }, (_, sec) => ({ sec, value: value(sec) }));

describe('trendOf', () => {
  it('finds the slope of a line, and by how much it grows', () => {
    const { slopePerSec, growth, mean } = trendOf(line(11, (sec) => 5 + 2 * sec));
    expect(slopePerSec).toBeCloseTo(2);
    expect(growth).toBeCloseTo(20);
    expect(mean).toBeCloseTo(15);
  });

  it('finds what is flat under a saw', () => {
    expect(Math.abs(trendOf(line(1000, (sec) => 100 + (sec % 10))).growth)).toBeLessThan(0.1);
  });

  it('has no slope for one point, and no number for none', () => {
    expect(trendOf([{ sec: 3, value: 7 }])).toEqual({ mean: 7, slopePerSec: 0, growth: 0 });
    expect(trendOf([]).growth).toBeNaN();
  });
});

describe('secondHalf', () => {
  it('keeps what is later than the middle', () => {
    expect(
      secondHalf(
        line(11, () => 0),
        10,
      ).map(({ sec }) => sec),
    ).toEqual([5, 6, 7, 8, 9, 10]);
  });
});
