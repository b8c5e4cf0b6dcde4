import type { Context, DryRunSample } from '../../../context/index.js';
import { displayOf } from '../../../derived/index.js';
import type {
  CheckedMetadata,
  CheckReport,
  ContextDefinition,
  ExplainedNode,
  GlobalDefinition,
  InstanceNamer,
} from '../../../derived/index.js';
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
import type { MetricDescriptor } from '../../../pmapi/index.js';
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
  const display = displayOf(definition.display);
  return { name, expression, canonical, pmid: formatPmid(pmid), origin, oneline, helptext, display };
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

/** Instances of a part that a response has at most. */
const INSTANCES_SHOWN = 100;

/** The response to a dry run. Values are written by hand: 64-bit integers keep their digits. */
export function writeCheck(
  context: Context,
  client: string | undefined,
  report: CheckReport,
  sample: DryRunSample | undefined,
): string {
  const { tree, ...others } = report;
  const members = JSON.stringify(others).slice(1, -1);
  const treeMember = tree ? `,"tree":${sample ? writePart(sample.root, sample.nameOf) : JSON.stringify(tree)}` : '';
  const sampleMember = sample && report.ok ? `,"sample":${writeWhole(sample)}` : '';
  return `${contextHead(context.id, client)},${members}${treeMember}${sampleMember}}`;
}

function writeWhole({ timestamp, root, nameOf }: DryRunSample): string {
  return `{"timestamp":${formatTimestamp(timestamp)},${writeValues(root, nameOf, Infinity)}}`;
}

function writePart(part: ExplainedNode, nameOf: InstanceNamer): string {
  const { node, values, children } = part;
  const members = JSON.stringify({ ...node, children: undefined }).slice(1, -1);
  const count = Math.max(values?.status ?? 0, 0);
  const sample = values ? `,"sample":{"count":${count},${writeValues(part, nameOf, INSTANCES_SHOWN)}}` : '';
  return `{${members}${sample},"children":[${children.map((child) => writePart(child, nameOf)).join(',')}]}`;
}

function writeValues(part: ExplainedNode, nameOf: InstanceNamer, most: number): string {
  const { values, meta } = part;
  const { status, column, instances } = values!;
  const written: string[] = [];
  for (let i = 0; i < Math.min(status, most); i++) {
    written.push(writeInstance(instances[i]!, nameOf(meta!.indom, instances[i]!), writeValue(column, i)));
  }
  return `"instances":[${written.join(',')}]${status > 0 ? '' : writeReason(part, status)}`;
}

/** Why there are no values. */
function writeReason({ lost }: Pick<ExplainedNode, 'lost'>, status: number): string {
  if (status < 0) return `,"message":${JSON.stringify(formatPmErr(status))},"pmErr":${status}`;
  const reason = lost.find(({ instance }) => instance === undefined) ?? lost[0];
  return reason ? `,"message":${JSON.stringify(reason.reason)}` : '';
}

function writeInstance(instance: number, name: string | undefined, value: string): string {
  if (instance === INSTANCE_NULL) return `{"instance":null,"value":${value}}`;
  const nameMember = name === undefined ? '' : `"name":${JSON.stringify(name)},`;
  return `{"instance":${instance},${nameMember}"value":${value}}`;
}
