import { useSignal } from '@preact/signals';
import { Listbox, useCompletions, type Completion } from './listbox.js';

interface SuggestingInputProps {
  readonly label: string;
  readonly placeholder: string;
  /** What a text may become; called while it is typed. */
  readonly suggest: (text: string) => readonly Completion[];
  /** Something was chosen, or typed in full; whether it was taken. */
  readonly onChoose: (text: string) => boolean;
  readonly onFocus?: () => void;
  /** Take the focus, and show what there is before anything is typed. */
  readonly opensAtOnce?: boolean;
}

/** A text input with a list of completions: arrow keys and Enter, or a click. */
export function SuggestingInput(props: SuggestingInputProps) {
  const { label, placeholder, suggest, onChoose, onFocus, opensAtOnce = false } = props;
  const text = useSignal('');
  const list = useCompletions(() => suggest(text.value));
  const choose = (value: string): void => {
    if (value.trim() === '' || !onChoose(value.trim())) return;
    text.value = '';
    list.close();
  };
  return (
    <div class="suggesting">
      <input
        type="text"
        role="combobox"
        spellcheck={false}
        autocomplete="off"
        aria-label={label}
        aria-expanded={list.options.length > 0}
        aria-autocomplete="list"
        {...list.aria}
        placeholder={placeholder}
        value={text}
        autofocus={opensAtOnce}
        onFocus={() => {
          if (opensAtOnce) list.open();
          onFocus?.();
        }}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          list.open();
        }}
        onBlur={list.close}
        onKeyDown={(event) => {
          if (event.key === 'Enter') choose(list.chosen?.value ?? text.value);
          else if (!list.press(event)) return;
          // Escape closes the dialog around it, too.
          if (event.key !== 'Escape') event.preventDefault();
        }}
      />
      <Listbox label={label} list={list} onTake={choose} />
    </div>
  );
}
