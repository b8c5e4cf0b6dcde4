import type { Timestamp } from '../../pmapi/index.js';

/** A moment as milliseconds, good to a microsecond: for the grid of ticks, not for time stamps. */
export function wallMs({ sec, nsec }: Timestamp): number {
  return sec * 1000 + nsec / 1e6;
}
