import type { Signal } from '@preact/signals';
import type { ComponentChildren, JSX, Ref } from 'preact';
import { isGatewayGone, troubleText, type Trouble } from '../data/gateway.js';
import { change, view } from '../state/page.js';
import { encodeView, type View } from '../state/url-state.js';

/** A button that submits nothing unless its type says so. */
export function Button({ text, children, ...rest }: JSX.IntrinsicElements['button'] & { text?: ComponentChildren }) {
  return (
    <button type="button" {...rest}>
      {text ?? children}
    </button>
  );
}

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

interface SelectProps {
  readonly label: string;
  /** The label stands above the box; otherwise it is for screen readers only. */
  readonly isStacked?: boolean;
  readonly value: string;
  /** The values, and what is shown of each. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

/** A box to choose from. */
export function Select({ label, isStacked = false, value, options, onChoose }: SelectProps) {
  return (
    <label class={isStacked ? 'stacked' : undefined}>
      <span class={isStacked ? undefined : 'hidden'}>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FieldProps {
  readonly label: string;
  readonly text: Signal<string>;
  readonly class?: string;
  readonly isSecret?: boolean;
  readonly placeholder?: string;
  readonly autocomplete?: 'off' | 'username' | 'current-password';
  readonly required?: boolean;
  readonly 'aria-invalid'?: boolean;
}

/** A field with its label, whose text is in a signal. */
export function TextField({ label, text, class: own = 'stacked', isSecret = false, ...rest }: FieldProps) {
  return (
    <label class={own}>
      <span>{label}</span>
      <input
        {...(isSecret ? ({ type: 'password' } as const) : ({ type: 'text' } as const))}
        spellcheck={false}
        {...rest}
        value={text}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
    </label>
  );
}

/** Why a source, or what was asked for, has nothing to show; nothing while there is no trouble. */
export function Failure({ trouble, of }: { readonly trouble: Trouble | undefined; readonly of: string }) {
  // The banner says that for all of the page.
  return trouble && !(trouble.code === 'NETWORK' && isGatewayGone.value) ? (
    <p class="trouble" role="alert">
      {troubleText(trouble, of)}
    </p>
  ) : null;
}

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

/** What is known of something; nothing is said of what is not. */
export function Facts({ facts }: { readonly facts: readonly (readonly [term: string, fact: ComponentChildren])[] }) {
  return (
    <dl>
      {facts.map(([term, fact], i) =>
        fact === undefined || fact === '' ? null : (
          <div key={i}>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly box?: Ref<HTMLInputElement>;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** What is looked for, in the address. */
export function SearchBox({ label, box, ...rest }: SearchProps) {
  return (
    <input
      {...rest}
      ref={box ?? null}
      type="search"
      aria-label={label}
      value={view.value.words}
      spellcheck={false}
      onInput={({ currentTarget }) => change({ words: currentTarget.value }, 'replace')}
    />
  );
}

/** The colour of a series by its place in the palette; where colours repeat, its line has dashes. */
export function Swatch({ place }: { readonly place: number }) {
  return (
    <span class={place < 8 ? 'swatch' : 'swatch dashed'} style={{ color: `var(--s${place % 8})` }} aria-hidden="true" />
  );
}

/** The heads of the columns of a table. */
export function Heads({ columns }: { readonly columns: readonly (readonly [name: string, kind?: string])[] }) {
  return (
    <thead>
      <tr>
        {columns.map(([name, kind]) => (
          <th key={name} scope="col" class={kind}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
