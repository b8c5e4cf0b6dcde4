import { useEffect, useMemo } from 'preact/hooks';

/** Something of a component's own, made again when the key changes, and closed when it is not needed any more. */
export function useOwn<T extends { readonly close: () => void }>(make: () => T, key?: string): T {
  const own = useMemo(make, [key]);
  useEffect(() => () => own.close(), [own]);
  return own;
}
