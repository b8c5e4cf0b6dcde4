import { DERIVED_DOMAIN, GatewayError, isDerivedPmid, makePmid, pmidCluster, pmidItem } from '../pmapi/index.js';

/** The cluster of per-context derived metrics, and the one above which globals cannot go. */
const CONTEXT_CLUSTER = 2047;
const ITEM_MAX = 1023;
const FLAG_BIT = 0x80000000;

/** The maximum number of global derived metrics: item 0 is never used, nor the cluster of per-context ones. */
const GLOBAL_PMIDS = CONTEXT_CLUSTER * ITEM_MAX;

/** PMIDs 511.0.1 to 511.2046.1023, without used ones, then from the start again: a released one is reused as late as possible. */
export function globalPmids(isTaken: (pmid: number) => boolean) {
  let last = -1;
  return {
    /** The next PMID. Throws LIMIT_EXCEEDED if there are none left. */
    next(): number {
      for (let tried = 0; tried < GLOBAL_PMIDS; tried++) {
        last = (last + 1) % GLOBAL_PMIDS;
        const pmid = makePmid(DERIVED_DOMAIN, Math.floor(last / ITEM_MAX), 1 + (last % ITEM_MAX));
        if (!isTaken(pmid)) return pmid;
      }
      throw exhausted('global');
    },
    /** Continues after a PMID, unless that was passed already. */
    continueAfter(pmid: number): void {
      last = Math.max(last, pmidCluster(pmid) * ITEM_MAX + pmidItem(pmid) - 1);
    },
  };
}

export function isGlobalDerivedPmid(pmid: number): boolean {
  return isDerivedPmid(pmid) && pmid >>> 31 === 0 && pmidCluster(pmid) < CONTEXT_CLUSTER && pmidItem(pmid) > 0;
}

/** PMIDs of one context's own derived metrics: 511.2047.1023 downwards, with the flag bit set. */
export function contextPmids() {
  let cluster = CONTEXT_CLUSTER;
  let item = ITEM_MAX + 1;
  return {
    next(): number {
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

/** A PMID with the flag bit set, which is lost in printing. */
export function flagged(pmid: number): number {
  return (FLAG_BIT | pmid) >>> 0;
}

function exhausted(scope: 'global' | 'per-context'): GatewayError {
  return new GatewayError('LIMIT_EXCEEDED', `${scope} PMID space exhausted`);
}
