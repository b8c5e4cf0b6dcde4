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
import { eventLoopTurns, pause, type Timers } from '../kit/index.js';
import {
  addSeconds,
  compareTimestamps,
  FetchResult,
  limitExceeded,
  onPmError,
  PM_ERR,
  PmError,
  secondsBetween,
  Semantics,
  ValueSet,
} from '../pmapi/index.js';
import type { InstanceDomain, MetricDescriptor, Timestamp } from '../pmapi/index.js';
import type { InstanceNeighbours, InstanceProfile, MetricSource } from '../sources/index.js';
import type { ContextParts } from './context-parts.js';
import type { RangeOrigin } from './open-range.js';
import { instanceNames } from './range/table-layout.js';
import { RangeInstances } from './range/metric-pipeline.js';
import type { LiveHistory, RangeSource } from './range/index.js';
import { StalePlanError } from './plans/fetch-plan.js';

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
  rest: { readonly listing: Listing; readonly trace: EvaluationTrace; readonly values?: number | undefined },
): Promise<void> {
  const { listing, trace, values } = rest;
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
  throw limitExceeded(message, expected, 'expr');
}

/** The operands of an expression at a moment, by their places. */
interface OperandSample {
  readonly timestamp: Timestamp;
  readonly sets: readonly ValueSet[];
}

/** The last sample, and the samples before it for delta() and rate(). */
interface OperandSamples {
  readonly before: OperandSample | undefined;
  readonly now: OperandSample;
}

interface SampledOperands {
  readonly descriptors: readonly MetricDescriptor[];
  /** Places of operands of delta() and rate(); undefined without any. */
  readonly rated: ReadonlySet<number> | undefined;
  readonly profile: InstanceProfile;
  readonly signal?: AbortSignal | undefined;
}

/** The time between two samples of a live source of which nothing is remembered, in milliseconds. */
const TWO_SAMPLES_MS = 250;

/** Samples a live source now; delta() and rate() compare with a remembered sample, or one taken 250 ms before. */
async function sampleNow(
  source: MetricSource,
  { descriptors, rated, profile, signal }: SampledOperands,
  { history, timers }: { readonly history: LiveHistory | undefined; readonly timers: Pick<Timers, 'after'> },
): Promise<OperandSamples> {
  const prepared = source.prepare(descriptors.map(({ pmid }) => pmid));
  const metrics = descriptors.map((descriptor) => ({ descriptor }));
  const { numbering } = source;
  const take = async (): Promise<FetchResult> => {
    const result = new FetchResult();
    await source.fetch(prepared, profile, result);
    if (source.numbering !== numbering) throw new StalePlanError();
    history?.record(metrics, result, profile, source.reconnects);
    return result;
  };
  const first = await take();
  if (!rated) return { before: undefined, now: first };
  const remembered = history && rememberedBefore(history, first.timestamp, descriptors, rated, profile);
  if (remembered) return { before: remembered, now: first };
  await pause(TWO_SAMPLES_MS, timers, signal);
  signal?.throwIfAborted();
  return { before: first, now: await take() };
}

/** The operands of delta() and rate() in an earlier sample that had them all; the others are empty. */
function rememberedBefore(
  history: LiveHistory,
  moment: Timestamp,
  descriptors: readonly MetricDescriptor[],
  rated: ReadonlySet<number>,
  profile: InstanceProfile,
): OperandSample | undefined {
  const found = [...rated].map((place) => descriptors[place]!);
  const pmids = found.map(({ pmid }) => pmid);
  const indoms = found.map(({ indom }) => indom);
  const before = history.setsBefore(pmids, indoms, profile, moment);
  const places = [...rated];
  const sets = emptySample(moment, descriptors).sets.map((set, i) => before?.sets[places.indexOf(i)] ?? set);
  return before && { timestamp: before.at, sets };
}

/** Interpolates a moment (by default the last with values); rates begin the shortest recording interval before. */
async function samplePast(
  { source, info }: Pick<RangeOrigin, 'source' | 'info'>,
  sampled: SampledOperands,
  at: Timestamp | undefined,
): Promise<OperandSamples> {
  const { descriptors, rated, profile, signal } = sampled;
  const pmids = descriptors.map(({ pmid }) => pmid);
  const last = new LastObservations({ ...sampled, source });
  const moment = at ?? (await last.together(info.end)) ?? info.end ?? { sec: 0, nsec: 0 };
  const start = rated && (await last.intervalBefore(moment));
  const read = source.range(source.prepare(pmids), profile, { signal });
  const sampleAt = async (time: Timestamp): Promise<OperandSample> => {
    const result = new FetchResult();
    try {
      await read(time, result);
    } catch (error) {
      if (!(error instanceof PmError) || error.pmErr !== PM_ERR.EOL) throw error;
      return emptySample(time, descriptors);
    }
    return { timestamp: time, sets: result.sets };
  };
  signal?.throwIfAborted();
  const before = start && (await sampleAt(start));
  return { before, now: await sampleAt(moment) };
}

class LastObservations {
  readonly #sampled: SampledOperands & { readonly source: RangeSource };
  readonly #pmids: readonly number[];

  constructor(sampled: SampledOperands & { readonly source: RangeSource }) {
    this.#sampled = sampled;
    // What is discrete keeps its value, however long ago it was recorded.
    const lasting = sampled.descriptors.filter(({ semantics }) => semantics !== Semantics.DISCRETE);
    this.#pmids = lasting.map(({ pmid }) => pmid);
  }

  /** The last moment up to `end` at which no recorded metric had ended. */
  async together(end: Timestamp | undefined): Promise<Timestamp | undefined> {
    const times = end ? await this.#before(this.#pmids, end) : [];
    return times.filter((time) => time !== undefined).sort(compareTimestamps)[0];
  }

  /** The moment before another by the interval of the metric observed most often. */
  async intervalBefore(moment: Timestamp): Promise<Timestamp | undefined> {
    const last = await this.#before(this.#pmids, moment);
    let nearest: { readonly from: Timestamp; readonly seconds: number } | undefined;
    for (const [i, to] of last.entries()) {
      if (!to) continue;
      const [from] = await this.#before([this.#pmids[i]!], addSeconds(to, -1e-9));
      if (!from) continue;
      const seconds = secondsBetween(to, from);
      // At an observation, the one before it: to the nanosecond.
      const start = compareTimestamps(to, moment) === 0 ? from : addSeconds(moment, -seconds);
      if (!nearest || seconds < nearest.seconds) nearest = { from: start, seconds };
    }
    return nearest?.from;
  }

  /** The last observation of each metric at or before a moment; undefined without one since the last mark. */
  async #before(pmids: readonly number[], moment: Timestamp): Promise<readonly (Timestamp | undefined)[]> {
    const { source, profile, signal } = this.#sampled;
    signal?.throwIfAborted();
    const finding = source.neighbours?.(pmids, profile, moment, signal);
    const found = await finding?.catch(onPmError(() => undefined));
    return pmids.map((_, i) => latestOf(found?.[i] ?? []));
  }
}

function latestOf(instances: readonly InstanceNeighbours[]): Timestamp | undefined {
  let latest: Timestamp | undefined;
  for (const { exact, low } of instances) {
    const time = exact[0]?.timestamp ?? (low.kind === 'value' ? low.timestamp : undefined);
    if (time && (!latest || compareTimestamps(time, latest) > 0)) latest = time;
  }
  return latest;
}

function emptySample(timestamp: Timestamp, descriptors: readonly MetricDescriptor[]): OperandSample {
  const empty = new FetchResult();
  empty.resize(descriptors.length);
  descriptors.forEach(({ pmid, type }, i) => empty.sets[i]!.reset(pmid, type));
  return { timestamp, sets: empty.sets };
}
