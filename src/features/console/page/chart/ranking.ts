import type { Cell, Series } from '../data/series-table.js';

/** The statistics of a series in a window. */
export interface Summary {
  readonly count: number;
  readonly last: number | string | undefined;
  readonly mean: number;
  readonly least: number;
  readonly greatest: number;
}

/** Summarise the cells of some rows; cells that are not numbers are ignored. */
export function summaryOf(
  { cells, least, greatest }: Pick<Series, 'least' | 'greatest'> & { readonly cells: readonly Cell[] },
  times: readonly number[],
  from = 0,
  to = times.length,
): Summary {
  let [count, low, high] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let last: number | string | undefined;
  for (let row = from; row < to; row++) {
    const cell = cells[row];
    if (cell === undefined || cell === null) continue;
    last = cell;
    if (typeof cell === 'string') continue;
    count++;
    const lowest = least ? numberOr(least[row], cell) : cell;
    const highest = greatest ? numberOr(greatest[row], cell) : cell;
    if (lowest < low) low = lowest;
    if (highest > high) high = highest;
  }
  return { count, last, mean: meanOverTime(times, cells, from, to), least: low, greatest: high };
}

/**
 * The mean of some rows over time: a number counts for the shorter one of the times to the numbers beside it, so that a gap adds
 * nothing; the first and the last count as much as those next to them. NaN without numbers.
 */
export function meanOverTime(times: readonly number[], cells: readonly Cell[], from = 0, to = times.length): number {
  let [count, sum, whole, at, span] = [0, 0, 0, 0, 0];
  let [first, last, early, late] = [NaN, NaN, 1, 1];
  for (let row = from; row < to; row++) {
    const cell = cells[row];
    if (typeof cell !== 'number') continue;
    const passed = times[row]! - at;
    if (count > 1) {
      late = Math.min(span, passed);
      sum += late * last;
      whole += late;
    }
    if (count === 2) early = late;
    if (count++ === 0) first = cell;
    [at, span, last] = [times[row]!, passed, cell];
  }
  return (early * first + sum + late * last) / (early + whole + late);
}

function numberOr(cell: Cell, other: number): number {
  return typeof cell === 'number' ? cell : other;
}

/** The series by their means, greatest first; those without numbers come last, and equals keep their order. */
export function ranked<T extends { readonly summary: Summary }>(series: readonly T[]): T[] {
  const weight = ({ summary }: T): number => (summary.count === 0 ? Number.NEGATIVE_INFINITY : summary.mean);
  return [...series].sort((a, b) => {
    const [x, y] = [weight(a), weight(b)];
    return x === y ? 0 : y - x;
  });
}

/** The times with one value each; a value lasts until the next sample or gap. */
export function stateRuns(times: readonly number[], cells: readonly Cell[], from: number, to: number) {
  const runs: { from: number; to: number; text: string }[] = [];
  let open: (typeof runs)[number] | undefined;
  for (let row = from; row < to; row++) {
    const cell = cells[row];
    if (cell === undefined) continue;
    const at = times[row]!;
    if (cell === null) {
      open = undefined;
      continue;
    }
    if (open) open.to = at;
    const text = String(cell);
    if (open?.text === text) continue;
    open = { from: at, to: at, text };
    runs.push(open);
  }
  return runs;
}

/** Whether a filter chooses a name: a glob, or `!` and a glob of what is left out. */
export function isChosen(filter: string, name: string): boolean {
  return filter.startsWith('!') ? !matchesGlob(filter.slice(1), name) : matchesGlob(filter, name);
}

/** Whether a name matches a glob of `*` and `?`. */
export function matchesGlob(glob: string, name: string): boolean {
  // Going back to the last star is enough: no backtracking over several.
  let [g, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    if (glob[g] === '*') {
      star = g++;
      mark = n;
    } else if (glob[g] === '?' || (g < glob.length && glob[g] === name[n])) {
      g++;
      n++;
    } else if (star !== -1) {
      g = star + 1;
      n = ++mark;
    } else return false;
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}
