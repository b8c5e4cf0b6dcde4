import { hash } from 'node:crypto';
import { formatMetricType, formatSemantics, formatUnits, type Label, type MetricDescriptor } from '../pmapi/index.js';

/*
 * The identifiers of PCP's time series: SHA-1 (40 hex digits) of a text that libpcp_web builds without blanks and without
 * escaping names. Labels are sorted by name and keep the JSON text of the source; optional ones (userid, groupid) are omitted.
 * Equal texts have the same identifier, live or recorded; PMIDs, instance domains and instance numbers are not part of it.
 * @see pmseries(1), PMWEBAPI(3)
 */

/** The identifier of a source: of its context labels, or of its `hostname` where it has none. */
export function sourceId(contextLabels: readonly Label[]): string {
  return sha1(`{"series":"source","labels":${identityOf(contextLabels)}}`);
}

/** The identifier of a metric of a source, over its labels merged from context, domain, instance domain, cluster and item. */
export function seriesId(
  name: string,
  { type, semantics, units }: Pick<MetricDescriptor, 'type' | 'semantics' | 'units'>,
  labels: readonly Label[],
): string {
  return sha1(
    `{"series":"metric","name":"${name}","labels":${identityOf(labels)},"semantics":"${formatSemantics(semantics)}",` +
      `"type":"${formatMetricType(type)}","units":"${formatUnits(units)}"}`,
  );
}

/** The identifier of an instance, from the labels merged from context, domain and instance domain, without the instance's own. */
export function instanceId(name: string, labels: readonly Label[]): string {
  return sha1(`{"series":"instance","name":"${name}","labels":${identityOf(labels)}}`);
}

export function expressionId(text: string): string {
  return sha1(`{"series":"expr","expr":"${text}"}`);
}

/** Cached by list of labels: many metrics and instances have the same. */
const identities = new WeakMap<readonly Label[], string>();

function identityOf(labels: readonly Label[]): string {
  const known = identities.get(labels);
  if (known !== undefined) return known;
  const identifying = labels.filter((label) => label.optional !== true);
  identifying.sort((a, b) => (a.name < b.name ? -1 : 1));
  const identity = `{${identifying.map(({ name, json }) => `"${name}":${json}`).join(',')}}`;
  identities.set(labels, identity);
  return identity;
}

/** The digest is a name, not a protection. */
function sha1(text: string): string {
  return hash('sha1', text, 'hex');
}
