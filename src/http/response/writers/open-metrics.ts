import { Semantics, formatIndom, formatPmid, formatSemantics, formatTimestamp } from '../../../pmapi/index.js';
import type { MetricDescriptor, Timestamp, Units } from '../../../pmapi/index.js';
import { escapeLabelValue, metricName, writeFamilies } from './exposition.js';
import type { ExposedMetric, ExposedSource, FamilyForm, UniqueNames } from './exposition.js';
import { typeWord, unitsText } from './metadata-writer.js';

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const PREFIXES = ['', 'kibi', 'mebi', 'gibi', 'tebi', 'pebi', 'exbi', 'zebi', 'yobi'];
const SPACE_UNITS = PREFIXES.map((prefix) => `${prefix}bytes`);
const TIME_UNITS = ['nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'minutes', 'hours'];

/** Suffixes that belong to a counter's family beside its own name. */
const COUNTER_SUFFIXES = ['_total', '_created'];

/** OpenMetrics 1.0.0, in pieces: counters end in `_total`, names of spaces and times in their unit. Values are not converted. */
export function* writeOpenMetrics(sources: readonly ExposedSource[], times: boolean): Generator<string, void> {
  yield* writeFamilies(sources, {
    key: ({ name, descriptor }) =>
      `${name} ${descriptor.semantics === Semantics.COUNTER} ${familyName(name, descriptor).unit ?? ''}`,
    begin: beginFamily,
    time: (timestamp) => (times ? ` ${formatTimestamp(timestamp)}` : ''),
    // OpenMetrics knows no counters that are negative or not a number.
    line: ({ descriptor }, name, labels, { value, time }) =>
      descriptor.semantics === Semantics.COUNTER && (value.startsWith('-') || value === 'NaN')
        ? undefined
        : `${name}${labels} ${value}${time}\n`,
  });
  yield '# EOF\n';
}

function beginFamily({ oneline, ...metric }: ExposedMetric, names: UniqueNames): ReturnType<FamilyForm['begin']> {
  const { family, unit, name } = openMetricsNames(metric, names);
  let head = `# TYPE ${family} ${name === family ? 'gauge' : 'counter'}\n`;
  if (unit !== undefined) head += `# UNIT ${family} ${unit}\n`;
  if (oneline !== '') head += `# HELP ${family} ${escapeLabelValue(oneline)}\n`;
  return { name, head };
}

/** A metric's names: its family with the unit, which stays last, and its samples. */
export function openMetricsNames(
  { name, pmid, descriptor }: Pick<ExposedMetric, 'name' | 'pmid' | 'descriptor'>,
  names: UniqueNames,
): { readonly family: string; readonly unit: string | undefined; readonly name: string } {
  const isCounter = descriptor.semantics === Semantics.COUNTER;
  const { base, unit } = familyName(name, descriptor);
  const unitSuffix = unit === undefined ? '' : `_${unit}`;
  const suffixes = ['', ...(isCounter ? COUNTER_SUFFIXES : [])].map((suffix) => unitSuffix + suffix);
  const family = names.claim(base, pmid, suffixes) + unitSuffix;
  return { family, unit, name: isCounter ? `${family}_total` : family };
}

/** A family's name without its unit, and the unit if there is a word for it. */
function familyName(name: string, { semantics, units }: MetricDescriptor): { base: string; unit: string | undefined } {
  const unit = unitWord(units);
  let base = metricName(name, '_');
  if (semantics === Semantics.COUNTER) base = base.replace(/(?<=.)_total$/, '');
  if (unit !== undefined && base.endsWith(`_${unit}`)) base = base.slice(0, -unit.length - 1);
  return { base, unit };
}

function unitWord({ dimSpace, dimTime, dimCount, extraUnit, scaleSpace, scaleTime }: Units): string | undefined {
  if (dimCount !== 0 || extraUnit !== 0) return undefined;
  if (dimSpace === 1 && dimTime === 0) return SPACE_UNITS[scaleSpace];
  return dimSpace === 0 && dimTime === 1 ? TIME_UNITS[scaleTime] : undefined;
}

/** The media type of Prometheus's older text format, which pmproxy's text is. */
export const PMPROXY_TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * pmproxy's text, in pieces: a comment with PCP's metadata, then help, type and values. The underscore form has colons for dots and a
 * shorter comment. Differs from PCP: values are UTF-8, help and labels are escaped, times are milliseconds.
 */
export function writePmproxyText(
  sources: readonly ExposedSource[],
  { times, compat }: { readonly times: boolean; readonly compat: boolean },
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
