import type { ComponentChildren, JSX } from 'preact';
import { view } from '../state/page.js';
import { encodeView, type View } from '../state/url-state.js';

type Attributes = Pick<JSX.IntrinsicElements['a'], 'class' | 'title' | 'children' | 'aria-current'>;
type LinkProps = Attributes & { to: Partial<View>; from?: View; text?: ComponentChildren };

/** A link to the view that is shown, or to another one, with parts of it changed. */
export function Link({ to, from = view.value, text, children, ...rest }: LinkProps) {
  return (
    <a {...rest} href={encodeView({ ...from, ...to })}>
      {text ?? children}
    </a>
  );
}
