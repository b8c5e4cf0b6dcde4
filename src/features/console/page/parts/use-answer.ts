import { batch, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { troubleOf, type Trouble } from '../data/gateway.js';

/** How often a page that is not looked at asks whether it is. */
const HIDDEN_MS = 1500;

interface Asking<T> {
  /** Milliseconds before it is asked: what the key comes from may be typed or dragged. */
  readonly afterMs?: number;
  /** Milliseconds until it is asked again, while the page is looked at; undefined: it is not. @param count how often it was asked */
  readonly againMs?: (answer: T | undefined, count: number) => number | undefined;
  /** There is no answer until that to another key has come. */
  readonly forgets?: boolean;
  /** Another key waits until this one is answered: it comes from what is played, and would put the answer off forever. */
  readonly isPatient?: boolean;
}

/** The answer to a question, which is asked again when the key changes; nothing is asked without one. The last answer stays when one fails. */
export function useAnswer<T>(
  key: string | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
  { afterMs = 0, againMs, forgets = false, isPatient = false }: Asking<T> = {},
) {
  const answer = useSignal<T | undefined>(undefined);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const isAsking = useSignal(false);
  const restarts = useSignal(0);
  const stop = useRef((): void => undefined);
  const asked = useRef(key);
  if (!isPatient || !isAsking.value) asked.current = key;
  // Before the page is painted: answers come while it is.
  useLayoutEffect(() => {
    if (forgets) answer.value = undefined;
    if (asked.current === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let count = 0;
    const later = (ms: number) => setTimeout(() => void run(), ms);
    const run = async (): Promise<void> => {
      if (count > 0 && document.hidden) {
        timer = later(HIDDEN_MS);
        return;
      }
      const [found, failed] = await ask(signal).then(
        (given) => [given, undefined] as const,
        (error: unknown) => [undefined, troubleOf(error)] as const,
      );
      if (signal.aborted) return;
      batch(() => ([answer.value, trouble.value, isAsking.value] = [failed ? answer.peek() : found, failed, false]));
      const nextMs = againMs?.(found, ++count);
      if (nextMs !== undefined) timer = later(nextMs);
    };
    // Values are asked for first: their effects come after those of the parts.
    let timer = later(afterMs);
    isAsking.value = true;
    stop.current = () => {
      clearTimeout(timer);
      controller.abort();
      isAsking.value = false;
    };
    return stop.current;
  }, [asked.current, restarts.value]);
  return { answer, trouble, isAsking, ask: () => restarts.value++, stop: () => stop.current() };
}
