/** The colours of series by their order; those of the dark scheme have the same hues. */
export const LIGHT = ['#0b658b', '#9a6621', '#b478bd', '#83311e', '#88944b', '#149188', '#a62161', '#8d71f6'] as const;
export const DARK = ['#5caad5', '#faa739', '#9b5aa6', '#b95e48', '#94a060', '#6edacf', '#fa74a9', '#836fda'] as const;
/** From the ninth series on, colours repeat, with dashes. */
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/** Assigns palette indexes by name: at every load the same, and for as long as the page is open. */
export class Colours {
  readonly #places = new Map<string, number>();

  /** An index for each of the keys, all different: its own if that is free among them, otherwise the next free one. */
  assign(keys: readonly string[]): ReadonlyMap<string, number> {
    const taken = new Set<number>();
    const assigned = new Map<string, number>();
    // Those that were shown before keep their colours. The order of the names decides, and not that of the values.
    const isNew = (key: string): number => Number(!this.#places.has(key));
    for (const key of keys.toSorted().sort((a, b) => isNew(a) - isNew(b))) {
      let place = this.#places.get(key) ?? hashOf(key) % LIGHT.length;
      while (taken.has(place)) place = (place + 1) % Math.max(LIGHT.length, taken.size + 1);
      taken.add(place);
      assigned.set(key, place);
      if (!this.#places.has(key)) this.#places.set(key, place);
    }
    return assigned;
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}
