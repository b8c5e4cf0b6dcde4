import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { piecesOf, wordAt } from '../data/highlight.js';

/** A completion of a word. */
export interface Completion {
  readonly value: string;
  readonly note: string;
}

interface EditorProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Where errors are. */
  readonly errors: readonly { readonly start: number; readonly end: number }[];
  readonly complete: (word: string) => readonly Completion[];
  /** Apply the suggested repair (Alt+Enter). */
  readonly onRepair: () => void;
}

/** An editor for an expression: a plain text area over a highlighted copy of its text, with completions of the word at the caret. */
export function ExpressionEditor({ value, onInput, errors, complete, onRepair }: EditorProps): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const caret = useSignal(0);
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  const moveTo = useRef<number | undefined>(undefined);
  const id = useId();
  const { word, start } = wordAt(value, caret.value);
  const options = isOpen.value && word.length >= 2 ? complete(word).filter(({ value: name }) => name !== word) : [];
  useEffect(() => {
    if (moveTo.current === undefined) return;
    area.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = undefined;
  }, [value]);
  const take = (name: string): void => {
    moveTo.current = start + name.length;
    caret.value = moveTo.current;
    isOpen.value = false;
    active.value = -1;
    onInput(value.slice(0, start) + name + value.slice(start + word.length));
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && event.altKey) onRepair();
    else if (options.length === 0) return;
    else if (event.key === 'ArrowDown') active.value = Math.min(active.value + 1, options.length - 1);
    else if (event.key === 'ArrowUp') active.value = Math.max(active.value - 1, -1);
    else if ((event.key === 'Enter' || event.key === 'Tab') && active.value >= 0) take(options[active.value]!.value);
    else if (event.key === 'Escape') isOpen.value = false;
    else return;
    event.preventDefault();
  };
  return (
    <div class="editor suggesting">
      <div class="painted-box">
        <pre class="painted" aria-hidden="true">
          {piecesOf(value, errors).map(({ kind, text, isBad }, i) => (
            <span key={i} class={isBad ? `t-${kind} bad` : `t-${kind}`}>
              {text}
            </span>
          ))}
          {'\n'}
        </pre>
        <textarea
          ref={area}
          aria-label="Expression"
          aria-controls={`${id}-list`}
          aria-activedescendant={active.value >= 0 ? `${id}-${active.value}` : undefined}
          aria-invalid={errors.length > 0}
          rows={3}
          spellcheck={false}
          autocomplete="off"
          placeholder="100 * mem.util.free / mem.physmem"
          value={value}
          onInput={({ currentTarget }) => {
            caret.value = currentTarget.selectionStart;
            isOpen.value = true;
            active.value = -1;
            onInput(currentTarget.value);
          }}
          onBlur={() => (isOpen.value = false)}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={`${id}-list`} role="listbox" aria-label="Completions" hidden={options.length === 0}>
        {options.map(({ value: name, note }, i) => (
          <li
            key={name}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === active.value}
            onPointerDown={(event) => {
              // The editor keeps the focus.
              event.preventDefault();
              take(name);
            }}
          >
            <span class="name">{name}</span>
            <span class="quiet">{note}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
