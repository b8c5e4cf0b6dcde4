import { formatTimestamp, Semantics } from '../../pmapi/index.js';
import type { MetricDescriptor, Units } from '../../pmapi/index.js';
import { escapeLabelValue, hasValues, metricName, samplesOf, UniqueNames, writeSampleLabels } from './exposition.js';
import type { Exposition } from './exposition.js';

/** The media type of OpenMetrics 1.0.0. */
export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** By scale; space goes by 1024. */
const SPACE_UNITS = [
  'bytes',
  'kibibytes',
  'mebibytes',
  'gibibytes',
  'tebibytes',
  'pebibytes',
  'exbibytes',
  'zebibytes',
  'yobibytes',
];
const TIME_UNITS = ['nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'minutes', 'hours'];

/** Suffixes that belong to a counter's family beside its own name. */
const COUNTER_SUFFIXES = ['_total', '_created'];

/**
 * OpenMetrics 1.0.0: counters end in `_total`, plain spaces and times tell their unit in their name, and every family has a
 * name of its own. Values are not converted, so that 64-bit integers keep their digits.
 */
export function writeOpenMetrics(exposition: Exposition): string {
  const names = new UniqueNames();
  const { plan, result, times } = exposition;
  const time = times ? ` ${formatTimestamp(result.timestamp)}` : '';
  let text = '';
  for (const [i, { name, pmid, descriptor }] of plan.entries.entries()) {
    if (!hasValues(result.sets[i]!)) continue;
    const isCounter = descriptor.semantics === Semantics.COUNTER;
    const { base, unit } = familyName(name, descriptor);
    const family = claimFamily(names, base, unit, pmid, isCounter ? COUNTER_SUFFIXES : []);
    const { oneline } = exposition.metadata[i]!;
    text += `# TYPE ${family} ${isCounter ? 'counter' : 'gauge'}\n`;
    if (unit !== undefined) text += `# UNIT ${family} ${unit}\n`;
    if (oneline !== '') text += `# HELP ${family} ${escapeLabelValue(oneline)}\n`;
    text += writeSamples(exposition, i, isCounter ? `${family}_total` : family, time, isCounter);
  }
  return `${text}# EOF\n`;
}

function writeSamples(exposition: Exposition, i: number, name: string, time: string, isCounter: boolean): string {
  const seen = new Set<string>();
  let text = '';
  for (const { labels, value } of samplesOf(exposition, i)) {
    // OpenMetrics knows no counters that are negative or not a number.
    if (isCounter && (value.startsWith('-') || value === 'NaN')) continue;
    const labelText = writeSampleLabels(labels);
    // Labels of an agent's own may hide what tells two instances apart; a scraper would refuse the whole answer.
    if (seen.has(labelText)) continue;
    seen.add(labelText);
    text += `${name}${labelText} ${value}${time}\n`;
  }
  return text;
}

/** A family's name without its unit, and the unit if there is a word for it. */
function familyName(name: string, { semantics, units }: MetricDescriptor): { base: string; unit: string | undefined } {
  const unit = unitWord(units);
  let base = metricName(name, '_');
  if (semantics === Semantics.COUNTER) base = base.replace(/(?<=.)_total$/, '');
  if (unit !== undefined && base.endsWith(`_${unit}`)) base = base.slice(0, -unit.length - 1);
  return { base, unit };
}

/** The unit stays last in the name, whatever it takes to make the name unique. */
function claimFamily(
  names: UniqueNames,
  base: string,
  unit: string | undefined,
  pmid: number,
  suffixes: readonly string[],
): string {
  if (unit === undefined) return names.claim(base, pmid, suffixes);
  const unitSuffix = `_${unit}`;
  return names.claim(base, pmid, [unitSuffix, ...suffixes.map((suffix) => unitSuffix + suffix)]) + unitSuffix;
}

function unitWord({ dimSpace, dimTime, dimCount, extraUnit, scaleSpace, scaleTime }: Units): string | undefined {
  if (dimCount !== 0 || extraUnit !== 0) return undefined;
  if (dimSpace === 1 && dimTime === 0) return SPACE_UNITS[scaleSpace];
  return dimSpace === 0 && dimTime === 1 ? TIME_UNITS[scaleTime] : undefined;
}
