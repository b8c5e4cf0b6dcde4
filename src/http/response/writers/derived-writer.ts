import type { Context } from '../../../context/index.js';
import type { CheckedMetadata, CheckReport, ContextDefinition, GlobalDefinition } from '../../../derived/index.js';
import {
  formatIndom,
  formatMetricType,
  formatPmErr,
  formatPmid,
  formatSemantics,
  formatTimestamp,
  formatUnits,
  INDOM_NULL,
  INSTANCE_NULL,
} from '../../../pmapi/index.js';
import type { MetricDescriptor, Timestamp, ValueSet } from '../../../pmapi/index.js';
import { contextHead } from '../answer.js';
import { writeValue } from './fetch-writer.js';

/** The binding of a global derived metric in a context; `DerivedBinding` in openapi.yaml. */
export interface DerivedBinding {
  readonly context: number;
  readonly bound: boolean;
  readonly metadata?: CheckedMetadata;
  readonly maskedBy?: 'source' | 'context';
  readonly reason?: string;
  readonly pmErr?: number;
}

/** A definition as `DerivedEntry` in openapi.yaml. */
export function describeDefinition(definition: GlobalDefinition | ContextDefinition): object {
  const { name, expression, canonical, pmid, oneline, helptext } = definition;
  const origin = definition.scope === 'global' ? definition.origin : 'context';
  return { name, expression, canonical, pmid: formatPmid(pmid), origin, oneline, helptext };
}

/** The printed metadata of a report. */
export function describeMetadata({ type, semantics, units, indom }: MetricDescriptor): CheckedMetadata {
  return {
    type: formatMetricType(type),
    semantics: formatSemantics(semantics),
    units: formatUnits(units),
    indom: indom === INDOM_NULL ? null : formatIndom(indom),
  };
}

/** The values of a checked expression, with the names of its instances as far as they are known. */
export interface NamedSample {
  readonly timestamp: Timestamp;
  readonly values: ValueSet;
  readonly names: ReadonlyMap<number, string>;
}

/** The response to a dry run. Values are written by hand: 64-bit integers keep their digits. */
export function writeCheck(
  context: Context,
  client: string | undefined,
  report: CheckReport,
  sample: NamedSample | undefined,
): string {
  const members = JSON.stringify(report).slice(1, -1);
  const sampleMember = sample ? `,"sample":${writeSample(sample)}` : '';
  return `${contextHead(context.id, client)},${members}${sampleMember}}`;
}

function writeSample({ timestamp, values, names }: NamedSample): string {
  const { status, column, instances } = values;
  const written: string[] = [];
  for (let i = 0; i < status; i++) written.push(writeInstance(instances[i]!, names, writeValue(column, i)));
  const failure = status < 0 ? `,"message":${JSON.stringify(formatPmErr(status))},"pmErr":${status}` : '';
  return `{"timestamp":${formatTimestamp(timestamp)},"instances":[${written.join(',')}]${failure}}`;
}

function writeInstance(instance: number, names: ReadonlyMap<number, string>, value: string): string {
  if (instance === INSTANCE_NULL) return `{"instance":null,"value":${value}}`;
  const name = names.get(instance);
  const nameMember = name === undefined ? '' : `"name":${JSON.stringify(name)},`;
  return `{"instance":${instance},${nameMember}"value":${value}}`;
}
