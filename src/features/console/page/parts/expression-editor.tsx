import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { piecesOf, wordAt } from '../data/highlight.js';
import { Listbox, useCompletions, type Completion } from './listbox.js';

interface EditorProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly errors: readonly { readonly start: number; readonly end: number }[];
  readonly complete: (word: string) => readonly Completion[];
  /** Apply the suggested repair (Alt+Enter). */
  readonly onRepair: () => void;
}

/** An editor for an expression: a plain text area over a highlighted copy of its text, with completions of the word at the caret. */
export function ExpressionEditor({ value, onInput, errors, complete, onRepair }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const caret = useSignal(0);
  const moveTo = useRef<number | undefined>(undefined);
  const { word, start } = wordAt(value, caret.value);
  const list = useCompletions(() =>
    word.length >= 2 ? complete(word).filter(({ value: name }) => name !== word) : [],
  );
  useEffect(() => {
    if (moveTo.current === undefined) return;
    area.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = undefined;
  }, [value]);
  const take = (name: string): void => {
    moveTo.current = start + name.length;
    caret.value = moveTo.current;
    list.close();
    onInput(value.slice(0, start) + name + value.slice(start + word.length));
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && event.altKey) onRepair();
    else if (list.options.length === 0) return;
    else if ((event.key === 'Enter' || event.key === 'Tab') && list.chosen) take(list.chosen.value);
    else if (!list.press(event)) return;
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
          {...list.aria}
          aria-invalid={errors.length > 0}
          rows={3}
          spellcheck={false}
          autocomplete="off"
          placeholder="100 * mem.util.free / mem.physmem"
          value={value}
          onInput={({ currentTarget }) => {
            caret.value = currentTarget.selectionStart;
            list.open();
            onInput(currentTarget.value);
          }}
          onBlur={list.close}
          onKeyDown={onKeyDown}
        />
      </div>
      <Listbox label="Completions" list={list} onTake={take} />
    </div>
  );
}
