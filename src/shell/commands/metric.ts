import type { Metric } from '../../client/index.js';
import { metricDirectory, type NamedValues } from '../metric-directory.js';
import { printable, printableLines } from '../output/terminal-text.js';
import { valueText } from '../output/sample-table.js';
import { writeList } from '../output/table.js';
import { splitNames, whereOf, type SourceFlags } from '../selection.js';
import { UsageError, type Session } from '../session.js';
import { exitCodeOf, writeWarnings, type ExitCode } from '../exit-codes.js';

interface MetricFlags extends SourceFlags {
  readonly prefix?: readonly string[];
  /** Everything known about each metric, including help and labels. */
  readonly long?: boolean;
  /** As in pminfo(1): values, descriptors, one-line help, full help, PMIDs. */
  readonly fetch?: boolean;
  readonly desc?: boolean;
  readonly oneline?: boolean;
  readonly helptext?: boolean;
  readonly pmid?: boolean;
}

/** pminfo(1)'s names of the integer types. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  '32': '32-bit int',
  u32: '32-bit unsigned int',
  '64': '64-bit int',
  u64: '64-bit unsigned int',
};

export async function metricCommand(session: Session, names: readonly string[], flags: MetricFlags): Promise<ExitCode> {
  const nodes = [...splitNames(names), ...(flags.prefix ?? [])];
  if (names.length > 0 && flags.prefix) throw new UsageError('names of metrics and --prefix are mutually exclusive');
  const { client, signal, terminal } = session;
  // Without names: every metric.
  const { metrics, warnings = [] } = await client.metrics(nodes, { ...whereOf(flags, session), signal });
  const values = flags.fetch === true ? await valuesOf(session, flags, metrics) : undefined;
  if (session.format === 'table' && asksForText(flags)) {
    const head = flags.long === true ? describe : facts;
    const texts = metrics.map((metric) => head(metric, session, flags) + valueLines(values, metric));
    await terminal.stdout.write(texts.join('\n'));
  } else {
    const items = values
      ? metrics.map((metric) => ({ ...metric, instances: values.get(metric.name)?.instances ?? [] }))
      : metrics;
    await writeList(session, {
      items,
      whole: { metrics: items, ...(warnings.length > 0 ? { warnings } : {}) },
      columns: ['metric', 'type', 'semantics', 'units', 'indom', { title: 'help', isElastic: true }],
      row: rowOf,
      csvHead: ['metric', 'pmid', 'type', 'semantics', 'units', 'indom', 'help'],
      csvRow: csvRowOf,
    });
  }
  await writeWarnings(session, warnings);
  return exitCodeOf(metrics.length, warnings.length);
}

/** Whether each metric gets lines of its own instead of a table row. */
function asksForText({ long, fetch, desc, oneline, helptext, pmid }: MetricFlags): boolean {
  return [long, fetch, desc, oneline, helptext, pmid].includes(true);
}

async function valuesOf(
  session: Session,
  flags: MetricFlags,
  metrics: readonly Metric[],
): Promise<ReadonlyMap<string, NamedValues>> {
  if (metrics.length === 0) return new Map();
  const { client, signal } = session;
  const where = whereOf(flags, session);
  const names = metrics.map(({ name }) => name);
  const sample = await client.fetch({ names, ...where, inames: true, numbers: 'exact', signal });
  const { values } = await metricDirectory(client, where, {}, signal).name(sample);
  return new Map(values.map((one) => [one.name, one]));
}

/** pminfo(1)'s lines about a metric for `-m`, `-d`, `-t` and `-T`. */
function facts(metric: Metric, { colours }: Session, { desc, oneline, helptext, pmid }: MetricFlags): string {
  const { name, type, sem, units, indom = 'PM_INDOM_NULL' } = metric;
  const title = [
    colours.bold(printable(name)),
    ...(pmid === true ? [`PMID: ${metric.pmid}`] : []),
    ...(oneline === true ? [`[${printable(firstLine(metric['text-oneline']))}]`] : []),
  ];
  const lines = [title.join(' ')];
  if (desc === true) {
    lines.push(`    Data Type: ${TYPE_NAMES[type] ?? type}  InDom: ${indom}`);
    lines.push(`    Semantics: ${sem}  Units: ${units}`);
  }
  if (helptext === true) lines.push('Help:', printableLines(helpOf(metric)));
  return `${lines.join('\n')}\n`;
}

/** The values of a metric as pminfo(1) prints them; nothing if none were requested. */
function valueLines(values: ReadonlyMap<string, NamedValues> | undefined, metric: Metric): string {
  if (!values) return '';
  const { units = '', instances = [] } = values.get(metric.name) ?? {};
  if (instances.length === 0) return '    No value(s) available!\n';
  return instances
    .map(({ instance, name, value }) => {
      const text = metric.type === 'string' ? `"${printable(String(value))}"` : valueText(value, units);
      const of = instance === null ? '' : `inst [${instance} or "${printable(name ?? '???')}"] `;
      return `    ${of}value ${text}\n`;
    })
    .join('');
}

function rowOf({ name, type, sem, units, indom = '', 'text-oneline': oneline }: Metric): readonly string[] {
  return [name, type, sem, units === 'none' ? '' : units, indom, firstLine(oneline)];
}

function csvRowOf({ name, pmid, type, sem, units, indom, 'text-oneline': oneline }: Metric) {
  return [name, pmid, type, sem, units === 'none' ? '' : units, indom, oneline];
}

function helpOf(metric: Metric): string {
  return (metric['text-help'] === '' ? metric['text-oneline'] : metric['text-help']).trimEnd();
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

function describe(metric: Metric, { colours }: Session): string {
  const help = helpOf(metric);
  const labels = Object.entries(metric.labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const facts = [
    ['pmid', metric.pmid],
    ['type', metric.type],
    ['semantics', metric.sem],
    ['units', metric.units],
    ['indom', metric.indom ?? 'none (single value)'],
    ['labels', labels.join(' ')],
  ] as const;
  const lines = facts.map(([name, text]) => `  ${name.padEnd(11)}${printable(text)}\n`);
  const text = printableLines(help)
    .split('\n')
    .map((line) => (line === '' ? '\n' : `  ${line}\n`));
  return `${colours.bold(printable(metric.name))}\n${lines.join('')}${help === '' ? '' : `\n${text.join('')}`}`;
}
