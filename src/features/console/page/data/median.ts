/** The middle of some values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which a share of some values is, between two of them by their distance. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  return sorted[low]! + (at - low) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!);
}

/** How far values are from the middle of them, usually: their median absolute deviation, as an estimate of the standard deviation. */
export function spreadOf(values: readonly number[]): number {
  const middle = median(values);
  return 1.4826 * median(values.map((value) => Math.abs(value - middle)));
}
