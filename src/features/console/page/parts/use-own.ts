import { effect, useComputed, useSignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
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

/** Whether an element is in sight, or at most so many pixels away. @param isFirst what it is until that is known */
export function useIsSeen(element: RefObject<Element | null>, isFirst: boolean, nearPx = 0): Signal<boolean> {
  const isSeen = useSignal(isFirst);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => (isSeen.value = entries.at(-1)!.isIntersecting), {
      rootMargin: `${nearPx}px`,
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element, isSeen, nearPx]);
  return isSeen;
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
