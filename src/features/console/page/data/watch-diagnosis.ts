import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { Span } from '../state/time-window.js';
import type { Diagnosed } from './diagnosis.js';
import { readJson, whereOf } from './gateway.js';

const AGAIN_MS = 2000;
/** A window may be dragged. */
const SOON_MS = 300;

/**
 * What the gateway says of a source; undefined: nothing yet, null: it does not say.
 * @param window the time in question; undefined: now, again and again
 */
export function watchDiagnosis(
  source: string,
  zone: string,
  window: Span | undefined,
): { readonly resources: Signal<readonly Diagnosed[] | undefined | null>; readonly stop: () => void } {
  const resources = signal<readonly Diagnosed[] | undefined | null>(undefined);
  const controller = new AbortController();
  const of: Record<string, string> = { ...whereOf(source), zone };
  if (window) Object.assign(of, { start: String(window.start), finish: String(window.end) });
  const ask = async (): Promise<void> => {
    const isLooked = !document.hidden;
    if (isLooked) {
      const answer = await readJson<{ readonly resources: readonly Diagnosed[] }>('/diagnosis', of, controller.signal);
      if (controller.signal.aborted) return;
      // What was said before is not of this moment.
      resources.value = answer?.resources ?? null;
      // A gateway or a role without it will have none in a moment, either.
      if (!answer || window) return;
    }
    timer = setTimeout(() => void ask(), AGAIN_MS);
  };
  let timer = setTimeout(() => void ask(), window ? SOON_MS : 0);
  return {
    resources,
    stop: () => {
      clearTimeout(timer);
      controller.abort();
    },
  };
}
