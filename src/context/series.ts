import { createHash } from 'node:crypto';
import { formatIndom, formatMetricType, formatPmid, formatSemantics, encodeUnits } from '../pmapi/index.js';
import type { Label } from '../pmapi/index.js';
import type { MetricMetadata } from './names/metadata-cache.js';

/**
 * The identity of a source: SHA-1 (40 hex digits) over its context labels, optional ones left out, sorted by name.
 * Two contexts on the same host give the same one. The digest serves as a name, not as a defence.
 * @see PMWEBAPI(3), "source"
 */
export function sourceHash(contextLabels: readonly Label[]): string {
  return sha1(identityOf(contextLabels));
}

/**
 * The identity of one metric of one source: SHA-1 (40 hex digits) over its name, descriptor and identifying labels.
 * @see PMWEBAPI(3), "series"
 */
export function seriesHash(name: string, metadata: MetricMetadata): string {
  const { descriptor, labels } = metadata;
  return sha1(
    JSON.stringify([
      name,
      formatPmid(descriptor.pmid),
      formatIndom(descriptor.indom),
      formatMetricType(descriptor.type),
      formatSemantics(descriptor.semantics),
      encodeUnits(descriptor.units),
      identityOf(labels),
    ]),
  );
}

function identityOf(labels: readonly Label[]): string {
  const identifying = labels.filter((label) => label.optional !== true);
  return `{${identifying.map((label) => `${JSON.stringify(label.name)}:${label.json}`).join(',')}}`;
}

function sha1(text: string): string {
  return createHash('sha1').update(text, 'utf8').digest('hex');
}
