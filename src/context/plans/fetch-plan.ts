import type { Program } from '../../derived/index.js';
import { GatewayError, type MetricDescriptor } from '../../pmapi/index.js';
import type { MetricSource, PreparedFetch } from '../../sources/index.js';

export interface ComputedMetric {
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  readonly program: Program;
  readonly operands: readonly number[];
  readonly bytes: number;
}

export interface PlanEntry {
  /** The name as requested; for a request by PMID, the first name of the PMID in the namespace. */
  readonly name: string;
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  /** Of a derived metric: its program and operands. */
  readonly computed?: ComputedMetric | undefined;
}

export interface PlanMissing {
  readonly requested: string;
  readonly pmErr: number;
  readonly message: string;
}

/** The metrics of a fetch: names or PMIDs, in order, or all at and below nodes, up to a maximum. A plan replaces others for its `query`. */
export type MetricSelector = { readonly query?: string } & (
  | { readonly names: readonly string[]; readonly pmids?: undefined; readonly prefixes?: undefined }
  | { readonly pmids: readonly number[]; readonly names?: undefined; readonly prefixes?: undefined }
  | {
      readonly prefixes: readonly string[];
      readonly most: number;
      readonly names?: undefined;
      readonly pmids?: undefined;
    }
);

/** A prepared request. Cached by FetchPlans.get() until the source's metadata generation changes. */
export interface FetchPlan {
  readonly selector: MetricSelector;
  /** The key of the request: the query, names, PMIDs or prefixes of the selector. */
  readonly key: string;
  readonly entries: readonly PlanEntry[];
  readonly missing: readonly PlanMissing[];
  readonly prepared: PreparedFetch;
  readonly hasEvents: boolean;
  /** The metrics of the value sets of `prepared`, in order. */
  readonly base: readonly { readonly descriptor: MetricDescriptor }[];
  /** Computed or repeated entries; absent if the source's value sets are the result. */
  readonly computation?: Computation;
  readonly generation: number;
  readonly numbering: number | undefined;
  /** The source must check its volatile metrics before generations are compared. */
  readonly isVolatile: boolean;
  readonly derivedVersion: number;
  readonly madeAtMs: number;
}

/** Whether two plans agree about the metrics in both. */
export function agrees(plan: FetchPlan, later: FetchPlan): boolean {
  const described = new Map(later.entries.map(({ name, descriptor }) => [name, JSON.stringify(descriptor)]));
  const isKept = ({ name, descriptor }: PlanEntry): boolean =>
    (described.get(name) ?? JSON.stringify(descriptor)) === JSON.stringify(descriptor);
  return plan.entries.every(isKept) && (!plan.computation || JSON.stringify(plan.base) === JSON.stringify(later.base));
}

/** The source gave metrics other numbers while they were read: what was read may be of other metrics. */
export class StalePlanError extends GatewayError {
  constructor() {
    super('UNAVAILABLE', 'the source changed the numbers of its metrics while they were read', { retryAfterSec: 1 });
  }
}

/** Plans and fetches again, at most twice, after a StalePlanError. */
export async function planAnew<T>(planAndFetch: () => Promise<T>): Promise<T> {
  for (let left = 2; ; left--) {
    try {
      return await planAndFetch();
    } catch (error) {
      if (left === 0 || !(error instanceof StalePlanError)) throw error;
    }
  }
}

/** Reads metadata in several steps, and again if the source gave metrics other numbers between them. Throws StalePlanError after three. */
export function readConsistently<T>(source: Pick<MetricSource, 'numbering'>, read: () => Promise<T>): Promise<T> {
  return planAnew(async () => {
    const { numbering } = source;
    const found = await read();
    if (source.numbering !== numbering) throw new StalePlanError();
    return found;
  });
}

/** How the entries of a plan are made from the source's value sets. */
export interface Computation {
  readonly metrics: readonly ComputedMetric[];
  readonly positions: ReadonlyMap<number, number>;
}
