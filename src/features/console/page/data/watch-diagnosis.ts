import type { Signal } from '@preact/signals';
import { again } from './again.js';
import type { DiagnosisAnswer } from '../../../../client/index.js';
import type { Span } from '../state/time-window.js';
import { client, whereOf } from './gateway.js';

/** What the gateway says, and until when that was measured; undefined: nothing yet, null: it does not say. */
export type Judged = Pick<DiagnosisAnswer, 'resources' | 'finish'> | undefined | null;

const AGAIN_MS = 2000;
/** A window may be dragged. */
const SOON_MS = 300;

/**
 * Keeps what the gateway says of a source in a signal.
 * @param window the time in question; undefined: now, again and again
 * @returns a function that stops it
 */
export function watchDiagnosis(
  judged: Signal<Judged>,
  source: string,
  zone: string,
  window: Span | undefined,
): () => void {
  const of = { ...whereOf(source), zone, ...(window ? { start: window.start, finish: window.end } : {}) };
  return again(
    async (signal) => {
      // A gateway or a role may be without it, and what was said before is not of this moment.
      const answer = await client.diagnose({ ...of, signal }).catch(() => null);
      if (!signal.aborted) judged.value = answer;
      // It will have none in a moment, either.
      return !answer || window ? undefined : AGAIN_MS;
    },
    window ? SOON_MS : 0,
  );
}
