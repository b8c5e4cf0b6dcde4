import { LEAST_RATE_SEC, ValueSet, type Timestamp } from '../pmapi/index.js';
import type { ContextParts } from './context-parts.js';
import type { ComputedMetric, FetchPlan } from './plans/fetch-plan.js';
import { BudgetedMap } from './memory-budget.js';
import { metricsOfPlan } from './range/index.js';
import { setsOf, timeOf, type LiveRow } from './range/live-chunk.js';
import { copyValueSet } from './range/value-copy.js';
import { FetchView } from './selection/index.js';
import type { EarlierLookup, EarlierValues, Selection, SeriesDirectory } from './selection/index.js';

/** Views kept per context for rates of single fetches; each holds a sample of its metrics. */
const VIEWS_PER_CONTEXT = 8;
/** Views kept for the context that requests without a context share. */
const VIEWS_PER_SHARED_CONTEXT = 64;

type EarlierMetric = Pick<ComputedMetric, 'pmid' | 'descriptor' | 'program' | 'operands'>;

/** A cached view, and the plan it was last compared with. */
export interface KeptView {
  readonly view: FetchView;
  plan: WeakRef<FetchPlan>;
}

/** Makes the views of a context: the selection and conversion of its fetches. */
export class FetchViews {
  readonly #parts: ContextParts;
  readonly #directory: SeriesDirectory;
  /** Views of single fetches by plan and selection: two fetches in one context give the rate between them. */
  readonly #views: BudgetedMap<string, KeptView>;
  /** Keys of views, whose sizes are updated after each fetch. */
  readonly #keys = new WeakMap<FetchView, string>();

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.#directory = parts.names.directory();
    const most = parts.isShared ? VIEWS_PER_SHARED_CONTEXT : VIEWS_PER_CONTEXT;
    this.#views = new BudgetedMap(parts.shared.memory.kept, most);
  }

  /** A view for one caller; first rates start at remembered samples. Throws CONVERSION. */
  make(plan: FetchPlan, selection: Selection | undefined): FetchView {
    const earlier = this.#earlier(selection);
    return this.#make(plan, selection, earlier && forFirst(earlier));
  }

  #make(
    plan: FetchPlan,
    selection: Selection | undefined,
    earlier: EarlierLookup | undefined,
    leastSec?: number,
  ): FetchView {
    const metrics = metricsOfPlan(plan);
    return new FetchView({ metrics, selection, directory: this.#directory, earlier, leastSec });
  }

  /** The view that all single fetches of a plan with a selection share; its rates may start at a remembered sample. */
  kept(plan: FetchPlan, selection: Selection): FetchView {
    const key = `${plan.key} ${selection.key}`;
    const known = this.#views.get(key);
    if (known?.plan.deref() === plan) return known.view;
    if (known?.view.suits(metricsOfPlan(plan)) === true) {
      known.plan = new WeakRef(plan);
      return known.view;
    }
    const view = this.#parts.isShared
      ? this.#make(plan, selection, this.#earlier(selection), this.#parts.history && LEAST_RATE_SEC)
      : this.#make(plan, selection, undefined);
    this.#views.set(key, { view, plan: new WeakRef(plan) }, 2 * key.length + view.bytes);
    this.#keys.set(view, key);
    return view;
  }

  /** Updates the size of a view after it processed a result. */
  noteUse(view: FetchView): void {
    const key = this.#keys.get(view);
    const kept = key === undefined ? undefined : this.#views.get(key);
    if (kept?.view === view) this.#views.resize(key!, kept, 2 * key!.length + view.bytes);
  }

  close(): void {
    this.#views.clear();
  }

  /** Restarts the rates of all single fetches. */
  forget(): void {
    for (const { view } of this.#views.values()) view.forget();
  }

  /** A remembered sample of a live source for a rate to start at. */
  #earlier(selection: Selection | undefined): EarlierLookup | undefined {
    const history = this.#parts.history;
    if (!history || !selection?.rate) return undefined;
    return ({ pmid, descriptor, computed }, before) => {
      const pmids = computed?.operands ?? [pmid];
      const samples = history.samplesBefore(pmids, before);
      if (!samples?.[0]) return undefined;
      const at = timeOf(samples[0]);
      const { chunk, row } = samples[0];
      if (computed) return this.#earlierDerived({ pmid, descriptor, ...computed }, at, samples);
      return {
        at,
        fill: (set) => {
          chunk.fill(row, pmid, descriptor.indom, this.#parts.profile, set);
        },
      };
    };
  }

  /** The earlier value of a derived metric; undefined if its operands had no values, or if one sample is not enough. */
  #earlierDerived(metric: EarlierMetric, at: Timestamp, samples: readonly LiveRow[]): EarlierValues | undefined {
    if (samples.every(({ chunk }) => chunk.status <= 0)) return undefined;
    const operands = setsOf(samples, metric.operands, metric.program.operandIndoms, this.#parts.profile);
    const values = new ValueSet();
    this.#parts.derived.evaluateAlone(metric, at, operands, values);
    if (values.status <= 0) return undefined;
    return {
      at,
      fill: (set) => {
        copyValueSet(values, set);
      },
    };
  }
}

/** A lookup that answers once for each metric: later rates start at the sample before. */
function forFirst(lookup: EarlierLookup): EarlierLookup {
  const begun = new Set<number>();
  return (metric, before) => {
    if (begun.has(metric.pmid)) return undefined;
    begun.add(metric.pmid);
    return lookup(metric, before);
  };
}
