/** How far a name may be from what was written to be worth a suggestion, and how many are made. */
const MAX_SUGGESTIONS = 3;
const MAX_LENGTH = 128;

/**
 * The names nearest to a misspelt one: fewest edits first (insert, delete, replace, swap neighbours), at most a third of its
 * letters; then names that differ in case or end in the same components. Best first, at most three.
 */
export function nearestNames(wanted: string, candidates: Iterable<string>): readonly string[] {
  if (wanted === '' || wanted.length > MAX_LENGTH) return [];
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const lower = wanted.toLowerCase();
  const found: { name: string; distance: number }[] = [];
  for (const name of candidates) {
    if (name === wanted || Math.abs(name.length - wanted.length) > limit) continue;
    const distance = name.toLowerCase() === lower ? 0 : editDistance(lower, name.toLowerCase(), limit);
    if (distance <= limit) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, MAX_SUGGESTIONS).map(({ name }) => name);
}

/** Edits between two texts; any number over `limit` when there are more than that. */
export function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row.push(edits);
      smallest = Math.min(smallest, edits);
    }
    if (smallest > limit) return limit + 1;
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
