import { describeMetadata, explainValues } from '../../derived/index.js';
import type { ContextDefinition, ExplainedNode, GlobalDefinition } from '../../derived/index.js';
import { eventLoopTurns, getOrMake } from '../../kit/index.js';
import {
  counterRise,
  counterSpan,
  formatPmErr,
  formatPmid,
  formatUnits,
  INDOM_NULL,
  INSTANCE_NULL,
  isDerivedPmid,
  isLess,
  limitExceeded,
  onPmError,
  secondsBetween,
} from '../../pmapi/index.js';
import type { AtomValue, Column, FetchResult, MetricDescriptor, Timestamp, ValueSet } from '../../pmapi/index.js';
import type { FindNeighbours, InstanceNeighbours } from '../../sources/index.js';
import type { ContextParts } from '../context-parts.js';
import { basePmids, describeRate, type RangeMetric, type RangeOptions } from '../range/index.js';
import type { MetricTrace, RangeTrace } from '../range/metric-pipeline.js';
import { asWritten, explainAbsence, explainOrigin, type MomentFacts } from './explain-origin.js';
import type {
  Why,
  WhyDefinition,
  WhyMeaning,
  WhyMetric,
  WhyMissing,
  WhyNode,
  WhyNodeValue,
  WhyRate,
  WhyValue,
} from './why.js';

/** Maximum number of metrics per explanation, checked before anything is fetched. */
const METRICS_EXPLAINED = 100;
/** Maximum number of values explained, those of nodes included. */
const VALUES_EXPLAINED = 10_000;
/** Maximum number of absent instances per metric. */
const MISSING_TOLD = 100;

/** Throws LIMIT_EXCEEDED for too many metrics. */
export function requireExplainable(metrics: number): void {
  if (metrics <= METRICS_EXPLAINED) return;
  const expected = `at most ${METRICS_EXPLAINED} metrics`;
  const message = `'why' explains at most ${METRICS_EXPLAINED} metrics; there are ${metrics}`;
  throw limitExceeded(message, expected, 'why');
}

export interface Answered extends Pick<RangeOptions, 'metrics' | 'profile' | 'signal'> {
  readonly result: FetchResult;
  readonly trace: RangeTrace;
  /** Finds the observations behind values; undefined for values of a live sample. */
  readonly find: FindNeighbours | undefined;
  /** The first moment of interpolated values. */
  readonly start: Timestamp | undefined;
  /** Values are left out on purpose. */
  readonly isSelected: boolean;
  readonly isRemembered: boolean;
  readonly wrap: boolean;
  readonly now: Timestamp;
  readonly viewer: Viewer;
}

export interface Viewer {
  readonly seesOrigins: boolean;
  /** The reader's name: their own definitions are named as theirs. */
  readonly name: string | undefined;
}

export async function explain(context: ContextParts, answered: Answered): Promise<Why> {
  const { hostName } = await context.source.info();
  const { kind } = context.source;
  return {
    source: { kind, host: hostName, ...(answered.isRemembered && { remembered: true }) },
    metrics: await explainMetrics(context, answered),
  };
}

interface Explained {
  readonly metric: RangeMetric;
  readonly set: ValueSet;
  /** Of the first of the metrics with this PMID: it is computed and shaped once. */
  readonly factors: RangeTrace['factors'][number];
  readonly trace: MetricTrace | undefined;
  /** The values before rates and units. */
  readonly source: ValueSet | undefined;
}

async function explainMetrics(context: ContextParts, answered: Answered): Promise<readonly WhyMetric[]> {
  const names = new Map<number, ReadonlyMap<number, string>>();
  const earlier = new Map<string, Promise<MomentFacts>>();
  let left = VALUES_EXPLAINED;
  const { metrics, result, signal } = answered;
  const facts = await factsOf(result.timestamp, basePmids(metrics));
  for (const indom of new Set(metrics.map(({ descriptor }) => descriptor.indom))) await learnNames(indom);
  const explained: WhyMetric[] = [];
  for (const m of metrics.keys()) {
    signal?.throwIfAborted();
    explained.push(await explainMetric(m));
    const turn = eventLoopTurns.next();
    if (turn) await turn;
  }
  return explained;

  async function factsOf(at: Timestamp, pmids: readonly number[]): Promise<MomentFacts> {
    const { find, profile, start = at, now, wrap, signal } = answered;
    const isLive = context.source.archive === undefined;
    const facts = { at, start, now: isLive ? now : undefined, wrap, neighbours: undefined };
    if (!find) return facts;
    const found = (await find(pmids, profile, at, signal).catch(onPmError(() => undefined))) ?? [];
    const neighbours = new Map(
      pmids.map((pmid, i) => [pmid, new Map((found[i] ?? []).map((one) => [one.instance, one]))]),
    );
    return { ...facts, neighbours };
  }

  async function learnNames(indom: number): Promise<void> {
    if (indom === INDOM_NULL || names.has(indom)) return;
    const moment = context.source.archive ? answered.result.timestamp : 'position';
    const listed = await context.names.instances(indom, moment).catch(onPmError(() => undefined));
    names.set(indom, new Map(listed?.instances.map(({ id, name }) => [id, name])));
  }

  function nameOf(indom: number, instance: number): string | undefined {
    return names.get(indom)?.get(instance);
  }

  function lookAt(m: number): Explained {
    const { metrics, trace, result } = answered;
    const metric = metrics[m]!;
    const twins = [...metrics.keys()].filter((i) => metrics[i]!.pmid === metric.pmid);
    const traces = twins.map((i) => trace.metrics[i]);
    const own = traces.find((one) => one?.evaluation?.timestamp ?? one?.source) ?? traces[0];
    const source = own?.source ?? (metric.computed ? undefined : trace.setOf(metric.pmid));
    return { metric, set: result.sets[m]!, factors: trace.factors[twins[0]!], trace: own, source };
  }

  async function explainMetric(m: number): Promise<WhyMetric> {
    const one = lookAt(m);
    const { set, factors } = one;
    const { name, pmid, descriptor } = one.metric;
    const shown = Math.min(Math.max(set.status, 0), left);
    left -= shown;
    const derived = one.metric.computed && (await explainExpression(one));
    const values: WhyValue[] = [];
    for (let i = 0; i < shown; i++) values.push(await explainValue(one, i));
    const { units } = factors ?? {};
    const from = factors?.rate === undefined ? descriptor.units : describeRate(descriptor).units;
    const to = answered.trace.answered[m]?.descriptor.units ?? descriptor.units;
    const isTruncated = shown < set.status || derived?.isTruncated === true;
    return {
      name,
      pmid: formatPmid(pmid),
      meaning: meaningOf(name, pmid),
      metadata: describeMetadata(descriptor),
      values,
      missing: missingOf(one, derived?.node),
      ...(derived?.tree && { expression: derived.tree }),
      ...(units && { units: { from: formatUnits(from), to: formatUnits(to), ...units } }),
      ...(derived && !derived.node && set.status > 0 && { repeated: true as const }),
      ...(isTruncated && { truncated: true as const }),
    };
  }

  async function explainValue(one: Explained, i: number): Promise<WhyValue> {
    const { metric, set, source } = one;
    const { descriptor, computed } = metric;
    const instance = set.instances[i]!;
    const j = source ? placeOf(source, instance) : -1;
    const from = computed || j < 0 ? undefined : explainOrigin(descriptor, instance, valueAt(source!.column, j), facts);
    const rate = await explainRate(one, instance);
    return {
      ...identity(descriptor.indom, instance),
      value: valueAt(set.column, i),
      ...(from && { from }),
      ...(rate && { rate }),
    };
  }

  async function explainRate(
    { metric, factors, trace, source }: Explained,
    instance: number,
  ): Promise<WhyRate | undefined> {
    const { result, wrap } = answered;
    const { descriptor, computed } = metric;
    const before = trace?.before;
    const factor = factors?.rate;
    if (factor === undefined || !source || !before) return undefined;
    const [i, j] = [placeOf(source, instance), placeOf(before.values, instance)];
    if (i < 0 || j < 0) return undefined;
    const elapsed = secondsBetween(result.timestamp, before.at);
    if (elapsed === 0) return undefined;
    const [was, is] = [valueAt(before.values.column, j), valueAt(source.column, i)];
    const wraps = wrap && isLess(is, was) ? 1 : 0;
    const wrapsBy = counterSpan(descriptor.type);
    const facts = computed ? undefined : await factsBefore(before.at);
    const from = facts && explainOrigin(descriptor, instance, was, facts);
    return {
      before: { timestamp: before.at, value: was, ...(from && { from }) },
      after: { timestamp: result.timestamp, value: is },
      elapsed,
      wraps,
      wrapsBy,
      factor,
      value: (counterRise(was as number | bigint, is as number | bigint, wraps * wrapsBy) * factor) / elapsed,
    };
  }

  /** Facts around the moment that rates are since, usually the same for all metrics. */
  function factsBefore(at: Timestamp): Promise<MomentFacts> {
    const key = `${at.sec} ${at.nsec}`;
    return getOrMake(earlier, key, () => {
      const plain = answered.metrics.filter(({ computed }) => !computed);
      return factsOf(at, basePmids(plain));
    });
  }

  /** The expression of a derived metric with the values of its nodes; undefined values where it was not evaluated. */
  async function explainExpression({
    metric: { pmid, computed },
    trace,
  }: Explained): Promise<{ readonly node?: ExplainedNode; readonly tree?: WhyNode; readonly isTruncated?: boolean }> {
    const { source, shared, derived } = context;
    const { scope } = derived;
    const definition = scope.byPmid(pmid);
    const evaluation = trace?.evaluation;
    if (!definition || !computed || !evaluation?.timestamp) return {};
    const environment = await shared.bindings.environment(source, [definition.operands], scope, {
      signal: answered.signal,
    });
    for (const name of definition.operands.metrics) {
      await learnNames(environment.operand(name).descriptor?.indom ?? INDOM_NULL);
    }
    const { program } = computed;
    const node = explainValues(definition, environment, { program, trace: evaluation }, nameOf);
    if (!node) return {};
    const size = sizeOf(node);
    if (size > left) return { node, isTruncated: true };
    left -= size;
    const descriptorOf = (operand: number): MetricDescriptor | undefined => {
      const found = definition.operands.metrics.map((name) => environment.operand(name).descriptor);
      return found.find((descriptor) => descriptor?.pmid === operand);
    };
    return { node, tree: writeNode(node, descriptorOf) };
  }

  function writeNode(explained: ExplainedNode, descriptorOf: (pmid: number) => MetricDescriptor | undefined): WhyNode {
    const { node, values, meta, pmid, previous, children } = explained;
    const indom = meta?.indom ?? INDOM_NULL;
    const operand = pmid === undefined ? undefined : descriptorOf(pmid);
    return {
      ...node,
      ...(values && values.status >= 0 && { values: valuesOf(values, indom, operand) }),
      ...(values && values.status < 0 && { error: formatPmErr(values.status) }),
      ...(previous && {
        previous: {
          timestamp: previous.timestamp,
          elapsed: previous.elapsedSec,
          values: valuesOf(previous.values, indom),
        },
      }),
      children: children.map((child) => writeNode(child, descriptorOf)),
    };
  }

  function valuesOf(set: ValueSet, indom: number, operand?: MetricDescriptor): readonly WhyNodeValue[] {
    const values: WhyNodeValue[] = [];
    for (let i = 0; i < set.status; i++) {
      const instance = set.instances[i]!;
      const value = valueAt(set.column, i);
      const from = operand && explainOrigin(operand, instance, value, facts);
      values.push({ ...identity(indom, instance), value, ...(from && { from }) });
    }
    return values;
  }

  function identity(indom: number, instance: number): Pick<WhyValue, 'instance' | 'name'> {
    if (instance === INSTANCE_NULL) return { instance: null };
    const name = nameOf(indom, instance);
    return { instance, ...(name !== undefined && { name }) };
  }

  function missingOf(
    { metric, set, source, factors, trace }: Explained,
    node: ExplainedNode | undefined,
  ): readonly WhyMissing[] {
    const { descriptor, computed } = metric;
    if (set.status < 0 && !node) return [{ reason: formatPmErr(set.status) }];
    if (answered.isSelected && set.status > 0) return [];
    const { indom } = descriptor;
    const missing: WhyMissing[] = [];
    for (const { instance, node: text, reason } of node?.lost ?? []) {
      missing.push({ ...(instance === undefined ? {} : missingIdentity(indom, instance)), node: text, reason });
    }
    if (!computed) missing.push(...absent(descriptor, source));
    if (source && factors?.rate !== undefined) missing.push(...withoutRate(indom, set, source, trace?.before));
    if (missing.length === 0 && set.status === 0) missing.push({ reason: nothing(source, computed !== undefined) });
    return missing.slice(0, MISSING_TOLD);
  }

  function nothing(source: ValueSet | undefined, isDerived: boolean): string {
    if (isDerived) return source ? 'the expression gave no value' : 'no operand was recorded at this moment';
    return answered.find ? 'nothing was recorded of it at this moment' : 'the source has no value of it at this moment';
  }

  /** Instances of a plain metric recorded around the moment, without a value at it. */
  function absent(descriptor: MetricDescriptor, source: ValueSet | undefined): readonly WhyMissing[] {
    const around: Iterable<InstanceNeighbours> = facts.neighbours?.get(descriptor.pmid)?.values() ?? [];
    const missing: WhyMissing[] = [];
    for (const one of around) {
      if (source && placeOf(source, one.instance) >= 0) continue;
      const reason = explainAbsence(descriptor, one, facts.at);
      missing.push({ ...missingIdentity(descriptor.indom, one.instance), reason });
      if (missing.length === MISSING_TOLD) break;
    }
    return missing;
  }

  function missingIdentity(indom: number, instance: number): Pick<WhyMissing, 'instance' | 'name'> {
    if (instance === INSTANCE_NULL) return {};
    const name = nameOf(indom, instance);
    return { instance, ...(name !== undefined && { name }) };
  }

  function withoutRate(
    indom: number,
    answered: ValueSet,
    source: ValueSet,
    before: MetricTrace['before'],
  ): readonly WhyMissing[] {
    const missing: WhyMissing[] = [];
    for (let i = 0; i < source.status; i++) {
      const instance = source.instances[i]!;
      if (placeOf(answered, instance) >= 0) continue;
      const j = before ? placeOf(before.values, instance) : -1;
      missing.push({
        ...missingIdentity(indom, instance),
        reason:
          j < 0
            ? 'a rate needs a second sample'
            : whyNoRate(valueAt(before!.values.column, j), valueAt(source.column, i)),
      });
      if (missing.length === MISSING_TOLD) break;
    }
    return missing;
  }

  function meaningOf(name: string, pmid: number): WhyMeaning {
    const { scope } = context.derived;
    const named = scope.get(name);
    const global = scope.global(name);
    if (!isDerivedPmid(pmid)) {
      const masked = [named, named === global ? undefined : global].filter((one) => one !== undefined);
      return { scope: 'source', masks: masked.map(describeMasked) };
    }
    const definition = scope.byPmid(pmid);
    if (!definition) return { scope: 'global', masks: [] };
    return {
      scope: definition.scope,
      definition: describe(definition),
      masks: definition.scope === 'context' && global ? [describeMasked(global)] : [],
    };
  }

  function describeMasked(definition: ContextDefinition | GlobalDefinition): WhyMeaning['masks'][number] {
    return { scope: definition.scope, definition: describe(definition) };
  }

  function describe(definition: ContextDefinition | GlobalDefinition): WhyDefinition {
    const { viewer } = answered;
    const origin = definition.scope === 'global' ? definition.origin : 'context';
    const { by, place } = definition;
    const isTheirs = definition.scope === 'context' || (by !== undefined && by === viewer.name);
    return {
      expression: definition.expression,
      origin,
      ...(by !== undefined && (viewer.seesOrigins || isTheirs) && { by }),
      ...(place && (viewer.seesOrigins || isTheirs) && place),
    };
  }
}

function valueAt(column: Column, i: number): AtomValue {
  return asWritten(column.atomAt(i), column.type);
}

function placeOf({ instances, status }: ValueSet, instance: number): number {
  for (let i = 0; i < status; i++) if (instances[i] === instance) return i;
  return -1;
}

function whyNoRate(was: AtomValue, is: AtomValue): string {
  if (!isLess(is, was)) return 'the sample before is too near for a rate';
  return `the counter went down from ${String(was)} to ${String(is)}: there is no rate`;
}

function sizeOf({ values, previous, children }: ExplainedNode): number {
  const own = 1 + Math.max(values?.status ?? 0, 0) + Math.max(previous?.values.status ?? 0, 0);
  return children.reduce((sum, child) => sum + sizeOf(child), own);
}
