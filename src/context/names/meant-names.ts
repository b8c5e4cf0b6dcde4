import { LRUCache } from 'lru-cache';
import { GatewayError, nearestNames, PmError } from '../../pmapi/index.js';

/** Misspelt names handled per request: each is compared with thousands. */
const NAMES_SOUGHT = 3;
/** Names that each is compared with: a namespace may have millions. */
const CANDIDATES = 20_000;
/** Cached answers: a client that polls a misspelt name must not cause the namespace to be read each time. */
const ANSWERS_KEPT = 8;

/** Whether to suggest metrics only, or interior nodes of the namespace as well. */
export type MeantKind = 'metric' | 'node';

/** Suggests names for misspelt ones, among those that a context shows. */
export class MeantNames {
  readonly #names: () => Promise<readonly string[]>;
  #known: LRUCache<string, readonly string[]> | undefined;

  /** `names` reads all names of metrics; it is called for a name that is not cached. */
  constructor(names: () => Promise<readonly string[]>) {
    this.#names = names;
  }

  /** The nearest names of the first three unknown ones, best first, at most three each. A source that fails has none. */
  async of(unknown: readonly string[], kind: MeantKind): Promise<ReadonlyMap<string, readonly string[]>> {
    const sought = [...new Set(unknown)].slice(0, NAMES_SOUGHT);
    const known = (this.#known ??= new LRUCache({ max: ANSWERS_KEPT }));
    let candidates: readonly string[] | undefined;
    const found = new Map<string, readonly string[]>();
    for (const name of sought) {
      const key = `${kind} ${name}`;
      let nearest = known.get(key);
      if (!nearest) {
        candidates ??= await this.#candidates(kind);
        // Its own parents are near, but not what was meant.
        nearest = nearestNames(
          name,
          candidates.filter((candidate) => !name.startsWith(`${candidate}.`)),
        );
        known.set(key, nearest);
      }
      if (nearest.length > 0) found.set(name, nearest);
    }
    return found;
  }

  async #candidates(kind: MeantKind): Promise<readonly string[]> {
    const names = (await this.#names().catch(noneOf)).slice(0, CANDIDATES);
    if (kind === 'metric') return names;
    const nodes = new Set<string>();
    for (const name of names) {
      for (let end = name.length; end > 0 && !nodes.has(name.slice(0, end)); end = name.lastIndexOf('.', end - 1)) {
        nodes.add(name.slice(0, end));
        if (nodes.size === CANDIDATES) return [...nodes];
      }
    }
    return [...nodes];
  }
}

/** A failure of the source is not an answer here; the request reports it. */
function noneOf(error: unknown): readonly string[] {
  if (error instanceof PmError || error instanceof GatewayError) return [];
  throw error;
}
