import { useSignal, type ReadonlySignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';

/** The order of a list while it must not change. */
interface HeldOrder<E extends HTMLElement> {
  /** The keys in that order; undefined: the list may be sorted. */
  readonly held: ReadonlySignal<readonly string[] | undefined>;
  /** The attributes of the element that contains the list. */
  readonly attributes: {
    readonly ref: RefObject<E | null>;
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
    readonly onFocusIn: () => void;
    readonly onFocusOut: () => void;
  };
}

/**
 * Holds the order of a list that is sorted with each sample while the list is pointed at or has the focus, so that no row moves away
 * from a click or takes the focus with it. `keys` returns the keys of the rows as shown.
 */
export function useHeldOrder<E extends HTMLElement>(keys: () => readonly string[]): HeldOrder<E> {
  const ref = useRef<E>(null);
  const held = useSignal<readonly string[] | undefined>(undefined);
  const hold = (): void => {
    held.value ??= keys();
  };
  // After the event: until then, the element that is left still matches.
  const release = (): void =>
    void setTimeout(() => {
      if (ref.current?.matches(':hover, :focus-within') !== true) held.value = undefined;
    });
  return {
    held,
    attributes: { ref, onPointerEnter: hold, onPointerLeave: release, onFocusIn: hold, onFocusOut: release },
  };
}
