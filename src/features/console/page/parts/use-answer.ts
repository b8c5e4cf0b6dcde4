import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** The answer to a question, asked again when the key changes; undefined while there is none, or where it failed or there is no key. */
export function useAnswer<T>(key: string | undefined, ask: (signal: AbortSignal) => Promise<T>): Signal<T | undefined> {
  const answer = useSignal<T | undefined>(undefined);
  useEffect(() => {
    if (key === undefined) return undefined;
    const controller = new AbortController();
    ask(controller.signal).then(
      (found) => (answer.value = found),
      () => undefined,
    );
    return () => controller.abort();
  }, [key]);
  return answer;
}
