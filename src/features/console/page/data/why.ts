import type { WhyAnswer } from '../../../../client/index.js';
import { instantText } from '../chart/axis-times.js';
import { isTime } from './explain.js';
import type { TimeZone } from '../../../../pmapi/index.js';

type WhyMetric = WhyAnswer['metrics'][number];
type WhyValue = WhyMetric['values'][number];
type Sample = NonNullable<NonNullable<WhyValue['from']>['sample']>;

/** How values were obtained: a line for each. */
export function whyLines(
  { values, missing, metadata }: Pick<WhyMetric, 'values' | 'missing' | 'metadata'>,
  zone: TimeZone,
): readonly string[] {
  return [
    ...values.map((value) => lineOf(value, unitText(metadata.units, value.rate !== undefined), zone)),
    ...missing.map(
      ({ name, node, reason }) => `${name ?? 'no value'}: ${reason}${node === undefined ? '' : ` (${node})`}`,
    ),
  ];
}

/** The unit of a value, with a space before it: ` Kbyte/s` for the rate of a counter in Kbyte; '' for none. */
function unitText(units: string, isRate: boolean): string {
  const isPlain = units === '' || units === 'none';
  if (!isRate) return isPlain ? '' : ` ${units}`;
  if (isTime(units)) return '';
  return isPlain || units === 'count' ? ' /s' : ` ${units}/s`;
}

function lineOf({ name = '', value, from, rate }: WhyValue, unit: string, zone: TimeZone): string {
  const label = `${name === '' ? '' : `${name}: `}${valueText(value)}${unit}`;
  if (rate) {
    const { before, after, elapsed, wraps, wrapsBy, factor } = rate;
    const wrapped = wraps > 0 ? ` + ${wrapsBy} (it wrapped)` : '';
    const scaled = factor === 1 ? '' : ` × ${factor}`;
    return `${label} = (${String(after.value)} − ${String(before.value)}${wrapped})${scaled} in ${Number(elapsed.toFixed(3))} s`;
  }
  if (!from) return label;
  const { rule, sample, low, high } = from;
  if (rule === 'line' && low && high)
    return `${label}, on the line from ${sampleText(low, zone)} to ${sampleText(high, zone)}`;
  const source = sample ?? (rule === 'later' ? high : low);
  return source ? `${label}, ${rule === 'exact' ? '' : `the ${rule} of two: `}${sampleText(source, zone)}` : label;
}

/** A value; of one that was computed, as many digits as mean anything. */
function valueText(value: unknown): string {
  return typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value);
}

function sampleText({ timestamp, value, archive, volume }: Sample, zone: TimeZone): string {
  const place = archive === undefined ? '' : ` in ${archive}${volume === undefined ? '' : `, volume ${volume}`}`;
  return `${String(value)} of ${typeof timestamp === 'number' ? instantText(timestamp, zone) : timestamp}${place}`;
}
