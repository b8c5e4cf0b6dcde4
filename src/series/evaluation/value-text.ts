import type { SeriesValue, ValueForm } from './series-values.js';

/**
 * A value as pmproxy writes it: integers exactly, real numbers as C's `%e` (with more digits where six would lose some), rates as `%f`, texts in
 * quotes.
 */
export function valueText(value: SeriesValue, form: ValueForm): string {
  if (typeof value === 'string') return form === 'text' ? `"${value}"` : value;
  if (typeof value === 'bigint') return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  if (form === 'integer') return String(value);
  if (form === 'rate') return value.toFixed(6);
  return exponentText(value);
}

/** C's `%e`: an exponent of at least two digits. */
function exponentText(value: number): string {
  const short = value.toExponential(6);
  const text = Number(short) === value ? short : exactText(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** As many digits as tell the number from its neighbours; a number of single precision has seven at most. */
function exactText(value: number): string {
  const single = value.toExponential(8);
  return Math.fround(Number(single)) === value ? value.toExponential(6) : value.toExponential();
}
