/** The result of `why`, as in openapi.yaml: plain data, except times and 64-bit integers, which the response writer formats. */
import type { CheckedMetadata, CheckedNode, DefinitionOrigin } from '../../derived/index.js';
import type { AtomValue, Timestamp } from '../../pmapi/index.js';
import type { BetweenRule, RecordLocation, SourceKind } from '../../sources/index.js';

/** Why the values of one answer are what they are. */
export interface Why {
  readonly source: WhySource;
  readonly metrics: readonly WhyMetric[];
}

/** Where the values come from. */
export interface WhySource {
  readonly kind: SourceKind;
  /** The name that the source reports. */
  readonly host: string;
  /** Whether they are samples of a live host that the gateway remembers. */
  readonly remembered?: true;
}

/** Why one metric has its values. */
export interface WhyMetric {
  readonly name: string;
  readonly pmid: string;
  readonly meaning: WhyMeaning;
  /** Of the metric, before rates and units. */
  readonly metadata: CheckedMetadata;
  readonly values: readonly WhyValue[];
  /** Values that could be expected, and are not there. */
  readonly missing: readonly WhyMissing[];
  /** The expression of a derived metric, with what each node gave. */
  readonly expression?: WhyNode;
  /** The conversion to the requested units: value × factor + offset. */
  readonly units?: { readonly from: string; readonly to: string; readonly factor: number; readonly offset: number };
  /** Derived from a sample that had been answered before: what it was compared with then is no longer known. */
  readonly repeated?: true;
  /** There is more to explain than one answer may hold. */
  readonly truncated?: true;
}

/** What the name meant. */
export interface WhyMeaning {
  readonly scope: 'source' | 'context' | 'global';
  readonly definition?: WhyDefinition;
  /** What else has the name, and does not count. */
  readonly masks: readonly { readonly scope: 'context' | 'global'; readonly definition: WhyDefinition }[];
}

/** A definition, and where it is from as far as that may be seen. */
export interface WhyDefinition {
  readonly expression: string;
  readonly origin: DefinitionOrigin | 'context';
  readonly by?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** One value. */
export interface WhyValue {
  readonly instance: number | null;
  readonly name?: string | undefined;
  /** As answered. */
  readonly value: AtomValue;
  /** Where the value came from, before rates and units; of a derived metric the expression tells. */
  readonly from?: WhyOrigin;
  readonly rate?: WhyRate;
}

/** A value that is missing, and why. */
export interface WhyMissing {
  /** Absent: the metric has no values at all. */
  readonly instance?: number | undefined;
  readonly name?: string | undefined;
  /** The node of the expression that lost it. */
  readonly node?: string;
  readonly reason: string;
}

/** From which observations a value was made. */
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
  /** Whether the counter wrapped between the two. */
  readonly wrapped?: true;
}

/** A value that was recorded or sampled. */
export interface WhySample extends Partial<RecordLocation> {
  readonly timestamp: Timestamp;
  readonly value: AtomValue;
  /** Seconds before now, for live sources. */
  readonly age?: number;
}

/** (after - before + what it wrapped by) × factor / elapsed. */
export interface WhyRate {
  readonly before: { readonly timestamp: Timestamp; readonly value: AtomValue; readonly from?: WhyOrigin };
  readonly after: { readonly timestamp: Timestamp; readonly value: AtomValue };
  readonly elapsed: number;
  /** How often the counter wrapped, 0 or 1, and by how much it counts each time. */
  readonly wraps: number;
  readonly wrapsBy: number;
  readonly factor: number;
  readonly value: AtomValue;
}

/** A node of an expression. */
export interface WhyNode extends Omit<CheckedNode, 'children'> {
  /** Absent where it was not evaluated. */
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
