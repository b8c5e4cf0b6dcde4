import { secondsBetween, ValueSet } from '../pmapi/index.js';
import type { Timestamp } from '../pmapi/index.js';
import type { InstanceProfile } from '../sources/index.js';
import type { DerivedMetrics } from './names/derived-metrics.js';
import type { ComputedMetric, FetchPlan } from './plans/fetch-plan.js';
import type { BudgetedMap } from './memory-budget.js';
import type { Namespace } from './names/namespace.js';
import { metricsOfPlan } from './range/index.js';
import type { LiveHistory } from './range/index.js';
import { fillFromSample } from './range/live-sample.js';
import type { LiveSample } from './range/live-sample.js';
import { copyValueSet } from './range/value-copy.js';
import { FetchView } from './selection/index.js';
import type { EarlierLookup, EarlierValues, Selection, SeriesDirectory } from './selection/index.js';

/** A rate that a single fetch is answered at once is over so long at least, where there are samples to choose from. */
const RATE_OVER_MS = 500;
/** Older samples are of no use for a rate that is meant to be of now. */
const RATE_OVER_MOST_MS = 5 * 60 * 1000;

/** What it takes to compute a derived metric once more. */
type EarlierMetric = Pick<ComputedMetric, 'pmid' | 'descriptor' | 'program' | 'operands'>;

/** A view that is kept, and the last plan that it was found to suit: comparing metrics costs more than a fetch of few values. */
export interface KeptView {
  readonly view: FetchView;
  plan: WeakRef<FetchPlan>;
}

/** Makes the views of a context: how its fetches are answered when something of them is selected or converted. */
export class FetchViews {
  readonly #directory: SeriesDirectory;
  readonly #derived: DerivedMetrics;
  readonly #profile: InstanceProfile;
  readonly #history: LiveHistory | undefined;
  /** Views of single fetches by plan and selection: two fetches of one context give the rate between them. */
  readonly #views: BudgetedMap<string, KeptView>;
  /** Keys of views, which tell after each fetch what they take by then. */
  readonly #keys = new WeakMap<FetchView, string>();

  /**
   * @param history what is remembered of the source, where rates of single fetches may begin with it
   * @param kept the views that are kept, by plan and selection
   */
  constructor(
    names: Namespace,
    derived: DerivedMetrics,
    profile: InstanceProfile,
    history: LiveHistory | undefined,
    kept: BudgetedMap<string, KeptView>,
  ) {
    this.#directory = names.directory();
    this.#derived = derived;
    this.#profile = profile;
    this.#history = history;
    this.#views = kept;
  }

  /** A view of the caller's own. Throws CONVERSION when a metric cannot be given in the selection's units. */
  make(plan: FetchPlan, selection: Selection | undefined, earlier?: EarlierLookup): FetchView {
    const metrics = metricsOfPlan(plan);
    return new FetchView({ metrics, selection, directory: this.#directory, earlier });
  }

  /** The view that all single fetches of a plan with a selection share; its rates may begin with a sample that is remembered. */
  kept(plan: FetchPlan, selection: Selection): FetchView {
    const key = `${plan.key} ${selection.key}`;
    const known = this.#views.get(key);
    if (known?.plan.deref() === plan) return known.view;
    if (known?.view.suits(metricsOfPlan(plan)) === true) {
      known.plan = new WeakRef(plan);
      return known.view;
    }
    const history = this.#history;
    const view = this.make(plan, selection, history && selection.rate ? this.#earlier(history) : undefined);
    this.#views.set(key, { view, plan: new WeakRef(plan) }, 2 * key.length + view.bytes);
    this.#keys.set(view, key);
    return view;
  }

  /** A view has shaped a result, and what it remembers has grown. */
  noteUse(view: FetchView): void {
    const key = this.#keys.get(view);
    const kept = key === undefined ? undefined : this.#views.get(key);
    if (kept?.view === view) this.#views.resize(key!, kept, 2 * key!.length + view.bytes);
  }

  /** The context is gone. */
  close(): void {
    this.#views.clear();
  }

  /** Have the rates of all single fetches start over. */
  forget(): void {
    for (const { view } of this.#views.values()) view.forget();
  }

  /** What is remembered of a live source that a rate may begin with. */
  #earlier(history: LiveHistory): EarlierLookup {
    return ({ pmid, descriptor, computed }, before) => {
      const pmids = computed?.operands ?? [pmid];
      const samples =
        history.samplesAt(pmids, minusNsec(before, RATE_OVER_MS * 1e6)) ??
        history.samplesAt(pmids, minusNsec(before, 1));
      const at = samples?.[0]?.timestamp;
      if (!samples || !at || secondsBetween(before, at) * 1000 > RATE_OVER_MOST_MS) return undefined;
      if (computed) return this.#earlierDerived({ pmid, descriptor, ...computed }, at, samples);
      return {
        at,
        fill: (set) => {
          fillFromSample(samples[0]!, pmid, descriptor.indom, this.#profile, set);
        },
      };
    };
  }

  /** What a derived metric was; undefined where its operands had no values, or where it has none of one sample. */
  #earlierDerived(metric: EarlierMetric, at: Timestamp, samples: readonly LiveSample[]): EarlierValues | undefined {
    if (samples.every(({ status }) => status <= 0)) return undefined;
    const operands = samples.map((sample, i) => {
      const set = new ValueSet();
      fillFromSample(sample, metric.operands[i]!, metric.program.operandIndoms[i]!, this.#profile, set);
      return set;
    });
    const values = new ValueSet();
    this.#derived.evaluateAlone(metric, at, operands, values);
    if (values.status <= 0) return undefined;
    return {
      at,
      fill: (set) => {
        copyValueSet(values, set);
      },
    };
  }
}

/** A moment earlier by less than a second. */
function minusNsec({ sec, nsec }: Timestamp, by: number): Timestamp {
  return nsec >= by ? { sec, nsec: nsec - by } : { sec: sec - 1, nsec: nsec + 1e9 - by };
}
