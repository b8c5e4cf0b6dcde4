import { formatIndom, formatPmid, formatSemantics, INDOM_NULL } from '../../../pmapi/index.js';
import type { MetricDescriptor } from '../../../pmapi/index.js';
import { typeWord, unitsText } from './metric-writer.js';

/** A metric in a response. */
export interface DescribedMetric {
  readonly name: string;
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
}

/** The members with the metadata of a metric's values: a rate differs from its counter. No braces. */
export function describeMetric({ name, pmid, descriptor }: DescribedMetric): string {
  const { indom } = descriptor;
  return (
    `"name":${JSON.stringify(name)},"pmid":"${formatPmid(pmid)}",` +
    (indom === INDOM_NULL ? '' : `"indom":"${formatIndom(indom)}",`) +
    describeValues(descriptor)
  );
}

/** The members `type`, `sem` and `units`. */
export function describeValues({ type, semantics, units }: MetricDescriptor): string {
  return `"type":"${typeWord(type)}","sem":"${formatSemantics(semantics)}","units":${JSON.stringify(unitsText(units))}`;
}
