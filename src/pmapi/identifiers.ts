/** PMIDs: 1 flag bit (per-context derived metrics; not in the text form), 9 bits domain, 12 cluster, 10 item. @see pmLookupName(3) */

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

/** Parses `d.c.i`, a decimal number or `0x…`; undefined for others, and out of range. @see PMWEBAPI(3), "pmid" */
export function parsePmid(text: string): number | undefined {
  const dotted = DOTTED.exec(text);
  if (dotted) {
    const [domain, cluster, item] = [Number(dotted[1]), Number(dotted[2]), Number(dotted[3])];
    return domain <= 511 && cluster <= 4095 && item <= 1023 ? makePmid(domain, cluster, item) : undefined;
  }
  return parseWord(text);
}

function parseWord(text: string): number | undefined {
  if (!/^(?:\d{1,10}|0[xX][0-9a-fA-F]{1,8})$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 0xffffffff ? value : undefined;
}

/** Instance domain identifiers: 1 flag bit, 9 bits domain, 22 bits serial. @see pmLookupInDom(3), pmInDomStr(3) */

/** PM_INDOM_NULL: a metric with one value and no instances ("singular"). */
export const INDOM_NULL = 0xffffffff;

/** PM_IN_NULL: the instance identifier of a singular metric's value. */
export const INSTANCE_NULL = -1;

/** Build an instance domain identifier from its parts, each taken modulo its width. */
export function makeIndom(domain: number, serial: number): number {
  return (((domain & 511) << 22) | (serial & 0x3fffff)) >>> 0;
}

/** The domain of an instance domain: which agent has it; 0 to 511. */
export function indomDomain(indom: number): number {
  return (indom >>> 22) & 511;
}

/** The serial number of an instance domain within its domain; 0 to 4194303. */
export function indomSerial(indom: number): number {
  return indom & 0x3fffff;
}

/** `domain.serial`, or `PM_INDOM_NULL`. @see pmInDomStr(3) */
export function formatIndom(indom: number): string {
  return indom === INDOM_NULL ? 'PM_INDOM_NULL' : `${indomDomain(indom)}.${indomSerial(indom)}`;
}

/** Parses `d.s`, a decimal number or `0x…`; undefined for anything else, and if a part is out of range. */
export function parseIndom(text: string): number | undefined {
  const dotted = /^(\d{1,3})\.(\d{1,7})$/.exec(text);
  if (dotted) {
    const [domain, serial] = [Number(dotted[1]), Number(dotted[2])];
    return domain <= 511 && serial <= 0x3fffff ? makeIndom(domain, serial) : undefined;
  }
  return parseWord(text);
}

/** One member of an instance domain: the internal identifier and the external instance name. */
export interface Instance {
  readonly id: number;
  readonly name: string;
}

/** An instance domain at one moment, in the source's own order. */
export interface InstanceDomain {
  readonly indom: number;
  readonly instances: readonly Instance[];
}
/** Names in the PMNS: components joined by dots, each a letter, then letters, digits and underscores. @see PMNS(5) */
const METRIC_NAME = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*$/;

/** The longest accepted name; PCP itself is limited only by the size of a PDU. */
export const METRIC_NAME_MAX_LENGTH = 1024;

/** Whether `name` obeys the PMNS rule. The root is not a name. */
export function isMetricName(name: string): boolean {
  return name.length <= METRIC_NAME_MAX_LENGTH && METRIC_NAME.test(name);
}
