import { formatIndom, formatPmid, formatSemantics, INDOM_NULL, type Timestamp } from '../../pmapi/index.js';
import { bytesOfValues } from './evaluation/value-memory.js';
import { timeOf, NO_INSTANCE, type SeriesValue, type ValueForm } from './evaluation/series-values.js';
import type { SeriesDescription, AnsweredSeries } from './series-view.js';
import { inPieces, largeJsonAnswer, listAnswer, typeWord, unitsText } from '../../http/index.js';
import type { Answer, StreamedAnswer } from '../../http/index.js';

/** Responses with more values are written in turns of the event loop. */
const VALUES_AT_ONCE = 1000;
/** pmproxy's name for the metric of an expression. */
const EXPRESSION_PMID = '511.0.0';
const EXPRESSION_SOURCE = '0'.repeat(40);

/** A JSON list in the shape of pmseries: with `client` it is the `result` of an object. */
export function seriesList(client: string | undefined, elements: readonly string[]): Answer | StreamedAnswer {
  const { head, end } = frameOf(client);
  return listAnswer(`${head}[`, elements, `]${end}`);
}

export function seriesObject(client: string | undefined, members: readonly string[]): Answer | StreamedAnswer {
  const { head, end } = frameOf(client);
  return listAnswer(`${head}{`, members, `}${end}`);
}

function frameOf(client: string | undefined): { readonly head: string; readonly end: string } {
  return client === undefined
    ? { head: '', end: '' }
    : { head: `{"client":${JSON.stringify(client)},"result":`, end: '}' };
}

/** Values in the order of their series, instance by instance. */
export function seriesValuesAnswer(
  client: string | undefined,
  answered: readonly AnsweredSeries[],
): Answer | StreamedAnswer {
  const count = answered.reduce(
    (sum, { values }) => sum + values.samples.reduce((inner, sample) => inner + sample.values.length, 0),
    0,
  );
  if (count <= VALUES_AT_ONCE) return seriesList(client, [...valueElements(answered)]);
  const { head, end } = frameOf(client);
  const pieces = inPieces(`${head}[`, valueElements(answered), `]${end}`);
  return largeJsonAnswer(pieces, bytesOfValues(answered.map(({ values }) => values)));
}

function* valueElements(answered: readonly AnsweredSeries[]): Generator<string, void> {
  for (const { id, isExpression, values } of answered) {
    const { form, indom } = values.metadata;
    // The values of several hosts all belong to one expression: its operand distinguishes them.
    const stand = indom === INDOM_NULL && isExpression ? values.series : undefined;
    for (const sample of values.samples) {
      const { instances, time, times } = sample;
      const shared = times ? undefined : milliseconds(time);
      for (let i = 0; i < instances.length; i++) {
        const instance = instances[i]!;
        const named = instance === NO_INSTANCE ? (stand ?? (indom === INDOM_NULL ? undefined : '')) : instance;
        yield (
          `{"series":"${id}",` +
          (named === undefined ? '' : `"instance":"${named}",`) +
          `"timestamp":${shared ?? milliseconds(timeOf(sample, i))},"value":${JSON.stringify(valueText(sample.values[i]!, form))}}`
        );
      }
    }
  }
}

/** Milliseconds since the epoch with three digits of microseconds, as a JSON number. */
function milliseconds({ sec, nsec }: Timestamp): string {
  const micros = sec * 1_000_000 + Math.floor(nsec / 1000);
  const size = Math.abs(micros);
  const text = `${Math.floor(size / 1000)}.${String(size % 1000).padStart(3, '0')}`;
  return micros < 0 ? `-${text}` : text;
}

/** The description of a series, or of an unknown one. */
export function writeSeriesDescription(id: string, description: SeriesDescription | undefined): string {
  const series = `{"series":${JSON.stringify(id)},`;
  if (!description) {
    const unknown = ['indom', 'semantics', 'type', 'units'].map((name) => `"${name}":"unknown"`).join(',');
    return `${series}"source":"unknown","pmid":"PM_ID_NULL",${unknown}}`;
  }
  const { metadata, metric } = description;
  const { type, semantics, units, indom } = metadata;
  return (
    `${series}"source":"${metric?.source ?? EXPRESSION_SOURCE}",` +
    `"pmid":"${metric ? formatPmid(metric.descriptor.pmid) : EXPRESSION_PMID}",` +
    `"indom":"${indom === INDOM_NULL ? 'none' : formatIndom(indom)}","semantics":"${formatSemantics(semantics)}",` +
    `"type":"${typeWord(type)}","units":${JSON.stringify(unitsText(units))}}`
  );
}

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
