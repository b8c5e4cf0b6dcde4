import type {
  FetchResult,
  InstanceDomain,
  LabelSet,
  LabelTarget,
  MetricDescriptor,
  Timestamp,
} from '../pmapi/index.js';
import type { MetricFilter } from './metric-filter.js';
import type { InstanceProfile } from './profile.js';
import type { Batch, RecordedSample } from './batch.js';
import type { FindNeighbours } from './interpolated-value.js';
import type {
  InterpolationOptions,
  RangeEstimate,
  ReadingOptions,
  ReadMoment,
  RecordedLabel,
  RecordedModeChange,
  RecordedPosition,
} from './recorded-source.js';

/** What kind of thing metrics come from: a pmcd, PCP archives, or the collector inside this process. */
export type SourceKind = 'host' | 'archive' | 'local';

/** A PMID (0 or more), or the PM_ERR code (below 0) that looking up this one name gave. */
export type NameResult = number;

/** A descriptor, or the PM_ERR code (below 0) that describing this one PMID gave. */
export type DescriptorResult = MetricDescriptor | number;

/** The direct children of a PMNS node, as last components. A leaf has none of either. @see pmGetChildrenStatus(3) */
export interface PmnsChildren {
  readonly leaf: readonly string[];
  readonly nonleaf: readonly string[];
}

/** What help text may be requested for. @see pmLookupText(3) */
export type HelpTarget =
  { readonly kind: 'metric'; readonly pmid: number } | { readonly kind: 'indom'; readonly indom: number };
/** Which of the two help texts: one line, or all of it. */
export type HelpLevel = 'oneline' | 'help';

/** What a source says of itself; `hostName` is the name that the source reports, not the one it was asked by. */
export interface SourceInfo {
  readonly kind: SourceKind;
  readonly hostName: string;
  /** POSIX TZ string of the source's time zone, when known. */
  readonly timezone?: string;
  /** First and last moment of an archive. */
  readonly start?: Timestamp;
  readonly end?: Timestamp;
}

/**
 * A prepared fetch: the PMIDs in order, and what the source keeps with them (an encoded PDU, a set of files to read). Valid for
 * every source of the same origin, until their `generation` changes.
 */
export interface PreparedFetch {
  readonly pmids: readonly number[];
}

/**
 * Metrics that may change without the generation of their source moving by itself, such as those in files that applications write. To look
 * at them takes time, so it is done only for what may be one of them.
 */
export interface VolatileMetrics {
  /** Whether a name, a node of the PMNS ('' is the root), a PMID or an instance domain may be one of them, or have some. */
  covers(subject: string | number): boolean;
  /** Look at them; the generation has moved afterwards if something changed. Repeated in the same turn of the event loop, it costs nothing. */
  look(): void;
}

/** Before a cache answers for its subjects: have the source look at those that may have changed without notice. */
export function lookAtVolatile(
  { volatile }: Pick<MetricSource, 'volatile'>,
  subjects: readonly (string | number)[],
): void {
  if (volatile && subjects.some((subject) => volatile.covers(subject))) volatile.look();
}

/**
 * THE SEAM: anything that metrics come from. One source object per context; what is dear (sockets, open archives, /proc
 * snapshots) is shared beneath.
 *
 * - A whole request that fails throws a PmError. What concerns one metric of many is data: a NameResult, a
 *   DescriptorResult, or the `status` of a value set.
 * - Calls may overlap, fetches of live sources too (each brings its own `into`): a source keeps no scratch of its own across
 *   an await. Fetches of an archive move its position, so the context makes those serial.
 * - `at`, where given, asks an archive for metadata as of that moment; live sources ignore it.
 */
export interface MetricSource {
  readonly kind: SourceKind;

  /**
   * The source itself where it is an archive, absent where it is live. Fetches of an archive move its position, in any direction of
   * time, and its metadata depend on the moment.
   */
  readonly archive?: RecordedSource;

  /**
   * Changes when names, descriptors, instance domains, labels or help may have changed: caches of metadata and prepared fetches
   * compare it before use.
   */
  readonly generation: number;

  /** The metrics for which caches call {@link lookAtVolatile} before they compare the generation. Absent where there are none. */
  readonly volatile?: VolatileMetrics | undefined;

  /**
   * What is shared beneath: sources of one origin tell the same metadata, so what was learnt from one holds for the others.
   * Absent: sources opened on equal specs do.
   */
  readonly origin?: object;

  /**
   * How often the source was lost and found again: what was fetched before cannot be compared with what comes after. Absent
   * where that cannot happen.
   */
  readonly reconnects?: number;

  /** Changes when names may have got other PMIDs: values fetched by PMIDs of before may belong to other metrics. Absent where they never do. */
  readonly numbering?: number | undefined;

  /** Connect again at once, whatever back-off says. Absent where there is no connection. @see pmReconnectContext(3) */
  reconnect?(): Promise<void>;

  info(): Promise<SourceInfo>;

  /** PMIDs of full dotted names, in order. An unknown name gives PM_ERR_NAME, an interior node PM_ERR_NONLEAF. */
  lookupNames(names: readonly string[]): Promise<readonly NameResult[]>;

  /** All names of a PMID (several when the PMNS has aliases). Throws PM_ERR_PMID for none. @see pmNameAll(3) */
  namesOf(pmid: number): Promise<readonly string[]>;

  /** Children of a node; '' is the root. Throws PM_ERR_NAME for an unknown node. */
  children(prefix: string): Promise<PmnsChildren>;

  /** Full names of all leaves at or below a node, in the source's order; '' is the root. Throws PM_ERR_NAME. */
  traverse(prefix: string): Promise<readonly string[]>;

  describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]>;

  /** The instances of an instance domain, now or `at` a moment. Throws PM_ERR_INDOM. */
  instances(indom: number, at?: Timestamp): Promise<InstanceDomain>;

  /** The labels of one target; no labels is an empty list. Only `instances` gives more than one set. */
  labels(target: LabelTarget, at?: Timestamp): Promise<readonly LabelSet[]>;

  /** Help text; undefined when there is none (PM_ERR_TEXT). */
  helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined>;

  /** Make a fetch ready. Unknown PMIDs are allowed: their value sets will carry PM_ERR_PMID. */
  prepare(pmids: readonly number[]): PreparedFetch;

  /**
   * Fill `into` with one value set per prepared PMID, in order, and the moment of the sample. Values are limited to the
   * instances that `profile` lets through; singular metrics always pass.
   */
  fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void>;

  /** Change a metric's values. Absent where the source cannot. @see pmStore(3) */
  store?(pmid: number, values: FetchResult): Promise<void>;

  /** Finishes work in progress, then closes. */
  close(): Promise<void>;

  /** Closes at once; work in progress fails with `reason`. */
  destroy(reason: Error): void;
}

/**
 * A source with a past and a position in it: an archive. Calls that move the position or fetch are serial; `range` and
 * `batches` leave it alone, and may overlap with everything.
 */
export interface RecordedSource extends MetricSource {
  readonly kind: 'archive';
  readonly archive: RecordedSource;
  readonly position: RecordedPosition;
  label(): RecordedLabel;
  /** The last record's stamp, as of now. @see pmGetArchiveEnd(3) */
  end(): Promise<Timestamp>;
  setMode(change: RecordedModeChange): void;
  /** Take the mode and the position of another source on the same archive: the next fetch is what the other's would be. */
  standLike(other: RecordedSource): void;
  /**
   * The next whole record, marks included. Throws PM_ERR_EOL, PM_ERR_LOGREC once for damage, and PM_ERR_MODE when interpolating.
   * @see pmFetchArchive(3)
   */
  nextRecord(into: FetchResult): Promise<RecordedSample>;
  /** Every instance that ever was. Throws PM_ERR_INDOM_LOG. @see pmGetInDomArchive(3) */
  instancesEver(indom: number): Promise<InstanceDomain>;
  /** When the labels of a target change next after a moment; undefined: never. Absent where they never change. */
  nextLabels?(target: LabelTarget, after: Timestamp): Timestamp | undefined;
  /** When the instances of a domain change next after a moment; undefined: never. Absent where they never change. */
  nextInstances?(indom: number, after: Timestamp): Timestamp | undefined;
  /** The times of a window in which nothing was recorded: from each mark to the next record, as far as they touch the window. */
  interruptions?(
    from: Timestamp,
    to: Timestamp,
    options?: Pick<ReadingOptions, 'signal'>,
  ): Promise<readonly { readonly from: Timestamp; readonly to: Timestamp }[]>;
  /** A reader of interpolated values at moments in ascending order. */
  range(prepared: PreparedFetch, profile: InstanceProfile, options?: InterpolationOptions): ReadMoment;
  /** Records from one moment to another, both included, that hold a prepared metric, and the marks between them. */
  batches(
    prepared: PreparedFetch,
    profile: InstanceProfile,
    from: Timestamp,
    to: Timestamp,
    options?: ReadingOptions,
  ): AsyncIterable<Batch>;
  /** Around which moment which values were recorded; absent where that cannot be said. */
  readonly neighbours?: FindNeighbours;
  /** About how much {@link batches} would give, without reading more than a little of it. */
  estimate?(
    prepared: PreparedFetch,
    profile: InstanceProfile,
    from: Timestamp,
    to: Timestamp,
    options?: Pick<ReadingOptions, 'signal'>,
  ): Promise<RangeEstimate>;
}

/** What a context is to be opened on. A filter leaves what the principal may see. */
export type SourceSpec = { readonly filter?: MetricFilter } & (
  | { readonly kind: 'host'; readonly hostspec: string; readonly username?: string; readonly password?: string }
  | {
      readonly kind: 'archive';
      readonly archive: string;
      /** Opens it in place of the factory: something that is put together of several sources, which `archive` is the key of. */
      readonly open?: (signal?: AbortSignal) => Promise<MetricSource>;
    }
);

/**
 * How contexts come by sources: implemented by the gateway's composition root, the only place that knows them all. The filter of a
 * spec is not its business: the context manager puts that in front of what is opened.
 * Throws a GatewayError (SOURCE_UNREACHABLE, FORBIDDEN, UNKNOWN_ARCHIVE, …) when the source is not available.
 */
export interface SourceFactory {
  /** @param signal aborted when the source is no longer needed: long work may then be cancelled, by throwing its reason */
  open(spec: SourceSpec, signal?: AbortSignal): Promise<MetricSource>;

  /**
   * Whether a spec can come to mean another source while the configuration stays: if not, {@link hasMoved} need not be called.
   * Absent: all of them can.
   */
  canMove?(spec: SourceSpec): boolean;

  /**
   * Whether a spec now means a source of another kind. Never waits: what has to be looked up is known at a later call. Absent if
   * that never happens.
   */
  hasMoved?(spec: SourceSpec, kind: SourceKind): boolean;

  /** Whether the configuration leads a spec elsewhere than when its source was opened, or nowhere. Absent where it never changes. */
  isWithdrawn?(spec: SourceSpec): boolean;

  /**
   * What a spec leads to, as text that is the same at all gateways with this configuration and for all clients. undefined: something that
   * only this gateway has, or nothing.
   */
  placeOf?(spec: SourceSpec): string | undefined;

  /** Whether other gateways of the fleet would open something else: contexts on it end with this one. Absent: never. */
  isOnlyHere?(spec: SourceSpec): boolean;
}
