import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { shownWindow } from '../data/shown-time.js';
import { Button, Select } from '../parts/controls.js';
import { change, view } from '../state/page.js';

/** How many seconds pass in one. */
const speed = signal(1);
/** Whether the pinned instant moves on by itself. */
export const isPlaying = signal(false);
const STEP_MS = 250;

/** Let the instant move through the window, from where it is pinned or from the beginning; or stop it. */
export function togglePlay(): void {
  if (isPlaying.peek()) {
    stop();
    return;
  }
  const { start, end } = shownWindow.peek();
  const { cursor: at = start } = view.peek();
  change({ time: { kind: 'fixed', start, end }, cursor: at >= start && at < end ? at : start });
  isPlaying.value = true;
}

/** Only then is it in the address: browsers refuse to change that many times a minute. */
function stop(): void {
  isPlaying.value = false;
  change({}, 'replace');
}

/** Plays what was recorded: values, processes and the sentence follow the pinned instant. */
export function Replay() {
  const plays = isPlaying.value;
  useEffect(() => {
    if (!plays) return undefined;
    let before = performance.now();
    const timer = setInterval(() => {
      const shown = view.peek();
      const [{ end }, ms] = [shownWindow.peek(), performance.now()];
      const next = (shown.cursor ?? end) + ((ms - before) / 1000) * speed.peek();
      before = ms;
      view.value = { ...shown, cursor: Math.min(next, end) };
      if (next >= end) stop();
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [plays]);
  // Another screen does not play.
  useEffect(() => () => void (isPlaying.value = false), []);
  return (
    <span class="replay">
      <Button
        text={plays ? '❚❚ pause' : '▶ play'}
        aria-pressed={plays}
        title="Play this time (space)"
        onClick={togglePlay}
      />
      <Select
        label="Speed"
        value={String(speed.value)}
        options={[1, 10, 60].map((each) => [String(each), `×${each}`])}
        onChoose={(value) => (speed.value = Number(value))}
      />
    </span>
  );
}
