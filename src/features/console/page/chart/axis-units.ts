import type { DerivedCheck } from '../../../../client/index.js';
import { attempt } from '../../../../kit/index.js';
import { DIMENSIONLESS, parseUnits, type Units } from '../../../../pmapi/index.js';

/** The quantity of a metric's values, for display. */
export type Quantity =
  | { readonly kind: 'bytes' | 'seconds' | 'count'; readonly factor: number; readonly perSecond: boolean }
  | { readonly kind: 'percent'; readonly factor: number }
  | { readonly kind: 'other'; readonly factor: 1; readonly text: string };

/** Quantities of what screens compute themselves. */
export const PER_CENT = { kind: 'percent', factor: 1 } as const;
export const COUNT = { kind: 'count', factor: 1, perSecond: false } as const;
export const BYTES = { kind: 'bytes', factor: 1, perSecond: false } as const;
export const BYTES_PER_SECOND = { kind: 'bytes', factor: 1, perSecond: true } as const;

/** How numbers of a quantity are written: divided by `divisor`, followed by a unit. */
export interface Scale {
  readonly divisor: number;
  readonly unit: string;
  /** 2 where steps of the axis are powers of two. */
  readonly base: 2 | 10;
}

const SECONDS = [1e-9, 1e-6, 1e-3, 1, 60, 3600];
const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const DECIMAL = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const DURATIONS = [
  [86_400 * 2, 86_400, 'd'],
  [7200, 3600, 'h'],
  [120, 60, 'min'],
  [1, 1, 's'],
  [1e-3, 1e-3, 'ms'],
  [1e-6, 1e-6, 'µs'],
  [0, 1e-9, 'ns'],
] as const;

/** What determines the quantity of a metric's values. */
export interface UnitsFacts {
  /** The units as in responses: `Kbyte / sec`. */
  readonly units: string;
  /** The units of the metric itself, before its counters became rates. */
  readonly ownUnits?: string;
  readonly isRate?: boolean;
  readonly oneline?: string | undefined;
  /** What to write behind numbers, where the definition of the metric says so. */
  readonly unitHint?: string | undefined;
}

/** The quantity of values: the rate of a time is a share of the elapsed time, shown as a percentage. */
export function quantityOf({ units, ownUnits = units, isRate = false, oneline, unitHint }: UnitsFacts): Quantity {
  if (unitHint !== undefined && !isRate) {
    return unitHint === '%' ? PER_CENT : { kind: 'other', factor: 1, text: unitHint };
  }
  const { dimSpace, dimTime, dimCount, scaleSpace, scaleTime, scaleCount, extraUnit } = read(units) ?? NOT_UNDERSTOOD;
  const isPlain = dimSpace === 0 && dimTime === 0 && dimCount === 0 && extraUnit === 0;
  if (isPlain) {
    const own = read(ownUnits);
    if (isRate && own?.dimTime === 1 && own.dimSpace === 0 && own.dimCount === 0)
      return { kind: 'percent', factor: 100 };
    if (/^per ?cent\b/i.test(oneline ?? '')) return PER_CENT;
    return COUNT;
  }
  if (extraUnit === 0 && (dimTime === 0 || dimTime === -1)) {
    const perSecond = dimTime === -1;
    const time = perSecond ? 1 / SECONDS[scaleTime]! : 1;
    if (dimSpace === 1 && dimCount === 0) return { kind: 'bytes', factor: 1024 ** scaleSpace * time, perSecond };
    if (dimSpace === 0 && (dimCount === 1 || (dimCount === 0 && perSecond))) {
      return { kind: 'count', factor: 10 ** scaleCount * time, perSecond };
    }
  }
  if (extraUnit === 0 && dimSpace === 0 && dimTime === 1 && dimCount === 0) {
    return { kind: 'seconds', factor: SECONDS[scaleTime]!, perSecond: false };
  }
  const short = units.replaceAll(' / ', '/').replaceAll(/(milli|micro|nano|)sec\b/g, (_, scale: string) => {
    return `${scale === 'micro' ? 'µ' : (scale[0] ?? '')}s`;
  });
  return { kind: 'other', factor: 1, text: short };
}

const NOT_UNDERSTOOD = { ...DIMENSIONLESS, extraUnit: 1 };

function read(text: string): Units | undefined {
  return text === '' || text === 'none' ? DIMENSIONLESS : attempt(() => parseUnits(text).units);
}

/** Whether both can share an axis. */
export function sameQuantity(a: Quantity, b: Quantity): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'other' || b.kind === 'other') return 'text' in a && 'text' in b && a.text === b.text;
  if (a.kind === 'percent' || b.kind === 'percent') return true;
  return a.perSecond === b.perSecond;
}

/** How values up to `greatest` (already multiplied by the quantity's factor) are written. */
export function scaleOf(quantity: Quantity, greatest: number): Scale {
  const size = Math.abs(greatest);
  if (quantity.kind === 'percent') return { divisor: 1, unit: '%', base: 10 };
  if (quantity.kind === 'other') return { divisor: 1, unit: quantity.text, base: 10 };
  if (quantity.kind === 'seconds') {
    const [, divisor, unit] = size === 0 ? DURATIONS[3] : DURATIONS.find(([from]) => size >= from)!;
    return { divisor, unit, base: 10 };
  }
  const per = quantity.perSecond ? '/s' : '';
  if (quantity.kind === 'bytes') {
    const step = stepOf(size, 1024);
    return { divisor: 1024 ** step, unit: BINARY[step]! + per, base: 2 };
  }
  // Thousands are written out: 3,612 says more than 3.6 k.
  const step = size < 100_000 ? 0 : stepOf(size, 1000);
  return { divisor: 1000 ** step, unit: `${DECIMAL[step]!}${per}`, base: 10 };
}

/** The unit that values in a metric's own scale have as charts write it: `KiB` for `Kbyte`; '' for none. */
export function unitName(units: string): string {
  const quantity = quantityOf({ units });
  const { divisor, unit } = scaleOf(quantity, quantity.factor);
  return divisor === quantity.factor ? unit : units;
}

function stepOf(size: number, base: number): number {
  let step = 0;
  while (step < 6 && size >= base) {
    size /= base;
    step++;
  }
  return step;
}

/** The first of some names: `vda, vdb, vdc and 5 more`. */
export function someText(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A number with about three significant digits and thousands separators: `1,240`, `3.14`, `0.002`. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(2);
  return grouped(Number(value.toFixed(decimalsOf(size))).toString());
}

/**
 * Numbers for a column: about three significant digits of the greatest, all with as many decimals, so that they are aligned. Small ones
 * beside it keep up to three decimals of their own.
 */
export function columnTexts(values: readonly number[]): string[] {
  const finite = values.filter((value) => Number.isFinite(value));
  const greatest = Math.max(0, ...finite.map(Math.abs));
  if (greatest < 0.001 || greatest >= 1e15) return values.map(numberText);
  const most = decimalsOf(greatest);
  let decimals = 0;
  while (decimals < most && finite.some((value) => Number(value.toFixed(decimals)) !== Number(value.toFixed(most)))) {
    decimals++;
  }
  return values.map((value) => {
    const size = Math.abs(value);
    if (value === 0 || !Number.isFinite(value)) return String(value);
    if (size >= 0.5 * 10 ** -decimals) return grouped(value.toFixed(decimals));
    return size < 0.001 ? (value < 0 ? '>-0.001' : '<0.001') : numberText(Number(value.toFixed(3)));
  });
}

/** How many decimals make about three significant digits. */
function decimalsOf(size: number): number {
  return size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : size >= 0.01 ? 4 : size >= 0.001 ? 5 : 6;
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? thousands : `${thousands}.${fraction}`;
}

/** A value, already multiplied by its quantity's factor, with a suitable unit. */
export function valueText(quantity: Quantity, value: number): string {
  const { divisor, unit } = scaleOf(quantity, value);
  if (quantity.kind === 'percent') return perCentText(value);
  return `${numberText(value / divisor)}${unit === '' ? '' : ` ${unit}`}`;
}

/** A share with a tenth, or of less than that with a hundredth: shares of time are not known better. */
function perCentText(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || !Number.isFinite(value)) return `${value} %`;
  return size < 0.005 ? `${value < 0 ? '> -' : '< '}0.01 %` : `${value.toFixed(size < 0.1 ? 2 : 1)} %`;
}

/** A sentence of the gateway with units as charts write them: `74.2 MiB/s` for `74.2 Mbyte / sec`. */
export function withChartUnits(sentence: string): string {
  return sentence
    .replaceAll(/(?<=\d )([KMGTPE]?)byte\b/g, (_, scale: string) => `${scale && `${scale}i`}B`)
    .replaceAll(/(?<=\d(?: [KMGTPE]?i?B)?) \/ sec\b/g, '/s');
}

/** A number in the unit that it has, which is said beside it; texts as they are. */
export function bareValueText(value: unknown): string {
  return typeof value === 'number' ? numberText(value) : String(value);
}

/** A value in a suitable unit; texts as they are. */
export function plainValueText(units: string, value: unknown): string {
  if (typeof value !== 'number') return String(value);
  const quantity = quantityOf({ units });
  return valueText(quantity, value * quantity.factor);
}

/** The values of a part of an expression, without their unit: the only one, the greatest of several, or why there is none. */
export function partText(sample: NonNullable<NonNullable<DerivedCheck['tree']>['sample']>): string {
  const { count, instances, message } = sample;
  const sizeOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NEGATIVE_INFINITY);
  const [first, ...others] = instances;
  if (!first) return message ?? 'no values';
  const best = others.reduce((a, b) => (sizeOf(b.value) > sizeOf(a.value) ? b : a), first);
  const text = bareValueText(best.value).slice(0, 80);
  if (others.length === 0) return text;
  const all = count > instances.length ? `the first ${instances.length} of ${count}` : String(count);
  return `${text} (${best.name ?? `#${best.instance}`}, the greatest of ${all})`;
}

/** Round steps for an axis from `least` to `greatest`: about `count` of them, in powers of two for bytes. */
export function axisTicks(least: number, greatest: number, count: number, scale: Scale): number[] {
  const [from, to] = [least / scale.divisor, greatest / scale.divisor];
  const rough = (to - from) / Math.max(count, 1);
  if (!(rough > 0) || !Number.isFinite(rough)) return [least];
  // There are no parts of a byte.
  const isWhole = scale.base === 2 && (rough >= 1 || scale.divisor === 1);
  const step = isWhole ? 2 ** Math.max(Math.round(Math.log2(rough)), 0) : decimalStep(rough);
  const ticks: number[] = [];
  // Never -0, which would be shown as such.
  const first = Math.ceil(from / step - 1e-9) + 0;
  for (let i = first; i * step <= to + step * 1e-9; i++) ticks.push(i * step * scale.divisor);
  return ticks;
}

/** Steps of an axis may be this much closer than wanted: labels have that much room. */
const NEAR_ENOUGH = 0.6;

function decimalStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((by) => by * power >= rough * NEAR_ENOUGH) ?? 10);
}
