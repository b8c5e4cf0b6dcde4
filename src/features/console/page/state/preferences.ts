import { effect, signal } from '@preact/signals';
import { readStored, store } from './storage.js';

/** The colour scheme: as the browser says, or one of them. */
export type Theme = 'auto' | 'light' | 'dark';

const THEMES: readonly string[] = ['auto', 'light', 'dark'];

/** The chosen colour scheme. */
export const theme = signal<Theme>(readTheme());
/** Whether single letters are shortcuts in the chart. */
export const hasKeys = signal(readStored('localStorage', 'pmgate.keys') !== 'off');

function readTheme(): Theme {
  const kept = readStored('localStorage', 'pmgate.theme') ?? '';
  return THEMES.includes(kept) ? (kept as Theme) : 'auto';
}

/** Apply the preferences to the page, and save changes. */
export function keepPreferences(): void {
  effect(() => {
    if (theme.value === 'auto') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', theme.value);
    store('localStorage', 'pmgate.theme', theme.value);
  });
  effect(() => store('localStorage', 'pmgate.keys', hasKeys.value ? 'on' : 'off'));
}
