import {
  DIMENSIONLESS,
  INDOM_NULL,
  makeUnits,
  MetricType,
  parseIndom,
  parsePmid,
  Semantics,
} from '../../../pmapi/index.js';
import type { Label, MetricDescriptor, Units } from '../../../pmapi/index.js';

const TYPES = {
  i32: MetricType.I32,
  u32: MetricType.U32,
  i64: MetricType.I64,
  u64: MetricType.U64,
  float: MetricType.FLOAT,
  double: MetricType.DOUBLE,
  string: MetricType.STRING,
} as const;

const SEMANTICS = { counter: Semantics.COUNTER, instant: Semantics.INSTANT, discrete: Semantics.DISCRETE } as const;

/** The units that local metrics have, by the text that pmUnitsStr(3) prints; `none` for no dimension. */
const UNITS = {
  none: DIMENSIONLESS,
  count: makeUnits({ dimCount: 1 }),
  byte: makeUnits({ dimSpace: 1 }),
  Kbyte: makeUnits({ dimSpace: 1, scaleSpace: 1 }),
  Mbyte: makeUnits({ dimSpace: 1, scaleSpace: 2 }),
  nanosec: makeUnits({ dimTime: 1, scaleTime: 0 }),
  microsec: makeUnits({ dimTime: 1, scaleTime: 1 }),
  millisec: makeUnits({ dimTime: 1, scaleTime: 2 }),
  sec: makeUnits({ dimTime: 1, scaleTime: 3 }),
  'count / sec': makeUnits({ dimCount: 1, dimTime: -1, scaleTime: 3 }),
  'byte / sec': makeUnits({ dimSpace: 1, dimTime: -1, scaleTime: 3 }),
  'Mbyte / sec': makeUnits({ dimSpace: 1, scaleSpace: 2, dimTime: -1, scaleTime: 3 }),
  '/ microsec': makeUnits({ dimTime: -1, scaleTime: 1 }),
} as const satisfies Record<string, Units>;

export type CatalogType = keyof typeof TYPES;
export type CatalogSemantics = keyof typeof SEMANTICS;
export type CatalogUnits = keyof typeof UNITS;

/** One metric that a cluster serves: everything that is known of it without reading anything. */
export interface CatalogMetric {
  readonly name: string;
  readonly descriptor: MetricDescriptor;
  readonly oneline: string;
  readonly help: string;
  /** Labels of the item itself. */
  readonly labels: readonly Label[];
}

/**
 * One row of a catalogue table. `pmid` is `domain.cluster.item`, `indom` is `domain.serial` or null for a singular
 * metric, `units` is a key of the table above. Without `help` the one-line text serves as help too.
 */
export function metric(
  name: string,
  pmid: string,
  type: CatalogType,
  indom: string | null,
  semantics: CatalogSemantics,
  units: CatalogUnits,
  oneline: string,
  help: string = oneline,
  labels: readonly Label[] = [],
): CatalogMetric {
  const id = parsePmid(pmid);
  const domain = indom === null ? INDOM_NULL : parseIndom(indom);
  if (id === undefined || domain === undefined) throw new Error(`catalogue: ${name} has PMID ${pmid}, indom ${indom}`);
  const descriptor: MetricDescriptor = Object.freeze({
    pmid: id,
    type: TYPES[type],
    indom: domain,
    semantics: SEMANTICS[semantics],
    units: UNITS[units],
  });
  return { name, descriptor, oneline, help, labels };
}
