import { formatIndom, mergeLabels } from '../../pmapi/index.js';
import type { Instance } from '../../pmapi/index.js';
import type { IndomMetadata } from '../../context/index.js';
import { writeLabels } from './labels-writer.js';

/** The members of an instance domain from `indom` to `instances`, without braces. */
export function writeIndom(
  indom: number,
  instances: readonly Instance[],
  metadata: IndomMetadata,
  compat: boolean,
): string {
  const { labels, instanceLabels, oneline, help } = metadata;
  const elements = instances.map(({ id, name }) => {
    const own = instanceLabels.get(id);
    const merged = own && own.length > 0 ? mergeLabels([labels, own]) : labels;
    return `{"instance":${id},"name":${JSON.stringify(name)},"labels":${writeLabels(merged)}}`;
  });
  return (
    `"indom":${compat ? indom : `"${formatIndom(indom)}"`},"labels":${writeLabels(labels)},` +
    (oneline === undefined ? '' : `"text-oneline":${JSON.stringify(oneline)},`) +
    (help === undefined ? '' : `"text-help":${JSON.stringify(help)},`) +
    `"instances":[${elements.join(',')}]`
  );
}
