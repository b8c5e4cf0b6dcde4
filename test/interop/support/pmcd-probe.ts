import { LibpcpProcess } from './libpcp-process.js';

/** A value as the probe writes it: big-endian bytes in hexadecimal, a text, or unpacked event records. */
export type ProbedValue = string | readonly ProbedEvent[] | { readonly error: number };
export type ProbedEvent = readonly [
  when: readonly [number, number],
  parameters: readonly (readonly [pmid: number, value: ProbedValue])[],
];

/** A fetch: for each metric a status of 0 or below, or its values by instance. */
export interface ProbedFetch {
  readonly timestamp: readonly [sec: number, nsec: number];
  readonly sets: readonly (number | readonly (readonly [instance: number, value: ProbedValue])[])[];
}

/** A context of real libpcp, without derived metrics. */
export class PmcdProbe extends LibpcpProcess {
  constructor(hostspec: string) {
    super('pmcd-probe.py', [hostspec], { PCP_DERIVED_CONFIG: '' });
  }
}
