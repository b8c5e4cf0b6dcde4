/** The colours of series by their order; those of the dark scheme have the same hues. */
export const LIGHT = ['#0b658b', '#9a6621', '#b478bd', '#83311e', '#88944b', '#149188', '#a62161', '#8d71f6'] as const;
export const DARK = ['#5caad5', '#faa739', '#9b5aa6', '#b95e48', '#94a060', '#6edacf', '#fa74a9', '#836fda'] as const;
/** From the ninth series on, colours repeat, with dashes. */
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/** Assigns palette indexes: a key keeps its index for as long as the page is open. */
export class Colours {
  readonly #places = new Map<string, number>();

  /** An index for each of the keys, all different: its own if that is free among them, otherwise the first free one. */
  assign(keys: readonly string[]): ReadonlyMap<string, number> {
    const taken = new Set<number>();
    const assigned = new Map<string, number>();
    for (const key of keys) {
      const own = this.#places.get(key);
      if (own === undefined || taken.has(own)) continue;
      taken.add(own);
      assigned.set(key, own);
    }
    for (const key of keys) {
      if (assigned.has(key)) continue;
      let place = 0;
      while (taken.has(place)) place++;
      taken.add(place);
      assigned.set(key, place);
      if (!this.#places.has(key)) this.#places.set(key, place);
    }
    return assigned;
  }
}
