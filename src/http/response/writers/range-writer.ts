import {
  csvText,
  formatColumnNumber,
  formatIsoTime,
  formatTimestamp,
  INSTANCE_NULL,
  isArithmeticType,
  MetricType,
} from '../../../pmapi/index.js';
import type { Column, FetchResult, Timestamp } from '../../../pmapi/index.js';
import { recordsOf } from '../../../sources/index.js';
import { collectColumns, instanceNames, isWide } from '../../../context/range/index.js';
import type { ColumnSeries, RangeColumns, RangeLimits } from '../../../context/range/index.js';
import { greatestByMean, restOf, type RestKind } from '../../../context/selection/index.js';
import type { EventNames, OpenRange } from '../../../context/index.js';
import { PIECE_LENGTH, warningsMember, withDamage, type Warning } from '../answer.js';
import { textAt, writeFetch, writeFetchInPieces, writeValue, type FetchForm } from './fetch-writer.js';
import { describeMetric } from './metadata-writer.js';
import { NumberText } from './number-text.js';

const VALUES_PER_PIECE = 1000;

export interface LastSampleExplainer {
  note(sample: FetchResult): void;
  /** The member, with a comma before it, once all samples are written; or ''. */
  member(): Promise<string>;
}

/** A fetch answer per sample, in pieces, and what stands for a mark: nothing was recorded around it. */
async function* writeSamples(
  { samples, instanceName }: OpenRange,
  form: FetchForm,
  names: EventNames,
  explainer?: LastSampleExplainer,
): AsyncGenerator<Iterable<string>, void> {
  const answered = { entries: samples.metrics, instanceName };
  const nameOf = (pmid: number): string | undefined => names.get(pmid);
  for await (const { isMark, result } of recordsOf(samples.batches())) {
    if (isMark) {
      yield [`{"timestamp":${form.timestamp(result.timestamp)},"values":[],"mark":true}`];
      continue;
    }
    const learning = names.learn(result);
    if (learning) await learning;
    yield isWide(result)
      ? writeFetchInPieces('{', answered, result, form, [], nameOf)
      : [writeFetch('{', answered, result, form, [], nameOf)];
    explainer?.note(result);
  }
}

/** One JSON object: the metrics, and a fetch answer per sample. `head` begins it, without a closing brace. */
export async function* writeRows(
  head: string,
  range: OpenRange,
  warnings: readonly Warning[],
  form: FetchForm,
  names: EventNames,
  explainer?: LastSampleExplainer,
): AsyncGenerator<string, void> {
  const described = range.samples.metrics.map((metric) => `{${describeMetric(metric)}}`);
  yield `${head},"metrics":[${described.join(',')}],"samples":[`;
  let separator = '';
  for await (const pieces of writeSamples(range, form, names, explainer)) {
    for (const piece of pieces) {
      yield separator + piece;
      separator = '';
    }
    separator = ',';
  }
  const why = (await explainer?.member()) ?? '';
  yield `]${warningsMember(withDamage(warnings, range.damage.summary))}${why}}\r\n`;
}

/** A fetch answer per line; where the archive is damaged, one more line with a warning. */
export async function* writeNdjson(range: OpenRange, form: FetchForm, names: EventNames): AsyncGenerator<string, void> {
  for await (const pieces of writeSamples(range, form, names)) {
    let waiting = '';
    for (const piece of pieces) {
      if (waiting !== '') yield waiting;
      waiting = piece;
    }
    yield `${waiting}\n`;
  }
  const warnings = withDamage([], range.damage.summary);
  if (warnings.length > 0) yield `${JSON.stringify({ warnings })}\n`;
}

/** A table: a line per sample and mark, a column per metric and instance. ISO 8601 or epoch times. @see RFC 4180 */
export async function* writeCsv(range: OpenRange, times: 'epoch' | 'iso' = 'iso'): AsyncGenerator<string, void> {
  const { tableSamples: samples, request } = range;
  const timeOf = (t: Timestamp): string => (times === 'iso' ? formatIsoTime(t, request.zone) : formatTimestamp(t));
  const layout = await range.layOut();
  const { columns } = layout;
  let heading = 'time';
  for (const column of columns) {
    heading += `,${csvText(column.heading)}`;
    if (heading.length < PIECE_LENGTH) continue;
    yield heading;
    heading = '';
  }
  yield `${heading}\r\n`;
  for await (const sample of recordsOf(samples.batches())) {
    const places = layout.place(sample);
    let line = timeOf(sample.result.timestamp);
    for (let k = 0; k < columns.length; k++) {
      const at = places[k]!;
      line += at < 0 ? ',' : `,${cell(sample.result.sets[columns[k]!.metric]!.column, at)}`;
      if (line.length < PIECE_LENGTH) continue;
      yield line;
      line = '';
    }
    yield `${line}\r\n`;
  }
}

/** One JSON object for charts: an array of times, and of values (or null) per metric and instance. Collected before it is written. */
export async function* writeColumns(
  head: string,
  range: OpenRange,
  warnings: readonly Warning[],
  limits: RangeLimits | undefined,
  form: FetchForm,
): AsyncGenerator<string, void> {
  const columns = await collectColumns(range.tableSamples, { marks: true, ...(limits ? { limits } : {}) });
  const indoms = columns.metrics.map(({ descriptor }) => descriptor.indom);
  const nameOf = await instanceNames(indoms, (indom) => range.instancesEver(indom));
  let piece = `${head},"times":[`;
  for (const text of textsOfColumns(columns, range, nameOf, form)) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]${marksMember(columns, form)}${warningsMember(withDamage(warnings, range.damage.summary))}}\r\n`;
}

/** The times and the metrics, in texts of at most so many values. */
function* textsOfColumns(
  columns: RangeColumns,
  range: OpenRange,
  nameOf: Awaited<ReturnType<typeof instanceNames>>,
  form: FetchForm,
): Generator<string, void> {
  const texts = function* (write: (from: number, to: number) => string): Generator<string, void> {
    for (let row = 0; row < columns.length; row += VALUES_PER_PIECE) {
      const text = write(row, Math.min(row + VALUES_PER_PIECE, columns.length));
      yield row === 0 ? text.slice(1) : text;
    }
  };
  yield* texts((from, to) => {
    let text = '';
    for (let row = from; row < to; row++) text += `,${form.timestamp(columns.timeAt(row))}`;
    return text;
  });
  yield '],"metrics":[';
  const isEnvelope = range.request.decimation?.kind === 'envelope';
  const count = isEnvelope ? columns.metrics.length / 3 : columns.metrics.length;
  const counts = range.tableSamples.counts?.();
  for (const [m, metric] of columns.metrics.slice(0, count).entries()) {
    const samples = counts ? `,"samples":${counts[m]}` : '';
    yield `${m === 0 ? '' : ','}{${describeMetric(metric)}${samples},"series":[`;
    const bounds = isEnvelope && isArithmeticType(metric.descriptor.type) ? boundsOf(columns, m, count) : undefined;
    const all = columns.seriesOf(m);
    const own = range.top === undefined ? all : greatestSeries(all, range.top);
    for (const [i, { instance, values }] of own.entries()) {
      const name = nameOf(metric.descriptor.indom, instance);
      const id = instance === INSTANCE_NULL ? 'null' : String(instance);
      yield `${i === 0 ? '' : ','}{"instance":${id}${name === undefined ? '' : `,"name":${JSON.stringify(name)}`},"values":[`;
      yield* texts((from, to) => writeSeries(values, from, to, form));
      for (const [member, series] of bounds ?? []) {
        yield `],"${member}":[`;
        yield* texts((from, to) => writeSeries(series.get(instance)!.values, from, to, form));
      }
      yield ']}';
    }
    const others = range.rest && own.length < all.length ? all.filter((one) => !own.includes(one)) : [];
    yield others.length === 0 ? ']' : `],"rest":{"count":${others.length},"values":[`;
    if (others.length > 0) {
      yield* texts((from, to) => writeRestOf(others, range.rest!, from, to));
      yield ']}';
    }
    yield '}';
  }
}

/** Times without recording: from the last sample before to the first after, if known. */
function marksMember(columns: RangeColumns, { timestamp }: FetchForm): string {
  if (columns.marks.length === 0) return '';
  const rows = new Set(columns.marks.map(({ row }) => row));
  const marks = columns.marks.map(({ row, reason }) => {
    let [before, after] = [row - 1, row + 1];
    while (rows.has(before)) before--;
    while (rows.has(after)) after++;
    const from = timestamp(columns.timeAt(before < 0 ? row : before));
    const to = timestamp(columns.timeAt(after < columns.length ? after : row));
    return `{"row":${row},"from":${from},"to":${to},"reason":"${reason}"}`;
  });
  return `,"marks":[${marks.join(',')}]`;
}

/** A metric's minima and maxima by instance, which follow the averages of all metrics. */
function boundsOf(
  columns: RangeColumns,
  m: number,
  count: number,
): readonly (readonly [string, ReadonlyMap<number, ColumnSeries>])[] {
  const byInstance = (metric: number): ReadonlyMap<number, ColumnSeries> =>
    new Map(columns.seriesOf(metric).map((series) => [series.instance, series]));
  return [
    ['min', byInstance(m + count)],
    ['max', byInstance(m + 2 * count)],
  ];
}

function writeRestOf(others: readonly ColumnSeries[], rest: RestKind, from: number, to: number): string {
  let text = '';
  for (let row = from; row < to; row++) {
    const present = others.filter(({ values }) => !values.isMissing(row));
    const numbers = present.map(({ values }) => values.column.numbers[row]!);
    const { value } = restOf(numbers, rest);
    text += present.length > 0 && Number.isFinite(value) ? `,${value}` : ',null';
  }
  return text;
}

function writeSeries(values: ColumnSeries['values'], from: number, to: number, { isExact }: FetchForm): string {
  const { column } = values;
  const { type } = column;
  if (isArithmeticType(type) && type !== MetricType.FLOAT && !column.wide) {
    return `,${numberText.write(values.numbersOf(from, to))}`;
  }
  let text = '';
  for (let row = from; row < to; row++) {
    text += values.isMissing(row) ? ',null' : `,${writeValue(column, row, isExact)}`;
  }
  return text;
}

/** The series of one metric with the greatest means, in order; all for non-numeric ones. */
function greatestSeries(series: readonly ColumnSeries[], count: number): readonly ColumnSeries[] {
  const [first] = series;
  if (!first || !isArithmeticType(first.values.column.type)) return series;
  const byInstance = new Map(series.map((one) => [one.instance, one]));
  const means = new Map(series.map(({ instance, values }) => [instance, sumOf(values)]));
  return greatestByMean(means, count).map((instance) => byInstance.get(instance)!);
}

function sumOf(values: ColumnSeries['values']): { readonly sum: number; readonly count: number } {
  let [sum, count] = [0, 0];
  for (let row = 0; row < values.length; row++) {
    const value = values.column.numbers[row]!;
    if (values.isMissing(row) || Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  return { sum, count };
}

const CSV_NON_FINITE = { nan: 'NaN', positive: 'Infinity', negative: '-Infinity' };

function cell(column: Column, i: number): string {
  if (isArithmeticType(column.type)) return formatColumnNumber(column, i, CSV_NON_FINITE);
  return csvText(textAt(column, i) ?? '');
}

const numberText = new NumberText(VALUES_PER_PIECE);
