/**
 * PMIDs are unsigned 32-bit numbers: 1 flag bit, 9 bits domain, 12 bits cluster, 10 bits item.
 * The flag bit is set for per-context derived metrics only; the text form `domain.cluster.item` ignores it.
 * @see pmLookupName(3), pmIDStr(3)
 */

/** PM_ID_NULL: no metric. */
export const PMID_NULL = 0xffffffff;

/** The domain of derived metrics and of dynamic subtrees. */
export const DERIVED_DOMAIN = 511;

/** In the derived domain, clusters from here on belong to remapped metrics: derived metrics that pmlogger recorded. */
export const REMAPPED_CLUSTER_BASE = 2048;

/** Build a PMID from its parts, each taken modulo its width. */
export function makePmid(domain: number, cluster: number, item: number): number {
  return (((domain & 511) << 22) | ((cluster & 4095) << 10) | (item & 1023)) >>> 0;
}

/** The domain of a PMID: which agent has the metric; 0 to 511. */
export function pmidDomain(pmid: number): number {
  return (pmid >>> 22) & 511;
}

/** The cluster of a PMID; 0 to 4095. */
export function pmidCluster(pmid: number): number {
  return (pmid >>> 10) & 4095;
}

/** The item of a PMID; 0 to 1023. */
export function pmidItem(pmid: number): number {
  return pmid & 1023;
}

/** Whether the PMID is that of a derived metric: domain 511, and not remapped. */
export function isDerivedPmid(pmid: number): boolean {
  return pmid !== PMID_NULL && pmidDomain(pmid) === DERIVED_DOMAIN && pmidCluster(pmid) < REMAPPED_CLUSTER_BASE;
}

/** `domain.cluster.item`; `PM_ID_NULL`; `511.cluster`'s dynamic subtree as `CLUSTER.*.*`. @see pmIDStr(3) */
export function formatPmid(pmid: number): string {
  if (pmid === PMID_NULL) return 'PM_ID_NULL';
  const domain = pmidDomain(pmid);
  if (domain === DERIVED_DOMAIN && pmidItem(pmid) === 0) return `${pmidCluster(pmid)}.*.*`;
  return `${domain}.${pmidCluster(pmid)}.${pmidItem(pmid)}`;
}

const DOTTED = /^(\d{1,3})\.(\d{1,4})\.(\d{1,4})$/;

/**
 * Parses `d.c.i`, a decimal number or `0x…`; undefined for anything else, and if a part is out of range.
 * @see PMWEBAPI(3), "pmid"
 */
export function parsePmid(text: string): number | undefined {
  const dotted = DOTTED.exec(text);
  if (dotted) {
    const [domain, cluster, item] = [Number(dotted[1]), Number(dotted[2]), Number(dotted[3])];
    return domain <= 511 && cluster <= 4095 && item <= 1023 ? makePmid(domain, cluster, item) : undefined;
  }
  if (!/^(?:\d{1,10}|0[xX][0-9a-fA-F]{1,8})$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 0xffffffff ? value : undefined;
}
