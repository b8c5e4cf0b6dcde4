import { effect, useComputed, useSignal, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';

/** Something of a component's own, made again when the key changes, and closed when it is not needed any more. */
export function useOwn<T extends { readonly close: () => void }>(make: () => T, key?: string): T {
  const own = useMemo(make, [key]);
  useEffect(() => () => own.close(), [own]);
  return own;
}

/** What a component was given, for what is computed: a signal that changes when a part of it is another one. */
export function useGiven<T extends object>(given: T): Signal<T> {
  const kept = useSignal(given);
  const names = Object.keys(given) as (keyof T)[];
  if (names.some((name) => kept.peek()[name] !== given[name])) kept.value = given;
  return kept;
}

/** Computed truths; the component is drawn again only when one of them changes. */
export function useFlags(compute: () => readonly boolean[]): readonly boolean[] {
  const { value } = useComputed(() => compute().join());
  return value.split(',').map((each) => each === 'true');
}

/** An effect that runs before the page is painted: what it asks for is on its way meanwhile. It follows signals only, and nothing that is given later. */
export function useEarlyEffect(run: () => void): void {
  useLayoutEffect(() => effect(run), []);
}
