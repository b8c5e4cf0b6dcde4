import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

/** What a text may become. */
export interface Completion {
  readonly value: string;
  readonly note: string;
}

/** The completions of a box. @param complete what its text may become, called while the list is open */
export function useCompletions(complete: () => readonly Completion[]) {
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  const id = useId();
  const options = isOpen.value ? complete() : [];
  const chosen = options[active.value];
  const show = (isShown: boolean): void => {
    isOpen.value = isShown;
    active.value = -1;
  };
  return {
    ...{ options, active, chosen, id },
    /** What the box says of the list to assistive technology. */
    aria: { 'aria-controls': `${id}-list`, 'aria-activedescendant': chosen && `${id}-${active.value}` },
    /** Show the list, with none active: the text has changed. */
    open: () => show(true),
    close: () => show(false),
    /** Arrow keys and Escape. Returns whether it was one of them. */
    press: ({ key }: KeyboardEvent): boolean => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[key];
      if (key === 'Escape') show(false);
      else if (step === undefined) return false;
      else if (!isOpen.value) show(true);
      else active.value = Math.min(Math.max(active.value + step, -1), options.length - 1);
      return true;
    },
  };
}

interface ListboxProps {
  readonly label: string;
  readonly list: ReturnType<typeof useCompletions>;
  readonly onTake: (value: string) => void;
}

/** The list itself. */
export function Listbox({ label, list: { options, active, id }, onTake }: ListboxProps) {
  return (
    <ul id={`${id}-list`} role="listbox" aria-label={label} hidden={options.length === 0}>
      {options.map(({ value, note }, i) => (
        <li
          key={value}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === active.value}
          onPointerDown={(event) => {
            // The box keeps the focus.
            event.preventDefault();
            onTake(value);
          }}
        >
          <span class="name">{value}</span>
          <span class="quiet">{note}</span>
        </li>
      ))}
    </ul>
  );
}
