import type { JSX } from 'preact';
import { said } from '../state/page.js';

/** A button that copies a text. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }): JSX.Element {
  return (
    <button type="button" onClick={() => void copy(label, text())}>
      {label}
    </button>
  );
}

async function copy(label: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    said.value = `${label}: done.`;
  } catch {
    // Clipboards need HTTPS or localhost.
    said.value = text;
  }
}
