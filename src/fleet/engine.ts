import type { SharedDocument } from './document.js';

/** The answer to a renewal. What it says was replicated to as many nodes as were required. */
export interface Renewal {
  /** Identifies the node that answered: another one after a failover. */
  readonly epoch: string;
  /** How long that node has answered renewals. */
  readonly ageMs: number;
  /** The document; undefined: it is the one that the renewal named. `damaged`: another program has written to it. */
  readonly document: SharedDocument | 'damaged' | undefined;
  /** All members with a lease, this one included, and what they published with it. */
  readonly members: ReadonlyMap<string, string>;
  /** Whether the engine has no memory for anything new. */
  readonly isFull: boolean;
}

export interface Lease {
  readonly name: string;
  /** What others read with it. */
  readonly value: string;
  readonly ttlMs: number;
}

/** Who may change the record of a context. */
export interface Tenure {
  /** The member that answers for the context. */
  readonly home: string;
  /** How often the context changed its home. */
  readonly takeovers: number;
}

/** The home of contexts that no member answers for alone. */
export const NO_HOME = '';

export interface StoredContext extends Tenure {
  readonly kind: 'open';
  /** Counts the changes of the record. */
  readonly revision: number;
  readonly text: string;
}

/** What is kept of a context for an hour after its end. */
export interface EndedContext {
  readonly kind: 'ended';
  readonly how: string;
}

export type FoundContext = StoredContext | EndedContext | { readonly kind: 'none' };

export interface PutOptions {
  /** Life of the record, unless {@link Engine.touchContexts} prolongs it. */
  readonly ttlMs: number;
  /** Whether to store it where there is none; otherwise `missing` is returned. */
  readonly isNew: boolean;
}

/** A member that is to become the home of a context. */
export interface Adoption {
  readonly id: number;
  /** The tenure that there must be. */
  readonly expected: Tenure;
  readonly home: string;
  /** The node that the new home knows: as {@link Renewal.epoch}. */
  readonly epoch: string;
}

/** The shared store: leases, one document, records of contexts. Operations are atomic, and throw {@link EngineError}. */
export interface Engine {
  readonly documentKey: string;
  /** Takes or renews a lease; returns the document if it has another id. Throws unless a replica has both. */
  renew(lease: Lease, knownId: string): Promise<Renewal>;
  release(name: string): Promise<void>;
  /** Replaces the document with this id at the node of this epoch; `stored` once a replica has it. */
  putDocument(document: SharedDocument, expectedId: string, epoch: string): Promise<'stored' | 'overtaken'>;
  /** What there is of a context, and the node that said so. */
  getContext(id: number): Promise<{ readonly epoch: string; readonly found: FoundContext }>;
  /** Stores a record unless there is a later one; `lost`: it has another home, or ended. Resolves once a replica has it. */
  putContext(
    id: number,
    context: Omit<StoredContext, 'kind'>,
    options: PutOptions,
  ): Promise<'stored' | 'missing' | 'lost'>;
  /** Makes a member the home, if the tenure is this one and its home has no lease. Resolves with what there is then. */
  adoptContext(adoption: Adoption): Promise<FoundContext>;
  /** Replaces the record of a context by how it ended, if the tenure is this one. Resolves once a replica has it. */
  endContext(id: number, tenure: Tenure, how: string): Promise<'ended' | 'lost'>;
  touchContexts(lives: ReadonlyMap<number, number>): Promise<void>;
  /** The text that all members agree on: the first one that any of them proposed. Resolves once a replica has it. */
  secret(proposal: string): Promise<string>;
  /** Sends a message to all members. It may get lost. */
  publish(message: string): void;
  /** Calls `receive` with each message, this member's own included. */
  subscribe(receive: (message: string) => void): void;
  close(): void;
}

/** The engine did not do what it was asked for, or did not say whether it did. */
export class EngineError extends Error {
  override name = 'EngineError';
  /** Whether the operation may have taken effect, or may do so later. */
  readonly mayHaveEffect: boolean;
  /** Whether it has no memory for it. */
  readonly isFull: boolean;

  constructor(message: string, mayHaveEffect: boolean, options: ErrorOptions & { readonly isFull?: boolean } = {}) {
    super(message, options);
    this.mayHaveEffect = mayHaveEffect;
    this.isFull = options.isFull === true;
  }
}

/** For calls that are repeated: what the engine does not do now, it may do later. */
export function ignoreEngineError(error: unknown): undefined {
  if (!(error instanceof EngineError)) throw error;
  return undefined;
}
