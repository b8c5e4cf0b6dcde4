import {
  checkExpression,
  compileProgram,
  evaluate,
  History,
  operandNames,
  outdatedIndoms,
  parseExpression,
} from '../derived/index.js';
import type { BoundExpression, CheckReport, DerivedScope } from '../derived/index.js';
import type { Timers } from '../kit/index.js';
import { FetchResult, ValueSet } from '../pmapi/index.js';
import type { Timestamp } from '../pmapi/index.js';
import type { InstanceProfile, MetricSource } from '../sources/index.js';
import type { BindingCache } from './names/binding-cache.js';

/** The time between the two samples for delta() and rate(), in milliseconds. */
const TWO_SAMPLES_MS = 250;

/** What a dry run works on: the parts of a context. */
export interface DryRunContext {
  readonly source: MetricSource;
  readonly bindings: BindingCache;
  readonly scope: DerivedScope;
  readonly profile: InstanceProfile;
  readonly timers: Pick<Timers, 'after'>;
  /** Every metric name of the context, for suggestions. Called only if an expression names an unknown metric. */
  names(): Promise<readonly string[]>;
}

/** The result of checking an expression. */
export interface DryRun {
  readonly report: CheckReport;
  /** Its current values; absent if it does not bind, and in an archive context, whose position would move. */
  readonly sample?: { readonly timestamp: Timestamp; readonly values: ValueSet };
}

/** Checks an expression in a context and, if it binds, evaluates it once. */
export async function dryRun(text: string, context: DryRunContext): Promise<DryRun> {
  const parsed = parseExpression(text);
  if (!parsed.ok) return { report: checkExpression(text).report };
  const { source, bindings, scope } = context;
  const environment = await bindings.environment(source, [operandNames(parsed.expression)], scope);
  const definitionOf = (name: string): string | undefined => scope.get(name)?.canonical;
  const outcome = checkExpression(text, { environment, definitionOf });
  if (outcome.report.errors.some(({ code }) => UNKNOWN_METRIC_CODES.has(code))) {
    return { report: checkExpression(text, { environment, definitionOf, candidates: await context.names() }).report };
  }
  if (!outcome.bound || source.archive) return { report: outcome.report };
  return { report: outcome.report, sample: await sampleNow(outcome.bound, context) };
}

const UNKNOWN_METRIC_CODES: ReadonlySet<string> = new Set([
  'unknown-metric',
  'ternary-unknown-metric',
  'ternary-guard-set',
]);

async function sampleNow(bound: BoundExpression, context: DryRunContext): Promise<NonNullable<DryRun['sample']>> {
  const { source, bindings, profile } = context;
  const program = compileProgram(bound);
  const history = new History(program.slots);
  const prepared = source.prepare(bound.operands.map(({ descriptor }) => descriptor.pmid));
  const result = new FetchResult();
  const values = new ValueSet();
  const once = async (sequence: number): Promise<void> => {
    await source.fetch(prepared, profile, result);
    const outdated = outdatedIndoms(program, result.sets, (indom) => bindings.instances(indom));
    await Promise.all(outdated.map((indom) => bindings.refreshInstances(source, indom)));
    const instances = bindings.instances.bind(bindings);
    evaluate(program, { sequence, timestamp: result.timestamp, operands: result.sets, instances }, history, values);
  };
  await once(1);
  if (history.samples.some((previous) => previous !== undefined)) {
    await new Promise<void>((resolve) => context.timers.after(TWO_SAMPLES_MS, resolve));
    await once(2);
  }
  return { timestamp: result.timestamp, values };
}
