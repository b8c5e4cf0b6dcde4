import type { MetricType } from './metric-type.js';
import type { Semantics } from './semantics.js';
import type { Units } from './units/units.js';

/** What a metric's values mean: the metadata that does not change during the lifetime of a source. @see pmLookupDesc(3) */
export interface MetricDescriptor {
  readonly pmid: number;
  readonly type: MetricType;
  /** The instance domain, or INDOM_NULL for a singular metric. */
  readonly indom: number;
  readonly semantics: Semantics;
  readonly units: Units;
}
