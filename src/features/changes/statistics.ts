/** Robust statistics of small samples: none assumes a distribution, and a single outlier moves none of them far. */

/** The finite numbers of a list, in ascending order. */
export function sortedFinite(values: ArrayLike<number>): Float64Array {
  const finite = new Float64Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) finite[count++] = values[i]!;
  }
  return finite.subarray(0, count).sort();
}

/**
 * The quantile of numbers in ascending order, interpolated linearly between neighbours (Hyndman & Fan 1996, type 7); NaN of an empty list.
 * @param share from 0 (the least) to 1 (the greatest); 0.5 is the median
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return NaN;
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  // Of equal neighbours, exactly their value.
  return low === high ? low : low + (high - low) * (place - below);
}

/** The median distance from the median, of numbers in ascending order; NaN of an empty list. */
function medianAbsoluteDeviation(sorted: ArrayLike<number>): number {
  const median = quantile(sorted, 0.5);
  return quantile(Float64Array.from(sorted, (value) => Math.abs(value - median)).sort(), 0.5);
}

/** What a median absolute deviation is multiplied by to estimate the standard deviation of normal noise. */
const MAD_TO_DEVIATION = 1.4826;
/** The share of the numbers at either end that may be bursts, and do not count. */
const BURST_SHARE = 0.15;
/** How many standard deviations of normal noise lie between the quantiles of that share. */
const BULK_TO_DEVIATION = 2.0729;

/**
 * The spread of numbers around their median, in the units of a standard deviation: the larger of two estimates, so that neither a
 * slow rise nor a rare second level has a small spread. 0 if all numbers are equal.
 */
export function spread(sorted: ArrayLike<number>): number {
  const bulk = quantile(sorted, 1 - BURST_SHARE) - quantile(sorted, BURST_SHARE);
  return Math.max(medianAbsoluteDeviation(sorted) * MAD_TO_DEVIATION, bulk / BULK_TO_DEVIATION);
}

/**
 * Cliff's delta of two lists in ascending order: how often a number of `after` is greater than one of `before`, minus how often it is
 * smaller, as a share of all pairs. Pairs that differ by no more than `margin`, the smallest relevant difference, count as equal.
 * From -1 (all smaller) to 1 (all greater); NaN when a list is empty.
 * @see Cliff, N. (1993), Dominance statistics: ordinal analyses to answer ordinal questions
 */
export function cliffsDelta(before: ArrayLike<number>, after: ArrayLike<number>, margin: number): number {
  let greater = 0;
  let smaller = 0;
  let below = 0;
  let upTo = 0;
  for (let i = 0; i < after.length; i++) {
    const value = after[i]!;
    while (below < before.length && before[below]! < value - margin) below++;
    while (upTo < before.length && before[upTo]! <= value + margin) upTo++;
    greater += below;
    smaller += before.length - upTo;
  }
  return (greater - smaller) / (before.length * after.length);
}

/**
 * Kendall's tau of numbers in the order of time: 1 if each is greater than all before it, -1 if each is smaller, about 0 without a
 * trend, and for fewer than two numbers. NaN is passed over.
 */
export function kendallsTau(numbers: ArrayLike<number>): number {
  let [sum, pairs] = [0, 0];
  for (let i = 0; i < numbers.length; i++) {
    if (!Number.isFinite(numbers[i])) continue;
    for (let j = 0; j < i; j++) {
      if (!Number.isFinite(numbers[j])) continue;
      sum += Math.sign(numbers[i]! - numbers[j]!);
      pairs++;
    }
  }
  return pairs === 0 ? 0 : sum / pairs;
}

/** Pearson's correlation over the places where both have a finite number; undefined for fewer than `least`, or where one is constant. */
export function correlation(a: ArrayLike<number>, b: ArrayLike<number>, least: number): number | undefined {
  let count = 0;
  let sumA = 0;
  let sumB = 0;
  const isPair = (i: number): boolean => Number.isFinite(a[i]) && Number.isFinite(b[i]);
  for (let i = 0; i < a.length; i++) {
    if (!isPair(i)) continue;
    count++;
    sumA += a[i]!;
    sumB += b[i]!;
  }
  if (count < least) return undefined;
  const [meanA, meanB] = [sumA / count, sumB / count];
  let squaresA = 0;
  let squaresB = 0;
  let products = 0;
  for (let i = 0; i < a.length; i++) {
    if (!isPair(i)) continue;
    const [fromA, fromB] = [a[i]! - meanA, b[i]! - meanB];
    squaresA += fromA * fromA;
    squaresB += fromB * fromB;
    products += fromA * fromB;
  }
  const scale = Math.sqrt(squaresA * squaresB);
  return scale > 0 ? products / scale : undefined;
}
