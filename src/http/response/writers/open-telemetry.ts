import {
  formatIndom,
  formatPmid,
  formatSemantics,
  INDOM_NULL,
  MetricType,
  Semantics,
  timestampToNanoseconds,
} from '../../../pmapi/index.js';
import type { Label, Units } from '../../../pmapi/index.js';
import type { ExposedMetric, ExposedSource } from './exposition.js';
import { PIECE_LENGTH } from '../answer.js';
import { labelJson, typeWord } from './metadata-writer.js';

const SPACE_UNITS = ['By', 'KiBy', 'MiBy', 'GiBy', 'TiBy', 'PiBy', 'EiBy', 'ZiBy', 'YiBy'];
const TIME_UNITS = ['ns', 'us', 'ms', 's', 'min', 'h'];
const NOT_FINITE: Readonly<Record<string, string>> = { NaN: '"NaN"', '+Inf': '"Infinity"', '-Inf': '"-Infinity"' };
/** AGGREGATION_TEMPORALITY_CUMULATIVE; OpenTelemetry's JSON has enumerations as numbers. */
const CUMULATIVE = 2;
/** The largest integer of a data point: `asInt` is signed, and readers reject the whole message for a larger one. */
const GREATEST_INT = 2n ** 63n - 1n;

/**
 * OpenTelemetry's metrics as JSON, in pieces: counters are monotonic sums, others gauges. Differs from PCP: times are nanoseconds, the JSON
 * is always valid, integers beyond 2^63 are doubles.
 */
export function* writeOpenTelemetry(sources: readonly ExposedSource[], version: string): Generator<string, void> {
  let text = '{"resourceMetrics":[';
  for (const [s, source] of sources.entries()) {
    const { timestamp, metrics } = source;
    const time = String(timestampToNanoseconds(timestamp));
    text += `${s === 0 ? '' : ','}${resourceHead(source, version)}`;
    let separator = '';
    for (const metric of metrics) {
      text += separator + metricHead(metric);
      separator = ',';
      let isFirst = true;
      for (const point of writePoints(metric, time)) {
        text += isFirst ? point : `,${point}`;
        isFirst = false;
        if (text.length < PIECE_LENGTH) continue;
        yield text;
        text = '';
      }
      text += ']}}';
    }
    text += ']}]}';
  }
  yield `${text}]}`;
}

function resourceHead({ contextLabels }: ExposedSource, version: string): string {
  const attributes = contextLabels.map((label) => attribute(label.name, labelValue(label)));
  return (
    `{"resource":{"attributes":[${attributes.join(',')}]},"scopeMetrics":[` +
    `{"scope":{"name":"pmgate","version":${JSON.stringify(version)}},"metrics":[`
  );
}

function metricHead({ name, descriptor, oneline }: ExposedMetric): string {
  const data =
    descriptor.semantics === Semantics.COUNTER
      ? `"sum":{"aggregationTemporality":${CUMULATIVE},"isMonotonic":true,`
      : `"gauge":{`;
  const unit = ucumUnit(descriptor.units);
  return `{"name":${JSON.stringify(name)},"description":${JSON.stringify(oneline)},"unit":"${unit}",${data}"dataPoints":[`;
}

function* writePoints({ pmid, descriptor, samples }: ExposedMetric, time: string): Generator<string, void> {
  const about = [
    ['semantics', formatSemantics(descriptor.semantics)],
    ['type', typeWord(descriptor.type)],
    ['pmid', formatPmid(pmid)],
    ...(descriptor.indom === INDOM_NULL ? [] : [['indom', formatIndom(descriptor.indom)] as const]),
  ] as const;
  const isReal = descriptor.type === MetricType.FLOAT || descriptor.type === MetricType.DOUBLE;
  for (const { labels, value } of samples) {
    // A key may occur only once: labels win, as in the text formats.
    const pairs = [...about.filter(([key]) => !labels.has(key)), ...labels];
    const attributes = pairs.map(([key, text]) => attribute(key, stringValue(text)));
    const number = isReal ? `"asDouble":${NOT_FINITE[value] ?? value}` : integerMember(value);
    yield `{"attributes":[${attributes.join(',')}],"timeUnixNano":"${time}",${number}}`;
  }
}

function integerMember(value: string): string {
  // Fewer digits than the largest one: the usual case.
  if (value.length < 19 || BigInt(value) <= GREATEST_INT) return `"asInt":"${value}"`;
  return `"asDouble":${Number(value)}`;
}

function attribute(key: string, value: string): string {
  return `{"key":${JSON.stringify(key)},"value":${value}}`;
}

function stringValue(text: string): string {
  return `{"stringValue":${JSON.stringify(text)}}`;
}

/** A label's value; anything but a text, boolean or number is written as its JSON text. */
function labelValue(label: Label): string {
  const json = labelJson(label);
  if (json.startsWith('"')) return `{"stringValue":${json}}`;
  if (json === 'true' || json === 'false') return `{"boolValue":${json}}`;
  if (/^-?\d+$/.test(json)) return `{"intValue":"${json}"}`;
  return /^-?\d/.test(json) ? `{"doubleValue":${json}}` : stringValue(json);
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
