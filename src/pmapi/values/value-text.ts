import { MetricType } from '../descriptor.js';
import type { Column } from './value-set.js';

/** How an output format writes non-finite numbers: JSON has no infinity, OpenMetrics has. */
export interface NonFiniteText {
  readonly nan: string;
  readonly positive: string;
  readonly negative: string;
}

/** JSON: `null` for everything that is not finite. */
export const JSON_NON_FINITE: NonFiniteText = { nan: 'null', positive: 'null', negative: 'null' };
/** OpenMetrics: `NaN`, `+Inf`, `-Inf`. */
export const OPEN_METRICS_NON_FINITE: NonFiniteText = { nan: 'NaN', positive: '+Inf', negative: '-Inf' };

const SMALLEST_NORMAL_FLOAT = 2 ** -126;
/** Below this, every integer is a float, and its digits are the shortest text. */
const FLOAT_INTEGERS = 2 ** 24;

/** A double in the fewest digits that read back as the same double. */
export function formatDouble(value: number, nonFinite: NonFiniteText): string {
  return Number.isFinite(value) ? String(value) : nonFiniteText(value, nonFinite);
}

/** A float (a number that Math.fround leaves alone) in the fewest digits that read back as the same float. */
export function formatFloat(value: number, nonFinite: NonFiniteText): string {
  return Number.isFinite(value) ? String(shortestDecimal(value)) : nonFiniteText(value, nonFinite);
}

/** The double with the fewest digits that reads back as a float: 16.73, where the float's own bits are 16.729999542236328. */
export function shortestDecimal(value: number): number {
  const size = Math.abs(value);
  if ((size < FLOAT_INTEGERS && Number.isInteger(value)) || !Number.isFinite(value)) return value;
  // Six digits survive a round trip through a float unless it is subnormal; nine always identify it.
  for (let digits = size < SMALLEST_NORMAL_FLOAT ? 1 : 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return Number(value.toPrecision(9));
}

/** The text of value `i`: integers with every digit, FLOAT and DOUBLE in the fewest that read back as the same value. */
export function formatColumnNumber(column: Column, i: number, nonFinite: NonFiniteText): string {
  switch (column.type) {
    case MetricType.FLOAT:
      return formatFloat(column.numbers[i]!, nonFinite);
    case MetricType.DOUBLE:
      return formatDouble(column.numbers[i]!, nonFinite);
    default:
      return column.wide ? String(column.integerAt(i)) : String(column.numbers[i]!);
  }
}

function nonFiniteText(value: number, texts: NonFiniteText): string {
  if (Number.isNaN(value)) return texts.nan;
  return value > 0 ? texts.positive : texts.negative;
}
/** Characters at the start of a cell that make spreadsheets read it as a formula; Excel also accepts their full-width forms. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** Numbers start with signs, too, and are harmless. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$|^-Infinity$/;

/** A text as a CSV cell: quoted if needed, with an apostrophe where a spreadsheet would run it (others choose names). @see RFC 4180 */
export function csvText(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
