import type { JSX } from 'preact';
import { said, view } from '../state/page.js';
import { encodeView } from '../state/url-state.js';

/** A button that copies a text. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }): JSX.Element {
  return (
    <button type="button" onClick={() => void copy(label, text())}>
      {label}
    </button>
  );
}

/** Copy the address of what is shown. */
export function copyLink(): void {
  void copy('Copy link', new URL(encodeView(view.peek()), location.href).href);
}

async function copy(label: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    said.value = `${label}: done.`;
  } catch {
    // Clipboards need HTTPS or localhost.
    said.value = `${label}: ${text}`;
  }
}
