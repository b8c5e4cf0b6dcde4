import { signal } from '@preact/signals';

/** The gateway's clock, in seconds since the epoch: the time of the last sample, advanced once a second without new ones. */
export const now = signal(Date.now() / 1000);

/** Whether the gateway has sent nothing for a while, although samples are due. */
export const isSilent = signal(false);

/** How long after a sample was due the gateway counts as silent. */
const SILENT_MS = 4000;
/** When something should have come from each of the streams, on the browser's monotonic clock. */
const due = new Map<object, number>();

/** Something came from a stream, which sends a sample after each interval; undefined: the stream has ended. */
export function expectFrom(stream: object, intervalSec: number | undefined): void {
  if (intervalSec === undefined) due.delete(stream);
  else due.set(stream, performance.now() + intervalSec * 1000);
  isSilent.value = false;
}

let offsetSec: number | undefined;

/** A sample with this timestamp has just arrived: the gateway's clock shows at least this. */
export function heardOf(timestamp: number): void {
  const seen = timestamp - performance.now() / 1000;
  // A delayed sample makes the clock look slow; a clock that was set back is accepted.
  if (offsetSec === undefined || seen > offsetSec || seen < offsetSec - 5) offsetSec = seen;
  if (Math.abs(timestamp - now.peek()) > 0.2) now.value = timestamp;
}

/** Advance the clock while no samples arrive. Returns a function that stops it. */
export function runClock(): () => void {
  const timer = setInterval(() => {
    // Tests import this file without the types of browsers.
    if ((globalThis as { document?: { readonly hidden: boolean } }).document?.hidden === true) return;
    isSilent.value = due.size > 0 && performance.now() - Math.max(...due.values()) > SILENT_MS;
    const estimate = offsetSec === undefined ? Date.now() / 1000 : offsetSec + performance.now() / 1000;
    if (estimate - now.peek() > 1.5) now.value = estimate;
  }, 1000);
  return () => clearInterval(timer);
}
