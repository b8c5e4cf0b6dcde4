import type { Schemas, StreamGap, StreamHead, Times } from './answers.js';
import type { CallOptions } from './call.js';
import type { PmgateError } from './pmgate-error.js';

/** A name, or names. */
export type Names = string | readonly string[];

/** Which metrics: by name, everything below nodes of the namespace, or by PMID. */
export type MetricChoice =
  | { readonly names: Names; readonly prefix?: never; readonly pmids?: never }
  | { readonly prefix: Names; readonly names?: never; readonly pmids?: never }
  | { readonly pmids: Names; readonly names?: never; readonly prefix?: never };

/** The source of a request without a context of its own; the gateway's `localhost` unless said otherwise. */
export interface Where {
  /** A host, as in `web1`, `pcp://web1:44321`. */
  readonly hostspec?: string | undefined;
  /** An archive, by a name that `archives()` lists. */
  readonly archive?: string | undefined;
  /** The number of a context that somebody made. */
  readonly context?: number | undefined;
}

/** Which instances and how values are converted and written: on fetches, ranges and streams alike. */
export interface SelectionOptions<T extends Times = Times> {
  /** Instance identifiers. */
  readonly instance?: readonly number[] | undefined;
  /** Instance names, or patterns for them, see `match`. */
  readonly iname?: Names | undefined;
  /** How `iname` is compared: as a whole name unless said otherwise. */
  readonly match?: Schemas['Match'] | undefined;
  /** A selector of labels, as in `agent="linux",device_type=~"sd.*"`. */
  readonly labels?: string | undefined;
  /** So many of the greatest values of each metric, greatest first. */
  readonly top?: number | undefined;
  /** Counters as rates per second. */
  readonly rate?: boolean | undefined;
  /** With `rate`, take a counter that went down for one that wrapped. */
  readonly wrap?: boolean | undefined;
  /** Units to rescale to, as in `Mbyte / sec`. */
  readonly units?: string | undefined;
  /** `'iso'`: moments as texts in ISO 8601 with nine digits. */
  readonly times?: T | undefined;
  /** The time zone of moments: of those in the request that name none, and of `times: 'iso'`. */
  readonly zone?: string | undefined;
  /** `'exact'`: integers beyond 2^53 as texts; {@link exactInteger} reads them. */
  readonly numbers?: Schemas['NumberForm'] | undefined;
}

/** Which part of recorded time. Moments are seconds since the epoch, ISO 8601, or PCP's own forms (`-1hour`, `@14:00`). */
export interface WindowOptions {
  /** The beginning; that of the archive unless said otherwise. */
  readonly start?: string | number | undefined;
  /** The end; that of the archive unless said otherwise. */
  readonly finish?: string | number | undefined;
  /** The step between samples, whose values are interpolated (`10`, `1min 30sec`); every recorded sample without it. */
  readonly interval?: string | number | undefined;
  /** At most so many samples. */
  readonly samples?: number | undefined;
  readonly offset?: string | number | undefined;
  readonly align?: string | number | undefined;
  /** Cut the window into so many parts, and answer a sample for each. */
  readonly points?: number | undefined;
  /** What `points` keeps of each part. */
  readonly decimation?: Schemas['Decimation'] | undefined;
}

/** Hears of things that could not be answered. */
export interface WarningOptions<W> {
  /** Called before the first piece when there are any; and by `range` behind the last sample, when the archive is damaged. */
  readonly onWarnings?: ((warnings: readonly W[]) => void) | undefined;
}

/** Options of a fetch on a context. */
export type FetchOptions<T extends Times = Times> = SelectionOptions<T> & CallOptions;
/** A whole fetch. */
export type FetchRequest<T extends Times = Times> = MetricChoice & FetchOptions<T>;
/** Options of a range. */
export type RangeOptions<T extends Times = Times> = SelectionOptions<T> & WindowOptions & CallOptions;
/** A whole range. */
export type RangeRequest<T extends Times = Times> = MetricChoice & RangeOptions<T>;

/** What a stream has beside the parameters of the gateway. */
export interface StreamExtras {
  /** Called when the gateway says what the values are: at the beginning, after each reconnection, and when they change. */
  readonly onMetrics?: ((head: StreamHead) => void) | undefined;
  /** Called for a round that failed, while the stream goes on. */
  readonly onFailure?: ((error: PmgateError) => void) | undefined;
  /** Called when samples that were missed cannot be had any more. */
  readonly onGap?: ((gap: StreamGap) => void) | undefined;
  /** Called when the connection was lost, before it is made again. */
  readonly onReconnect?: ((error: PmgateError) => void) | undefined;
  /** So many reconnections in a row that bring no sample; any number unless said otherwise. */
  readonly maxReconnects?: number | undefined;
  /** Milliseconds of complete silence after which the connection counts as lost, 60 000 unless said otherwise. */
  readonly silenceMs?: number | undefined;
  /** The `id` of a sample after which to begin, as far as the gateway remembers. */
  readonly lastEventId?: string | undefined;
}
/** Options of a stream. */
export interface StreamOptions<T extends Times = Times> extends SelectionOptions<T>, StreamExtras, CallOptions {
  /** The time between samples (`1s`, `500msec`, a number of seconds). */
  readonly interval?: string | number | undefined;
  /** Only values that are others than in the sample before. */
  readonly changed?: boolean | undefined;
  /** Of an archive, the beginning of what is replayed. */
  readonly start?: string | number | undefined;
  /** Of an archive, the end of what is replayed. */
  readonly finish?: string | number | undefined;
  /** Of an archive, how many seconds of it to replay in one; `'max'` for as fast as they are taken. */
  readonly speed?: number | 'max' | undefined;
}
/** A whole stream. */
export type StreamRequest<T extends Times = Times> = MetricChoice & StreamOptions<T>;

/** Options of metadata: what of an archive, which knows several moments. */
export interface MetadataOptions extends CallOptions {
  /** Of an archive, the moment that is asked about. */
  readonly at?: string | number | undefined;
  /** Of an archive, `'archive'` for everything that it ever knew. */
  readonly scope?: Schemas['ArchiveScope'] | undefined;
  readonly zone?: string | undefined;
}
/** Which metadata. */
export type MetricsRequest = MetricChoice & MetadataOptions;

/** Which instance domain, by a metric that has it or by its number, and which of its instances. */
export type IndomRequest = MetadataOptions &
  InstanceChoice &
  ({ readonly name: string; readonly indom?: never } | { readonly indom: string; readonly name?: never });

/** Instances by name, pattern or identifier. */
export interface InstanceChoice {
  readonly iname?: Names | undefined;
  readonly instance?: readonly number[] | undefined;
  readonly match?: Schemas['Match'] | undefined;
}

/** A change of what a context's fetches see. */
export interface ProfileRequest extends InstanceChoice, CallOptions {
  /** Let instances through, or keep them out. */
  readonly expr: Schemas['ProfileChange'];
  /** A metric; stands for its instance domain. Without it and `indom`, all domains. */
  readonly name?: string | undefined;
  readonly indom?: string | undefined;
}

/** Instances to store to. */
export type StoreOptions = Omit<InstanceChoice, 'match'> & CallOptions;

/** How fetches on an archive go on. */
export interface ModeRequest extends CallOptions {
  readonly mode?: Schemas['ArchiveMode'] | undefined;
  readonly time?: string | number | undefined;
  readonly interval?: string | number | undefined;
  readonly zone?: string | undefined;
}

/** One request of a batch. */
export interface BatchEntry {
  /** Comes back with the answer; later entries can refer to it. */
  readonly id?: string;
  /** GET unless said otherwise. */
  readonly method?: Schemas['BatchEntry']['method'];
  /** Path and query below the gateway; may refer to answers before it, as in `{$0.context}` and `{$id.context}`. */
  readonly path: string;
  /** Only `Accept` and `Content-Type`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is a JSON body; a text is what `Content-Type` says. */
  readonly body?: object | string;
}

/** Which windows to compare, and of what. */
export interface ChangesOptions extends Where, CallOptions {
  /** The window in question, as START,END; the last five minutes unless said otherwise. */
  readonly after?: string | undefined;
  /** The window to compare with; four times as long and just before the other unless said otherwise. */
  readonly before?: string | undefined;
  /** Other hosts (with `archive`: other archives) to compare with, separated by `;`. */
  readonly against?: string | undefined;
  readonly names?: Names | undefined;
  /** Nodes of the namespace. */
  readonly prefix?: Names | undefined;
  /** Findings at most, 20 unless said otherwise. */
  readonly limit?: number | undefined;
  readonly zone?: string | undefined;
}

/** How far to search. */
export interface SearchOptions extends Where, CallOptions {
  /** What to find: all of them unless said otherwise. */
  readonly type?: readonly SearchType[] | undefined;
  /** What to search: all of them unless said otherwise. */
  readonly field?: readonly SearchField[] | undefined;
  /** How many of the best results to leave out. */
  readonly offset?: number | undefined;
  /** Results at most, 10 unless said otherwise. */
  readonly limit?: number | undefined;
}
/** What can be found. */
export type SearchType = Schemas['EntityType'];
/** What can be searched. */
export type SearchField = 'name' | 'oneline' | 'helptext' | 'labels';

/** A context to make. */
export interface ContextRequest extends CallOptions {
  readonly hostspec?: string | undefined;
  readonly archive?: string | undefined;
  /** Seconds of disuse after which it expires. */
  readonly polltimeout?: number | undefined;
}
