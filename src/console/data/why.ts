import type { WhyAnswer } from '../../client/index.js';
import { instantText } from '../chart/axis-times.js';
import type { TimeZone } from '../../pmapi/index.js';

type WhyMetric = WhyAnswer['metrics'][number];
type WhyValue = WhyMetric['values'][number];
type Sample = NonNullable<NonNullable<WhyValue['from']>['sample']>;

/** How values were obtained: a line for each. */
export function whyLines(
  { values, missing }: Pick<WhyMetric, 'values' | 'missing'>,
  zone: TimeZone,
): readonly string[] {
  return [
    ...values.map((value) => lineOf(value, zone)),
    ...missing.map(
      ({ name, node, reason }) => `${name ?? 'no value'}: ${reason}${node === undefined ? '' : ` (${node})`}`,
    ),
  ];
}

function lineOf({ name = '', value, from, rate }: WhyValue, zone: TimeZone): string {
  const label = `${name === '' ? '' : `${name}: `}${valueText(value)}`;
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
