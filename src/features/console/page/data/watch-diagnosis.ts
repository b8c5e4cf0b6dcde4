import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { Diagnosed } from './diagnosis.js';
import { readJson, whereOf } from './gateway.js';

const AGAIN_MS = 3000;

/** What the gateway says of a host, again and again; undefined: nothing yet, null: it does not say. */
export function watchDiagnosis(source: string): {
  readonly resources: Signal<readonly Diagnosed[] | undefined | null>;
  readonly stop: () => void;
} {
  const resources = signal<readonly Diagnosed[] | undefined | null>(undefined);
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async (): Promise<void> => {
    const isLooked = !document.hidden;
    const answer = isLooked
      ? await readJson<{ readonly resources: readonly Diagnosed[] }>('/diagnosis', whereOf(source), controller.signal)
      : undefined;
    if (controller.signal.aborted) return;
    // What was said before is not of this moment.
    if (isLooked) resources.value = answer?.resources ?? null;
    // A gateway or role without the route will have none in a moment, either.
    if (!isLooked || answer) timer = setTimeout(() => void ask(), AGAIN_MS);
  };
  void ask();
  return {
    resources,
    stop: () => {
      clearTimeout(timer);
      controller.abort();
    },
  };
}
