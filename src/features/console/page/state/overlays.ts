import { signal } from '@preact/signals';

/** Whether Ctrl+K's box is open. */
export const isPaletteOpen = signal(false);
/** Whether the page shows how each number came about. */
export const isProving = signal(false);
/** When the key was pressed, in milliseconds of the page. */
export const pressedMs = signal(0);

/** The key was pressed: show it, or no longer. */
export function prove(isRepeat: boolean): void {
  if (isRepeat) return;
  pressedMs.value = performance.now();
  isProving.value = !isProving.peek();
}
