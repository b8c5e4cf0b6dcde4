import type { components } from './openapi.generated.js';
import type { PmgateError } from './pmgate-error.js';

/** The schemas of openapi.yaml. */
export type Schemas = components['schemas'];
/** A schema as the gateway's own data: nothing of it changes. */
export type DataOf<T> = T extends object ? { readonly [K in keyof T]: DataOf<T[K]> } : T;

/** How responses write moments: seconds since the epoch, or ISO 8601 with nine digits. */
export type Times = Schemas['TimeForm'];
/** A moment in a response: a number of seconds, or a text if `times: 'iso'` was requested. */
export type Moment<T extends Times> = T extends 'iso' ? string : number;

/**
 * A value. A text for metrics of type string and, with `numbers: 'exact'`, for integers beyond 2^53; null for a number that JSON
 * cannot express.
 */
export type Value = Schemas['Value'];
export type MetricValues = Schemas['ValueSets'][number];
/** The value of one instance; `instance` is null for a metric without instances. */
export type InstanceValue = MetricValues['instances'][number];
/** A part of a request that failed while the rest succeeded. */
export type Warning = Schemas['Warning'];

export type FetchAnswer<T extends Times = 'epoch'> = Omit<Schemas['Fetch'], 'timestamp'> & {
  timestamp: Moment<T>;
};
/** The result of each of several hosts: values, or `error`. */
export type HostsAnswer<T extends Times = 'epoch'> = Omit<Schemas['FetchOfHosts'], 'hosts'> & {
  hosts: (Omit<Schemas['FetchOfHosts']['hosts'][number], 'timestamp'> & { timestamp?: Moment<T> })[];
};
export type RangeSample<T extends Times = 'epoch'> = Omit<Schemas['RangeSample'], 'timestamp'> & {
  timestamp: Moment<T>;
};
/** A sample of a stream; to resume after it, give its `id`. */
export type StreamSample<T extends Times = 'epoch'> = Omit<Schemas['StreamSample'], 'timestamp'> & {
  timestamp: Moment<T>;
  id: string;
};
/** The samples between two moments of a stream (both exclusive) are no longer available. */
export type StreamGap = Schemas['StreamGap'];
/** Sent before the first sample of a stream, and again when metrics appear, disappear or change. */
export type StreamHead = Schemas['StreamHead'];
/** A range as an array of times, and parallel arrays of values by metric and instance. */
export type ColumnsAnswer<T extends Times = 'epoch'> = Omit<Schemas['RangeColumns'], 'times'> & {
  times: Moment<T>[];
};
/** Why the values of a fetch, or of the last sample of a range, are what they are. */
export interface WhyAnswer<T extends Times = 'epoch'> {
  /** When the values were taken; undefined for a range without samples. */
  readonly timestamp: Moment<T> | undefined;
  /** Where they come from; undefined when there is nothing to explain. */
  readonly source: Schemas['Why']['source'] | undefined;
  readonly metrics: readonly Schemas['WhyMetric'][];
  readonly warnings: readonly Warning[];
}
export type Metric = Schemas['Metric'];
/** The chosen metadata of a metric. */
export type MetricSummary = Schemas['MetricSummary'];
/** Metadata, in the order of the request; unknown metrics are in `warnings`. */
export type MetricsAnswer = Omit<Schemas['Metrics'], 'metrics'> & { metrics: Metric[] };
export type ChildrenAnswer = Schemas['Children'];
export type IndomAnswer = Schemas['Indom'];
/** A context as it was created. */
export type ContextAnswer = Schemas['Context'];
/** A context, in full. */
export type ContextDescription = Schemas['ContextDescription'];
/** The mode and the position of fetches from an archive. */
export type ModeAnswer = Schemas['Mode'];
/** An archive, or in `error` why it cannot be read. */
export type ArchiveEntry = Schemas['Archives']['archives'][number];
/** Who a client is, and what it may do. */
export type WhoamiAnswer = Schemas['Whoami'];
/** A host that the gateway knows. */
export type HostEntry = Schemas['Hosts']['hosts'][number];
/** A function of the language of derived metrics. */
export type DerivedFunction = Schemas['Functions']['functions'][number];
/** What is recorded and remembered of a host. */
export type TimelineAnswer = Schemas['Timeline'];
/** A time in which one archive, or what the gateway remembers, answers for a host. */
export type TimelineSegment = TimelineAnswer['segments'][number];
/** The response to one entry of a batch; `error` if it failed. */
export type BatchAnswer = Schemas['BatchAnswer'] & { error?: PmgateError };
export type SearchAnswer = Schemas['Search'];
/** What changed between two windows. */
export type ChangesAnswer = Schemas['Changes'];
export type ChangeFinding = Schemas['ChangeFinding'];
/** The state of each resource. */
export type DiagnosisAnswer = Schemas['Diagnosis'];
/** What is wrong with a resource, since when, and who it is. */
export type DiagnosedResource = Schemas['DiagnosedResource'];
/** A metric, an instance domain or an instance that was found, and where the matching words are. */
export type SearchResult = Schemas['SearchResult'];
export type DerivedEntry = Schemas['DerivedEntry'];
/** A definition and, if a context was given, its binding there. */
export type DerivedDefinition = Schemas['DerivedDefinition'];
export type DerivedCheck = Schemas['DerivedCheck'];

/**
 * An integer with all its digits, from a value requested with `numbers: 'exact'` (or below 2^53 anyway). Undefined for anything
 * else: null, a fraction, another text, and a number beyond 2^53, whose digits are lost already.
 */
export function exactInteger(value: Value): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}
