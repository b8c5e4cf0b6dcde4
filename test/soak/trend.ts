/** A value at a time: seconds since the start of the soak. */
export interface Point {
  readonly sec: number;
  readonly value: number;
}

/** What a value does over time, by least squares. */
export interface Trend {
  readonly mean: number;
  /** By how much the line through all points rises in a second. */
  readonly slopePerSec: number;
  /** By how much it rises between the first point and the last. */
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

const BARS = '▁▂▃▄▅▆▇█';

/** The points as a line of bars from the lowest to the highest value; several points in one bar show their highest. */
export function sparkline(points: readonly Point[], width: number): string {
  if (points.length === 0) return '';
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const columns = Math.min(width, points.length);
  return Array.from({ length: columns }, (_, column) => {
    const part = values.slice(
      Math.floor((column * values.length) / columns),
      Math.floor(((column + 1) * values.length) / columns),
    );
    const share = high === low ? 0 : (Math.max(...part) - low) / (high - low);
    return BARS[Math.round(share * (BARS.length - 1))]!;
  }).join('');
}

/** Charts of series under one another, as SVG. */
export function chartsSvg(series: readonly { readonly name: string; readonly points: readonly Point[] }[]): string {
  const [width, height, margin] = [900, 110, 24];
  const charts = series.map(({ name, points }, row) => {
    const values = points.map(({ value }) => value);
    const high = Math.max(...values, 0);
    const lastSec = Math.max(...points.map(({ sec }) => sec), 1);
    const scale = high === 0 ? 0 : (height - 2 * margin) / high;
    const line = points
      .map(
        ({ sec, value }) => `${((sec / lastSec) * width).toFixed(1)},${(height - margin - value * scale).toFixed(1)}`,
      )
      .join(' ');
    const top = row * height;
    return (
      `<g transform="translate(0 ${top})"><text x="4" y="14">${name}, 0 to ${high.toPrecision(4)}</text>` +
      `<polyline fill="none" stroke="#0067a5" points="${line}"/></g>`
    );
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${series.length * height}" ` +
    `font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${charts.join('')}</svg>\n`
  );
}
