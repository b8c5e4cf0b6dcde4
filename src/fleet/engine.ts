import { createHash } from 'node:crypto';
import type { Timestamp } from '../pmapi/index.js';

/** A place in the shared log: the number of entries up to it, and a hash over all of them. */
export interface Head {
  readonly version: number;
  readonly hash: string;
}

/** One entry of the shared log; versions are consecutive, from 1 on. */
export interface LogEntry extends Head {
  readonly text: string;
}

/** The head of an empty log. */
export const EMPTY: Head = { version: 0, hash: '' };

/** The entry that follows `head` with this text. */
export function entryAfter(head: Head, text: string): LogEntry {
  const hash = createHash('sha256').update(head.hash).update('\n').update(text).digest('base64url');
  return { version: head.version + 1, hash, text };
}

/** Whether two heads are the same place of the same log. */
export function isSameHead(one: Head, other: Head): boolean {
  return one.version === other.version && one.hash === other.hash;
}

/** What the engine holds of the log: a snapshot of the state at some version, if there is one, and the entries that are kept. */
export interface LoggedState {
  /** As {@link Renewal.epoch}. */
  readonly epoch: string;
  readonly snapshot: LogEntry | undefined;
  readonly entries: readonly LogEntry[];
}

/** The answer to a renewal. It was written to as many nodes as were required. */
export interface Renewal {
  /** Identifies the node that answered: another one after a failover. */
  readonly epoch: string;
  /** The head of the log after the lease was written: every entry up to it has been replicated, too. */
  readonly head: Head;
  /** All members with a lease, this one included, and what they published with it. */
  readonly members: ReadonlyMap<string, string>;
}

/** A lease to be renewed. */
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

/** The record of an open context. */
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

/** What the engine has of a context. */
export type FoundContext = StoredContext | EndedContext | { readonly kind: 'none' };

/** How a record is stored. */
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

/** A sample that a group of a stream sent. */
export interface JournalEntry {
  readonly id: Timestamp;
  /** The event. */
  readonly text: string;
  /** Whether it can be understood on its own; changes cannot. */
  readonly isFull: boolean;
}

/** An entry for a journal. */
export interface JournalAppend {
  /** The group that claimed the journal. */
  readonly writer: string;
  readonly entry: JournalEntry;
  /** How long the entry is kept: by the ids of entries, and the journal after its last one. */
  readonly lifeMs: number;
  /** The entry before it. Unless that is the last one of the journal, all go: some are missing. */
  readonly after: Timestamp | undefined;
}

/**
 * The shared store, as the few operations that a fleet needs of it. Every operation is atomic at the node that executes it. All of
 * them throw {@link EngineError} when the engine does not answer.
 */
export interface Engine {
  /** Takes or renews a lease. Throws unless a replica has it: a node that is cut off from the others renews nothing. */
  renew(lease: Lease): Promise<Renewal>;
  /** Gives a lease back. */
  release(name: string): Promise<void>;
  /**
   * Appends an entry if the log ends at `head`, and the node is the one of the epoch. Resolves with `appended` once a replica has
   * it.
   */
  append(entry: LogEntry, head: Head, epoch: string): Promise<'appended' | 'overtaken'>;
  /** The whole log. */
  load(): Promise<LoggedState>;
  /** The entries after a version. Waits for one, but not forever: may resolve with none. */
  read(after: number): Promise<readonly LogEntry[]>;
  /** Stores the state at a version in place of the entries before it. Does nothing unless the log is empty or has that version. */
  putSnapshot(snapshot: LogEntry): Promise<void>;
  /** What there is of a context, and the node that said so. */
  getContext(id: number): Promise<{ readonly epoch: string; readonly found: FoundContext }>;
  /**
   * Stores the record of a context, unless there is a later one. `lost`: the context has another home, or has ended. Resolves once a
   * replica has it.
   */
  putContext(
    id: number,
    context: Omit<StoredContext, 'kind'>,
    options: PutOptions,
  ): Promise<'stored' | 'missing' | 'lost'>;
  /**
   * Makes a member the home of a context, if the tenure is the expected one, its home has no lease (or is that member itself), and the
   * node is the one of the epoch. Resolves with what there is afterwards, once a replica has it.
   */
  adoptContext(adoption: Adoption): Promise<FoundContext>;
  /** Replaces the record of a context by how it ended, if the tenure is this one. Resolves once a replica has it. */
  endContext(id: number, tenure: Tenure, how: string): Promise<'ended' | 'lost'>;
  /** Prolongs the life of records. */
  touchContexts(lives: ReadonlyMap<number, number>): Promise<void>;
  /** The text that all members agree on: the first one that any of them proposed. Resolves once a replica has it. */
  secret(proposal: string): Promise<string>;
  /**
   * Makes a group of streams the only one that may append to a journal; without a writer, it changes nothing. Resolves with the entries,
   * oldest first.
   */
  claimJournal(journal: string, writer: string | undefined, lifeMs: number): Promise<readonly JournalEntry[]>;
  /**
   * Appends to a journal, without waiting for a replica. `refused`: another group claimed it since, or the id is not later than the
   * last one.
   */
  appendJournal(journal: string, append: JournalAppend): Promise<'appended' | 'refused'>;
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

  constructor(message: string, mayHaveEffect: boolean, options?: ErrorOptions) {
    super(message, options);
    this.mayHaveEffect = mayHaveEffect;
  }
}
