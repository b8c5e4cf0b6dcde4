import { Button } from './button.js';
import type { ComponentChildren } from 'preact';

/** Says what is being waited for. It shows itself after a moment: short waits need no words. */
export function Working(props: {
  readonly children: ComponentChildren;
  /** Stops it; undefined: it cannot be stopped. */
  readonly onStop?: () => void;
}) {
  const { children, onStop } = props;
  return (
    <p class="working" role="status">
      {children} {onStop ? <Button text="Stop" onClick={onStop} /> : null}
    </p>
  );
}
