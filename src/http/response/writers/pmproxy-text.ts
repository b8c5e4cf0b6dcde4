import { formatIndom, formatPmid, formatSemantics, Semantics } from '../../../pmapi/index.js';
import type { Timestamp } from '../../../pmapi/index.js';
import { metricName, writeFamilies } from './exposition.js';
import type { ExposedMetric, ExposedSource } from './exposition.js';
import { typeWord, unitsText } from './metadata-writer.js';

/** The media type of Prometheus's older text format, which pmproxy's text is. */
export const PMPROXY_TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The options of the text. */
export interface TextForm {
  /** Whether each value has its time. */
  readonly times: boolean;
  /** Whether it is the underscore form. */
  readonly compat: boolean;
}

/**
 * The text that pmproxy's clients know: a comment with PCP's own metadata, then help, type and values. In the underscore form
 * colons replace dots, and the comment is shorter. In pieces. Differs from PCP: values are UTF-8, help and label values are
 * escaped, and times are milliseconds.
 */
export function writePmproxyText(
  sources: readonly ExposedSource[],
  { times, compat }: TextForm,
): Generator<string, void> {
  return writeFamilies(sources, {
    key: ({ name, descriptor }) => `${name} ${descriptor.semantics}`,
    begin: (metric, names) => {
      const name = names.claim(metricName(metric.name, compat ? ':' : '_'), metric.pmid);
      return { name, head: headOf(metric, name, compat) };
    },
    time: (timestamp) => (times ? ` ${milliseconds(timestamp)}` : ''),
    line: (_metric, name, labels, { value, time }) => `${name}${labels} ${value}${time}\n`,
  });
}

function headOf({ name: given, pmid, descriptor, oneline }: ExposedMetric, name: string, compat: boolean): string {
  // A source may use any name for a metric, even one with a line break.
  const pcpName = escapeHelp(given);
  const [semantics, units] = [formatSemantics(descriptor.semantics), unitsText(descriptor.units)];
  const about = compat
    ? `# PCP ${pcpName} ${semantics} ${units}\n`
    : `# PCP5 ${pcpName} ${formatPmid(pmid)} ${typeWord(descriptor.type)} ${formatIndom(descriptor.indom)} ${semantics} ${units}\n`;
  const help = oneline === '' ? '' : `# HELP ${name} ${escapeHelp(oneline)}\n`;
  return `${about}${help}# TYPE ${name} ${descriptor.semantics === Semantics.COUNTER ? 'counter' : 'gauge'}\n`;
}

function milliseconds({ sec, nsec }: Timestamp): string {
  return String(sec * 1000 + Math.floor(nsec / 1_000_000));
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
