import { LRUCache } from 'lru-cache';

/**
 * Keeps what was asked for last, at most so many. Takes room for those that there are: LRUCache's own `max` takes it for all of them at
 * once, and there may be a cache for each of a thousand hosts.
 */
export function lastUsed<K extends string, V extends object>(most: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
