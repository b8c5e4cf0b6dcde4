import type { AccessControl } from '../access/index.js';
import type { ContextHomes, ContextWork, FleetStatus, Member, Peer } from '../fleet/index.js';
import type { HandedCall, LinkAnswer, OnClose } from '../fleet/link/index.js';
import type { Timers } from '../kit/index.js';
import type { PmError, Timestamp } from '../pmapi/index.js';
import type { ArchivePart } from '../sources/timeline/index.js';
import type { ContextManager } from '../context/index.js';
import type { RangeLimits } from '../context/range/index.js';
import type { StreamHub } from '../context/stream/index.js';
import type { ClientLimits } from './guards/client-limits.js';
import type { OverloadGuard } from './guards/overload/overload-guard.js';
import type { DefinitionStore, GlobalDefinition, DefinitionNotes } from '../derived/index.js';

export type AnsweredRequest = Pick<RequestRecord, 'route' | 'status' | 'durationMs'>;

/** One answered request, for the access log. Of one that could not be read, method and URL are empty. */
export interface RequestRecord {
  readonly method: string;
  /** The path as openapi.yaml writes it (`/pmapi/{context}/fetch`), or `unmatched`: never the path as requested. */
  readonly route: string;
  /** Path and query as requested, cut to 1024 characters, without attributes of hostspecs: those may hold a password. */
  readonly url: string;
  readonly status: number;
  readonly durationMs: number;
  /** Bytes of the body as sent, compressed where it was. */
  readonly sizeBytes: number;
  readonly remoteAddress: string | undefined;
  /** The client's `X-Request-Id`, or one of the gateway's own; the answer tells it. */
  readonly requestId: string;
  /** Of the client's `traceparent`, where it sent one. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly problem?: string;
}

/** A defect of the gateway that a client met; the answer holds nothing of it but the request id. */
export interface DefectRecord
  extends Pick<RequestRecord, 'requestId' | 'route' | 'url'>, Partial<Pick<RequestRecord, 'traceId' | 'spanId'>> {
  readonly error: unknown;
}

export interface AuditRecord extends Pick<RequestRecord, 'method' | 'remoteAddress' | 'requestId' | 'status'> {
  /** The operation's id in openapi.yaml. */
  readonly operation: string;
  /** `user alice`, `token grafana` or `anonymous`. */
  readonly who: string;
  /** What was asked for, each cut to 200 characters; empty when the parameters were not even read. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly code?: string;
}

/** Who wants to know of requests. Called on the hot path: do little. */
export interface HttpObserver {
  /** A request was answered; `record` makes the record of it, now or never. */
  answered?(answered: AnsweredRequest, record: () => RequestRecord): void;
  defect?(record: DefectRecord): void;
  audited?(record: AuditRecord): void;
}

/** How a gateway stands in its fleet: the gateways that share contexts and global derived metrics with it. */
export interface FleetState
  extends Pick<Member, 'isAlone' | 'version' | 'reached' | 'others'>, Pick<ContextHomes, 'isHome'> {
  /** The gateway that requests for a source belong to, by {@link SourceFactory.placeOf}; undefined: this one. */
  owner(place: string | undefined): Peer | undefined;
  /** As {@link ContextHomes.at}. */
  atHome<T extends object>(context: number, work: ContextWork<T>): Promise<T>;
  /** Has another gateway answer a call; undefined if it did not get it. Rejects if it may have, and did not answer. */
  hand(call: HandedCall, to: Peer, onClose: OnClose): Promise<LinkAnswer | undefined>;
}

/** Whether the gateway can serve, for /readyz; `problems` are what it serves only in part. */
export type Readiness =
  | {
      readonly ready: true;
      readonly local?: 'pmcd' | 'embedded';
      readonly cluster?: FleetStatus | undefined;
      readonly problems?: readonly string[];
    }
  | { readonly ready: false; readonly reason: string };

/** The global derived metrics, and how clients change them. */
export interface DerivedRegistration {
  readonly store: DefinitionStore;
  /** Whether clients may change anything; each of the calls below throws FORBIDDEN otherwise. */
  readonly allowMutation: boolean;
  /** Throws as DefinitionStore.register; UNAVAILABLE if it cannot be kept, FORBIDDEN for definitions of files. */
  register(name: string, expression: string, notes?: DefinitionNotes, guard?: ChangeGuard): Promise<GlobalDefinition>;
  /** All definitions of a file's text, or after any error none; once the signal is aborted, none, and its reason is thrown. */
  load(text: string, signal?: AbortSignal, by?: string, guard?: ChangeGuard): Promise<readonly GlobalDefinition[]>;
  /** Throws UNKNOWN_DERIVED, FORBIDDEN for a definition that the gateway's own files give, and what the guard throws. */
  unregister(name: string, guard?: ChangeGuard): Promise<void>;
}

/** Called when the turn of a change has come, just before it is made: refuses it by throwing. */
export type ChangeGuard = () => void;

/** An archive below the configured roots, for listings. */
export interface ListedArchive {
  readonly name: string;
  readonly hostName: string;
  readonly timezone: string;
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly version: number;
  readonly metrics: number;
  readonly sizeBytes: number;
}

export interface ArchiveFilter {
  readonly isSeen: (name: string) => boolean;
  readonly hostName?: string | undefined;
  /** Archives that end before are left out; in seconds since the epoch. */
  readonly start?: number | undefined;
  /** Archives that begin later are left out; in seconds since the epoch. */
  readonly finish?: number | undefined;
  /** So many, of those that end last; all by default. */
  readonly limit?: number | undefined;
}

export interface ArchiveDirectory {
  list(
    filter: ArchiveFilter,
    signal?: AbortSignal,
  ): Promise<{
    readonly archives: readonly ListedArchive[];
    readonly broken: readonly { readonly name: string; readonly error: Error }[];
  }>;
}

/** What the label says about an archive of a host. */
export interface HostArchive {
  readonly name: string;
  readonly origin: ArchivePart['origin'];
  readonly timezone: string;
  readonly start: Timestamp;
}

export interface HostArchiveDirectory {
  /** In order of their start. `reported`: the name by which the host calls itself, if it can be asked. */
  list(
    hostspec: string,
    reported: string | undefined,
    signal?: AbortSignal,
  ): Promise<{
    readonly archives: readonly HostArchive[];
    /** Those that cannot be read, of which only the configuration says that they are the host's. */
    readonly broken: readonly { readonly name: string; readonly error: PmError }[];
  }>;
  overlapping(
    archives: readonly HostArchive[],
    from: Timestamp,
    to: Timestamp,
    signal?: AbortSignal,
  ): Promise<readonly HostArchive[]>;
  /** Open an archive of a list. Throws a PmError. */
  open(archive: HostArchive, signal?: AbortSignal): Promise<ArchivePart>;
}

/** How long the server waits for clients, in milliseconds. */
export interface ServerTimeouts {
  /** For the whole head of a request; 408 beyond. */
  readonly headersMs: number;
  /** For the whole request, body included; 408 beyond. */
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** For a client to take some of its answer. */
  readonly writeMs: number;
}

export interface Guards {
  /** Access control; absent: everything is permitted. */
  readonly access?: AccessControl;
  /** Names that the gateway may be called by, besides addresses and names without a dot; absent: any. */
  readonly hostNames?: readonly string[];
  readonly overload: OverloadGuard;
  readonly clients: ClientLimits;
  /** Origins that may read responses, besides those on localhost: `https://grafana.example.com`. */
  readonly corsOrigins: readonly string[];
  /** The max-age of Strict-Transport-Security, in seconds; 0: no such header. */
  readonly strictTransportSec: number;
  /** Whether clients may store values, and whether with GET. */
  readonly store: { readonly enabled: boolean; readonly allowGet: boolean };
}

export interface Directories {
  readonly archives: ArchiveDirectory;
  readonly hostArchives: HostArchiveDirectory;
  readonly namedHosts: () => readonly string[];
}

export interface RequestLimits {
  /** Longest path and query, in bytes; beyond it 414. */
  readonly urlBytes: number;
  /** Largest request body, in bytes; beyond it 413. */
  readonly bodyBytes: number;
  /** Most list elements in one request; beyond it 413. */
  readonly names: number;
  /** Most values of one response that is no range; beyond it 413. */
  readonly values: number;
  readonly ranges: RangeLimits;
  /** Most entries of one batch; beyond it 413. */
  readonly batch: number;
  /** Most bytes of all answers of one batch together; an entry beyond it is answered 413. */
  readonly batchBytes: number;
  readonly timeouts: ServerTimeouts;
}

/** What the HTTP room works with. All of it is given; nothing is read from the environment. */
export interface HttpOptions {
  readonly contexts: ContextManager;
  /** Absent: clients can list global derived metrics but not change them. */
  readonly derived?: DerivedRegistration;
  readonly streams: StreamHub;
  readonly directories: Directories;
  readonly guards: Guards;
  readonly limits: RequestLimits;
  /** The prefix that a proxy leaves in paths: `/pmgate`; empty: none. */
  readonly basePath: string;
  /** The gateway's version, for OpenTelemetry's scope. */
  readonly version: string;
  readonly observer?: HttpObserver;
  readonly timers: Pick<Timers, 'after'>;
  /** The fleet; absent: the gateway belongs to none. */
  readonly fleet?: FleetState | undefined;
  /** Asked by /readyz. */
  readonly readiness: () => Readiness | Promise<Readiness>;
}
