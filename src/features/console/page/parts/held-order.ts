import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';

/**
 * Holds the order of a list that is sorted with each sample while the list is pointed at or has the focus, so that no row moves away
 * from a click or takes the focus with it. `keys` returns the keys of the rows as shown.
 * @returns the keys in the order that is held, undefined while the list may be sorted; and attributes of the element that has the list
 */
export function useHeldOrder<E extends HTMLElement>(keys: () => readonly string[]) {
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
