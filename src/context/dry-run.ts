import {
  checkExpression,
  compileParts,
  evaluate,
  EvaluationTrace,
  History,
  operandNames,
  outdatedIndoms,
  parseExpression,
} from '../derived/index.js';
import type { BoundParts, CheckReport, EvaluableParts, ExplainedNode, InstanceNamer } from '../derived/index.js';
import { eventLoopTurns } from '../kit/index.js';
import { limitExceeded, ValueSet, type InstanceDomain, type Timestamp } from '../pmapi/index.js';
import type { ContextParts } from './context-parts.js';
import type { RangeOrigin } from './open-range.js';
import { sampleNow, samplePast, type OperandSamples } from './operand-samples.js';
import { instanceNames } from './range/instance-names.js';
import { RangeInstances } from './range/derived-evaluation.js';

/** The past to read values from. Throws WRONG_CONTEXT without any. */
type Past = (operands: BoundParts['operands']) => Promise<Pick<RangeOrigin, 'source' | 'info'>>;

export interface DryRunOptions {
  /** The moment of the values; undefined: now, or an archive's last moment with values. */
  readonly at?: Timestamp | undefined;
  /** Maximum number of values of all parts; LIMIT_EXCEEDED beyond, before they are computed. */
  readonly values?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DryRun {
  readonly report: CheckReport;
  /** The values of the parts that bind; undefined if there are none. */
  readonly sample?: DryRunSample | undefined;
}

export interface DryRunSample {
  readonly timestamp: Timestamp;
  readonly root: ExplainedNode;
  readonly nameOf: InstanceNamer;
}

/** Checks an expression in a context and evaluates the parts that bind. */
export async function dryRun(
  text: string,
  context: ContextParts,
  openPast: Past,
  options: DryRunOptions = {},
): Promise<DryRun> {
  const { source, shared, derived, names } = context;
  const { scope } = derived;
  const { signal } = options;
  // Each part of the work takes milliseconds where an expression is long: one of them in a turn, of all clients together.
  const rest = async (): Promise<void> => {
    if (text.length > LONG) await eventLoopTurns.own();
    signal?.throwIfAborted();
  };
  await rest();
  const parsed = parseExpression(text);
  await rest();
  if (!parsed.ok) return { report: checkExpression(text).report };
  const environment = await shared.bindings.environment(source, [operandNames(parsed.expression)], scope, { signal });
  const definitionOf = (name: string): string | undefined => scope.get(name)?.canonical;
  await rest();
  let outcome = checkExpression(text, { environment, definitionOf });
  if (outcome.report.errors.some(({ code }) => UNKNOWN_METRIC_CODES.has(code))) {
    outcome = checkExpression(text, { environment, definitionOf, candidates: await names.traverse('', signal) });
  }
  const { report, parts } = outcome;
  await rest();
  const compiled = parts && compileParts(parts);
  if (!compiled) return { report };
  const sample = await sampleParts(report, parts, compiled, context, { ...options, openPast });
  await rest();
  return { report, sample };
}

/** Expressions of more characters are checked in turns of the event loop. */
const LONG = 256;

const UNKNOWN_METRIC_CODES: ReadonlySet<string> = new Set([
  'unknown-metric',
  'ternary-unknown-metric',
  'ternary-guard-set',
]);

async function sampleParts(
  { tree }: CheckReport,
  { operands }: BoundParts,
  parts: EvaluableParts,
  context: ContextParts,
  { at, values, signal, openPast }: DryRunOptions & { readonly openPast: Past },
): Promise<DryRunSample> {
  const { source, profile, history, timers } = context;
  const descriptors = operands.map(({ descriptor }) => descriptor);
  const sampled = { descriptors, rated: parts.rated, profile, signal };
  const past = at || source.archive ? await openPast(operands) : undefined;
  const samples = past ? await samplePast(past, sampled, at) : await sampleNow(source, sampled, { history, timers });
  const trace = new EvaluationTrace();
  const listing = past ? pastListing(past, parts) : liveListing(context, parts);
  await evaluateParts(parts, samples, { listing, trace, values });
  const { timestamp } = samples.now;
  const indoms = new Set(parts.nodes.map(({ meta }) => meta.indom));
  const nameOf = await instanceNames(indoms, (indom) => (past?.source ?? source).instances(indom, past && timestamp));
  signal?.throwIfAborted();
  return { timestamp, root: parts.explain(tree!, trace, nameOf), nameOf };
}

interface Listing {
  prepare(sample: OperandSamples['now']): Promise<void>;
  get(indom: number): InstanceDomain | undefined;
}

function pastListing({ source }: Pick<RangeOrigin, 'source'>, { program }: EvaluableParts): Listing {
  const instances = new RangeInstances(source, program.indoms);
  return { prepare: ({ timestamp }) => instances.moveTo(timestamp), get: (indom) => instances.get(indom) };
}

function liveListing({ source, shared: { bindings } }: ContextParts, { program }: EvaluableParts): Listing {
  const get = (indom: number): InstanceDomain | undefined => bindings.instances(indom);
  return {
    get,
    prepare: async ({ sets }) => {
      await Promise.all(outdatedIndoms(program, sets, get).map((indom) => bindings.refreshInstances(source, indom)));
    },
  };
}

async function evaluateParts(
  parts: EvaluableParts,
  { before, now }: OperandSamples,
  {
    listing,
    trace,
    values,
  }: { readonly listing: Listing; readonly trace: EvaluationTrace; readonly values?: number | undefined },
): Promise<void> {
  const { program } = parts;
  const history = new History(program.slots);
  const into = new ValueSet();
  for (const [sequence, sample] of [before, now].entries()) {
    if (!sample) continue;
    await listing.prepare(sample);
    requireFewValues(parts, sample, listing, values);
    const { timestamp, sets: operands } = sample;
    const instances = (indom: number): InstanceDomain | undefined => listing.get(indom);
    const inputs = { sequence, timestamp, operands, instances, trace: sample === now ? trace : undefined };
    evaluate(program, inputs, history, into);
  }
}

/** Characters of text counted as a value: the limit is about memory. */
const LENGTH_PER_VALUE = 32;

/** Throws LIMIT_EXCEEDED for too many values: each part has as many as the greatest operand with its instances. */
function requireFewValues(
  { nodes }: EvaluableParts,
  sample: OperandSamples['now'],
  listing: Listing,
  most = Infinity,
): void {
  const sizes = new Map<string, number>();
  const keyOf = ({ meta }: (typeof nodes)[number]): string => `${meta.indom} ${meta.type}`;
  for (const node of nodes) {
    if (node.kind !== 'operand') continue;
    const { status, column } = sample.sets[node.operand]!;
    let size = Math.max(status, 0);
    for (const { length } of status > 0 ? [...column.texts, ...column.bytes] : []) size += length / LENGTH_PER_VALUE;
    for (const key of [keyOf(node), String(node.meta.indom)]) sizes.set(key, Math.max(sizes.get(key) ?? 1, size));
  }
  let count = 0;
  for (const node of nodes) {
    const { indom } = node.meta;
    count += sizes.get(keyOf(node)) ?? sizes.get(String(indom)) ?? listing.get(indom)?.instances.length ?? 1;
  }
  if (count <= most) return;
  const expected = 'an expression with fewer parts, or over fewer instances: matchinst(), or a profile of the context';
  const parts = `the ${nodes.length} parts of the expression have ${Math.ceil(count)} values`;
  const message = `${parts}; one response may have ${most} (limits.values)`;
  throw limitExceeded('expr', message, expected);
}
