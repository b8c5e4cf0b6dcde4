import { LRUCache } from 'lru-cache';
import { GatewayError, nearestNames, PmError } from '../../pmapi/index.js';

/** Names that are looked at for one request: each is compared with thousands. */
const NAMES_SOUGHT = 3;
/** Names that one is compared with: a namespace may have millions. */
const CANDIDATES = 20_000;
/** Answers that are remembered: whoever polls a misspelt name must not have the namespace read each time. */
const ANSWERS_KEPT = 8;

/** Whether only metrics will do, or interior nodes of the namespace as well. */
export type MeantKind = 'metric' | 'node';

/** Finds what misspelt names were probably meant to be, among those that a context sees. */
export class MeantNames {
  readonly #names: () => Promise<readonly string[]>;
  #known: LRUCache<string, readonly string[]> | undefined;

  /** `names` reads all names of metrics; it is called when a name is looked for that is not remembered. */
  constructor(names: () => Promise<readonly string[]>) {
    this.#names = names;
  }

  /**
   * The nearest names of the first three unknown ones, best first, at most three of each; nothing for a name that is near no other.
   * A source that fails has none.
   */
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
        // The nodes above it are near, but were meant and written.
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

/** What is wrong with the source is no answer to a question about names; the request has its own error. */
function noneOf(error: unknown): readonly string[] {
  if (error instanceof PmError || error instanceof GatewayError) return [];
  throw error;
}
