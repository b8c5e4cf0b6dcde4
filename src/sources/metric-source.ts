import type {
  FetchResult,
  InstanceDomain,
  LabelSet,
  LabelTarget,
  MetricDescriptor,
  PmError,
  Timestamp,
} from '../pmapi/index.js';
import { globMatcher } from '../kit/index.js';
import type { InstanceProfile } from './profile.js';
import type { Batch, RecordedSample, FindNeighbours } from './batch.js';

/** A pmcd, PCP archives, or the collector inside this process. */
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

/** A source's facts about itself; `hostName` is the name that it reports. */
export interface SourceInfo {
  readonly kind: SourceKind;
  readonly hostName: string;
  /** POSIX TZ string of the source's time zone, when known. */
  readonly timezone?: string;
  readonly start?: Timestamp;
  readonly end?: Timestamp;
}

/** A prepared fetch: PMIDs, and the source's data (a PDU, files). Valid for sources of the same origin and `generation`. */
export interface PreparedFetch {
  readonly pmids: readonly number[];
}

/** Metrics that may change without the source's generation, as in applications' files. Looking takes time: only on demand. */
export interface VolatileMetrics {
  /** Whether a name, PMNS node ('' is the root), PMID or instance domain may be or have such. */
  covers(subject: string | number): boolean;
  /** Looks for changes, which increase the generation. Repeated in one turn of the event loop, it costs nothing. */
  look(): void;
}

/** Makes the source look at volatile subjects before a cache is used. */
export function lookAtVolatile(
  { volatile }: Pick<MetricSource, 'volatile'>,
  subjects: readonly (string | number)[],
): void {
  if (volatile && subjects.some((subject) => volatile.covers(subject))) volatile.look();
}

/**
 * THE SEAM: any source of metrics; one object per context, costly parts shared beneath. A failed request throws a PmError; errors of single
 * metrics are data (NameResult, DescriptorResult, `status`). Calls may overlap, live fetches too (each with its own `into`), so sources
 * keep no scratch across an await. Fetches of an archive move its position: the context makes those serial. `at` asks an archive for
 * metadata of a moment; live sources ignore it.
 */
export interface MetricSource {
  readonly kind: SourceKind;
  /** The source itself, if it is an archive: fetches move its position, and metadata depends on the moment. */
  readonly archive?: RecordedSource;
  /** Changes when any metadata may have changed: caches and prepared fetches compare it before use. */
  readonly generation: number;
  /** Metrics that need {@link lookAtVolatile} before generations are compared. */
  readonly volatile?: VolatileMetrics | undefined;
  /** Equal for sources with the same metadata, which caches share. Absent: equal specs have it. */
  readonly origin?: object;
  /** How often the source was lost and found again: earlier values cannot be compared. Absent if impossible. */
  readonly reconnects?: number;
  /** Changes when names may have new PMIDs: earlier PMIDs may belong to other metrics. Absent if impossible. */
  readonly numbering?: number | undefined;
  /** Reconnects at once, whatever back-off says. @see pmReconnectContext(3) */
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
  /** Prepares a fetch. Value sets of unknown PMIDs get PM_ERR_PMID. */
  prepare(pmids: readonly number[]): PreparedFetch;
  /** Fills a value set per prepared PMID, in order, and the sample's time. `profile` limits instances; singular metrics pass. */
  fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void>;
  /** Changes a metric's values. Absent if impossible. @see pmStore(3) */
  store?(pmid: number, values: FetchResult): Promise<void>;
  /** Finishes work in progress, then closes. */
  close(): Promise<void>;
  /** Closes at once; work in progress fails with `reason`. */
  destroy(reason: Error): void;
}

/** A source with a past and a position. Calls that move or fetch are serial; `range` and `batches` may overlap with all. */
export interface RecordedSource extends MetricSource {
  readonly kind: 'archive';
  readonly archive: RecordedSource;
  readonly position: RecordedPosition;
  label(): RecordedLabel;
  /** The last record's stamp, as of now. @see pmGetArchiveEnd(3) */
  end(): Promise<Timestamp>;
  setMode(change: RecordedModeChange): void;
  /** Takes the mode and position of another source on the same archive. */
  standLike(other: RecordedSource): void;
  /** The next record, marks included. Throws PM_ERR_EOL, PM_ERR_LOGREC once for damage, PM_ERR_MODE. @see pmFetchArchive(3) */
  nextRecord(into: FetchResult): Promise<RecordedSample>;
  /** Every instance that ever was. Throws PM_ERR_INDOM_LOG. @see pmGetInDomArchive(3) */
  instancesEver(indom: number): Promise<InstanceDomain>;
  /** When the labels of a target change next after a moment; undefined: never. Absent where they never change. */
  nextLabels?(target: LabelTarget, after: Timestamp): Timestamp | undefined;
  /** When the instances of a domain change next after a moment; undefined: never. Absent where they never change. */
  nextInstances?(indom: number, after: Timestamp): Timestamp | undefined;
  /** The times of a window without recording: from each mark to the next record. */
  readonly interruptions?: FindInterruptions;
  /** A reader of interpolated values at moments in ascending order. */
  range(prepared: PreparedFetch, profile: InstanceProfile, options?: InterpolationOptions): ReadMoment;
  /** Records from one moment to another, both included, that hold a prepared metric, and the marks between them. */
  batches(prepared: PreparedFetch, ...window: ReadWindow): AsyncIterable<Batch>;
  /** Finds recorded values around moments; absent if impossible. */
  readonly neighbours?: FindNeighbours;
  /** Estimates {@link batches}, reading only a little. */
  readonly estimate?: EstimateRange;
}

/** What is read: instances, and all from one moment to another. */
export type ReadWindow = [profile: InstanceProfile, from: Timestamp, to: Timestamp, options?: ReadingOptions];

export type FindInterruptions = (
  from: Timestamp,
  to: Timestamp,
  options?: Pick<ReadingOptions, 'signal'>,
) => Promise<readonly { readonly from: Timestamp; readonly to: Timestamp }[]>;

export type EstimateRange = (prepared: PreparedFetch, ...window: ReadWindow) => Promise<RangeEstimate>;

/** The source of a context. The filter is the principal's. */
export type SourceSpec = { readonly filter?: MetricFilter } & (
  | { readonly kind: 'host'; readonly hostspec: string; readonly username?: string; readonly password?: string }
  | {
      readonly kind: 'archive';
      readonly archive: string;
      /** Opens a combination of several sources, with the key `archive`, in place of the factory. */
      readonly open?: (signal?: AbortSignal) => Promise<MetricSource>;
    }
);

/** Opens sources for contexts, which apply filters themselves. Throws a GatewayError (SOURCE_UNREACHABLE, FORBIDDEN, UNKNOWN_ARCHIVE, …). */
export interface SourceFactory {
  /** Throws the signal's reason. */
  open(spec: SourceSpec, signal?: AbortSignal): Promise<MetricSource>;
  /** Whether a spec can come to mean another source without a new configuration, see {@link hasMoved}. Absent: all can. */
  canMove?(spec: SourceSpec): boolean;
  /** Whether a spec now means another kind of source. Never waits: look-ups count at a later call. Absent: never. */
  hasMoved?(spec: SourceSpec, kind: SourceKind): boolean;
  /** Whether a spec means another source, or none, in the present configuration. Absent: never. */
  isWithdrawn?(spec: SourceSpec): boolean;
  /** The spec's source as text, equal at all gateways with this configuration; undefined for a source of this gateway only. */
  placeOf?(spec: SourceSpec): string | undefined;
  /** Whether other gateways of the fleet would open something else. Absent: never. */
  isOnlyHere?(spec: SourceSpec): boolean;
}

/** Record by record, or by interpolated values at equal intervals. @see pmSetMode(3) */
export type RecordedMode = 'forward' | 'backward' | 'interp';

/** The state of a context on an archive. */
export interface RecordedPosition {
  readonly mode: RecordedMode;
  /** The moment that the next fetch starts from, and that metadata refers to. */
  readonly time: Timestamp;
  /** Seconds between two interpolated fetches; negative goes back in time. */
  readonly intervalSec: number;
  /** The record at that moment was fetched: the next fetch takes the one behind it. */
  readonly isRead?: boolean;
}

/** Omitted members stay. @see pmSetMode(3) */
export interface RecordedModeChange {
  readonly mode: RecordedMode;
  readonly time?: Timestamp | undefined;
  readonly intervalSec?: number | undefined;
}

/** An archive's label. @see pmGetArchiveLabel(3) */
export interface RecordedLabel {
  readonly version: number;
  readonly hostName: string;
  readonly timezone: string;
  readonly zoneinfo: string;
}

export interface ReadingOptions {
  /** Stops reading within a turn of the event loop, by throwing the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with damage that caused missing values; may repeat. */
  readonly onDamage?: ((damage: PmError) => void) | undefined;
}

/** How values between records are made. */
export interface InterpolationOptions extends ReadingOptions {
  /** Counters that go down have wrapped, as with PCP_COUNTER_WRAP; else they lie on a falling line. */
  readonly wrap?: boolean | undefined;
}

/** Approximate content of a range for the requested metrics. */
export interface RangeEstimate {
  readonly records: number;
  /** Their values of the profile's instances. */
  readonly values: number;
}

/** Reads the values at a moment, at once if possible, else a promise. Throws or rejects with PM_ERR_EOL outside of the source. */
export type ReadMoment = ((time: Timestamp, into: FetchResult) => void | Promise<void>) & {
  /** The first of the next moments, as many as can be read in blocks; undefined without any. They may be read one by one instead. */
  readonly block?: (times: readonly Timestamp[]) => Batch | undefined;
};

/** Which metrics a principal may see, by name. Filters with equal keys decide alike. */
export interface MetricFilter {
  /** Identifies the filter: what was learnt through one filter holds for all with its key. */
  readonly key: string;
  allows(name: string): boolean;
}

/** One rule about metric names: those that match any of `allow` and none of `deny`. */
export interface MetricRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Globs over names: `kernel.*`, `*.util`, `!proc.*` (excluded). `*` includes dots; a name its subtree; exclusions alone all else. */
export function metricRule(globs: readonly string[]): MetricRule {
  const deny = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const allow = globs.filter((glob) => !glob.startsWith('!'));
  return { allow: allow.length === 0 && deny.length > 0 ? ['*'] : allow, deny };
}

/** A filter by any of several rules; undefined if one of them allows everything. */
export function metricFilter(rules: readonly MetricRule[]): MetricFilter | undefined {
  if (rules.some(({ allow, deny }) => allow.includes('*') && deny.length === 0)) return undefined;
  const compiled = rules.map(({ allow, deny }) => ({ allow: matcher(allow), deny: matcher(deny) }));
  return {
    key: JSON.stringify(rules.map(({ allow, deny }) => [[...allow].sort(), [...deny].sort()])),
    allows: (name) => compiled.some(({ allow, deny }) => allow(name) && !deny(name)),
  };
}

function matcher(globs: readonly string[]): (name: string) => boolean {
  const patterns = globs.map(globMatcher);
  // A plain name stands for its whole subtree.
  const subtrees = globs.filter((glob) => !glob.includes('*')).map((glob) => `${glob}.`);
  return (name) => patterns.some((matches) => matches(name)) || subtrees.some((subtree) => name.startsWith(subtree));
}
