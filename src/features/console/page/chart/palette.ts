/** How many colours series have: `--s0` and so on in style/colours.css. */
export const COLOURS = 8;
/** From the ninth series on, colours repeat, with dashes. */
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/**
 * The palette indexes of series, by their names and nothing else: at every load, and for whom a link is sent, the same. As many as there
 * are colours all differ; of more, the name decides the colour, and those that share one differ in their dashes.
 * @param all the names of all series, drawn or not
 */
export function placesOf(all: readonly string[], drawn: readonly string[]): readonly number[] {
  const names = new Set(all);
  const isFew = names.size <= COLOURS;
  const taken = new Set<number>();
  const places = new Map<string, number>();
  for (const name of (isFew ? [...names] : drawn).toSorted()) {
    let place = hashOf(name) % COLOURS;
    while (taken.has(place)) place = isFew ? (place + 1) % COLOURS : place + COLOURS;
    taken.add(place);
    places.set(name, place);
  }
  return drawn.map((name) => places.get(name)!);
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}
