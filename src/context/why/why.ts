/** The result of `why`, as in openapi.yaml: plain data, except times and 64-bit integers, which the response writer formats. */
import type { CheckedMetadata, CheckedNode, DefinitionOrigin } from '../../derived/index.js';
import type { AtomValue, Timestamp } from '../../pmapi/index.js';
import type { BetweenRule, RecordLocation, SourceKind } from '../../sources/index.js';

export interface Why {
  readonly source: WhySource;
  readonly metrics: readonly WhyMetric[];
}

export interface WhySource {
  readonly kind: SourceKind;
  /** The name that the source reports. */
  readonly host: string;
  /** The values are samples of a live host, remembered by the gateway. */
  readonly remembered?: true;
}

export interface WhyMetric {
  readonly name: string;
  readonly pmid: string;
  readonly meaning: WhyMeaning;
  /** Of the metric, before rates and units. */
  readonly metadata: CheckedMetadata;
  readonly values: readonly WhyValue[];
  readonly missing: readonly WhyMissing[];
  /** The expression of a derived metric, with what each node gave. */
  readonly expression?: WhyNode;
  /** The conversion to the requested units: value × factor + offset. */
  readonly units?: { readonly from: string; readonly to: string; readonly factor: number; readonly offset: number };
  /** A repeated sample: what it was compared with is no longer known. */
  readonly repeated?: true;
  /** The explanation was cut to its limit. */
  readonly truncated?: true;
}

export interface WhyMeaning {
  readonly scope: 'source' | 'context' | 'global';
  readonly definition?: WhyDefinition;
  /** Other definitions of the name, which do not count. */
  readonly masks: readonly { readonly scope: 'context' | 'global'; readonly definition: WhyDefinition }[];
}

/** A definition and, if it may be seen, its origin. */
export interface WhyDefinition {
  readonly expression: string;
  readonly origin: DefinitionOrigin | 'context';
  readonly by?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

export interface WhyValue {
  readonly instance: number | null;
  readonly name?: string | undefined;
  readonly value: AtomValue;
  /** The value's origin, before rates and units; for a derived metric, see the expression. */
  readonly from?: WhyOrigin;
  readonly rate?: WhyRate;
}

export interface WhyMissing {
  /** Absent: the metric has no values at all. */
  readonly instance?: number | undefined;
  readonly name?: string | undefined;
  /** The node of the expression that lost it. */
  readonly node?: string;
  readonly reason: string;
}

/** The observations that a value was made from. */
export interface WhyOrigin {
  readonly rule: 'exact' | BetweenRule;
  readonly value: AtomValue;
  /** The observation itself: the rule `exact`. */
  readonly sample?: WhySample;
  readonly low?: WhySample;
  readonly high?: WhySample;
  /** Seconds from `low` to the moment, and from `low` to `high`. */
  readonly elapsed?: number;
  readonly span?: number;
  readonly wrapped?: true;
}

export interface WhySample extends Partial<RecordLocation> {
  readonly timestamp: Timestamp;
  readonly value: AtomValue;
  /** Seconds before now, for live sources. */
  readonly age?: number;
}

/** (after - before + wraps) × factor / elapsed. */
export interface WhyRate {
  readonly before: { readonly timestamp: Timestamp; readonly value: AtomValue; readonly from?: WhyOrigin };
  readonly after: { readonly timestamp: Timestamp; readonly value: AtomValue };
  readonly elapsed: number;
  /** How often the counter wrapped, 0 or 1, and its span. */
  readonly wraps: number;
  readonly wrapsBy: number;
  readonly factor: number;
  readonly value: AtomValue;
}

export interface WhyNode extends Omit<CheckedNode, 'children'> {
  readonly values?: readonly WhyNodeValue[];
  /** In place of values. */
  readonly error?: string;
  /** For delta() and rate(): the operand's sample before. */
  readonly previous?: {
    readonly timestamp: Timestamp;
    readonly elapsed: number;
    readonly values: readonly WhyNodeValue[];
  };
  readonly children: readonly WhyNode[];
}

/** A value of a node; that of a metric says where it came from. */
export interface WhyNodeValue {
  readonly instance: number | null;
  readonly name?: string | undefined;
  readonly value: AtomValue;
  readonly from?: WhyOrigin;
}
