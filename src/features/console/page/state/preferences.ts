import { effect, signal } from '@preact/signals';

/** The colour scheme: as the browser says, or one of them. */
export type Theme = 'auto' | 'light' | 'dark';

const THEMES: readonly string[] = ['auto', 'light', 'dark'];

/** The chosen colour scheme. */
export const theme = signal<Theme>(readTheme());
/** Whether single letters are shortcuts in the chart. */
export const hasKeys = signal(read('pmgate.keys') !== 'off');

function readTheme(): Theme {
  const kept = read('pmgate.theme') ?? '';
  return THEMES.includes(kept) ? (kept as Theme) : 'auto';
}

/** Apply the preferences to the page, and save changes. */
export function keepPreferences(): void {
  effect(() => {
    if (theme.value === 'auto') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', theme.value);
    write('pmgate.theme', theme.value);
  });
  effect(() => write('pmgate.keys', hasKeys.value ? 'on' : 'off'));
}

// The browser may deny storage: preferences then last as long as the page.
function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing depends on it.
  }
}
