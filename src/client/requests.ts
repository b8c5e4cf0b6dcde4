import type { Schemas, StreamGap, StreamHead, Times } from './answers.js';
import type { CallOptions, TextParameter } from './call.js';
import type { operations } from './openapi.generated.js';
import type { PmgateError } from './pmgate-error.js';

export type Names = string | readonly string[];

type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;
type Taken<Name, Value> = Value extends readonly (infer Element)[]
  ? string extends Element
    ? Names
    : readonly Element[]
  : Name extends TextParameter
    ? string | number
    : Value;
/** Parameters of an operation, as openapi.yaml describes them: one text may stand for a list of texts, a number for a moment or an interval. */
type Parameters<Id extends keyof operations, Name extends keyof Query<Id>> = {
  readonly [N in keyof Pick<Query<Id>, Name>]?: Taken<N, NonNullable<Query<Id>[N]>> | undefined;
};

/** Which metrics: by name, everything below nodes of the namespace, or by PMID. */
export type MetricChoice =
  | { readonly names: Names; readonly prefix?: never; readonly pmids?: never }
  | { readonly prefix: Names; readonly names?: never; readonly pmids?: never }
  | { readonly pmids: Names; readonly names?: never; readonly prefix?: never };

/** The source of a request without its own context; by default the gateway's `localhost`. */
export type Where = Parameters<'fetchValues', 'hostspec' | 'archive' | 'context'>;

/** The moment of the values of a checked expression: by default now, or the last values of an archive. */
export type CheckMoment = Parameters<'checkExpression', 'at' | 'zone'>;

/** Which instances, and how values are converted and formatted: for fetches, ranges and streams alike. */
export type SelectionOptions<T extends Times = Times> = Parameters<
  'fetchValues',
  InstanceFilter | 'labels' | 'top' | 'rest' | 'inames' | 'rate' | 'wrap' | 'units' | 'zone' | 'numbers'
> & {
  /** `'iso'`: moments as ISO 8601 with nine digits. */
  readonly times?: T | undefined;
};
type InstanceFilter = 'instance' | 'iname' | 'match';

/** Which part of the recorded time. Moments are seconds since the epoch, ISO 8601, or PCP's forms (`-1hour`, `@14:00`). */
export type WindowOptions = Parameters<
  'fetchValues',
  'start' | 'finish' | 'interval' | 'samples' | 'offset' | 'align' | 'points' | 'decimation'
>;

export interface WarningOptions<W> {
  /** Called before the first piece if there are any, and by `range` after the last sample if the archive is damaged. */
  readonly onWarnings?: ((warnings: readonly W[]) => void) | undefined;
}

/** Which archives: those of a host, of a window in seconds since the epoch, the latest. */
export type ArchivesOptions = CallOptions &
  Parameters<'listArchives', 'hostspec' | 'limit'> & {
    readonly start?: number | undefined;
    readonly finish?: number | undefined;
  };

export type FetchOptions<T extends Times = Times> = SelectionOptions<T> & CallOptions;
export type FetchRequest<T extends Times = Times> = MetricChoice & FetchOptions<T>;
export type RangeOptions<T extends Times = Times> = SelectionOptions<T> & WindowOptions & CallOptions;
export type RangeRequest<T extends Times = Times> = MetricChoice & RangeOptions<T>;

/** Options of a stream besides the gateway's parameters. */
export interface StreamExtras {
  /** Called with the metadata of the values: at the start, after each reconnection, and when they change. */
  readonly onMetrics?: ((head: StreamHead) => void) | undefined;
  /** Called for a failed sample; the stream continues. */
  readonly onFailure?: ((error: PmgateError) => void) | undefined;
  /** Called if missed samples are no longer available. */
  readonly onGap?: ((gap: StreamGap) => void) | undefined;
  /** Called when one of many streams on a connection has ended for good. */
  readonly onEnd?: ((end: { readonly subscription?: string; readonly message: string }) => void) | undefined;
  /** Called when the connection was lost, before reconnecting. */
  readonly onReconnect?: ((error: PmgateError) => void) | undefined;
  /** The maximum number of consecutive reconnections without a sample; unlimited by default. */
  readonly maxReconnects?: number | undefined;
  /** Milliseconds without any data after which the connection is considered lost, 60 000 by default. */
  readonly silenceMs?: number | undefined;
  /** The `id` of the sample to resume after, as far as the gateway has buffered samples. */
  readonly lastEventId?: string | undefined;
}
export type StreamOptions<T extends Times = Times> = SelectionOptions<T> &
  StreamExtras &
  CallOptions &
  Parameters<'streamValues', 'interval' | 'changed' | 'start' | 'finish' | 'speed'>;
export type StreamRequest<T extends Times = Times> = MetricChoice & StreamOptions<T>;

/** One of many streams on a connection: of a host or a context. */
export type Subscription<T extends Times = Times> = MetricChoice &
  Omit<StreamOptions<T>, Exclude<keyof StreamExtras, 'lastEventId'> | keyof CallOptions> &
  Where;

/** Which state of an archive's metadata: that of a moment, or with `scope: 'archive'` all that it ever had. */
export type MetadataOptions = CallOptions & Parameters<'describeMetrics', 'at' | 'scope' | 'zone'>;
/** Options of the client's `metricSummaries`: `fields` are the members that are wanted beside the name. */
export type SummaryOptions = MetadataOptions & Required<Parameters<'describeMetrics', 'fields'>>;
export type MetricsRequest = MetricChoice & MetadataOptions;

/** Which instance domain, by a metric that uses it or by its number, and which of its instances. */
export type IndomRequest = MetadataOptions &
  InstanceChoice &
  ({ readonly name: string; readonly indom?: never } | { readonly indom: string; readonly name?: never });

/** Instances by name, pattern or identifier. */
export type InstanceChoice = Parameters<'listInstances', InstanceFilter>;

/** A change of the instances that a context's fetches return: of the domain of a metric, of a domain, or without both of all domains. */
export type ProfileRequest = InstanceChoice &
  CallOptions &
  Parameters<'changeProfile', 'name' | 'indom'> & { readonly expr: Schemas['ProfileChange'] };

/** Instances to store to. */
export type StoreOptions = Omit<InstanceChoice, 'match'> & CallOptions;

/** The position and the mode of fetches from an archive. */
export type ModeRequest = CallOptions & Parameters<'setMode', 'mode' | 'time' | 'interval' | 'zone'>;

export interface BatchEntry {
  /** Returned with the response; later entries can refer to it. */
  readonly id?: string;
  /** GET by default. */
  readonly method?: Schemas['BatchEntry']['method'];
  /** Path and query on the gateway; may refer to earlier responses, as in `{$0.context}` and `{$id.context}`. */
  readonly path: string;
  /** Only `Accept` and `Content-Type`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is a JSON body; a text is of the given `Content-Type`. */
  readonly body?: object | string;
}

/** What of a host's past to tell: of the gateway's own machine, all metrics and the last week by default. */
export type TimelineOptions = CallOptions &
  Parameters<'getTimeline', 'hostspec' | 'names' | 'start' | 'finish' | 'zone'>;

/** Which windows to compare, and which metrics. */
export type ChangesOptions = Where &
  CallOptions &
  Parameters<'findChanges', 'after' | 'before' | 'against' | 'names' | 'prefix' | 'limit' | 'zone'>;

/** What moment or window to diagnose: now by default, or the end of an archive. */
export type DiagnosisOptions = Where & CallOptions & Parameters<'diagnose', 'at' | 'start' | 'finish' | 'zone'>;

/** What to find and where, and which of the results: 10 by default, the best first. */
export type SearchOptions = Where &
  CallOptions &
  Parameters<'searchMetrics', 'field' | 'limit'> & {
    readonly type?: readonly SearchType[] | undefined;
    readonly offset?: number | undefined;
  };
export type SearchType = Schemas['EntityType'];
export type SearchField = Schemas['SearchFields'][number];

/** The context to create; `polltimeout` is the number of seconds without use after which it expires. */
export type ContextRequest = CallOptions & Parameters<'createContext', 'hostspec' | 'archive' | 'polltimeout'>;
