import type { Units } from './units/units.js';

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

/** The type of a metric's values. 32-bit integers travel in place, all others in value blocks. @see pmLookupDesc(3) */
export const MetricType = {
  NOSUPPORT: -1,
  I32: 0,
  U32: 1,
  I64: 2,
  U64: 3,
  FLOAT: 4,
  DOUBLE: 5,
  STRING: 6,
  AGGREGATE: 7,
  AGGREGATE_STATIC: 8,
  EVENT: 9,
  HIGHRES_EVENT: 10,
  UNKNOWN: 255,
} as const;
export type MetricType = (typeof MetricType)[keyof typeof MetricType];

/** PCP writes the names above, but `32`, `64` and `NO_SUPPORT`. */
const TYPE_TEXT: ReadonlyMap<number, string> = new Map(
  Object.entries(MetricType).map(([name, type]) => [type, name.replace(/^I|(?<=^NO)/, (found) => (found ? '' : '_'))]),
);

export function formatMetricType(type: number): string {
  return TYPE_TEXT.get(type) ?? '???';
}

export function isMetricType(type: number): type is MetricType {
  return TYPE_TEXT.has(type);
}

/** Whether values of this type are numbers: 32, U32, 64, U64, FLOAT or DOUBLE ("arithmetic" in pmRegisterDerived(3)). */
export function isArithmeticType(type: number): boolean {
  return type >= MetricType.I32 && type <= MetricType.DOUBLE;
}

/** Whether values of this type are 64-bit integers, which a JavaScript number cannot always hold. */
export function isWideType(type: number): boolean {
  return type === MetricType.I64 || type === MetricType.U64;
}

/** A counter only grows, an instantaneous value stands for a moment, a discrete one stays until replaced. @see pmLookupDesc(3) */
export const Semantics = { COUNTER: 1, INSTANT: 3, DISCRETE: 4 } as const;
export type Semantics = (typeof Semantics)[keyof typeof Semantics];

export function formatSemantics(semantics: number): Lowercase<keyof typeof Semantics> | '???' {
  const [name] = Object.entries(Semantics).find(([, value]) => value === semantics) ?? [];
  return name === undefined ? '???' : (name.toLowerCase() as Lowercase<keyof typeof Semantics>);
}

/** A metric's metadata that is constant during the lifetime of a source. @see pmLookupDesc(3) */
export interface MetricDescriptor {
  readonly pmid: number;
  readonly type: MetricType;
  /** The instance domain, or INDOM_NULL for a singular metric. */
  readonly indom: number;
  readonly semantics: Semantics;
  readonly units: Units;
}
