import { secondsBetween } from '../pmapi/index.js';
import type { Timestamp } from '../pmapi/index.js';

/** How much older a sample may be than one seen before it because its response took longer. */
const OVERTAKEN_SEC = 10;

/** Whether a sample of a live source is older than the previous one because the clock was set back meanwhile. */
export function wasClockSetBack(at: Timestamp, before: Timestamp): boolean {
  return secondsBetween(at, before) < -OVERTAKEN_SEC;
}
