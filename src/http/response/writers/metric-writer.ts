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

/** The element in place of a metric that failed. */
export function writeMetricFailure(name: string, message: string): string {
  return JSON.stringify({ name, message, success: false });
}
