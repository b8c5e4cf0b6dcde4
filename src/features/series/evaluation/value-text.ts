import type { SeriesValue, ValueForm } from './series-values.js';

/** A value as pmproxy writes it: exact integers, `%e` (with more digits if needed), `%f` for rates, texts in quotes. */
export function valueText(value: SeriesValue, form: ValueForm): string {
  if (typeof value === 'string') return form === 'text' ? `"${value}"` : value;
  if (typeof value === 'bigint') return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  if (form === 'integer') return String(value);
  if (form === 'rate') return value.toFixed(6);
  return exponentText(value);
}

const DIGITS = 7;

/** C's `%e` with a two-digit exponent and as many digits as identify the number; seven for single precision. */
function exponentText(value: number): string {
  let text = Math.fround(value) === value ? value.toExponential(DIGITS - 1) : value.toExponential();
  if (digitsOf(text) < DIGITS) text = value.toExponential(DIGITS - 1);
  const sign = text.at(-2);
  return sign === '+' || sign === '-' ? `${text.slice(0, -1)}0${text.at(-1)!}` : text;
}

function digitsOf(text: string): number {
  const mantissa = text.indexOf('e') - (text.startsWith('-') ? 1 : 0);
  return mantissa > 1 ? mantissa - 1 : 1;
}
