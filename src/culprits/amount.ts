const PREFIXES = ['', 'K', 'M', 'G', 'T'] as const;

/** Of bytes, the unit in which a number is below 1,024, and what to divide it by; other units stay what they are. */
export function readable(value: number, unit: string): { readonly divisor: number; readonly unit: string } {
  let place = PREFIXES.findIndex((prefix) => unit.startsWith(`${prefix}byte`));
  if (place < 0) return { divisor: 1, unit };
  let divisor = 1;
  for (; place < PREFIXES.length - 1 && Math.abs(value) / divisor >= 1024; place++) divisor *= 1024;
  return { divisor, unit: unit.replace(/^.?byte/, `${PREFIXES[place]}byte`) };
}

/** A number with three significant digits, without an exponent where it can be read without one. */
export function roundNumber(value: number): string {
  const rounded = Number(value.toPrecision(3));
  const size = Math.abs(rounded);
  return size >= 1e15 || (size > 0 && size < 1e-6)
    ? rounded.toExponential()
    : rounded.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

/** A number with its unit; bytes get a prefix. */
export function amount(value: number, unit: string): string {
  const { divisor, unit: scaled } = readable(value, unit);
  const text = roundNumber(value / divisor);
  const shown = scaled === 'count' ? '' : scaled.replace('count ', '');
  return shown === '' ? text : `${text} ${shown}`;
}
