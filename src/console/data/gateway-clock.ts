import { signal } from '@preact/signals';

/** The gateway's clock, in seconds since the epoch: of the last sample, and moved on once a second where none comes. */
export const now = signal(Date.now() / 1000);

let offsetSec: number | undefined;

/** A sample with this time stamp has just come: the gateway's clock is at least there. */
export function heardOf(timestamp: number): void {
  const seen = timestamp - performance.now() / 1000;
  // The delay of a sample makes the clock look slow; a clock that was set back is believed.
  if (offsetSec === undefined || seen > offsetSec || seen < offsetSec - 5) offsetSec = seen;
  if (Math.abs(timestamp - now.peek()) > 0.2) now.value = timestamp;
}

/** Move the clock on while no samples come. Returns a function that stops it. */
export function runClock(): () => void {
  const timer = setInterval(() => {
    if (document.hidden) return;
    const estimate = offsetSec === undefined ? Date.now() / 1000 : offsetSec + performance.now() / 1000;
    if (estimate - now.peek() > 1.5) now.value = estimate;
  }, 1000);
  return () => clearInterval(timer);
}
