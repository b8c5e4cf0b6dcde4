import { FetchResult, ValueSet } from '../pmapi/index.js';
import type { InstanceProfile, MetricSource } from '../sources/index.js';
import type { DerivedMetrics, DerivedSample } from './derived-metrics.js';
import type { EventNames } from './event-names.js';
import type { Computation, FetchPlan } from './fetch-plan.js';
import type { LiveHistory } from './range/index.js';
import { copyValueSet } from './range/value-copy.js';
import type { SelectionView } from './selection/index.js';

/** Results that are kept for later fetches; more are made when more fetches are under way at once, and forgotten. */
const RESULTS_KEPT = 64;

/** What is to be said of a fetch beside its values. */
export interface FetchNotes {
  /** The source was lost and found again since the context's last fetch, or is another one: derived metrics started over. */
  readonly reconnected: boolean;
  /** How often the source was lost and found again so far, for who fetches beside others; undefined where that cannot happen. */
  readonly reconnects: number | undefined;
}

/** Takes all it needs from a result before it returns: value sets are reused by later fetches. */
export type ReadResult<T> = (result: FetchResult, notes: FetchNotes) => T;

/** Told of every fetch, for the gateway's own metrics. */
export interface FetchObserver {
  /** A fetch was answered: how long the source took, and the value sets it gave. */
  fetched(durationMs: number, result: FetchResult): void;
  /** A fetch failed as a whole. */
  fetchFailed(error: unknown): void;
}

/** The parts of a context that its fetches are made with. */
export interface FetchMaterial {
  readonly source: MetricSource;
  readonly profile: InstanceProfile;
  readonly derived: DerivedMetrics;
  readonly eventNames: EventNames;
  /** What is remembered of the live source, for ranges. */
  readonly history: LiveHistory | undefined;
  readonly observer: FetchObserver | undefined;
}

/** What the source gave, and what it is answered as where something is computed. */
interface Results {
  readonly fetched: FetchResult;
  readonly answer: FetchResult;
}

/** Makes the fetches of a context: the source is sampled, derived metrics are computed, a view is applied. @see pmFetch(3) */
export class Fetcher {
  readonly #material: FetchMaterial;
  readonly #idle: Results[] = [];
  #underWay = 0;

  constructor(material: FetchMaterial) {
    this.#material = material;
  }

  /** Fetches that have not been answered yet. They may overlap. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Fetch the metrics of a plan, and hand the result to `read` as the view has it. */
  async fetch<T>(plan: FetchPlan, read: ReadResult<T>, view?: SelectionView): Promise<T> {
    const { source, profile, derived, eventNames, history } = this.#material;
    const { computation } = plan;
    const results = this.#idle.pop() ?? { fetched: new FetchResult(), answer: new FetchResult() };
    const { fetched } = results;
    this.#underWay++;
    try {
      await this.#sample(plan, fetched);
      history?.record(plan.base, fetched, profile, source.reconnects);
      const learning = eventNames.learn(fetched);
      if (learning) await learning;
      const notes = { reconnected: derived.noticeReconnect(), reconnects: source.reconnects };
      const answer = computation ? results.answer : fetched;
      if (computation) {
        const sample = this.#derivedSample(computation, fetched);
        await derived.prepare(computation.metrics, sample);
        this.#compute(computation, sample, fetched, answer);
      }
      if (!view) return read(answer, notes);
      const looking = view.prepare(answer);
      if (looking) {
        if (computation) keepComputed(computation, answer);
        await looking;
      }
      view.noteReconnects(notes.reconnects);
      return read(view.convert(answer, computation && ((m) => isFromNothing(computation, m, fetched))), notes);
    } finally {
      this.#underWay--;
      if (this.#idle.length < RESULTS_KEPT) this.#idle.push(results);
    }
  }

  async #sample(plan: FetchPlan, result: FetchResult): Promise<void> {
    const { source, profile, observer } = this.#material;
    const startMs = performance.now();
    try {
      await source.fetch(plan.prepared, profile, result);
    } catch (error) {
      observer?.fetchFailed(error);
      throw error;
    }
    observer?.fetched(performance.now() - startMs, result);
  }

  #derivedSample({ positions }: Computation, fetched: FetchResult): DerivedSample {
    return {
      timestamp: fetched.timestamp,
      profileVersion: this.#material.profile.version,
      operand: (pmid) => fetched.sets[positions.get(pmid)!]!,
    };
  }

  /** Put the value sets of a plan's entries together: those of the source as they are, the others computed. */
  #compute(computation: Computation, sample: DerivedSample, fetched: FetchResult, answer: FetchResult): void {
    answer.timestamp = fetched.timestamp;
    answer.sets.length = 0;
    for (const entry of computation.entries) {
      answer.sets.push(
        typeof entry === 'number' ? fetched.sets[entry]! : this.#material.derived.evaluate(entry, sample),
      );
    }
  }
}

/** Copy what was computed: the next fetch that ends writes its values over these. */
function keepComputed({ entries }: Computation, { sets }: FetchResult): void {
  for (const [m, entry] of entries.entries()) {
    if (typeof entry === 'number') continue;
    const copy = new ValueSet();
    copyValueSet(sets[m]!, copy);
    sets[m] = copy;
  }
}

/** Whether an entry was computed from nothing. What aggregates make of that (sum() is 0) is nothing that a counter counts on from. */
function isFromNothing({ entries, positions }: Computation, m: number, { sets }: FetchResult): boolean {
  const entry = entries[m];
  if (typeof entry !== 'object' || entry.operands.length === 0) return false;
  return entry.operands.every((pmid) => sets[positions.get(pmid)!]!.status <= 0);
}
