/** The colours of series by their order; those of the dark scheme have the same hues. */
export const LIGHT = ['#0b658b', '#9a6621', '#b478bd', '#83311e', '#88944b', '#149188', '#a62161', '#8d71f6'] as const;
export const DARK = ['#5caad5', '#faa739', '#9b5aa6', '#b95e48', '#94a060', '#6edacf', '#fa74a9', '#836fda'] as const;
/** From the ninth series on, colours repeat, with dashes. */
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/**
 * The palette indexes of series, by their names and nothing else: at every load, and for whom a link is sent, the same. As many as there
 * are colours all differ; of more, the name decides the colour, and those that share one differ in their dashes.
 * @param all the names of all series, drawn or not
 */
export function placesOf(all: readonly string[], drawn: readonly string[]): readonly number[] {
  const names = new Set(all);
  const isFew = names.size <= LIGHT.length;
  const taken = new Set<number>();
  const places = new Map<string, number>();
  for (const name of (isFew ? [...names] : drawn).toSorted()) {
    let place = hashOf(name) % LIGHT.length;
    while (taken.has(place)) place = isFew ? (place + 1) % LIGHT.length : place + LIGHT.length;
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
