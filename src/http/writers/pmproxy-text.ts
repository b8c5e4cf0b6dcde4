import { formatIndom, formatPmid, formatSemantics, Semantics } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { hasValues, metricName, samplesOf, UniqueNames, writeSampleLabels } from './exposition.js';
import type { Exposition } from './exposition.js';
import { typeWord, unitsText } from './metric-writer.js';

/** The media type of Prometheus's older text format, which pmproxy's text is. */
export const PMPROXY_TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The text that pmproxy's clients know: a comment with PCP's own metadata, then help, type and values. In the underscore form
 * colons stand for dots, and the comment is shorter.
 * Differs from PCP: values are UTF-8, help and label values are escaped, and times are milliseconds.
 */
export function writePmproxyText(exposition: Exposition, compat: boolean): string {
  const names = new UniqueNames();
  const { plan, result, times } = exposition;
  const time = times ? ` ${milliseconds(result.timestamp)}` : '';
  let text = '';
  for (const [i, { name: pcpName, pmid, descriptor }] of plan.entries.entries()) {
    if (!hasValues(result.sets[i]!)) continue;
    const { oneline } = exposition.metadata[i]!;
    const name = names.claim(metricName(pcpName, compat ? ':' : '_'), pmid);
    const [semantics, units] = [formatSemantics(descriptor.semantics), unitsText(descriptor.units)];
    text += compat
      ? `# PCP ${pcpName} ${semantics} ${units}\n`
      : `# PCP5 ${pcpName} ${formatPmid(pmid)} ${typeWord(descriptor.type)} ${formatIndom(descriptor.indom)} ${semantics} ${units}\n`;
    if (oneline !== '') text += `# HELP ${name} ${escapeHelp(oneline)}\n`;
    text += `# TYPE ${name} ${descriptor.semantics === Semantics.COUNTER ? 'counter' : 'gauge'}\n`;
    for (const { labels, value } of samplesOf(exposition, i)) {
      text += `${name}${writeSampleLabels(labels)} ${value}${time}\n`;
    }
  }
  return text;
}

function milliseconds({ sec, nsec }: Timestamp): string {
  return String(sec * 1000 + Math.floor(nsec / 1_000_000));
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
