import { LibpcpProcess } from './libpcp-process.js';

/** Labels as libpcp gives them. */
export type ProbedLabels = Readonly<Record<string, unknown>>;

/** What libpcp says of one metric: numbers as in the descriptor. */
export interface ProbedMetric {
  readonly pmid: number;
  readonly type: number;
  readonly indom: number;
  readonly semantics: number;
  /** dimSpace, dimTime, dimCount, scaleSpace, scaleTime, scaleCount. */
  readonly units: readonly number[];
  readonly labels: ProbedLabels;
  readonly domainLabels: ProbedLabels;
  readonly clusterLabels: ProbedLabels;
}

/** What libpcp says of one instance domain. */
export interface ProbedIndom {
  readonly instances: readonly (readonly [id: number, name: string])[];
  readonly labels: ProbedLabels;
  readonly instanceLabels: Readonly<Record<string, ProbedLabels>>;
}

/** The answer to {@link PcpProbe.describe}; null for a name that pmcd does not know. */
export interface ProbedMetadata {
  readonly metrics: Readonly<Record<string, ProbedMetric | null>>;
  readonly indoms: Readonly<Record<string, ProbedIndom>>;
  readonly contextLabels: ProbedLabels;
}

/** Values by instance number, integers with all their digits; or a PM_ERR code. */
export type ProbedValues = Readonly<Record<string, string | null>> | { readonly error: number };

/** A context of real libpcp. */
export class PcpProbe extends LibpcpProcess {
  constructor(hostspec: string) {
    super('pcp-probe.py', [hostspec]);
  }

  describe(names: readonly string[]): Promise<ProbedMetadata> {
    return this.ask('describe', { names });
  }

  fetch(names: readonly string[]): Promise<Readonly<Record<string, ProbedValues>>> {
    return this.ask('fetch', { names });
  }
}
