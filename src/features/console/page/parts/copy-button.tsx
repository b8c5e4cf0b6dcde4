import { isLive, shownWindow } from '../data/shown-time.js';
import { Button } from './controls.js';
import { said, view } from '../state/page.js';
import { encodeView, type View } from '../state/url-state.js';

/** A button that copies a text. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  return <Button text={label} onClick={() => void copy(label, text())} />;
}

/** What is said of a link to a moment that was live. */
export const COPIED_MOMENT = 'Copied link: it shows these same minutes.';

/** Copy the address of what is shown; of a live chart, with the times that are in view. */
export function copyLink(): void {
  const shown = view.peek();
  const isMoment = isLive.peek() && (shown.screen === 'chart' || shown.screen === '');
  const { start, end } = shownWindow.peek();
  const next: View = isMoment ? { ...shown, time: { kind: 'fixed', start, end } } : shown;
  void copy('Copy link', urlOf(next), isMoment ? COPIED_MOMENT : 'Copied link.');
}

/** Copy the address of a live chart that stays live. */
export function copyLiveLink(): void {
  void copy('Copy link', urlOf(view.peek()), 'Copied link: it stays live.');
}

function urlOf(shown: View): string {
  return new URL(encodeView(shown), location.href).href;
}

/** Copy a text, and say so. */
export async function copy(label: string, text: string, done = `${label.replace(/^Copy/, 'Copied')}.`): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    said.value = done;
  } catch {
    // Clipboards need HTTPS or localhost.
    said.value = `${label}: ${text}`;
  }
}
