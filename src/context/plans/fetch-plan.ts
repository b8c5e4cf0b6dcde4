import type { Program } from '../../derived/index.js';
import type { MetricDescriptor } from '../../pmapi/index.js';
import type { PreparedFetch } from '../../sources/index.js';

/** A derived metric that can be evaluated in this context. */
export interface ComputedMetric {
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  readonly program: Program;
  /** PMIDs of its operands, by operand index. */
  readonly operands: readonly number[];
  /** Memory that the program takes, about. */
  readonly bytes: number;
}

/** One metric of a plan: value set `i` of a fetch belongs to entry `i`. */
export interface PlanEntry {
  /** The name as requested; for a request by PMID, the first name of the PMID in the namespace. */
  readonly name: string;
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
}

/** A metric that was asked for and cannot be fetched. */
export interface PlanMissing {
  /** The name, or the PMID in its printed form, as requested. */
  readonly requested: string;
  readonly pmErr: number;
  readonly message: string;
}

/** What a fetch asks for: names or PMIDs, in order, or all that is at and below nodes of the namespace, at most so many metrics. */
export type MetricSelector =
  | { readonly names: readonly string[]; readonly pmids?: undefined; readonly prefixes?: undefined }
  | { readonly pmids: readonly number[]; readonly names?: undefined; readonly prefixes?: undefined }
  | {
      readonly prefixes: readonly string[];
      readonly most: number;
      readonly names?: undefined;
      readonly pmids?: undefined;
    };

/**
 * A request made ready: everything about it that does not change from fetch to fetch. Made once by FetchPlans.get(), cached
 * there, and rebuilt when the source's metadata generation moves.
 */
export interface FetchPlan {
  /** What was asked for: {@link selectorKey}. */
  readonly key: string;
  readonly entries: readonly PlanEntry[];
  readonly missing: readonly PlanMissing[];
  readonly prepared: PreparedFetch;
  /** What the value sets of `prepared` are, in order. */
  readonly base: readonly { readonly descriptor: MetricDescriptor }[];
  /** What must be computed, or answered twice; absent when the source's value sets are the answer as they are. */
  readonly computation?: Computation;
  /** The source's generation that the plan was made for. */
  readonly generation: number;
  /** Whether the source has to look at its volatile metrics before the generations are compared. */
  readonly isVolatile: boolean;
  /** The version of the derived metrics that the plan was made for. */
  readonly derivedVersion: number;
  /** Monotonic time at which the plan was made, in milliseconds. */
  readonly madeAtMs: number;
}

/** How the entries of a plan come out of the source's value sets. */
export interface Computation {
  /** For each entry, the position of its PMID in `prepared`, or the derived metric that it is. */
  readonly entries: readonly (number | ComputedMetric)[];
  /** The derived metrics among the entries, each once. */
  readonly metrics: readonly ComputedMetric[];
  /** Positions in `prepared` by PMID. */
  readonly positions: ReadonlyMap<number, number>;
}

/** The cache key of a selector. Names cannot hold a comma or blank, so joining them is unambiguous. */
export function selectorKey(selector: MetricSelector): string {
  if (selector.prefixes) return `x ${selector.prefixes.join(',')} ${selector.most}`;
  return selector.names ? `n ${selector.names.join(',')}` : `p ${selector.pmids.join(',')}`;
}
