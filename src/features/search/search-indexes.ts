import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Clock } from '../../pmapi/index.js';
import { collectDocuments, type Depth } from './collect-documents.js';
import { SearchIndex } from './search-index.js';
import { SEARCH_LIMITS, type SearchLimits, type Searchable } from './searchable.js';

/** Characters that take as much memory as one word of an entity. */
const CHARACTERS_PER_RECORD = 50;

/** Shares the event loop: a promise to wait for, or undefined while this turn has time left. */
export interface Turns {
  next(): Promise<void> | undefined;
}

export interface SearchIndexesOptions {
  readonly clock: Clock;
  readonly turns: Turns;
  readonly limits?: Partial<SearchLimits>;
}

interface Built {
  readonly index: SearchIndex;
  readonly version: number;
  readonly generation: number;
  readonly builtAtMs: number;
}

interface Building {
  readonly version: number;
  /** Until then it waits for others, and will have whatever the view has by then. */
  hasBegun: boolean;
  readonly built: Promise<Built>;
  /** An index of names alone, available sooner, if there was none before. */
  readonly names: Promise<Built> | undefined;
}

/**
 * The indexes of views, built at the first search in spare turns, shared by concurrent searches. An outdated one serves once more while it
 * is rebuilt, except after ten minutes or a change of derived metrics. A host's first search gets an index of names: texts take seconds.
 */
export class SearchIndexes {
  readonly turns: Turns;
  readonly #clock: Clock;
  readonly #limits: SearchLimits;
  readonly #indexes: LRUCache<object | string, Built>;
  readonly #building = new Map<object | string, Building>();
  readonly #limitBuilds: ReturnType<typeof pLimit>;
  /** Names are read quickly, and do not wait for texts of other sources. */
  readonly #limitNames: ReturnType<typeof pLimit>;

  constructor({ clock, turns, limits = {} }: SearchIndexesOptions) {
    this.turns = turns;
    this.#clock = clock;
    this.#limits = { ...SEARCH_LIMITS, ...limits };
    this.#indexes = new LRUCache({
      maxSize: this.#limits.records,
      sizeCalculation: ({ index: { size } }) =>
        // An empty index takes memory, too.
        1 + size.records + Math.ceil(size.characters / CHARACTERS_PER_RECORD),
    });
    this.#limitBuilds = pLimit(this.#limits.builds);
    this.#limitNames = pLimit(this.#limits.builds);
  }

  /** The index of a view. Throws what the view's source throws. */
  async of(view: Searchable): Promise<SearchIndex> {
    const known = this.#indexes.get(view.names.viewKey);
    if (known?.version !== view.names.viewVersion) {
      const { names, built } = this.#renew(view);
      return (await (names ?? built)).index;
    }
    const ageMs = this.#clock.monotonicMs() - known.builtAtMs;
    const { minAgeMs, maxAgeMs, staleMs } = this.#limits;
    const isFresh = ageMs < minAgeMs || (known.generation === view.names.generation && ageMs < maxAgeMs);
    if (isFresh && known.index.hasTexts) return known.index;
    const { built } = this.#renew(view);
    if (ageMs >= staleMs) return (await built).index;
    // If the source stays unavailable for longer than the old index serves, the next search reports it.
    built.catch(() => undefined);
    return known.index;
  }

  /** The index of a view if there is one, old or not. */
  peek(view: Searchable): SearchIndex | undefined {
    return this.#indexes.peek(view.names.viewKey)?.index;
  }

  /** Rebuilds the index of a view, unless that is in progress: for each view, one is built and one waits. */
  #renew(view: Searchable): Building {
    const { viewKey, viewVersion: version, kind } = view.names;
    const underWay = this.#building.get(viewKey);
    if (underWay && (underWay.version === version || !underWay.hasBegun)) return underWay;
    const begun = { hasBegun: false };
    const begin = (depth: Depth) => (): Promise<Built> => {
      begun.hasBegun = true;
      return this.#build(view, depth);
    };
    const release = view.hold();
    const isFirst = kind === 'host' && !this.#indexes.has(viewKey);
    const names = isFirst ? this.#limitNames(begin('names')) : undefined;
    const built = (names ?? Promise.resolve())
      .then(() => this.#limitBuilds(begin('texts')))
      .finally(() => {
        // The view must not be closed while it waits, either.
        release();
        if (this.#building.get(viewKey)?.built === built) this.#building.delete(viewKey);
      });
    // Searches that get the names do not wait for the texts: the next search tries again.
    if (names) built.catch(() => undefined);
    const building = Object.assign(begun, { version, names, built });
    this.#building.set(viewKey, building);
    return building;
  }

  async #build(view: Searchable, depth: Depth): Promise<Built> {
    const { documentsPerIndex, recordsPerIndex, charactersPerIndex } = this.#limits;
    // The view may change meanwhile: then the new index is already outdated.
    const { viewKey, viewVersion: version, generation } = view.names;
    const index = new SearchIndex(depth === 'texts');
    for await (const document of collectDocuments(view.names, this.#limits, depth)) {
      index.add(document);
      const { documents, records, characters } = index.size;
      if (documents >= documentsPerIndex || records >= recordsPerIndex || characters >= charactersPerIndex) break;
      await this.turns.next();
    }
    const built = { index, version, generation, builtAtMs: this.#clock.monotonicMs() };
    this.#forgetOld();
    this.#indexes.set(viewKey, built);
    return built;
  }

  /** Drops unused indexes: of closed contexts, and of hosts that are no longer searched. */
  #forgetOld(): void {
    const tooOldMs = this.#clock.monotonicMs() - this.#limits.staleMs;
    for (const [viewKey, { builtAtMs }] of this.#indexes) if (builtAtMs <= tooOldMs) this.#indexes.delete(viewKey);
  }
}
