import { LEAST_RATE_SEC } from '../pmapi/index.js';
import type { ContextParts } from './context-parts.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import { BudgetedMap } from './memory-budget.js';
import { setsOf, timeOf } from './range/live-chunk.js';
import { FetchView } from './selection/index.js';
import type { EarlierLookup, Selection, SeriesDirectory } from './selection/index.js';

/** Views kept per context for rates of single fetches; each holds a sample of its metrics. */
const VIEWS_PER_CONTEXT = 8;
/** Views kept for the context that requests without a context share. */
const VIEWS_PER_SHARED_CONTEXT = 64;

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
    return new FetchView({ metrics: plan.entries, selection, directory: this.#directory, earlier, leastSec });
  }

  /** The view that all single fetches of a plan with a selection share; its rates may start at a remembered sample. */
  kept(plan: FetchPlan, selection: Selection): FetchView {
    const key = `${plan.key} ${selection.key}`;
    const known = this.#views.get(key);
    if (known?.plan.deref() === plan) return known.view;
    if (known?.view.suits(plan.entries) === true) {
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

  noteUse(view: FetchView): void {
    const key = this.#keys.get(view);
    const kept = key === undefined ? undefined : this.#views.get(key);
    if (kept?.view === view) this.#views.resize(key!, kept, 2 * key!.length + view.bytes);
  }

  close(): void {
    this.#views.clear();
  }

  forget(): void {
    for (const { view } of this.#views.values()) view.forget();
  }

  /** A remembered sample of a live source for a rate to start at. Of a derived metric if its operands had values, and one is enough. */
  #earlier(selection: Selection | undefined): EarlierLookup | undefined {
    const { history, derived, profile } = this.#parts;
    if (!history || !selection?.rate) return undefined;
    return ({ pmid, descriptor, computed }, before, into) => {
      const samples = history.samplesBefore(computed?.operands ?? [pmid], before);
      if (!samples?.[0]) return undefined;
      const at = timeOf(samples[0]);
      if (!computed) {
        samples[0].chunk.fill(samples[0].row, pmid, descriptor.indom, profile, into);
        return at;
      }
      if (samples.every(({ chunk }) => chunk.status <= 0)) return undefined;
      const { program, operands } = computed;
      const sets = setsOf(samples, operands, program.operandIndoms, profile);
      derived.evaluateAlone({ pmid, program }, at, sets, into);
      return into.status > 0 ? at : undefined;
    };
  }
}

/** A lookup that answers once for each metric: later rates start at the sample before. */
function forFirst(lookup: EarlierLookup): EarlierLookup {
  const begun = new Set<number>();
  return (metric, before, into) => {
    if (begun.has(metric.pmid)) return undefined;
    begun.add(metric.pmid);
    return lookup(metric, before, into);
  };
}
