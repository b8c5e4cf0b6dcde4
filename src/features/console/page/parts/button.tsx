import type { ComponentChildren, JSX } from 'preact';

/** A button that submits nothing unless its type says so. */
export function Button({ text, children, ...rest }: JSX.IntrinsicElements['button'] & { text?: ComponentChildren }) {
  return (
    <button type="button" {...rest}>
      {text ?? children}
    </button>
  );
}
