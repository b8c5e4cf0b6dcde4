import { signal } from '@preact/signals';

/** The gateway's clock, in seconds since the epoch: the time of the last sample, advanced once a second without new ones. */
export const now = signal(Date.now() / 1000);

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
    if (document.hidden) return;
    const estimate = offsetSec === undefined ? Date.now() / 1000 : offsetSec + performance.now() / 1000;
    if (estimate - now.peek() > 1.5) now.value = estimate;
  }, 1000);
  return () => clearInterval(timer);
}
