import { formatSemanticError, type DerivedDefinition } from '../../derived/index.js';
import { getOrMake, inTurns } from '../../kit/index.js';
import { formatPmErr, formatPmid, GatewayError, onPmError, PM_ERR } from '../../pmapi/index.js';
import { isEvent } from '../../sources/index.js';
import type { ContextParts } from '../context-parts.js';
import { agrees } from './fetch-plan.js';
import type { Computation, FetchPlan, MetricSelector, PlanEntry, PlanMissing } from './fetch-plan.js';
import { BudgetedMap } from '../memory-budget.js';

/** How long a plan with missing metrics is used. Empty plans are not reused: a pmcd reports changes only with values. */
const MISSING_BELIEVED_MS = 5000;

/** The size of a plan besides its metrics, and of each metric besides its name: measured on Node 20. */
const PLAN_BYTES = 1_200;
const METRIC_BYTES = 200;

function bytesOf({ key, entries, missing, computation }: FetchPlan): number {
  let bytes = PLAN_BYTES + 2 * key.length;
  for (const { name } of entries) bytes += METRIC_BYTES + 2 * name.length;
  for (const { requested, message } of missing) bytes += METRIC_BYTES + 2 * (requested.length + message.length);
  for (const metric of computation?.metrics ?? []) bytes += metric.bytes;
  return bytes;
}

type FoundMetrics = Pick<FetchPlan, 'entries' | 'missing' | 'generation' | 'numbering' | 'derivedVersion'>;

type PlanParts = Pick<ContextParts, 'source' | 'names' | 'derived' | 'shared' | 'clock'>;

/** Makes the fetch plans of a context, and caches them: contexts without derived metrics of their own share the cache. */
export class FetchPlans {
  readonly #parts: PlanParts;
  readonly #onRenumbered: () => void;
  #own: BudgetedMap<string, FetchPlan> | undefined;

  /** @param onRenumbered called when the source's metric numbers have changed */
  constructor(parts: PlanParts, onRenumbered: () => void) {
    this.#parts = parts;
    this.#onRenumbered = onRenumbered;
  }

  /** The valid cached plan, at once, or a new one; unavailable metrics are in `missing`. Rejects with TOO_MANY_NAMES. */
  get(selector: MetricSelector, untilGone?: () => AbortSignal): FetchPlan | Promise<FetchPlan> {
    const key = selectorKey(selector);
    const { plans, memory } = this.#parts.shared;
    const kept = this.#parts.derived.scope.isGlobal ? plans : (this.#own ??= new BudgetedMap(memory.kept));
    const known = kept.get(key);
    return known && this.#isGood(known, selector) ? known : this.#keepNew(selector, key, kept, untilGone?.());
  }

  async #keepNew(
    selector: MetricSelector,
    key: string,
    kept: BudgetedMap<string, FetchPlan>,
    signal: AbortSignal | undefined,
  ): Promise<FetchPlan> {
    const { scope } = this.#parts.derived;
    const { version } = scope;
    const plan = await this.#makePlan(selector, signal);
    const known = kept.get(key);
    if (known && known.numbering !== plan.numbering && !agrees(known, plan)) this.#onRenumbered();
    // It may contain metrics that appeared since, which others must not see.
    if (scope.version === version) kept.set(key, plan, bytesOf(plan));
    return plan;
  }

  /** Whether the metrics of a plan are unchanged; if not, {@link get} has another plan by then. */
  async isTrue(plan: FetchPlan): Promise<boolean> {
    return plan.numbering === this.#parts.source.numbering || agrees(plan, await this.get(plan.selector));
  }

  close(): void {
    this.#own?.clear();
  }

  #isGood(plan: FetchPlan, { query, names }: MetricSelector): boolean {
    if (plan.isVolatile) this.#parts.source.volatile?.look();
    return (
      (query === undefined || names?.join() === plan.selector.names?.join()) &&
      plan.generation === this.#parts.source.generation &&
      plan.derivedVersion === this.#parts.derived.scope.version &&
      (plan.missing.length === 0 ||
        (plan.entries.length > 0 && this.#parts.clock.monotonicMs() - plan.madeAtMs < MISSING_BELIEVED_MS))
    );
  }

  async #makePlan(selector: MetricSelector, signal: AbortSignal | undefined): Promise<FetchPlan> {
    const { generation, numbering } = this.#parts.source;
    const derivedVersion = this.#parts.derived.scope.version;
    const missing: PlanMissing[] = [];
    const names = selector.prefixes ? await this.#namesBelow(selector, missing, signal) : selector.names;
    const requested = names ?? selector.pmids!.map(formatPmid);
    const pmids = names ? await this.#parts.names.lookupNames(names) : selector.pmids!;
    const found = [...new Set(pmids.filter((pmid) => pmid >= 0))];
    const resolved = await this.#parts.names.resolve(found, signal);
    const byPmid = new Map(found.map((pmid, i) => [pmid, resolved[i]!]));

    const entries: PlanEntry[] = [];
    for (const [i, pmid] of pmids.entries()) {
      const request = requested[i]!;
      const metric = byPmid.get(pmid);
      if (!metric?.descriptor) {
        const pmErr = metric?.pmErr ?? pmid;
        missing.push({ requested: request, pmErr, message: metric?.explanation ?? formatPmErr(pmErr) });
        continue;
      }
      const name = names ? request : await this.#firstName(pmid, request);
      entries.push({ name, pmid, descriptor: metric.descriptor, computed: metric.computed });
    }
    return this.#planOf(selector, { entries, missing, generation, numbering, derivedVersion });
  }

  /** A plan of expressions as metrics without names, which is not cached: those that do not bind are in `missing`, with the reason. */
  async ofExpressions(definitions: readonly DerivedDefinition[], signal?: AbortSignal): Promise<FetchPlan> {
    const { generation, numbering } = this.#parts.source;
    const derivedVersion = this.#parts.derived.scope.version;
    const bindings = await this.#parts.derived.bindAll(definitions, signal);
    const [entries, missing]: [PlanEntry[], PlanMissing[]] = [[], []];
    for (const [i, definition] of definitions.entries()) {
      const { name: requested, pmid } = definition;
      const binding = bindings[i]!;
      if (!binding.program) {
        const message = formatSemanticError(requested, binding.error);
        missing.push({ requested, pmErr: PM_ERR.BADDERIVE, message });
        continue;
      }
      const computed = this.#parts.derived.compute(definition, binding);
      entries.push({ name: requested, pmid, descriptor: computed.descriptor, computed });
    }
    const selector = { names: definitions.map(({ name }) => name) };
    return this.#planOf(selector, { entries, missing, generation, numbering, derivedVersion });
  }

  async #planOf(selector: MetricSelector, found: FoundMetrics): Promise<FetchPlan> {
    const { entries, missing } = found;
    const { wanted, ...computation } = planComputation(entries);
    const prepared = this.#parts.source.prepare(wanted);
    const base = computation.computation ? await this.#parts.names.describeBase(wanted) : entries;
    const madeAtMs = this.#parts.clock.monotonicMs();
    const key = selectorKey(selector);
    const isVolatile = this.#isVolatile(wanted, missing);
    const hasEvents = base.some(({ descriptor: { type } }) => isEvent(type));
    return { selector, key, ...found, prepared, hasEvents, base, ...computation, isVolatile, madeAtMs };
  }

  /** Whether a metric may change or appear without notice, operands included. */
  #isVolatile(wanted: readonly number[], missing: readonly PlanMissing[]): boolean {
    const { volatile } = this.#parts.source;
    if (!volatile) return false;
    return (
      wanted.some((pmid) => volatile.covers(pmid)) ||
      missing.some(({ requested, pmErr }) => pmErr === PM_ERR.BADDERIVE || volatile.covers(requested))
    );
  }

  /** The metrics at and below some nodes, each once, in the order of the namespace; unknown nodes are in `missing`. */
  async #namesBelow(
    { prefixes, most }: MetricSelector & { readonly prefixes: readonly string[] },
    missing: PlanMissing[],
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const names = new Set<string>();
    const unknown = new Map<string, number>();
    for await (const prefix of inTurns(new Set(prefixes))) {
      signal?.throwIfAborted();
      const below = await this.#parts.names.traverse(prefix, signal).catch(onPmError(({ pmErr }) => pmErr));
      if (typeof below === 'number') unknown.set(prefix, below);
      else for (const name of below) names.add(name);
    }
    const explanations = unknown.size === 0 ? undefined : await this.#parts.names.explainMissing([...unknown.keys()]);
    for (const [requested, reason] of unknown) {
      const explanation = explanations?.get(requested);
      const pmErr = explanation === undefined ? reason : PM_ERR.BADDERIVE;
      missing.push({ requested, pmErr, message: explanation ?? formatPmErr(pmErr) });
    }
    if (names.size <= most) return [...names];
    throw new GatewayError('TOO_MANY_NAMES', `'prefix' matches ${names.size} metrics; limits.names allows ${most}`, {
      parameter: 'prefix',
      expected: `nodes with at most ${most} metrics`,
    });
  }

  async #firstName(pmid: number, printed: string): Promise<string> {
    const [name = printed] = await this.#parts.names.namesOf(pmid).catch(onPmError(() => []));
    return name;
  }
}

/** The request of a plan and the making of its entries. Adds operands; fetches repeated metrics once. */
function planComputation(entries: readonly PlanEntry[]): { wanted: readonly number[]; computation?: Computation } {
  const metrics = [...new Map(entries.flatMap(({ pmid, computed }) => (computed ? [[pmid, computed]] : []))).values()];
  const wanted = new Set(entries.map(({ pmid }) => pmid));
  if (metrics.length === 0 && wanted.size === entries.length) return { wanted: [...wanted] };
  const positions = new Map<number, number>();
  const place = (pmid: number): number => getOrMake(positions, pmid, () => positions.size);
  for (const { pmid, computed } of entries) if (!computed) place(pmid);
  for (const metric of metrics) for (const pmid of metric.operands) place(pmid);
  return { wanted: [...positions.keys()], computation: { metrics, positions } };
}

/** The cache key of a selector. Names cannot contain a comma or blank, so joining them is unambiguous. */
function selectorKey(selector: MetricSelector): string {
  if (selector.query !== undefined) return `q ${selector.query}`;
  if (selector.prefixes) return `x ${selector.prefixes.join(',')} ${selector.most}`;
  return selector.names ? `n ${selector.names.join(',')}` : `p ${selector.pmids.join(',')}`;
}
