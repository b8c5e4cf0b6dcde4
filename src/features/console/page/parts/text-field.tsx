import type { Signal } from '@preact/signals';

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
