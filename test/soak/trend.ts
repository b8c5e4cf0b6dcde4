/** A value at a time: seconds since the start of the soak. */
export interface Point {
  readonly sec: number;
  readonly value: number;
}

/** What a value does over time, by least squares. */
export interface Trend {
  readonly mean: number;
  readonly slopePerSec: number;
  readonly growth: number;
}

/** The straight line that lies closest to the points; NaN for none. */
export function trendOf(points: readonly Point[]): Trend {
  const count = points.length;
  const mean = points.reduce((sum, { value }) => sum + value, 0) / count;
  const meanSec = points.reduce((sum, { sec }) => sum + sec, 0) / count;
  let [covariance, variance] = [0, 0];
  for (const { sec, value } of points) {
    covariance += (sec - meanSec) * (value - mean);
    variance += (sec - meanSec) ** 2;
  }
  const slopePerSec = count === 0 ? Number.NaN : variance === 0 ? 0 : covariance / variance;
  const lengthSec = count === 0 ? 0 : points.at(-1)!.sec - points[0]!.sec;
  return { mean, slopePerSec, growth: slopePerSec * lengthSec };
}

/** The later half of the points, by time. */
export function secondHalf(points: readonly Point[], untilSec: number): readonly Point[] {
  return points.filter(({ sec }) => sec >= untilSec / 2);
}
