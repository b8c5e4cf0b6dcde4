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
