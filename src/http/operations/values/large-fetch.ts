import type { Context, FetchPlan, MetricSelector } from '../../../context/index.js';
import type { OperationRequest } from '../../contracts.js';
import { untilGone } from '../../request/client-gone.js';
import type { ResultSize } from './value-count.js';
import { isLarge } from './value-count.js';

/** Metrics of a fetch that is not large: planning, reading and writing them takes about a millisecond. */
const FEW_METRICS = 250;

/** The size of the last result of each plan, if it was large: it depends on the number of instances, which is known only after a fetch. */
const sizes = new WeakMap<FetchPlan, ResultSize>();

/** Whether a request names so many metrics that even planning it takes long. */
export function isLargeRequest({ metrics: { names, pmids } }: { readonly metrics: MetricSelector }): boolean {
  return (names ?? pmids ?? []).length > FEW_METRICS;
}

/** Whether a plan has many metrics, or had many values at its last fetch. */
export function isLargePlan(plan: FetchPlan): boolean {
  return plan.entries.length > FEW_METRICS || sizes.has(plan);
}

/** Remembers the size of a plan's result. */
export function rememberSize(plan: FetchPlan, size: ResultSize): void {
  if (isLarge(size)) sizes.set(plan, size);
  else sizes.delete(plan);
}

/** The turn of a large fetch among others of its source, held until its response begins. */
export class LargeFetchTurn {
  readonly #request: OperationRequest<object>;
  readonly #context: Context;
  #leave: (() => void) | undefined;

  constructor(request: OperationRequest<object>, context: Context) {
    this.#request = request;
    this.#context = context;
  }

  /** Waits for the turn, once. Rejects with OVERLOADED if that takes too long, and when the client leaves. */
  async take(): Promise<void> {
    const { overload } = this.#request.options;
    if (!overload || this.#leave) return;
    this.#leave = await overload.enterLargeFetch(this.#context.origin, untilGone(this.#request));
  }

  /** Releases the turn, if it was taken. */
  leave(): void {
    this.#leave?.();
  }
}
