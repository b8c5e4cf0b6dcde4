import { hasKeys } from './preferences.js';

/** What takes keys itself: fields, dialogs; and of Enter and space, what they press. */
const FIELDS = 'input:not([type=range], [type=checkbox], [type=radio]), select, textarea, dialog, [contenteditable]';
const PRESSED = 'button, a, summary, input, [role=slider]';

/** Whether a key is a shortcut, and neither typed nor pressed into something. */
export function isForKeys(event: KeyboardEvent, target: Element): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !hasKeys.peek()) return false;
  if (target.closest(FIELDS)) return false;
  return !(event.key === 'Enter' || event.key === ' ') || !target.matches(PRESSED);
}
