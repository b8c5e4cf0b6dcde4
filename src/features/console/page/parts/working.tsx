import type { ComponentChildren, JSX } from 'preact';

/** Says what is being waited for. It shows itself after a moment: short waits need no words. */
export function Working({
  children,
  onStop,
}: {
  readonly children: ComponentChildren;
  /** Stops it; undefined: it cannot be stopped. */
  readonly onStop?: () => void;
}): JSX.Element {
  return (
    <p class="working" role="status">
      {children}{' '}
      {onStop ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : null}
    </p>
  );
}
