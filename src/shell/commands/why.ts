import type { components, WhyAnswer } from '../../client/index.js';
import { EXIT, exitCodeOf, writeWarnings, type ExitCode } from '../exit-codes.js';
import type { CsvCell } from '../output/json-and-csv.js';
import { tableTime } from '../output/sample-table.js';
import { renderTree, writeAnswer, type TreeLine } from '../output/table.js';
import { choiceOf, isDerived, selectionOf, timeOf, twiceIfNeeded, whereOf } from '../selection.js';
import type { SelectionFlags, TextFlags } from '../selection.js';
import type { Session } from '../session.js';

type WhyFlags = SelectionFlags & TextFlags<'at'>;

type Schemas = components['schemas'];
type Metric = Schemas['WhyMetric'];
type Value = Schemas['WhyValue'];

export async function whyCommand(session: Session, metrics: readonly string[], flags: WhyFlags): Promise<ExitCode> {
  const { client, signal } = session;
  const where = whereOf(flags, session);
  const request = {
    ...where,
    ...choiceOf(metrics, flags.prefix),
    ...selectionOf(flags, session),
    ...windowOf(flags),
    signal,
  };
  const isNow = where.archive === undefined && flags.at === undefined;
  const lacksSample = ({ pmid, values }: Metric): boolean =>
    isNow && values.length === 0 && (flags.rate === true || isDerived(pmid));
  const answer = await twiceIfNeeded(
    session,
    () => client.why(request),
    ({ metrics }) => metrics.some(lacksSample),
  );
  await writeAnswer(session, {
    items: answer.metrics,
    whole: answer,
    csvHead: ['metric', 'instance', 'value', 'rule', 'from', 'missing'],
    csvRows: (items) => items.flatMap(csvRowsOf),
    table: () => renderTree(answer.metrics.map(treeOf), session.colours),
  });
  await writeWarnings(session, answer.warnings);
  return answer.warnings.length === 0 ? EXIT.OK : exitCodeOf(answer.metrics.length, answer.warnings.length);
}

function csvRowsOf({ name, values, missing }: Metric): readonly (readonly CsvCell[])[] {
  return [
    ...values.map((value) => {
      const { from } = value;
      return [name, nameOf(value), value.value ?? undefined, from?.rule, from && textOf(from), undefined];
    }),
    ...missing.map((value) => [name, nameOf(value), undefined, undefined, undefined, value.reason]),
  ];
}

/** The name of an instance, else its number; undefined without instances. */
function nameOf({ instance, name }: { readonly instance?: number | null; readonly name?: string }): string | undefined {
  return name ?? (instance === null || instance === undefined ? undefined : String(instance));
}

/** A moment, as the first of an interpolated range. */
function windowOf({ at }: WhyFlags): { start?: string | undefined; interval?: string; samples?: number } {
  return at === undefined ? {} : { start: timeOf(at), interval: '1sec', samples: 1 };
}

function treeOf(metric: Metric): TreeLine {
  const { name, pmid, metadata, meaning, values, missing, expression, units } = metric;
  const { type, semantics } = metadata;
  const definition = meaning.definition && definitionText(meaning.definition);
  const scope = { source: 'a metric of the source', context: 'defined in the context', global: 'a global definition' };
  const notes: TreeLine[] = [
    { text: scope[meaning.scope], note: definition },
    ...meaning.masks.map((masked) => ({
      text: `masks ${scope[masked.scope]}`,
      note: definitionText(masked.definition),
    })),
    ...values.map(valueLine),
    ...missing.map(({ node, reason, ...value }) => ({
      text: `${nameOf(value) ?? 'no value'}: ${reason}`,
      note: node === undefined || node === name ? undefined : `in ${node}`,
    })),
  ];
  if (units) {
    const offset = units.offset === 0 ? '' : ` + ${units.offset}`;
    notes.push({ text: `${units.from || 'no units'} × ${units.factor}${offset} = ${units.to || 'no units'}` });
  }
  if (expression) notes.push(nodeLine(expression));
  if (metric.repeated)
    notes.push({ text: 'computed for an earlier request from the same sample: its inputs are no longer known' });
  if (metric.truncated) notes.push({ text: 'there is more than one response can explain' });
  return {
    text: name,
    note: [pmid, type, semantics, metadata.units].filter((part) => part !== '').join(' '),
    below: notes,
  };
}

function definitionText({ expression, origin, by, file, line }: Schemas['WhyDefinition']): string {
  const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
  return `${expression}  [${origin}${by === undefined ? '' : ` by ${by}`}]${place}`;
}

function valueLine({ value, from, rate, ...rest }: Value): TreeLine {
  const called = nameOf(rest);
  const below: TreeLine[] = [];
  if (rate) {
    const { before, after, elapsed, wraps, wrapsBy, factor } = rate;
    const wrapped = wraps === 0 ? '' : ` + ${wrapsBy}`;
    const scaled = factor === 1 ? '' : ` × ${factor}`;
    below.push({
      text: `(${after.value} - ${before.value}${wrapped})${scaled} / ${seconds(elapsed)} sec`,
      note: `since ${time(before.timestamp)}`,
    });
  }
  if (from) below.push(originLine(from));
  return { text: called === undefined ? String(value) : `${called}: ${value}`, below };
}

function originLine(from: Schemas['WhyOrigin']): TreeLine {
  if (from.rule === 'exact') return { text: textOf(from) };
  const sides = [from.low, from.high].filter((side) => side !== undefined);
  return { text: textOf(from), below: sides.map((side) => ({ text: sampleText(side) })) };
}

function textOf({ rule, value, sample, elapsed, span }: Schemas['WhyOrigin']): string {
  switch (rule) {
    case 'exact':
      return sample ? sampleText(sample) : String(value);
    case 'line':
      return `${value}, on the line between two records, after ${seconds(elapsed!)} of ${seconds(span!)} sec`;
    case 'earlier':
      return `${value}, the ${span === undefined ? 'last' : 'nearer, earlier'} record, ${seconds(elapsed!)} sec before`;
    case 'later':
      return `${value}, the nearer, later record, after ${seconds(elapsed!)} of ${seconds(span!)} sec`;
  }
}

function sampleText({ timestamp, value, age, archive, volume, offset }: Schemas['WhySample']): string {
  const record = archive === undefined ? '' : `, ${archive}.${volume} at byte ${offset}`;
  const sampled = age === undefined ? '' : `, ${age.toFixed(age < 1 ? 3 : 1)} sec ago`;
  return `${value} at ${time(timestamp)}${sampled}${record}`;
}

function nodeLine({ text, values = [], error, previous, selected, children, metadata }: Schemas['WhyNode']): TreeLine {
  const shown = values.slice(0, 4).map(({ name, value }) => (name === undefined ? String(value) : `${name}: ${value}`));
  const more = values.length > shown.length ? `, and ${values.length - shown.length} more` : '';
  const gave = error ?? (selected ? (values.length === 0 ? 'no values' : shown.join(', ') + more) : 'not evaluated');
  const origins = values.length === 1 && values[0]!.from ? [originLine(values[0]!.from)] : [];
  const since = previous && { text: `since ${time(previous.timestamp)}, ${seconds(previous.elapsed)} sec before` };
  return {
    text: `${text} = ${gave}`,
    note: metadata && [metadata.type, metadata.units].filter((part) => part !== '').join(' '),
    below: [...(since ? [since] : []), ...origins, ...children.map(nodeLine)],
  };
}

/** Seconds to the microsecond. */
function seconds(value: number): number {
  return Number(value.toFixed(6));
}

function time(timestamp: WhyAnswer<'iso'>['timestamp'] | number): string {
  return typeof timestamp === 'string' ? tableTime(timestamp) : String(timestamp);
}
