import { attempt, getOrMake } from '../../../kit/index.js';
import {
  formatIndom,
  formatMetricType,
  formatPmid,
  formatSemantics,
  formatUnits,
  INDOM_NULL,
  mergeLabels,
  MetricType,
} from '../../../pmapi/index.js';
import type { Instance, Label, MetricDescriptor, Units } from '../../../pmapi/index.js';
import type { IndomMetadata, MetricMetadata } from '../../../context/index.js';
import { seriesId } from '../../series-id.js';

const written = new WeakMap<readonly Label[], string>();

/** A label's value as JSON. Sources pass on what agents said, and not every agent says JSON. */
export function labelJson({ json }: Label): string {
  const isJson = attempt(() => JSON.parse(json) as unknown) !== undefined;
  return isJson ? json : JSON.stringify(json);
}

/** A label's value as plain text: a string without its quotes, anything else as JSON. */
export function labelText(label: Label): string {
  const json = labelJson(label);
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Labels as a JSON object, in their order. Cached by list: sources' lists are cached and do not change. */
export function writeLabels(labels: readonly Label[]): string {
  const members = () => labels.map((label) => `${JSON.stringify(label.name)}:${labelJson(label)}`);
  return getOrMake(written, labels, () => `{${members().join(',')}}`);
}

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

/** A member of the metadata of a metric that a client may choose. */
export type MetricField =
  'name' | 'pmid' | 'indom' | 'type' | 'sem' | 'units' | 'oneline' | 'help' | 'labels' | 'display';

/**
 * One element of the response of /pmapi/metric; in the underscore form PMID and instance domain are plain numbers. With `fields` it has
 * these members, and those without which a metric cannot be told from a failure: name, type, semantics and units.
 */
export function writeMetric(
  name: string,
  metadata: MetricMetadata,
  compat: boolean,
  fields?: ReadonlySet<MetricField>,
): string {
  const { descriptor, identity, labels, oneline, help, display } = metadata;
  const { pmid, indom } = descriptor;
  const has = (field: MetricField): boolean => fields?.has(field) !== false;
  let text = `{"name":${JSON.stringify(name)}`;
  if (!fields) text += `,"series":"${seriesId(name, descriptor, identity)}"`;
  if (has('pmid')) text += `,"pmid":${compat ? pmid : `"${formatPmid(pmid)}"`}`;
  if (indom !== INDOM_NULL && has('indom')) text += `,"indom":${compat ? indom : `"${formatIndom(indom)}"`}`;
  text += `,${describeValues(descriptor)}`;
  if (has('labels')) text += `,"labels":${writeLabels(labels)}`;
  if (has('oneline')) text += `,"text-oneline":${JSON.stringify(oneline)}`;
  if (has('help')) text += `,"text-help":${JSON.stringify(help)}`;
  if (display && has('display')) text += `,"display":${JSON.stringify(display)}`;
  return `${text}}`;
}

export function writeMetricFailure(name: string, message: string): string {
  return JSON.stringify({ name, message, success: false });
}

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

export function describeValues({ type, semantics, units }: MetricDescriptor): string {
  return `"type":"${typeWord(type)}","sem":"${formatSemantics(semantics)}","units":${JSON.stringify(unitsText(units))}`;
}

/** The members of an instance domain before `instances`, without braces. */
export function writeIndomHead(indom: number, { labels, oneline, help }: IndomMetadata, compat: boolean): string {
  return (
    `"indom":${compat ? indom : `"${formatIndom(indom)}"`},"labels":${writeLabels(labels)}` +
    (oneline === undefined ? '' : `,"text-oneline":${JSON.stringify(oneline)}`) +
    (help === undefined ? '' : `,"text-help":${JSON.stringify(help)}`)
  );
}

export function writeInstance({ id, name }: Instance, { labels, instanceLabels }: IndomMetadata): string {
  const own = instanceLabels.get(id);
  const merged = own && own.length > 0 ? mergeLabels([labels, own]) : labels;
  return `{"instance":${id},"name":${JSON.stringify(name)},"labels":${writeLabels(merged)}}`;
}
