import { attempt } from '../../../../kit/index.js';

/** A text of a browser's storage; undefined: there is none, or the browser denies it. */
export function readStored(storage: 'localStorage' | 'sessionStorage', key: string): string | undefined {
  return attempt(() => globalThis[storage].getItem(key)) ?? undefined;
}

/** Keep a text, or forget it; where the browser denies it, what depends on it lasts as long as the page. */
export function store(storage: 'localStorage' | 'sessionStorage', key: string, text: string | undefined): void {
  attempt(() => {
    if (text === undefined) globalThis[storage].removeItem(key);
    else globalThis[storage].setItem(key, text);
  });
}
