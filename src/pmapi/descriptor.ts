import type { Units } from './units/units.js';

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

export function formatSemantics(semantics: number): string {
  const [name = '???'] = Object.entries(Semantics).find(([, value]) => value === semantics) ?? [];
  return name.toLowerCase();
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
