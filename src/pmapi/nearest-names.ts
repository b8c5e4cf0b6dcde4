/** How far a name may be from a misspelt one to be suggested, and the maximum number of suggestions. */
const MAX_SUGGESTIONS = 3;
const MAX_LENGTH = 128;

/** The nearest names, at most three: fewest edits (at most a third of the letters), then other case or the same ending. */
export function nearestNames(wanted: string, candidates: Iterable<string>): readonly string[] {
  if (wanted === '' || wanted.length > MAX_LENGTH) return [];
  const lower = wanted.toLowerCase();
  const letters = new Letters(lower);
  let limit = Math.max(1, Math.floor(wanted.length / 3));
  const best: { readonly name: string; readonly distance: number }[] = [];
  for (const name of candidates) {
    if (name === wanted || Math.abs(name.length - wanted.length) > limit) continue;
    const candidate = name.toLowerCase();
    // Most names have entirely different letters, and counting letters is cheap.
    if (letters.editsToAtLeast(candidate) > limit) continue;
    const distance = candidate === lower ? 0 : editDistance(lower, candidate, limit);
    if (distance > limit) continue;
    best.push({ name, distance });
    best.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
    best.length = Math.min(best.length, MAX_SUGGESTIONS);
    if (best.length === MAX_SUGGESTIONS) limit = best.at(-1)!.distance;
  }
  return best.map(({ name }) => name);
}

/** How often each letter occurs, by classes: each difference requires an edit. */
class Letters {
  readonly #counts = new Int16Array(128);
  readonly #rest = new Int16Array(128);

  constructor(text: string) {
    for (let i = 0; i < text.length; i++) this.#counts[text.charCodeAt(i) & 127]!++;
  }

  editsToAtLeast(other: string): number {
    const rest = this.#rest;
    rest.set(this.#counts);
    for (let i = 0; i < other.length; i++) rest[other.charCodeAt(i) & 127]!--;
    let surplus = 0;
    let lacking = 0;
    for (let i = 0; i < rest.length; i++) {
      const count = rest[i]!;
      if (count > 0) surplus += count;
      else lacking -= count;
    }
    return Math.max(surplus, lacking);
  }
}

/** Reused by each call. */
const rows = [0, 1, 2].map(() => new Uint16Array(2 * MAX_LENGTH + 2));

/** Edits between two texts of at most 128 letters each; any number over `limit` if there are more. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  const [width, far] = [b.length, limit + 1];
  let [beforeLast, last, row] = rows as [Uint16Array, Uint16Array, Uint16Array];
  for (let j = 0; j <= width; j++) last[j] = Math.min(j, far);
  for (let i = 1; i <= a.length; i++) {
    // Further from the diagonal than the limit there are always more edits.
    const first = Math.max(1, i - limit);
    const end = Math.min(width, i + limit);
    row[first - 1] = first === 1 ? Math.min(i, far) : far;
    let smallest = row[first - 1]!;
    const char = a.charCodeAt(i - 1);
    for (let j = first; j <= end; j++) {
      const other = b.charCodeAt(j - 1);
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (char === other ? 0 : 1));
      if (i > 1 && j > 1 && char === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other) {
        edits = Math.min(edits, beforeLast[j - 2]! + 1);
      }
      row[j] = Math.min(edits, far);
      if (edits < smallest) smallest = edits;
    }
    if (end < width) row[end + 1] = far;
    if (smallest > limit) return far;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[width]!;
}
