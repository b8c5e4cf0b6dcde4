import { compareTimestamps, makeTimestamp } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';

const EVENT_ID = /^(\d{1,12})\.(\d{9})$/;

/** Read the id of an event, which is the time stamp of its sample as answers write it; undefined for anything else. */
export function parseEventId(text: string): Timestamp | undefined {
  const found = EVENT_ID.exec(text);
  return found ? { sec: Number(found[1]), nsec: Number(found[2]) } : undefined;
}

/** The id of a sample that follows another one: its time stamp, unless the clock was set back since. */
export function eventIdAfter(timestamp: Timestamp, last: Timestamp | undefined): Timestamp {
  if (!last || compareTimestamps(timestamp, last) > 0) return timestamp;
  return makeTimestamp(last.sec, last.nsec + 1);
}
