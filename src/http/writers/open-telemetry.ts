import { formatIndom, formatPmid, formatSemantics, INDOM_NULL, MetricType, Semantics } from '../../pmapi/index.js';
import type { Label, Timestamp, Units } from '../../pmapi/index.js';
import type { ExposedMetric, ExposedSource } from './exposition.js';
import { labelJson } from './labels-writer.js';
import { typeWord } from './metric-writer.js';

const SPACE_UNITS = ['By', 'KiBy', 'MiBy', 'GiBy', 'TiBy', 'PiBy', 'EiBy', 'ZiBy', 'YiBy'];
const TIME_UNITS = ['ns', 'us', 'ms', 's', 'min', 'h'];
/** AGGREGATION_TEMPORALITY_CUMULATIVE; OpenTelemetry's JSON has enumerations as numbers. */
const CUMULATIVE = 2;
/** The greatest integer of a data point: `asInt` is signed, and readers refuse the whole message for one that is greater. */
const GREATEST_INT = 2n ** 63n - 1n;

/**
 * OpenTelemetry's metrics data as JSON: counters are monotonic sums, everything else gauges.
 * Differs from PCP: times are nanoseconds, the answer is valid JSON whatever the values, and integers beyond 2^63 are doubles.
 */
export function writeOpenTelemetry(sources: readonly ExposedSource[], version: string): string {
  return `{"resourceMetrics":[${sources.map((source) => writeResource(source, version)).join(',')}]}`;
}

function writeResource({ timestamp, contextLabels, metrics }: ExposedSource, version: string): string {
  const attributes = contextLabels.map((label) => attribute(label.name, labelValue(label)));
  const texts = metrics.map((metric) => writeMetric(metric, timestamp));
  return (
    `{"resource":{"attributes":[${attributes.join(',')}]},"scopeMetrics":[` +
    `{"scope":{"name":"pmgate","version":${JSON.stringify(version)}},"metrics":[${texts.join(',')}]}]}`
  );
}

function writeMetric(metric: ExposedMetric, timestamp: Timestamp): string {
  const { name, descriptor, oneline } = metric;
  const points = `"dataPoints":[${writePoints(metric, timestamp).join(',')}]`;
  const data =
    descriptor.semantics === Semantics.COUNTER
      ? `"sum":{"aggregationTemporality":${CUMULATIVE},"isMonotonic":true,${points}}`
      : `"gauge":{${points}}`;
  const description = JSON.stringify(oneline);
  return `{"name":${JSON.stringify(name)},"description":${description},"unit":"${ucumUnit(descriptor.units)}",${data}}`;
}

function writePoints({ pmid, descriptor, samples }: ExposedMetric, timestamp: Timestamp): string[] {
  const about = [
    ['semantics', formatSemantics(descriptor.semantics)],
    ['type', typeWord(descriptor.type)],
    ['pmid', formatPmid(pmid)],
    ...(descriptor.indom === INDOM_NULL ? [] : [['indom', formatIndom(descriptor.indom)] as const]),
  ] as const;
  const isReal = descriptor.type === MetricType.FLOAT || descriptor.type === MetricType.DOUBLE;
  const time = nanoseconds(timestamp);
  return samples.map(({ labels, value }) => {
    // A key may stand only once: labels win, as in the text formats.
    const pairs = [...about.filter(([key]) => !labels.has(key)), ...labels];
    const attributes = pairs.map(([key, text]) => attribute(key, stringValue(text)));
    const number = isReal ? `"asDouble":${realJson(value)}` : integerMember(value);
    return `{"attributes":[${attributes.join(',')}],"timeUnixNano":"${time}",${number}}`;
  });
}

function integerMember(value: string): string {
  // Fewer digits than the greatest one has: nearly all of them.
  if (value.length < 19 || BigInt(value) <= GREATEST_INT) return `"asInt":"${value}"`;
  return `"asDouble":${Number(value)}`;
}

function attribute(key: string, value: string): string {
  return `{"key":${JSON.stringify(key)},"value":${value}}`;
}

function stringValue(text: string): string {
  return `{"stringValue":${JSON.stringify(text)}}`;
}

/** A label's value; what is no text, boolean or number is given as its JSON text. */
function labelValue(label: Label): string {
  const json = labelJson(label);
  if (json.startsWith('"')) return `{"stringValue":${json}}`;
  if (json === 'true' || json === 'false') return `{"boolValue":${json}}`;
  if (/^-?\d+$/.test(json)) return `{"intValue":"${json}"}`;
  return /^-?\d/.test(json) ? `{"doubleValue":${json}}` : stringValue(json);
}

function realJson(value: string): string {
  switch (value) {
    case 'NaN':
      return '"NaN"';
    case '+Inf':
      return '"Infinity"';
    case '-Inf':
      return '"-Infinity"';
    default:
      return value;
  }
}

function nanoseconds({ sec, nsec }: Timestamp): string {
  return `${BigInt(sec) * 1_000_000_000n + BigInt(nsec)}`;
}

/** Units in the Unified Code for Units of Measure: `KiBy/s`, `ms`, `1`. */
function ucumUnit({ dimSpace, dimTime, dimCount, scaleSpace, scaleTime, scaleCount }: Units): string {
  const above: string[] = [];
  const below: string[] = [];
  const place = (dim: number, word: string): void => {
    if (dim !== 0) (dim > 0 ? above : below).push(word + (Math.abs(dim) === 1 ? '' : String(Math.abs(dim))));
  };
  place(dimSpace, SPACE_UNITS[scaleSpace] ?? 'By');
  place(dimTime, TIME_UNITS[scaleTime] ?? 's');
  if (dimCount !== 0 && scaleCount !== 0) place(dimCount, `10*${scaleCount}`);
  if (above.length === 0) above.push('1');
  return [above.join('.'), ...below].join('/');
}
