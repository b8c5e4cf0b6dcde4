import type { Schemas, StreamGap, StreamHead, Times } from './answers.js';
import type { CallOptions } from './call.js';
import type { PmgateError } from './pmgate-error.js';

/** A name, or several. */
export type Names = string | readonly string[];

/** Which metrics: by name, everything below nodes of the namespace, or by PMID. */
export type MetricChoice =
  | { readonly names: Names; readonly prefix?: never; readonly pmids?: never }
  | { readonly prefix: Names; readonly names?: never; readonly pmids?: never }
  | { readonly pmids: Names; readonly names?: never; readonly prefix?: never };

/** The source of a request without its own context; by default the gateway's `localhost`. */
export interface Where {
  /** A host, as in `web1`, `pcp://web1:44321`. */
  readonly hostspec?: string | undefined;
  /** An archive, by a name that `archives()` lists. */
  readonly archive?: string | undefined;
  /** The number of an existing context. */
  readonly context?: number | undefined;
}

/** The moment of the values of a checked expression. */
export interface CheckMoment {
  /** A time, in any form of the API; by default now, or the last values of an archive. */
  readonly at?: string | undefined;
  /** The time zone of `at`. */
  readonly zone?: string | undefined;
}

/** Which instances, and how values are converted and formatted: for fetches, ranges and streams alike. */
export interface SelectionOptions<T extends Times = Times> {
  /** Instance identifiers. */
  readonly instance?: readonly number[] | undefined;
  /** Instance names, or patterns for them, see `match`. */
  readonly iname?: Names | undefined;
  /** How `iname` is compared: as a whole name by default. */
  readonly match?: Schemas['Match'] | undefined;
  /** A label selector, as in `agent="linux",device_type=~"sd.*"`. */
  readonly labels?: string | undefined;
  /** This many of the largest values of each metric, largest first. */
  readonly top?: number | undefined;
  /** With `top`: the sum or mean of the others, in `rest`. */
  readonly rest?: Schemas['Rest'] | undefined;
  /** The names of instances beside their numbers. */
  readonly inames?: boolean | undefined;
  /** Counters as rates per second. */
  readonly rate?: boolean | undefined;
  /** With `rate`, assume that a counter that decreased has wrapped. */
  readonly wrap?: boolean | undefined;
  /** Units to convert to, as in `Mbyte / sec`. */
  readonly units?: string | undefined;
  /** `'iso'`: moments as ISO 8601 with nine digits. */
  readonly times?: T | undefined;
  /** The time zone of moments in the request that name none, and of `times: 'iso'`. */
  readonly zone?: string | undefined;
  /** `'exact'`: integers beyond 2^53 as texts; {@link exactInteger} reads them. */
  readonly numbers?: Schemas['NumberForm'] | undefined;
}

/** Which part of the recorded time. Moments are seconds since the epoch, ISO 8601, or PCP's forms (`-1hour`, `@14:00`). */
export interface WindowOptions {
  /** The start; by default that of the archive. */
  readonly start?: string | number | undefined;
  /** The end; by default that of the archive. */
  readonly finish?: string | number | undefined;
  /** The step between samples, whose values are interpolated (`10`, `1min 30sec`); without it, every recorded sample. */
  readonly interval?: string | number | undefined;
  /** At most so many samples. */
  readonly samples?: number | undefined;
  readonly offset?: string | number | undefined;
  readonly align?: string | number | undefined;
  /** Divide the window into this many parts, with a sample for each. */
  readonly points?: number | undefined;
  /** How `points` combines the values of a part. */
  readonly decimation?: Schemas['Decimation'] | undefined;
}

/** Receives warnings. */
export interface WarningOptions<W> {
  /** Called before the first piece if there are any, and by `range` after the last sample if the archive is damaged. */
  readonly onWarnings?: ((warnings: readonly W[]) => void) | undefined;
}

/** Which archives. */
export interface ArchivesOptions extends CallOptions {
  /** Only those of a host. */
  readonly hostspec?: string | undefined;
  /** Only those that overlap a window, in seconds since the epoch. */
  readonly start?: number | undefined;
  readonly finish?: number | undefined;
  /** Those that end last, so many. */
  readonly limit?: number | undefined;
}

/** Options of a fetch in a context. */
export type FetchOptions<T extends Times = Times> = SelectionOptions<T> & CallOptions;
/** Everything about a fetch. */
export type FetchRequest<T extends Times = Times> = MetricChoice & FetchOptions<T>;
/** Options of a range. */
export type RangeOptions<T extends Times = Times> = SelectionOptions<T> & WindowOptions & CallOptions;
/** Everything about a range. */
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
/** Options of a stream. */
export interface StreamOptions<T extends Times = Times> extends SelectionOptions<T>, StreamExtras, CallOptions {
  /** The time between samples (`1s`, `500msec`, a number of seconds). */
  readonly interval?: string | number | undefined;
  /** Only values that differ from the previous sample. */
  readonly changed?: boolean | undefined;
  /** For an archive: the start of the replay. */
  readonly start?: string | number | undefined;
  /** For an archive: the end of the replay. */
  readonly finish?: string | number | undefined;
  /** For an archive: how many recorded seconds to replay per second; `'max'` for as fast as the client reads. */
  readonly speed?: number | 'max' | undefined;
}
/** Everything about a stream. */
export type StreamRequest<T extends Times = Times> = MetricChoice & StreamOptions<T>;

/** One of many streams on a connection: of a host or a context. */
export type Subscription<T extends Times = Times> = MetricChoice &
  Omit<StreamOptions<T>, Exclude<keyof StreamExtras, 'lastEventId'> | keyof CallOptions> &
  Where;

/** Options of metadata: which state of an archive. */
export interface MetadataOptions extends CallOptions {
  /** For an archive: the moment of the metadata. */
  readonly at?: string | number | undefined;
  /** For an archive: `'archive'` for all metadata it ever had. */
  readonly scope?: Schemas['ArchiveScope'] | undefined;
  readonly zone?: string | undefined;
}
/** Options of the client's `metricSummaries`. */
export interface SummaryOptions extends MetadataOptions {
  /** The members that are wanted beside the name. */
  readonly fields: readonly Extract<Schemas['MetricFields'], readonly unknown[]>[number][];
}
/** Which metadata. */
export type MetricsRequest = MetricChoice & MetadataOptions;

/** Which instance domain, by a metric that uses it or by its number, and which of its instances. */
export type IndomRequest = MetadataOptions &
  InstanceChoice &
  ({ readonly name: string; readonly indom?: never } | { readonly indom: string; readonly name?: never });

/** Instances by name, pattern or identifier. */
export interface InstanceChoice {
  readonly iname?: Names | undefined;
  readonly instance?: readonly number[] | undefined;
  readonly match?: Schemas['Match'] | undefined;
}

/** A change of the instances that a context's fetches return. */
export interface ProfileRequest extends InstanceChoice, CallOptions {
  /** Include instances, or exclude them. */
  readonly expr: Schemas['ProfileChange'];
  /** A metric, for its instance domain. Without it and `indom`, all domains. */
  readonly name?: string | undefined;
  readonly indom?: string | undefined;
}

/** Instances to store to. */
export type StoreOptions = Omit<InstanceChoice, 'match'> & CallOptions;

/** The position and the mode of fetches from an archive. */
export interface ModeRequest extends CallOptions {
  readonly mode?: Schemas['ArchiveMode'] | undefined;
  readonly time?: string | number | undefined;
  readonly interval?: string | number | undefined;
  readonly zone?: string | undefined;
}

/** One request of a batch. */
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

/** What of a host's past to tell. */
export interface TimelineOptions extends CallOptions {
  /** The host; the gateway's own machine unless said otherwise. */
  readonly hostspec?: string | undefined;
  /** Metrics that count; all unless said otherwise. */
  readonly names?: Names | undefined;
  /** Since when; for a week unless said otherwise. */
  readonly start?: string | number | undefined;
  readonly finish?: string | number | undefined;
  readonly zone?: string | undefined;
}

/** Which windows to compare, and which metrics. */
export interface ChangesOptions extends Where, CallOptions {
  /** The window to explain, as START,END; by default the last five minutes. */
  readonly after?: string | undefined;
  /** The window to compare with; by default four times as long and just before the other. */
  readonly before?: string | undefined;
  /** Other hosts (with `archive`: other archives) to compare with, separated by `;`. */
  readonly against?: string | undefined;
  readonly names?: Names | undefined;
  /** Nodes of the namespace. */
  readonly prefix?: Names | undefined;
  /** Maximum number of findings, 20 by default. */
  readonly limit?: number | undefined;
  readonly zone?: string | undefined;
}

/** What moment to diagnose: now by default, or the end of an archive. */
export interface DiagnosisOptions extends Where, CallOptions {
  readonly at?: string | number | undefined;
  /** A window, in place of a moment. */
  readonly start?: string | number | undefined;
  readonly finish?: string | number | undefined;
  readonly zone?: string | undefined;
}

/** How far to search. */
export interface SearchOptions extends Where, CallOptions {
  /** What to find; by default everything. */
  readonly type?: readonly SearchType[] | undefined;
  /** Where to search; by default everywhere. */
  readonly field?: readonly SearchField[] | undefined;
  /** How many of the best results to skip. */
  readonly offset?: number | undefined;
  /** Maximum number of results, 10 by default. */
  readonly limit?: number | undefined;
}
/** What can be found. */
export type SearchType = Schemas['EntityType'];
/** What can be searched. */
export type SearchField = 'name' | 'oneline' | 'helptext' | 'labels';

/** The context to create. */
export interface ContextRequest extends CallOptions {
  readonly hostspec?: string | undefined;
  readonly archive?: string | undefined;
  /** Seconds without use after which it expires. */
  readonly polltimeout?: number | undefined;
}
