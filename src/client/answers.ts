import type { components } from './openapi.generated.js';
import type { PmgateError } from './pmgate-error.js';

/** The schemas of openapi.yaml. */
export type Schemas = components['schemas'];

/** How answers write moments: as seconds since the epoch, or as ISO 8601 with nine digits. */
export type Times = Schemas['TimeForm'];
/** A moment in an answer: a number of seconds, or a text when `times: 'iso'` asked for one. */
export type Moment<T extends Times> = T extends 'iso' ? string : number;

/**
 * A value. A text for metrics that have texts and, with `numbers: 'exact'`, for integers beyond 2^53; null for a number that JSON
 * has no form for.
 */
export type Value = Schemas['Value'];
/** The values of one metric. */
export type MetricValues = Schemas['FetchValues'][number];
/** The value of one instance; `instance` is null for a metric without instances. */
export type InstanceValue = MetricValues['instances'][number];
/** Something of a request that could not be answered, while the rest was. */
export type Warning = Schemas['Warning'];

/** Values at one moment. */
export type FetchAnswer<T extends Times = 'epoch'> = Omit<Schemas['Fetch'], 'timestamp'> & {
  timestamp: Moment<T>;
};
/** What each of several hosts answered: values, or `error`. */
export type HostsAnswer<T extends Times = 'epoch'> = Omit<Schemas['FetchOfHosts'], 'hosts'> & {
  hosts: (Omit<Schemas['FetchOfHosts']['hosts'][number], 'timestamp'> & { timestamp?: Moment<T> })[];
};
/** One sample of a range. */
export type RangeSample<T extends Times = 'epoch'> = Omit<Schemas['RangeSample'], 'timestamp'> & {
  timestamp: Moment<T>;
};
/** A sample of a stream, and what to resume after it with. */
export type StreamSample<T extends Times = 'epoch'> = RangeSample<T> & {
  id: string;
  /** The source was lost and found again since the sample before. */
  reconnected?: true;
  /** With `changed`: these are all values. */
  full?: true;
  /** With `changed`: instances that had values before and have none now. */
  gone?: { name: string; instances: (number | null)[] }[];
};
/** The samples between two moments of a stream, neither included, that cannot be had any more. */
export interface StreamGap {
  readonly from: number | string;
  readonly to: number | string;
}
/** What a stream says before its first sample, and again when metrics come, go or become others. */
export interface StreamHead {
  readonly context: number;
  /** Seconds between samples; absent when they come as they were recorded. */
  readonly interval?: number;
  /** What the values are; rates and rescaled values have types and units of their own. */
  readonly metrics: readonly Schemas['RangeRows']['metrics'][number][];
  readonly warnings?: readonly Warning[];
}
/** A range as an array of times, and arrays as long of values by metric and instance. */
export type ColumnsAnswer<T extends Times = 'epoch'> = Omit<Schemas['RangeColumns'], 'times'> & {
  times: Moment<T>[];
};
/** The metadata of a metric. */
export type Metric = Schemas['Metric'];
/** Metadata, in the order of the request; what is unknown is in `warnings`. */
export type MetricsAnswer = Omit<Schemas['Metrics'], 'metrics'> & { metrics: Metric[] };
/** The children of a node of the namespace. */
export type ChildrenAnswer = Schemas['Children'];
/** An instance domain and its instances. */
export type IndomAnswer = Schemas['Indom'];
/** A context, as it was when it was made. */
export type ContextAnswer = Schemas['Context'];
/** A context, in full. */
export type ContextDescription = Schemas['ContextDescription'];
/** How fetches on an archive go on, and from where. */
export type ModeAnswer = Schemas['Mode'];
/** An archive, or what is wrong with it in `error`. */
export type ArchiveEntry = Schemas['Archives']['archives'][number];
/** What one entry of a batch was answered; `error` when that is one. */
export type BatchAnswer = Schemas['BatchAnswer'] & { error?: PmgateError };
/** What was found, the best first, and how much more there is. */
export type SearchAnswer = Schemas['Search'];
/** What changed between two windows. */
export type ChangesAnswer = Schemas['Changes'];
/** One of the things that changed. */
export type ChangeFinding = Schemas['ChangeFinding'];
/** A metric, an instance domain or an instance that was found, and where found words stand in it. */
export type SearchResult = Schemas['SearchResult'];
/** A definition of a derived metric. */
export type DerivedEntry = Schemas['DerivedEntry'];
/** A definition and, where a context was named, what it is there. */
export type DerivedDefinition = Schemas['DerivedDefinition'];
/** What an expression would be and give. */
export type DerivedCheck = Schemas['DerivedCheck'];
