import type { Metric } from '../../client/index.js';
import type { ExitCode } from '../exit-codes.js';
import { printable, printableLines } from '../output/printable.js';
import { writeList } from '../output/write-list.js';
import { splitNames, whereOf } from '../selection.js';
import type { SourceFlags } from '../selection.js';
import { UsageError } from '../session.js';
import type { Session } from '../session.js';
import { exitCodeOf, writeWarnings } from '../warnings.js';

/** The flags of `pmgate metric`. */
export interface MetricFlags extends SourceFlags {
  readonly prefix?: readonly string[];
  /** Everything that is known of each, help and labels too. */
  readonly long?: boolean;
}

/** `pmgate metric`: what metrics there are, and what they mean. */
export async function metricCommand(session: Session, names: readonly string[], flags: MetricFlags): Promise<ExitCode> {
  const nodes = [...splitNames(names), ...(flags.prefix ?? [])];
  if (names.length > 0 && flags.prefix) throw new UsageError('names of metrics and --prefix exclude one another');
  const { client, signal, terminal } = session;
  // Without names: every metric.
  const answer = await client.metrics(nodes, { ...whereOf(flags), signal });
  const { metrics, warnings = [] } = answer;
  if (flags.long === true && session.format === 'table') {
    await terminal.stdout.write(metrics.map((metric) => describe(metric, session)).join('\n'));
  } else {
    await writeList(session, {
      items: metrics,
      whole: { metrics, ...(warnings.length > 0 ? { warnings } : {}) },
      columns: [
        { title: 'metric' },
        { title: 'type' },
        { title: 'semantics' },
        { title: 'units' },
        { title: 'indom' },
        { title: 'help', isElastic: true },
      ],
      row: (metric) => [
        metric.name,
        metric.type,
        metric.sem,
        unitsOf(metric),
        metric.indom ?? '',
        firstLine(metric['text-oneline']),
      ],
      csvHead: ['metric', 'pmid', 'type', 'semantics', 'units', 'indom', 'help'],
      csvRow: (metric) => [
        metric.name,
        metric.pmid,
        metric.type,
        metric.sem,
        unitsOf(metric),
        metric.indom,
        metric['text-oneline'],
      ],
    });
  }
  await writeWarnings(session, warnings);
  return exitCodeOf(metrics.length, warnings.length);
}

function unitsOf({ units }: Metric): string {
  return units === 'none' ? '' : units;
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

/** A metric with all that is known of it, over several lines. */
function describe(metric: Metric, { colours }: Session): string {
  const help = metric['text-help'] === '' ? metric['text-oneline'] : metric['text-help'];
  const labels = Object.entries(metric.labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const facts = [
    ['pmid', metric.pmid],
    ['type', metric.type],
    ['semantics', metric.sem],
    ['units', metric.units],
    ['indom', metric.indom ?? 'none: one value'],
    ['labels', labels.join(' ')],
  ] as const;
  const lines = facts.map(([name, text]) => `  ${name.padEnd(11)}${printable(text)}\n`);
  const text = printableLines(help.trimEnd())
    .split('\n')
    .map((line) => (line === '' ? '\n' : `  ${line}\n`));
  return `${colours.bold(printable(metric.name))}\n${lines.join('')}${help === '' ? '' : `\n${text.join('')}`}`;
}
