import { EMPTY, entryAfter, isSameHead } from './engine.js';
import type { Head, LogEntry, LoggedState } from './engine.js';

/** What the log's entries change: each member has one, and all go through the same states. */
export interface Replica {
  apply(text: string): void;
  /** The whole state, for {@link reset}. */
  state(): string;
  /** Replaces the state; undefined: the one before the first entry. */
  reset(state: string | undefined): void;
}

/** How the engine's log compares with a member's copy. */
export type Comparison =
  /** The log continues the copy, or ends with it. */
  | { readonly kind: 'continues'; readonly entries: readonly LogEntry[] }
  /** The log ends before the copy does: it lost these entries. */
  | { readonly kind: 'lost'; readonly entries: readonly LogEntry[] }
  /** The log lost everything. */
  | { readonly kind: 'empty' }
  /** The copy is too old, or the log holds something else; `isConflict` in the latter case. */
  | { readonly kind: 'other'; readonly isConflict: boolean };

/** What is kept of the applied entries, for a log that lost them. */
const KEPT_ENTRIES = 2000;
const KEPT_CHARACTERS = 8 * 1024 * 1024;

/**
 * A member's copy of the shared log. Entries are applied in order, and only once they are known to be replicated: otherwise clients
 * would see what a failover takes back. Does no I/O.
 */
export class LogCopy {
  readonly #replica: Replica;
  #head: Head = EMPTY;
  /** Applied entries, the last of which is the head; and the place before them. */
  #kept: LogEntry[] = [];
  #base: Head = EMPTY;
  #keptCharacters = 0;
  #sinceSnapshot = { entries: 0, characters: 0 };
  /** Entries after the head, in order, which may not be replicated yet. */
  #pending: LogEntry[] = [];
  /** The last place that is known to be replicated; it may be one that was not read yet. */
  #replicated: Head = EMPTY;

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  /** The last applied entry. */
  get head(): Head {
    return this.#head;
  }

  /** The last entry that was read. */
  get tail(): Head {
    return this.#pending.at(-1) ?? this.#head;
  }

  /** The applied entries since the last snapshot that this member knows of. */
  get sinceSnapshot(): { readonly entries: number; readonly characters: number } {
    return this.#sinceSnapshot;
  }

  /** Whether all entries up to a place are applied. */
  has(head: Head): boolean {
    if (head.version > this.#head.version) return false;
    const known = this.#at(head.version);
    // What is older than the kept entries can no longer be compared.
    return known === undefined ? head.version < this.#base.version : known.hash === head.hash;
  }

  /** Takes an entry that was read. False if it does not follow the others: the log must be loaded again. */
  add(entry: LogEntry): boolean {
    const { tail } = this;
    if (entry.version <= tail.version) {
      const known = this.#pending.find(({ version }) => version === entry.version) ?? this.#at(entry.version);
      return known === undefined || known.hash === entry.hash;
    }
    if (!isSameHead(entryAfter(tail, entry.text), entry)) return false;
    // Its writer had applied those before it.
    this.#applyUpTo(tail);
    this.#pending.push(entry);
    this.#applyUpTo(this.#replicated);
    return true;
  }

  /** Learns that the log is replicated up to a place. */
  confirm(head: Head): void {
    if (head.version < this.#replicated.version) return;
    this.#replicated = head;
    this.#applyUpTo(head);
  }

  /** Forgets the entries that were read and not applied: another node of the engine may not have them. */
  forgetPending(): void {
    this.#pending = [];
    this.#replicated = this.#head;
  }

  compare({ snapshot, entries }: Pick<LoggedState, 'snapshot' | 'entries'>): Comparison {
    const { version, hash } = this.#head;
    const last: Head = entries.at(-1) ?? snapshot ?? EMPTY;
    if (last.version === 0) return version === 0 ? { kind: 'continues', entries } : { kind: 'empty' };
    if (last.version < version) {
      const isOurs = this.#at(last.version)?.hash === last.hash;
      if (!isOurs) return { kind: 'other', isConflict: true };
      return { kind: 'lost', entries: this.#kept.filter((entry) => entry.version > last.version) };
    }
    const same =
      version === 0 ? EMPTY : [...entries, ...(snapshot ? [snapshot] : [])].find((e) => e.version === version);
    if (same && same.hash !== hash) return { kind: 'other', isConflict: true };
    const isAttached = same !== undefined && (version > 0 || snapshot === undefined);
    if (!isAttached) return { kind: 'other', isConflict: false };
    return { kind: 'continues', entries: entries.filter((entry) => entry.version > version) };
  }

  /** Starts over from the engine's log. False if it is damaged: it is applied up to there. */
  reset({ snapshot, entries }: Pick<LoggedState, 'snapshot' | 'entries'>): boolean {
    this.#replica.reset(snapshot?.text);
    this.#head = snapshot ?? EMPTY;
    this.#base = this.#head;
    this.#kept = [];
    this.#keptCharacters = 0;
    this.noteSnapshot();
    this.forgetPending();
    return entries.filter(({ version }) => version > this.#head.version).every((entry) => this.add(entry));
  }

  /** The state at the head, for {@link Engine.putSnapshot}. */
  snapshot(): LogEntry {
    return { ...this.#head, text: this.#replica.state() };
  }

  /** The engine has a snapshot of the state at the head. */
  noteSnapshot(): void {
    this.#sinceSnapshot = { entries: 0, characters: 0 };
  }

  #at(version: number): Head | undefined {
    if (version === this.#base.version) return this.#base;
    return this.#kept[version - this.#base.version - 1];
  }

  #applyUpTo(head: Head): void {
    const index = this.#pending.findIndex((entry) => isSameHead(entry, head));
    for (const entry of this.#pending.splice(0, index + 1)) this.#apply(entry);
  }

  #apply(entry: LogEntry): void {
    this.#replica.apply(entry.text);
    this.#head = { version: entry.version, hash: entry.hash };
    this.#kept.push(entry);
    this.#keptCharacters += entry.text.length;
    this.#sinceSnapshot.entries++;
    this.#sinceSnapshot.characters += entry.text.length;
    while (this.#kept.length > KEPT_ENTRIES || (this.#keptCharacters > KEPT_CHARACTERS && this.#kept.length > 1)) {
      const oldest = this.#kept.shift()!;
      this.#base = { version: oldest.version, hash: oldest.hash };
      this.#keptCharacters -= oldest.text.length;
    }
  }
}
