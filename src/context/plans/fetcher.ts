import { FetchResult, LEAST_RATE_SEC, type PmError } from '../../pmapi/index.js';
import type { ContextParts } from '../context-parts.js';
import type { DerivedSample } from '../names/derived-metrics.js';
import { StalePlanError, type Computation, type FetchPlan, type PlanEntry } from './fetch-plan.js';
import type { LiveHistory } from '../range/index.js';
import type { RangeTrace } from '../range/metric-pipeline.js';
import type { FetchView } from '../selection/index.js';

export interface FetchNotes {
  /** The source was lost and found again since the last fetch, or is another: derived metrics started over. */
  readonly reconnected: boolean;
  /** Reconnects so far, for callers with concurrent fetches; undefined if there cannot be any. */
  readonly reconnects: number | undefined;
  /** A problem of the source besides the values. */
  readonly warning: PmError | undefined;
  /** Keeps the result beyond the call, for more than one turn of the event loop can write. */
  readonly keep: () => KeptResult;
}

/** A result that no later fetch touches. */
export interface KeptResult {
  readonly result: FetchResult;
  /** Gives it back, once, for reuse; optional. */
  readonly release: () => void;
}

/** Reads or keeps a result before it returns: later fetches reuse the value sets. */
export type ReadResult<T> = (result: FetchResult, notes: FetchNotes) => T;

interface Job<T> {
  readonly plan: FetchPlan;
  readonly read: ReadResult<T>;
  readonly view: FetchView | undefined;
  readonly trace: RangeTrace | undefined;
  readonly fetched: FetchResult;
  isKept: boolean;
}

/** Value sets in all pooled results. One takes some 700 bytes, and more with many instances. */
const VALUE_SETS_KEPT = 16_384;

/** Pooled results of finished fetches, for later ones of any context: their grown value sets are reused. */
export class ResultPool {
  readonly #idle: FetchResult[] = [];
  #valueSets = 0;

  take(): FetchResult {
    const result = this.#idle.pop();
    if (!result) return new FetchResult();
    this.#valueSets -= costOf(result);
    return result;
  }

  give(result: FetchResult): void {
    if (this.#valueSets + costOf(result) > VALUE_SETS_KEPT) return;
    this.#valueSets += costOf(result);
    this.#idle.push(result);
  }
}

/** One without value sets counts, too. */
function costOf({ sets }: FetchResult): number {
  return sets.length + 1;
}

/** Makes the fetches of a context: the source is sampled, derived metrics are computed, a view is applied. @see pmFetch(3) */
export class Fetcher {
  readonly #parts: ContextParts;
  /** Samples where first rates of derived metrics start; absent: no value at first, as in PCP. */
  readonly #startsAt: LiveHistory | undefined;
  #reconnects: number | undefined;
  #isSuccessor: boolean;
  #underWay = 0;

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.#startsAt = parts.isShared ? parts.history : undefined;
    this.#reconnects = parts.source.reconnects;
    this.#isSuccessor = parts.isSuccessor === true;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Fetches a plan and passes the view's result to `read`. Rejects with StalePlanError if values may be of other metrics. */
  async fetch<T>(plan: FetchPlan, read: ReadResult<T>, view?: FetchView, trace?: RangeTrace): Promise<T> {
    const { results, source, plans, profile, observer, clock } = this.#parts;
    this.#underWay++;
    try {
      const fetched = results.take();
      const startMs = clock.monotonicMs();
      fetched.warning = undefined;
      try {
        await source.fetch(plan.prepared, profile, fetched);
      } catch (error) {
        observer?.fetchFailed(error);
        throw error;
      }
      observer?.fetched(clock.monotonicMs() - startMs, fetched);
      if (plan.numbering !== source.numbering && !(await plans.isTrue(plan))) throw new StalePlanError();
      trace?.begin(plan, fetched);
      const job = { plan, read, view, trace, fetched, isKept: false };
      // A promise costs a lone request more than what is mostly to be done here.
      const answered = this.#answer(job);
      const answer = answered instanceof Promise ? await answered : answered;
      // After a failure it is not returned to the pool: a late source may still write to it.
      if (!job.isKept) results.give(fetched);
      return answer;
    } finally {
      this.#underWay--;
    }
  }

  #answer<T>(job: Job<T>): T | Promise<T> {
    const { plan, fetched, read, view } = job;
    const { history, profile, source, names } = this.#parts;
    history?.record(plan.base, fetched, profile, source.reconnects);
    const learning = plan.hasEvents ? names.events.learn(fetched) : undefined;
    if (learning || plan.computation || view) return this.#shape(job, learning);
    return read(
      fetched,
      this.#notes(job, () => fetched),
    );
  }

  #notes(job: Job<unknown>, answer: () => FetchResult): FetchNotes {
    const { plan, fetched } = job;
    const { source, results } = this.#parts;
    const { reconnects } = source;
    const keep = (): KeptResult => {
      job.isKept = true;
      keepComputed(plan, answer());
      return { result: answer(), release: () => results.give(fetched) };
    };
    const { warning } = fetched;
    return { reconnected: this.#noticeReconnect(), reconnects, warning, keep };
  }

  /** Resets derived metrics after a reconnect; returns whether there was one, or another source. @see pmReconnectContext(3) */
  #noticeReconnect(): boolean {
    const { reconnects } = this.#parts.source;
    if (reconnects === this.#reconnects && !this.#isSuccessor) return false;
    this.#isSuccessor = false;
    this.#reconnects = reconnects;
    this.#parts.derived.forget();
    return true;
  }

  async #shape<T>(job: Job<T>, learning: Promise<void> | undefined): Promise<T> {
    if (learning) await learning;
    const { plan, fetched, read, view, trace } = job;
    const { computation, entries } = plan;
    let answer = fetched;
    const notes = this.#notes(job, () => answer);
    const sample = computation && this.#derivedSample(computation, fetched);
    if (sample) {
      await this.#parts.derived.prepare(computation.metrics, sample);
      answer = this.#compute(entries, sample, trace);
    }
    if (!view) return read(answer, notes);
    const looking = view.prepare(answer);
    if (looking) {
      keepComputed(plan, answer);
      await looking;
    }
    view.noteReconnects(notes.reconnects);
    if (trace) view.watch(trace);
    const converted = view.convert(answer, sample && ((m) => isFromNothing(entries[m]!, sample)));
    if (trace) view.watch(undefined);
    return read(converted, { ...notes, keep: () => ({ result: converted.copy(), release: () => undefined }) });
  }

  #derivedSample({ positions }: Computation, fetched: FetchResult): DerivedSample {
    return {
      timestamp: fetched.timestamp,
      profileVersion: this.#parts.profile.version,
      leastSec: this.#startsAt ? LEAST_RATE_SEC : 0,
      operand: (pmid) => fetched.sets[positions.get(pmid)!]!,
      earlier: ({ operands, program }) =>
        this.#startsAt?.setsBefore(operands, program.operandIndoms, this.#parts.profile, fetched.timestamp),
    };
  }

  #compute(entries: readonly PlanEntry[], sample: DerivedSample, trace: RangeTrace | undefined): FetchResult {
    const { derived } = this.#parts;
    const answer = new FetchResult();
    answer.timestamp = sample.timestamp;
    for (const [m, { pmid, computed }] of entries.entries()) {
      const tracing = trace?.metrics[m];
      answer.sets.push(computed ? derived.evaluate(computed, sample, tracing?.evaluate()) : sample.operand(pmid));
    }
    return answer;
  }
}

/** Copies computed values, which the next fetch overwrites. */
function keepComputed({ entries }: FetchPlan, { sets }: FetchResult): void {
  for (const [m, { computed }] of entries.entries()) if (computed) sets[m] = sets[m]!.copy();
}

/** Whether an entry was computed from nothing: what aggregates make of that (sum() is 0) is no counter value. */
function isFromNothing({ computed }: PlanEntry, sample: DerivedSample): boolean {
  if (!computed || computed.operands.length === 0) return false;
  return computed.operands.every((pmid) => sample.operand(pmid).status <= 0);
}
