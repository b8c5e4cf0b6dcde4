import { DARK, LIGHT } from './palette.js';

/** The colours that a canvas draws with, from the current style of the page. */
export interface ChartColours {
  readonly ink: string;
  readonly ink2: string;
  readonly line: string;
  readonly paper: string;
  readonly gap: string;
  readonly accent: string;
  readonly warm: string;
  readonly series: readonly string[];
}

/** Read the colours from the style sheet: colour schemes and forced colours change them. */
export function readColours(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  return {
    ink: colour('--ink'),
    ink2: colour('--ink2'),
    line: colour('--line'),
    paper: colour('--paper'),
    gap: colour('--gap'),
    accent: colour('--accent'),
    warm: colour('--warm'),
    series: colour('--scheme') === 'dark' ? DARK : LIGHT,
  };
}

/** Call a function when they change. Returns a function that stops it. */
export function onColours(listener: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)'];
  const lists = queries.map((query) => matchMedia(query));
  for (const list of lists) list.addEventListener('change', listener);
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    for (const list of lists) list.removeEventListener('change', listener);
    observer.disconnect();
  };
}
