import { isDerivedPmid, parsePmid } from '../pmapi/index.js';
import type { Session } from './session.js';

/** The pause between the two samples of a rate, in milliseconds. */
export const RATE_INTERVAL_MS = 1000;

/** Whether a PMID (`511.0.1`) is that of a derived metric. */
export function isDerived(pmid: string): boolean {
  const number = parsePmid(pmid);
  return number !== undefined && isDerivedPmid(number);
}

/** Asks once more after a second if the first answer lacks values that need a second sample. */
export async function twiceIfNeeded<T>(
  { host, signal }: Session,
  ask: () => Promise<T>,
  lacksSample: (answer: T) => boolean | undefined,
): Promise<T> {
  const first = await ask();
  if (lacksSample(first) !== true) return first;
  await host.pause(RATE_INTERVAL_MS, signal);
  return ask();
}
