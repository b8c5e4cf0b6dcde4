import type { Context, DryRunSample } from '../../../context/index.js';
import { displayOf } from '../../../derived/index.js';
import type {
  CheckedMetadata,
  CheckedNode,
  CheckReport,
  ContextDefinition,
  ExplainedNode,
  GlobalDefinition,
  InstanceNamer,
} from '../../../derived/index.js';
import { formatPmErr, formatPmid, formatTimestamp, INSTANCE_NULL } from '../../../pmapi/index.js';
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

const INSTANCES_SHOWN = 100;
const PARTS_SHOWN = 200;

/** The response to a dry run. Values are written by hand: 64-bit integers keep their digits. */
export function writeCheck(
  context: Context,
  client: string | undefined,
  report: CheckReport,
  sample: DryRunSample | undefined,
): string {
  const { tree, ...others } = report;
  const members = JSON.stringify(others).slice(1, -1);
  const written = [contextHead(context.id, client), ',', members];
  if (tree) {
    written.push(',"tree":');
    writePart(written, sample?.root ?? bare(tree), outermost(tree), sample?.nameOf);
  }
  if (sample && report.ok) {
    const values = writeValues(sample.root, sample.nameOf, Infinity);
    written.push(`,"sample":{"timestamp":${formatTimestamp(sample.timestamp)},${values}}`);
  }
  return `${written.join('')}}`;
}

/** A part of an expression, with its values if it was evaluated. */
type WrittenPart = Pick<ExplainedNode, 'node'> &
  Partial<Omit<ExplainedNode, 'children'>> & { readonly children: readonly WrittenPart[] };

function bare(node: CheckedNode): WrittenPart {
  return { node, children: node.children.map(bare) };
}

/** The nodes that are shown: the outermost ones, level by level. */
function outermost(tree: CheckedNode): ReadonlySet<CheckedNode> {
  const shown = new Set([tree]);
  for (const { children } of shown) for (const child of children) if (shown.size < PARTS_SHOWN) shown.add(child);
  return shown;
}

function countOf({ children }: CheckedNode): number {
  return children.reduce((sum, child) => sum + countOf(child), 1);
}

/** Appends a part's text: joining at each level would copy lower levels repeatedly. */
function writePart(
  written: string[],
  part: WrittenPart,
  shown: ReadonlySet<CheckedNode>,
  nameOf: InstanceNamer = () => undefined,
): void {
  const { node, values, children } = part;
  written.push('{', JSON.stringify({ ...node, children: undefined }).slice(1, -1));
  if (values) {
    written.push(`,"sample":{"count":${Math.max(values.status, 0)},${writeValues(part, nameOf, INSTANCES_SHOWN)}}`);
  }
  const omitted = node.children.reduce((sum, child) => sum + (shown.has(child) ? 0 : countOf(child)), 0);
  if (omitted > 0) written.push(`,"omitted":${omitted}`);
  written.push(',"children":[');
  for (const [i, child] of children.filter((each) => shown.has(each.node)).entries()) {
    if (i > 0) written.push(',');
    writePart(written, child, shown, nameOf);
  }
  written.push(']}');
}

function writeValues(part: WrittenPart, nameOf: InstanceNamer, most: number): string {
  const { values, meta } = part;
  const { status, column, instances } = values!;
  const written: string[] = [];
  for (let i = 0; i < Math.min(status, most); i++) {
    written.push(writeInstance(instances[i]!, nameOf(meta!.indom, instances[i]!), writeValue(column, i)));
  }
  return `"instances":[${written.join(',')}]${status > 0 ? '' : writeReason(part, status)}`;
}

function writeReason({ lost = [] }: WrittenPart, status: number): string {
  if (status < 0) return `,"message":${JSON.stringify(formatPmErr(status))},"pmErr":${status}`;
  const reason = lost.find(({ instance }) => instance === undefined) ?? lost[0];
  return reason ? `,"message":${JSON.stringify(reason.reason)}` : '';
}

function writeInstance(instance: number, name: string | undefined, value: string): string {
  if (instance === INSTANCE_NULL) return `{"instance":null,"value":${value}}`;
  const nameMember = name === undefined ? '' : `"name":${JSON.stringify(name)},`;
  return `{"instance":${instance},${nameMember}"value":${value}}`;
}
