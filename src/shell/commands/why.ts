import type { components, WhyAnswer } from '../../client/index.js';
import { EXIT } from '../exit-codes.js';
import type { ExitCode } from '../exit-codes.js';
import { tableTime } from '../output/sample-table.js';
import { renderTree } from '../output/tree.js';
import type { TreeLine } from '../output/tree.js';
import { writeList } from '../output/write-list.js';
import { choiceOf, selectionOf, timeOf, whereOf } from '../selection.js';
import type { SelectionFlags } from '../selection.js';
import type { Session } from '../session.js';
import { exitCodeOf, writeWarnings } from '../warnings.js';

/** The flags of `pmgate why`. */
export interface WhyFlags extends SelectionFlags {
  readonly at?: string;
}

type Schemas = components['schemas'];
type Metric = Schemas['WhyMetric'];
type Value = Schemas['WhyValue'];

/** `pmgate why`: what values were made of. Of a moment of the past where one is named, else of now. */
export async function whyCommand(session: Session, metrics: readonly string[], flags: WhyFlags): Promise<ExitCode> {
  const { client, signal, terminal, colours } = session;
  const answer = await client.why({
    ...whereOf(flags, session),
    ...choiceOf(metrics, flags.prefix),
    ...selectionOf(flags, session),
    ...windowOf(flags),
    signal,
  });
  if (session.format === 'table') await terminal.stdout.write(renderTree(answer.metrics.map(treeOf), colours));
  else {
    await writeList(session, {
      items: answer.metrics,
      whole: answer,
      columns: [],
      row: () => [],
      csvHead: ['metric', 'instance', 'value', 'rule', 'from', 'missing'],
      csvRow: ({ name, values, missing }) => {
        const [first] = values;
        const reason = missing[0]?.reason;
        return [
          name,
          first?.name,
          first?.value ?? undefined,
          first?.from?.rule,
          first?.from && textOf(first.from),
          reason,
        ];
      },
    });
  }
  await writeWarnings(session, answer.warnings);
  return answer.warnings.length === 0 ? EXIT.OK : exitCodeOf(answer.metrics.length, answer.warnings.length);
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
    ...missing.map(({ instance, name: called, node, reason }) => ({
      text: `${called ?? instance ?? 'no value'}: ${reason}`,
      note: node === undefined || node === name ? undefined : `in ${node}`,
    })),
  ];
  if (units) {
    const offset = units.offset === 0 ? '' : ` + ${units.offset}`;
    notes.push({ text: `${units.from || 'no units'} × ${units.factor}${offset} = ${units.to || 'no units'}` });
  }
  if (expression) notes.push(nodeLine(expression));
  if (metric.repeated)
    notes.push({ text: 'computed for an earlier request from the same sample: what from is no longer known' });
  if (metric.truncated) notes.push({ text: 'there is more than one response explains' });
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

function valueLine({ instance, name, value, from, rate }: Value): TreeLine {
  const called = name ?? (instance === null ? undefined : String(instance));
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
