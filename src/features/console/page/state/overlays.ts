import { signal } from '@preact/signals';

/** Whether Ctrl+K's box is open. */
export const isPaletteOpen = signal(false);
/** Whether the page shows how each number came about. */
export const isProving = signal(false);
/** When the key was pressed, as its event says: handling it may be late. */
export const pressedMs = signal(0);

/** The key was pressed: show it, or no longer. */
export function prove({ repeat, timeStamp }: KeyboardEvent): void {
  if (repeat) return;
  pressedMs.value = timeStamp;
  isProving.value = !isProving.peek();
}
