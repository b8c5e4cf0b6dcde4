import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface Suggestion {
  readonly value: string;
  readonly note: string;
}

interface SuggestingInputProps {
  readonly label: string;
  readonly placeholder: string;
  /** The completions of a text; called while it is typed. */
  readonly suggest: (text: string) => readonly Suggestion[];
  /** Called with what was chosen or typed; returns whether it was accepted. */
  readonly onChoose: (text: string) => boolean;
  readonly onFocus?: () => void;
}

/** A text input with a list of completions: arrow keys and Enter, or a click. */
export function SuggestingInput({ label, placeholder, suggest, onChoose, onFocus }: SuggestingInputProps): JSX.Element {
  const text = useSignal('');
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const options = isOpen.value ? suggest(text.value) : [];
  const choose = (value: string): void => {
    if (value.trim() === '' || !onChoose(value.trim())) return;
    text.value = '';
    isOpen.value = false;
    active.value = -1;
  };
  return (
    <div class="suggesting">
      <input
        ref={input}
        type="text"
        role="combobox"
        spellcheck={false}
        autocomplete="off"
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active.value >= 0 && active.value < options.length ? `${id}-${active.value}` : undefined}
        placeholder={placeholder}
        value={text}
        onFocus={onFocus}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          isOpen.value = true;
          active.value = -1;
        }}
        onBlur={() => (isOpen.value = false)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            isOpen.value = true;
            const step = event.key === 'ArrowDown' ? 1 : -1;
            active.value = Math.min(Math.max(active.value + step, -1), options.length - 1);
          } else if (event.key === 'Enter') {
            event.preventDefault();
            choose(options[active.value]?.value ?? text.value);
          } else if (event.key === 'Escape') isOpen.value = false;
        }}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={label} hidden={options.length === 0}>
        {options.map(({ value, note }, i) => (
          <li
            key={value}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === active.value}
            onPointerDown={(event) => {
              // The input keeps the focus.
              event.preventDefault();
              choose(value);
            }}
          >
            <span class="name">{value}</span>
            <span class="quiet">{note}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
