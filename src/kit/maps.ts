interface MapLike<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key, made and kept if there is none. */
export function getOrMake<K, V>(map: MapLike<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

export function addTo<K, V>(lists: MapLike<K, V[]>, key: K, value: V): void {
  getOrMake(lists, key, () => []).push(value);
}

/** A function that computes its result at the first call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly result: T } | undefined;
  return () => (made ??= { result: make() }).result;
}
