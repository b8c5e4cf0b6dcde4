import type { FetchResult } from '../../pmapi/index.js';

/** Values and metrics that are worked on in one turn of the event loop. */
const AT_ONCE = 4000;

/** Whether others would wait for a sample to be collected or written at once. */
export function isWide({ sets }: FetchResult): boolean {
  let values = sets.length;
  for (const { status } of sets) values += Math.max(status, 0);
  return values > AT_ONCE;
}
