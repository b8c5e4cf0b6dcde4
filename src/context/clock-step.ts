import { secondsBetween } from '../pmapi/index.js';
import type { Timestamp } from '../pmapi/index.js';

/** By how much a sample may be older than one that was seen before it because its answer took longer. */
const OVERTAKEN_SEC = 10;

/** Whether a sample of a live source is older than one that was seen before it because the clock was set back meanwhile. */
export function wasClockSetBack(at: Timestamp, before: Timestamp): boolean {
  return secondsBetween(at, before) < -OVERTAKEN_SEC;
}
