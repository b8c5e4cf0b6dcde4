import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Clock } from '../pmapi/index.js';
import { collectDocuments } from './collect-documents.js';
import { SearchIndex } from './search-index.js';
import { DEFAULT_SEARCH_LIMITS } from './search-limits.js';
import type { SearchLimits } from './search-limits.js';
import type { Searchable } from './searchable.js';

/** Shares the event loop: what to wait for before going on, or undefined while there is time left in this turn. */
export interface Turns {
  next(): Promise<void> | undefined;
}

/** What search indexes are made from. */
export interface SearchIndexesOptions {
  readonly clock: Clock;
  readonly turns: Turns;
  readonly limits?: Partial<SearchLimits>;
}

/** An index, and what it was made from. */
interface Built {
  readonly index: SearchIndex;
  readonly version: number;
  readonly generation: number;
  readonly builtAtMs: number;
}

interface Building {
  readonly version: number;
  readonly built: Promise<Built>;
}

/**
 * The indexes of the views that are searched. Each is made when it is first needed, in the turns of the event loop that are left
 * over; those who ask meanwhile wait for the same one. When its source has changed or its instances are old it serves once more,
 * while another is made behind that answer; when derived metrics have changed, or after ten minutes, the search waits.
 */
export class SearchIndexes {
  readonly turns: Turns;
  readonly #clock: Clock;
  readonly #limits: SearchLimits;
  readonly #indexes: LRUCache<object | string, Built>;
  readonly #building = new Map<object | string, Building>();
  readonly #limitBuilds: ReturnType<typeof pLimit>;

  constructor({ clock, turns, limits = {} }: SearchIndexesOptions) {
    this.turns = turns;
    this.#clock = clock;
    this.#limits = { ...DEFAULT_SEARCH_LIMITS, ...limits };
    this.#indexes = new LRUCache({
      maxSize: this.#limits.records,
      // An empty index takes room, too.
      sizeCalculation: ({ index }) => index.size.records + 1,
    });
    this.#limitBuilds = pLimit(this.#limits.builds);
  }

  /** The index of a view. Throws what the view's source throws. */
  async of(view: Searchable): Promise<SearchIndex> {
    const known = this.#indexes.get(view.viewKey);
    if (known?.version !== view.viewVersion) return (await this.#renew(view)).index;
    const ageMs = this.#clock.monotonicMs() - known.builtAtMs;
    const { minAgeMs, maxAgeMs, staleMs } = this.#limits;
    if (ageMs < minAgeMs || (known.generation === view.generation && ageMs < maxAgeMs)) return known.index;
    const renewed = this.#renew(view);
    if (ageMs >= staleMs) return (await renewed).index;
    // The next search finds out, if the source cannot be had for longer than the old index serves.
    renewed.catch(() => undefined);
    return known.index;
  }

  /** The index of a view if there is one, old or not. */
  peek(view: Searchable): SearchIndex | undefined {
    return this.#indexes.peek(view.viewKey)?.index;
  }

  /** Make the index of a view anew, unless that is under way. */
  #renew(view: Searchable): Promise<Built> {
    const { viewKey, viewVersion: version } = view;
    const underWay = this.#building.get(viewKey);
    if (underWay?.version === version) return underWay.built;
    const release = view.hold();
    const built = this.#limitBuilds(() => this.#build(view)).finally(() => {
      // The view must not go away while it waits, either.
      release();
      if (this.#building.get(viewKey)?.built === built) this.#building.delete(viewKey);
    });
    this.#building.set(viewKey, { version, built });
    return built;
  }

  async #build(view: Searchable): Promise<Built> {
    const { documentsPerIndex, recordsPerIndex } = this.#limits;
    // The view may change meanwhile: then what is made now is old already.
    const { viewKey, viewVersion: version, generation } = view;
    const index = new SearchIndex();
    for await (const document of collectDocuments(view, this.#limits)) {
      index.add(document);
      const { documents, records } = index.size;
      if (documents >= documentsPerIndex || records >= recordsPerIndex) break;
      await this.turns.next();
    }
    const built = { index, version, generation, builtAtMs: this.#clock.monotonicMs() };
    this.#forgetOld();
    this.#indexes.set(viewKey, built);
    return built;
  }

  /** Forget indexes that serve nobody any more: of contexts that are gone, of hosts that nobody asks about. */
  #forgetOld(): void {
    const tooOldMs = this.#clock.monotonicMs() - this.#limits.staleMs;
    for (const [viewKey, { builtAtMs }] of this.#indexes) if (builtAtMs <= tooOldMs) this.#indexes.delete(viewKey);
  }
}
