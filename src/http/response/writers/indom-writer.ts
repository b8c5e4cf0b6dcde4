import { formatIndom, mergeLabels } from '../../../pmapi/index.js';
import type { Instance } from '../../../pmapi/index.js';
import type { IndomMetadata } from '../../../context/index.js';
import { writeLabels } from './labels-writer.js';

/** The members of an instance domain before `instances`, without braces. */
export function writeIndomHead(indom: number, { labels, oneline, help }: IndomMetadata, compat: boolean): string {
  return (
    `"indom":${compat ? indom : `"${formatIndom(indom)}"`},"labels":${writeLabels(labels)}` +
    (oneline === undefined ? '' : `,"text-oneline":${JSON.stringify(oneline)}`) +
    (help === undefined ? '' : `,"text-help":${JSON.stringify(help)}`)
  );
}

/** One element of the member `instances`. */
export function writeInstance({ id, name }: Instance, { labels, instanceLabels }: IndomMetadata): string {
  const own = instanceLabels.get(id);
  const merged = own && own.length > 0 ? mergeLabels([labels, own]) : labels;
  return `{"instance":${id},"name":${JSON.stringify(name)},"labels":${writeLabels(merged)}}`;
}
