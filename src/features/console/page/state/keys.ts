import { useLayoutEffect } from 'preact/hooks';
import { hasKeys } from './preferences.js';

/** What takes keys itself: fields, dialogs; and of Enter and space, what they press. */
const FIELDS = 'input:not([type=range], [type=checkbox], [type=radio]), select, textarea, dialog, [contenteditable]';
const PRESSED = 'button, a, summary, input, [role=slider]';

/** Whether a key is a shortcut, and neither typed nor pressed into something. */
function isForKeys(event: KeyboardEvent, target: Element): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !hasKeys.peek()) return false;
  if (target.closest(FIELDS)) return false;
  return !(event.key === 'Enter' || event.key === ' ') || !target.matches(PRESSED);
}

/** Calls `press` for each shortcut while a component is there. @param press whether it did something */
export function useKeys(press: (event: KeyboardEvent, target: Element) => boolean): void {
  // Before the page is seen: its reader may press keys at once.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target instanceof Element ? event.target : document.body;
      if (isForKeys(event, target) && press(event, target)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
