import { formatIndom, formatPmid, formatSemantics, formatTimestamp, INDOM_NULL, PmError } from '../../pmapi/index.js';
import { formatColumnNumber, formatIsoTime, INSTANCE_NULL, isArithmeticType, MetricType } from '../../pmapi/index.js';
import type { Column } from '../../pmapi/index.js';
import { collectColumns } from '../../context/range/index.js';
import type { RangeLimits, RangeMetric } from '../../context/range/index.js';
import type { OpenRange } from '../../context/index.js';
import { warningsMember } from '../warnings.js';
import type { Warning } from '../warnings.js';
import { FETCH_FORM, textOfBytes, writeFetch, writeValue } from './fetch-writer.js';
import { typeWord, unitsText } from './metric-writer.js';

/** Values of a column that are written at once. */
const VALUES_PER_PIECE = 1000;

/** One JSON object: what the metrics are, and a fetch answer per sample. `head` is its beginning, without a closing brace. */
export async function* writeRows(
  head: string,
  { samples }: OpenRange,
  warnings: readonly Warning[],
): AsyncGenerator<string, void> {
  const answered = { entries: samples.metrics };
  yield `${head},"metrics":[${samples.metrics.map((metric) => `{${describe(metric)}}`).join(',')}],"samples":[`;
  let separator = '';
  for await (const { isMark, result } of samples) {
    if (isMark) continue;
    yield `${separator}${writeFetch('{', answered, result, FETCH_FORM, [])}`;
    separator = ',';
  }
  yield `]${warningsMember(warnings)}}\r\n`;
}

/** A fetch answer per line. */
export async function* writeNdjson({ samples }: OpenRange): AsyncGenerator<string, void> {
  const answered = { entries: samples.metrics };
  for await (const { isMark, result } of samples) {
    if (!isMark) yield `${writeFetch('{', answered, result, FETCH_FORM, [])}\n`;
  }
}

/** A table: a line per sample, a column per metric and instance. Times are in the zone of the request. @see RFC 4180 */
export async function* writeCsv(range: OpenRange): AsyncGenerator<string, void> {
  const { samples, request } = range;
  const layout = await range.layOut();
  const { columns } = layout;
  yield `${['time', ...columns.map(({ heading }) => heading)].map(quote).join(',')}\r\n`;
  for await (const sample of samples) {
    if (sample.isMark) continue;
    const places = layout.place(sample);
    let line = formatIsoTime(sample.result.timestamp, request.zone);
    for (let k = 0; k < columns.length; k++) {
      const at = places[k]!;
      line += at < 0 ? ',' : `,${cell(sample.result.sets[columns[k]!.metric]!.column, at)}`;
    }
    yield `${line}\r\n`;
  }
}

/**
 * One JSON object for charts: an array of times, and for each metric and instance an array of values, null where there is none.
 * It is collected before the first of it is written.
 */
export async function* writeColumns(
  head: string,
  range: OpenRange,
  warnings: readonly Warning[],
  limits: RangeLimits | undefined,
): AsyncGenerator<string, void> {
  const columns = await collectColumns(range.samples, { marks: true, ...(limits ? { limits } : {}) });
  const pieces = function* (write: (row: number) => string): Generator<string, void> {
    for (let row = 0; row < columns.length; row += VALUES_PER_PIECE) {
      const count = Math.min(VALUES_PER_PIECE, columns.length - row);
      yield `${row === 0 ? '' : ','}${Array.from({ length: count }, (_, i) => write(row + i)).join(',')}`;
    }
  };
  yield `${head},"times":[`;
  yield* pieces((row) => formatTimestamp(columns.timeAt(row)));
  yield '],"metrics":[';
  for (const [m, metric] of columns.metrics.entries()) {
    yield `${m === 0 ? '' : ','}{${describe(metric)},"series":[`;
    const names = await namesOf(range, metric);
    const own = columns.series.filter((series) => series.metric === m);
    for (const [i, { instance, values }] of own.entries()) {
      const name = names.get(instance);
      const id = instance === INSTANCE_NULL ? 'null' : String(instance);
      yield `${i === 0 ? '' : ','}{"instance":${id}${name === undefined ? '' : `,"name":${JSON.stringify(name)}`},"values":[`;
      yield* pieces((row) => (values.isMissing(row) ? 'null' : writeValue(values.column, row)));
      yield ']}';
    }
    yield ']}';
  }
  yield `]${warningsMember(warnings)}}\r\n`;
}

/** What a metric of a range is: a rate is another metric than its counter. */
function describe({ name, pmid, descriptor }: RangeMetric): string {
  const { indom, type, semantics, units } = descriptor;
  return (
    `"name":${JSON.stringify(name)},"pmid":"${formatPmid(pmid)}",` +
    (indom === INDOM_NULL ? '' : `"indom":"${formatIndom(indom)}",`) +
    `"type":"${typeWord(type)}","sem":"${formatSemantics(semantics)}","units":${JSON.stringify(unitsText(units))}`
  );
}

async function namesOf(range: OpenRange, { descriptor }: RangeMetric): Promise<ReadonlyMap<number, string>> {
  if (descriptor.indom === INDOM_NULL) return new Map();
  try {
    const { instances } = await range.instancesEver(descriptor.indom);
    return new Map(instances.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof PmError) return new Map();
    throw error;
  }
}

const CSV_NON_FINITE = { nan: 'NaN', positive: 'Infinity', negative: '-Infinity' };

function cell(column: Column, i: number): string {
  if (isArithmeticType(column.type)) return formatColumnNumber(column, i, CSV_NON_FINITE);
  switch (column.type) {
    case MetricType.STRING:
      return quote(column.texts[i] ?? '');
    case MetricType.AGGREGATE:
    case MetricType.AGGREGATE_STATIC:
      return quote(textOfBytes(column.bytes[i] ?? new Uint8Array(0)));
    default:
      return '';
  }
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
