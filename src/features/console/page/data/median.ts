/** The middle of some values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that a share of some values is below, on the line between the two nearest ones. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)]!;
  return low + (at - Math.floor(at)) * ((sorted[Math.floor(at) + 1] ?? low) - low);
}
