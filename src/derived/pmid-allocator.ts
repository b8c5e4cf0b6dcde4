import { DERIVED_DOMAIN, GatewayError, makePmid } from '../pmapi/index.js';

/** The cluster of per-context derived metrics, and the one above which globals cannot go. */
const CONTEXT_CLUSTER = 2047;
const ITEM_MAX = 1023;
const FLAG_BIT = 0x80000000;

/** Hands out PMIDs, each once. */
export interface PmidAllocator {
  /**
   * The next PMID.
   * @throws GatewayError LIMIT_EXCEEDED when there are none left
   */
  next(): number;
}

/** PMIDs of global derived metrics: 511.0.1 upwards; item 0 is never used, cluster 2046 is the last. */
export function globalPmids(): PmidAllocator {
  let cluster = 0;
  let item = 0;
  return {
    next() {
      if (item === ITEM_MAX) {
        if (cluster + 1 === CONTEXT_CLUSTER) throw exhausted('global');
        cluster++;
        item = 0;
      }
      item++;
      return makePmid(DERIVED_DOMAIN, cluster, item);
    },
  };
}

/** PMIDs of one context's own derived metrics: 511.2047.1023 downwards, with the flag bit set. */
export function contextPmids(): PmidAllocator {
  let cluster = CONTEXT_CLUSTER;
  let item = ITEM_MAX + 1;
  return {
    next() {
      if (item === 1) {
        if (cluster === 0) throw exhausted('per-context');
        cluster--;
        item = ITEM_MAX + 1;
      }
      item--;
      return flagged(makePmid(DERIVED_DOMAIN, cluster, item));
    },
  };
}

/** A PMID with the flag bit set, which printing loses. */
export function flagged(pmid: number): number {
  return (FLAG_BIT | pmid) >>> 0;
}

/** Whether a PMID is that of a per-context derived metric: the flag bit tells. */
export function isContextDerivedPmid(pmid: number): boolean {
  return pmid >>> 31 === 1 && ((pmid >>> 22) & DERIVED_DOMAIN) === DERIVED_DOMAIN && pmid !== 0xffffffff;
}

function exhausted(scope: 'global' | 'per-context'): GatewayError {
  return new GatewayError('LIMIT_EXCEEDED', `${scope} PMID space exhausted`);
}
