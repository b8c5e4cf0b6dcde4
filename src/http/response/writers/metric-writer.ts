import {
  formatIndom,
  formatMetricType,
  formatPmid,
  formatSemantics,
  formatUnits,
  INDOM_NULL,
  MetricType,
  seriesId,
} from '../../../pmapi/index.js';
import type { Units } from '../../../pmapi/index.js';
import type { MetricMetadata } from '../../../context/index.js';
import { writeLabels } from './labels-writer.js';

/** A type as PMWEBAPI spells it: `u64`, `highres_event`; `unsupported`, `unknown`. */
export function typeWord(type: number): string {
  if (type === MetricType.NOSUPPORT) return 'unsupported';
  const text = formatMetricType(type).toLowerCase();
  return text === '???' ? 'unknown' : text;
}

/** Units as PMWEBAPI spells them: as pmUnitsStr(3), `none` for dimensionless. */
export function unitsText(units: Units): string {
  return formatUnits(units) || 'none';
}

/** One element of the response of /pmapi/metric; in the underscore form PMID and instance domain are plain numbers. */
export function writeMetric(name: string, metadata: MetricMetadata, compat: boolean): string {
  const { descriptor, identity, labels, oneline, help } = metadata;
  const { pmid, indom, type, semantics, units } = descriptor;
  const indomText = compat ? String(indom) : `"${formatIndom(indom)}"`;
  return (
    `{"name":${JSON.stringify(name)},"series":"${seriesId(name, descriptor, identity)}",` +
    `"pmid":${compat ? pmid : `"${formatPmid(pmid)}"`},` +
    (indom === INDOM_NULL ? '' : `"indom":${indomText},`) +
    `"type":"${typeWord(type)}","sem":"${formatSemantics(semantics)}","units":${JSON.stringify(unitsText(units))},` +
    `"labels":${writeLabels(labels)},"text-oneline":${JSON.stringify(oneline)},"text-help":${JSON.stringify(help)}}`
  );
}

/** A member of the metadata of a metric that a client may choose. */
export type MetricField = 'name' | 'pmid' | 'indom' | 'type' | 'sem' | 'units' | 'oneline' | 'help' | 'labels';

/** Members that every element has: a metric without them cannot be told from a failure. */
const ALWAYS: ReadonlySet<string> = new Set<MetricField>(['name', 'type', 'sem', 'units']);

/** One element with the chosen members only, in the order of {@link writeMetric}. */
export function writeMetricFields(name: string, metadata: MetricMetadata, fields: ReadonlySet<MetricField>): string {
  const { descriptor, labels, oneline, help } = metadata;
  const { pmid, indom, type, semantics, units } = descriptor;
  const members: Readonly<Record<MetricField, () => string>> = {
    name: () => `"name":${JSON.stringify(name)}`,
    pmid: () => `"pmid":"${formatPmid(pmid)}"`,
    indom: () => (indom === INDOM_NULL ? '' : `"indom":"${formatIndom(indom)}"`),
    type: () => `"type":"${typeWord(type)}"`,
    sem: () => `"sem":"${formatSemantics(semantics)}"`,
    units: () => `"units":${JSON.stringify(unitsText(units))}`,
    labels: () => `"labels":${writeLabels(labels)}`,
    oneline: () => `"text-oneline":${JSON.stringify(oneline)}`,
    help: () => `"text-help":${JSON.stringify(help)}`,
  };
  const chosen = Object.entries(members).filter(([field]) => ALWAYS.has(field) || fields.has(field as MetricField));
  return `{${chosen
    .map(([, write]) => write())
    .filter((text) => text !== '')
    .join(',')}}`;
}

/** The element in place of a metric that failed. */
export function writeMetricFailure(name: string, message: string): string {
  return JSON.stringify({ name, message, success: false });
}
