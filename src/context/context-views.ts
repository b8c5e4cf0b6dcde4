import { LRUCache } from 'lru-cache';
import { PmError, secondsBetween } from '../pmapi/index.js';
import type { Timestamp } from '../pmapi/index.js';
import type { InstanceProfile } from '../sources/index.js';
import type { FetchPlan } from './fetch-plan.js';
import type { LiveHistory } from './range/index.js';
import { fillFromSample } from './range/live-sample.js';
import { SelectionView } from './selection/index.js';
import type { EarlierLookup, Selection, SeriesDirectory } from './selection/index.js';

/** A rate that a single fetch is answered at once is over so long at least, where there are samples to choose from. */
const RATE_OVER_MS = 500;
/** Older samples are of no use for a rate that is meant to be of now. */
const RATE_OVER_MOST_MS = 5 * 60 * 1000;

/** What views of a context are made from. */
export interface ViewMaterial {
  /** Where selections learn what instances are called and labelled. */
  readonly directory: SeriesDirectory;
  readonly profile: InstanceProfile;
  /** What is remembered of the source, where rates of single fetches may begin with it. */
  readonly history: LiveHistory | undefined;
  /** Views that are kept. */
  readonly most: number;
}

/** Makes the views of a context: how its fetches are answered when something of them is selected or converted. */
export class ContextViews {
  readonly #material: ViewMaterial;
  /** Views of single fetches by plan and selection: two fetches of one context give the rate between them. */
  #views: LRUCache<string, SelectionView> | undefined;

  constructor(material: ViewMaterial) {
    this.#material = material;
  }

  /** A view of the caller's own. Throws CONVERSION when a metric cannot be given in the selection's units. */
  make(plan: FetchPlan, selection: Selection | undefined, earlier?: EarlierLookup): SelectionView {
    const metrics = plan.entries.map(({ name, pmid, descriptor }) => ({ name, pmid, descriptor }));
    return new SelectionView({ metrics, selection, directory: this.#material.directory, earlier });
  }

  /** The view that all single fetches of a plan with a selection share; its rates may begin with a sample that is remembered. */
  kept(plan: FetchPlan, selection: Selection): SelectionView {
    const key = `${plan.key} ${selection.key}`;
    const known = this.#views?.get(key);
    if (known?.suits(plan.entries) === true) return known;
    const { history, most } = this.#material;
    const view = this.make(plan, selection, history && selection.rate ? this.#earlier(history) : undefined);
    this.#views ??= new LRUCache({ max: most });
    this.#views.set(key, view);
    return view;
  }

  /** Have the rates of all single fetches start over. */
  forget(): void {
    for (const view of this.#views?.values() ?? []) view.forget();
  }

  /** What is remembered of a live source that a rate may begin with. */
  #earlier(history: LiveHistory): EarlierLookup {
    return ({ pmid, descriptor }, before) => {
      const sample =
        history.sampleAt(pmid, minusNsec(before, RATE_OVER_MS * 1e6)) ?? history.sampleAt(pmid, minusNsec(before, 1));
      if (!sample || secondsBetween(before, sample.timestamp) * 1000 > RATE_OVER_MOST_MS) return undefined;
      const at = sample.timestamp;
      return {
        at,
        fill: (set) => {
          fillFromSample(sample, pmid, descriptor.indom, this.#material.profile, set);
        },
      };
    };
  }
}

/** What is asked for, or what stands for it when the source has none. */
export async function orEmpty<T>(asking: Promise<T>, empty: T): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof PmError) return empty;
    throw error;
  }
}

/** A moment earlier by less than a second. */
function minusNsec({ sec, nsec }: Timestamp, by: number): Timestamp {
  return nsec >= by ? { sec, nsec: nsec - by } : { sec: sec - 1, nsec: nsec + 1e9 - by };
}
