import { effect, signal } from '@preact/signals';
import { readStored, store } from './storage.js';

/** The colour scheme: as the browser says, or one of them. */
export type Theme = (typeof THEMES)[number];

const THEMES = ['auto', 'light', 'dark'] as const;

/** The chosen colour scheme. */
export const theme = signal<Theme>(readTheme());
/** Whether single letters are shortcuts in the chart. */
export const hasKeys = signal(readStored('localStorage', 'pmgate.keys') !== 'off');

function readTheme(): Theme {
  const kept = readStored('localStorage', 'pmgate.theme');
  return THEMES.find((each) => each === kept) ?? 'auto';
}

/** Apply the preferences to the page, and save changes. */
export function keepPreferences(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    store('localStorage', 'pmgate.theme', theme.value);
  });
  effect(() => store('localStorage', 'pmgate.keys', hasKeys.value ? 'on' : 'off'));
}
