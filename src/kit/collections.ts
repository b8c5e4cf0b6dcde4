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

/** The first index in [from, to) at which a condition becomes true, else `to`. Binary search. */
export function bisect(from: number, to: number, holds: (index: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of the first number not below `limit` in an ascending list; the length of the list if all are below. */
export function lowerBound(ascending: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A copy of a typed array with room for `length` elements. */
export function grown<A extends Float64Array | Int32Array | Uint8Array | BigInt64Array>(array: A, length: number): A {
  const copy = new (array.constructor as new (length: number) => A)(length);
  copy.set(array as never);
  return copy;
}
