import type { Timestamp } from '../pmapi/index.js';
import type { ContextManager } from '../context/index.js';
import type { SearchIndexes } from '../search/index.js';
import type { RangeLimits } from '../context/range/index.js';
import type { DefinitionStore, GlobalDefinition } from '../derived/index.js';

/** One answered request, for the access log and the gateway's own metrics. */
export interface RequestRecord {
  readonly method: string;
  /** The path as openapi.yaml writes it (`/pmapi/{context}/fetch`), or `unmatched`: never the path as requested. */
  readonly route: string;
  /** Path and query as requested, cut to 1024 characters. */
  readonly url: string;
  readonly status: number;
  readonly durationMs: number;
  /** Bytes of the body. */
  readonly sizeBytes: number;
  readonly remoteAddress: string | undefined;
}

/** A defect of the gateway that a client met; the answer holds nothing of it but the request id. */
export interface DefectRecord {
  readonly requestId: string;
  readonly route: string;
  readonly url: string;
  readonly error: unknown;
}

/** Who wants to know of requests. Called on the hot path: do little. */
export interface HttpObserver {
  /** Whether `answered` wants records at all; without it requests are not timed. */
  answered?(record: RequestRecord): void;
  defect?(record: DefectRecord): void;
}

/** Whether the gateway can serve, for /readyz, and what local hostspecs reach; `reason` is shown when it cannot. */
export type Readiness =
  { readonly ready: true; readonly local?: 'pmcd' | 'embedded' } | { readonly ready: false; readonly reason: string };

/** The global derived metrics, and how clients change them. */
export interface DerivedRegistration {
  readonly store: DefinitionStore;
  /** Whether clients may change anything; each of the calls below throws FORBIDDEN otherwise. */
  readonly allowMutation: boolean;
  /** The same definition again changes nothing. Throws as DefinitionStore.register, and UNAVAILABLE when it cannot be kept. */
  register(name: string, expression: string): Promise<GlobalDefinition>;
  /** All definitions of a file's text, or after any error none. */
  load(text: string): Promise<readonly GlobalDefinition[]>;
  /** Throws UNKNOWN_DERIVED, and FORBIDDEN for a definition that the gateway's own files give. */
  unregister(name: string): Promise<void>;
}

/** An archive below the configured roots, for listings. */
export interface ListedArchive {
  /** The name to open it by. */
  readonly name: string;
  readonly hostName: string;
  readonly timezone: string;
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly version: number;
  readonly metrics: number;
  readonly sizeBytes: number;
}

/** What archives there are. */
export interface ArchiveListing {
  list(): Promise<{
    readonly archives: readonly ListedArchive[];
    readonly broken: readonly { readonly name: string; readonly error: Error }[];
  }>;
}

/** What the HTTP room needs to know. All of it is given; nothing is read from the environment. */
export interface HttpOptions {
  readonly contexts: ContextManager;
  /** Absent: clients can list global derived metrics but not change them. */
  readonly derived?: DerivedRegistration;
  /** Absent: there are no archives. */
  readonly archives?: ArchiveListing;
  /** Absent: nothing is searched. */
  readonly search?: SearchIndexes;
  /** What one range may ask for; built-in limits when absent. */
  readonly ranges?: RangeLimits;
  readonly limits: {
    /** Longest path and query, in bytes; beyond it 414. */
    readonly urlBytes: number;
    /** Largest request body, in bytes; beyond it 413. */
    readonly bodyBytes: number;
    /** Most list elements in one request; beyond it 413. */
    readonly names: number;
  };
  /** Whether clients may store values, and whether they may with GET; absent, they may not. */
  readonly store?: { readonly enabled: boolean; readonly allowGet: boolean };
  readonly cors: {
    /** Origins that may read answers, besides those on localhost: `https://grafana.example.com`. */
    readonly origins: readonly string[];
  };
  /** The gateway's version, for OpenTelemetry's scope. */
  readonly version: string;
  readonly observer?: HttpObserver;
  /** Asked by /readyz; without it the gateway is always ready. */
  readonly readiness?: () => Readiness | Promise<Readiness>;
}
