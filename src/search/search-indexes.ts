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

export interface SearchIndexesOptions {
  readonly clock: Clock;
  readonly turns: Turns;
  readonly limits?: Partial<SearchLimits>;
}

/** An index, and what it was made from. */
interface Built {
  readonly index: SearchIndex;
  readonly version: string;
  readonly builtAtMs: number;
}

interface Building {
  readonly version: string;
  readonly built: Promise<Built>;
}

/**
 * The indexes of the views that are searched. Each is made when it is first needed, in the turns of the event loop that are left
 * over, and made anew when its view changed or its instances are old. Those who ask meanwhile wait for the same one.
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
    const { viewKey, viewVersion } = view;
    const known = this.#indexes.get(viewKey);
    if (known && this.#isGood(known, viewVersion)) return known.index;
    const underWay = this.#building.get(viewKey);
    if (underWay?.version === viewVersion) return (await underWay.built).index;
    // The view must not go away while it waits, either.
    const built = this.#limitBuilds(() => this.#build(view)).finally(view.hold());
    const building = { version: viewVersion, built };
    this.#building.set(viewKey, building);
    try {
      return (await built).index;
    } finally {
      if (this.#building.get(viewKey) === building) this.#building.delete(viewKey);
    }
  }

  /** The index of a view if there is one, old or not. */
  peek(view: Searchable): SearchIndex | undefined {
    return this.#indexes.peek(view.viewKey)?.index;
  }

  #isGood({ version, builtAtMs }: Built, viewVersion: string): boolean {
    const ageMs = this.#clock.monotonicMs() - builtAtMs;
    return ageMs < this.#limits.minAgeMs || (version === viewVersion && ageMs < this.#limits.maxAgeMs);
  }

  async #build(view: Searchable): Promise<Built> {
    const { documentsPerIndex, recordsPerIndex } = this.#limits;
    // The view may change meanwhile: then what is made now is old already.
    const { viewKey, viewVersion: version } = view;
    const index = new SearchIndex();
    for await (const document of collectDocuments(view, this.#limits)) {
      index.add(document);
      const { documents, records } = index.size;
      if (documents >= documentsPerIndex || records >= recordsPerIndex) break;
      await this.turns.next();
    }
    const built = { index, version, builtAtMs: this.#clock.monotonicMs() };
    this.#indexes.set(viewKey, built);
    return built;
  }
}
