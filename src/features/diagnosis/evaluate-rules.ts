import type { Context, FetchPlan, RangeSettings } from '../../context/index.js';
import { eventLoopTurns } from '../../kit/index.js';
import { GatewayError, INDOM_NULL, makeTimestamp, onPmError, secondsBetween } from '../../pmapi/index.js';
import type { FetchResult, Timestamp } from '../../pmapi/index.js';
import type { JudgedSeries, Parts } from './judge.js';
import type { Rule, Trouble } from './rules.js';

/** A rule whose metrics a source has, with the names that its value and conditions have in a context. */
interface BoundRule {
  readonly rule: Rule;
  readonly value: string;
  readonly when: readonly (readonly [Trouble, string])[];
  /** The metrics that it is computed from. */
  readonly operands: readonly string[];
}

/** Rules in a context of their own. */
export interface BoundRules {
  readonly bound: readonly BoundRule[];
  /** Why the others cannot be judged. */
  readonly missing: ReadonlyMap<Rule, string>;
  readonly plan: FetchPlan;
}

/** The values of a rule over time. */
export interface EvaluatedRule {
  readonly rule: Rule;
  readonly operands: readonly string[];
  readonly series: readonly JudgedSeries[];
}

/** Values of a rule in a condition. */
const VALUE = /(?<![\w.])value(?![\w.(])/g;
/** More instances than this are not judged. */
const MOST_INSTANCES = 2000;

/**
 * Defines the values and conditions of rules in a context that is used for nothing else. Throws what the source throws; a rule that does
 * not bind is missing.
 */
export async function bindRules(
  context: Context,
  rules: readonly Rule[],
  signal: AbortSignal | undefined,
): Promise<BoundRules> {
  const bound: BoundRule[] = [];
  const missing = new Map<Rule, string>();
  for (const [i, rule] of rules.entries()) {
    signal?.throwIfAborted();
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    const value = `diagnosis.r${i}.value`;
    const when = Object.entries(rule.when).map(
      ([state, text]) => [state as Trouble, `diagnosis.r${i}.${state}`, text] as const,
    );
    try {
      const defined = [...(await context.addDerived(value, rule.value))];
      for (const [, name, text] of when)
        defined.push(...(await context.addDerived(name, text.replace(VALUE, `(${rule.value})`))));
      const operands = [...new Set(defined.flatMap(({ operands }) => operands.metrics))];
      bound.push({ rule, value, when: when.map(([state, name]) => [state, name]), operands });
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code === 'MEMORY_FULL') throw error;
      missing.set(rule, error.message);
    }
  }
  const names = bound.flatMap(({ value, when }) => [value, ...when.map(([, name]) => name)]);
  const plan = await context.plans.get({ names });
  const have = new Set(plan.entries.map(({ name }) => name));
  for (const { rule, value, when } of bound) {
    const without = [value, ...when.map(([, name]) => name)].find((name) => !have.has(name));
    if (without === undefined) continue;
    missing.set(
      rule,
      plan.missing.find(({ requested }) => requested === without)?.message ?? 'its metrics are not available',
    );
  }
  return { bound: bound.filter(({ rule }) => !missing.has(rule)), missing, plan };
}

/** The rules over a window of what is recorded or remembered. Throws as Fetching.range() does. */
export async function evaluatePast(
  context: Context,
  { bound, plan }: BoundRules,
  window: { readonly start: string; readonly finish: string },
  count: number,
  settings: RangeSettings,
): Promise<{ readonly rules: readonly EvaluatedRule[]; readonly parts: Parts }> {
  const range = await context.fetching.range(plan, { ...window, points: count, decimation: 'average' }, settings);
  const { start, finish } = range.request;
  const widthSec = secondsBetween(finish, start) / count;
  const table = new Table(plan, count);
  for await (const { isMark, secs, nsecs, columns } of range.samples.batches()) {
    settings.signal?.throwIfAborted();
    if (isMark) continue;
    const elapsedSec = secondsBetween(makeTimestamp(secs[0]!, nsecs[0]!), start);
    const part = widthSec > 0 ? Math.min(Math.max(Math.round(elapsedSec / widthSec), 0), count - 1) : 0;
    columns.forEach((column, i) => table.add(i, part, column.at(0)));
  }
  const namesOf = async (indom: number): Promise<ReadonlyMap<number, string>> => {
    const { instances } = await range.instancesEver(indom).catch(onPmError(() => ({ instances: [] })));
    return new Map(instances.map(({ id, name }) => [id, name]));
  };
  const startSec = start.sec + start.nsec / 1e9;
  return { rules: await table.rules(bound, namesOf), parts: { count, startSec, widthSec } };
}

/** The rules now, of two fetches of a live context with a pause between. */
export async function evaluateNow(
  context: Context,
  { bound, plan }: BoundRules,
  pause: () => Promise<void>,
): Promise<{ readonly rules: readonly EvaluatedRule[]; readonly parts: Parts; readonly at: Timestamp }> {
  const table = new Table(plan, 1);
  await context.fetching.fetch(plan, () => undefined);
  await pause();
  const at = await context.fetching.fetch(plan, ({ sets, timestamp }: FetchResult) => {
    sets.forEach((set, i) => table.add(i, 0, set));
    return timestamp;
  });
  const namesOf = async (indom: number): Promise<ReadonlyMap<number, string>> => {
    const { instances } = await context.names.instances(indom).catch(onPmError(() => ({ instances: [] })));
    return new Map(instances.map(({ id, name }) => [id, name]));
  };
  return { rules: await table.rules(bound, namesOf), parts: { count: 1, startSec: at.sec, widthSec: 1 }, at };
}

/** Values by metric of a plan, instance and part. */
class Table {
  readonly #plan: FetchPlan;
  readonly #count: number;
  readonly #series: readonly Map<number, Float64Array>[];

  constructor(plan: FetchPlan, count: number) {
    this.#plan = plan;
    this.#count = count;
    this.#series = plan.entries.map(() => new Map<number, Float64Array>());
  }

  add(metric: number, part: number, { status, instances, column }: FetchResult['sets'][number]): void {
    const series = this.#series[metric]!;
    for (let i = 0; i < status; i++) {
      const instance = instances[i]!;
      let values = series.get(instance);
      if (!values) {
        if (series.size >= MOST_INSTANCES) continue;
        series.set(instance, (values = new Float64Array(this.#count).fill(NaN)));
      }
      values[part] = column.numbers[i]!;
    }
  }

  async rules(
    bound: readonly BoundRule[],
    namesOf: (indom: number) => Promise<ReadonlyMap<number, string>>,
  ): Promise<readonly EvaluatedRule[]> {
    const places = new Map(this.#plan.entries.map(({ name }, i) => [name, i]));
    const evaluated: EvaluatedRule[] = [];
    for (const { rule, value, when, operands } of bound) {
      const place = places.get(value)!;
      const { indom } = this.#plan.entries[place]!.descriptor;
      const names = indom === INDOM_NULL ? undefined : await namesOf(indom);
      const series = [...this.#series[place]!].map(([instance, values]) => ({
        instance: names && (names.get(instance) ?? `inst ${instance}`),
        values,
        when: Object.fromEntries(
          when.flatMap(([state, name]) => {
            const of = this.#series[places.get(name)!]!;
            const held = of.get(instance) ?? [...of.values()][0];
            return held ? [[state, held]] : [];
          }),
        ),
      }));
      evaluated.push({ rule, operands, series });
    }
    return evaluated;
  }
}
