/** A copy of a typed array with room for `length` elements. */
export function grown<A extends Float64Array | Int32Array | Uint8Array | BigInt64Array>(array: A, length: number): A {
  const copy = new (array.constructor as new (length: number) => A)(length);
  copy.set(array as never);
  return copy;
}
