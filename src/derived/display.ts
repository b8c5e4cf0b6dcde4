/** Drawing hints: `# pmgate: display NAME unit=% min=0 max=100` in a definition file, a comment for PCP. Kept as text. */

/** Hints for the axis of a metric's values; at least one. */
export interface DisplayHints {
  /** Written behind numbers in place of the units: up to 16 characters without blanks. */
  readonly unit?: string;
  /** Bounds of the metric's values, and of an axis. */
  readonly min?: number;
  readonly max?: number;
}

const UNIT = /^[^\s\p{C}"\\]{1,16}$/u;
const NUMBER = /^-?\d{1,15}(?:\.\d{1,9})?$/;
const MAX_LENGTH = 100;

/** Parses the hints of a definition file or saved state. Returns what is wrong with them as text. */
export function parseDisplay(text: string): DisplayHints | string {
  const words = text.length > MAX_LENGTH ? [] : text.split(/[ \t\r]+/).filter((word) => word !== '');
  if (words.length === 0) return `expected unit=TEXT, min=NUMBER or max=NUMBER, in at most ${MAX_LENGTH} characters`;
  const hints: { unit?: string; min?: number; max?: number } = {};
  for (const word of words) {
    const [, key, value = ''] = /^(unit|min|max)=(.*)$/s.exec(word) ?? [];
    if (key === undefined) return `unknown display hint (${word}): expected unit=TEXT, min=NUMBER or max=NUMBER`;
    if (key in hints) return `duplicate display hint (${key})`;
    if (key === 'unit' ? !UNIT.test(value) : !NUMBER.test(value))
      return `bad value (${value}) for display hint (${key})`;
    if (key === 'unit') hints.unit = value;
    else hints[key as 'min' | 'max'] = Number(value);
  }
  const { min, max } = hints;
  if (min !== undefined && max !== undefined && min >= max)
    return `display hint min (${min}) is not below max (${max})`;
  return hints;
}

/** The hints of a text that was parsed before; undefined if they are invalid. */
export function displayOf(text: string | undefined): DisplayHints | undefined {
  const hints = text === undefined ? undefined : parseDisplay(text);
  return typeof hints === 'object' ? hints : undefined;
}
