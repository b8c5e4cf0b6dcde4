import type { Timers } from '../kit/index.js';
import type { Timestamp } from '../pmapi/index.js';
import { EngineError } from './engine.js';
import type { Engine, JournalEntry } from './engine.js';
import type { Member } from './member.js';

/** What journals are made from. */
export interface StreamJournalsOptions {
  readonly engine: Pick<Engine, 'claimJournal' | 'appendJournal'>;
  readonly member: Pick<Member, 'id' | 'isAlone' | 'status'>;
  readonly timers: Timers;
  /** What the journals of all members together may take. */
  readonly bytes: number;
}

/** How long the engine keeps an entry. */
const LIFE_MS = 10_000;
/** How long nothing is written after the engine failed. */
const RETRY_MS = 1000;
/** How long a group stands in for a member that cannot be reached, until its clients try again: the lease of that member would be over. */
const STAND_IN_MS = 3000;
/** The size of an entry besides its text. */
const ENTRY_BYTES = 160;
/** Entries that the engine has not answered for; beyond it, it is too slow to keep journals. */
const MOST_UNANSWERED_BYTES = 8 * 1024 * 1024;

/**
 * The journals of the streams of this member: what a group sent in the last ten seconds, for the member that continues it. They
 * are kept as far as there is room: a journal with a hole in it begins again.
 */
export class StreamJournals {
  readonly #options: StreamJournalsOptions;
  /** What the engine keeps of this member, oldest first. */
  #kept: { readonly untilMs: number; readonly bytes: number }[] = [];
  #bytes = 0;
  #unanswered = 0;
  /** Distinguishes groups of one member that follow one another. */
  #writers = 0;

  constructor(options: StreamJournalsOptions) {
    this.#options = options;
  }

  /** What is kept, about. */
  get bytes(): number {
    this.#sweep();
    return this.#bytes;
  }

  /** Goes on with the journal of a group. A group that wrote it before is refused from now on. */
  open(group: JournaledGroup): StreamJournal {
    const writer = `${this.#options.member.id} ${this.#writers++}`;
    return new StreamJournal({ ...this.#options, ...group, writer }, (bytes) => this.#admit(bytes));
  }

  /** Takes room for an entry; undefined if there is none, otherwise what is called when the engine has answered. */
  #admit(textBytes: number): (() => void) | undefined {
    const { member, timers, bytes } = this.#options;
    const size = textBytes + ENTRY_BYTES;
    this.#sweep();
    const isFull = this.#bytes + size > bytes / Math.max(1, member.status.members);
    if (isFull || this.#unanswered + size > MOST_UNANSWERED_BYTES) return undefined;
    this.#kept.push({ untilMs: timers.nowMs() + LIFE_MS, bytes: size });
    this.#bytes += size;
    this.#unanswered += size;
    return () => (this.#unanswered -= size);
  }

  #sweep(): void {
    const nowMs = this.#options.timers.nowMs();
    const first = this.#kept.findIndex(({ untilMs }) => untilMs > nowMs);
    const gone = this.#kept.splice(0, first === -1 ? this.#kept.length : first);
    for (const { bytes } of gone) this.#bytes -= bytes;
  }
}

/** A group of streams that has a journal. */
export interface JournaledGroup {
  /** The same at all members, at most 64 characters. */
  readonly key: string;
  /** The member that the source belongs to; undefined: this one. For another one, which cannot be reached, the group only stands in. */
  readonly owner: () => string | undefined;
  /** Called once, when another member continues the group, or has to. */
  readonly onDeposed: () => void;
}

type JournalOptions = StreamJournalsOptions & JournaledGroup & { readonly writer: string };

/** The journal of one group. */
export class StreamJournal {
  /** What the group sent before, at this member or another one, oldest first. Never rejects. */
  readonly before: Promise<readonly JournalEntry[]>;
  readonly #options: JournalOptions;
  readonly #admit: (bytes: number) => (() => void) | undefined;
  /** The last entry; undefined: some are missing since, so that the journal begins again with the next one. */
  #last: Timestamp | undefined;
  #owner: string | undefined;
  readonly #standsInUntilMs: number;
  #pausedUntilMs = -Infinity;
  #isClosed = false;

  constructor(options: JournalOptions, admit: (bytes: number) => (() => void) | undefined) {
    this.#options = options;
    this.#admit = admit;
    this.#owner = options.owner();
    this.#standsInUntilMs = options.timers.nowMs() + STAND_IN_MS;
    this.before = this.#claim();
  }

  /** Keeps an entry, if possible. Nothing waits for it. */
  append(entry: JournalEntry): void {
    const { engine, key, writer, member, timers } = this.#options;
    if (this.#isClosed || this.#standsIn()) return;
    const isPaused = member.isAlone || timers.nowMs() < this.#pausedUntilMs;
    const answered = isPaused ? undefined : this.#admit(entry.text.length);
    if (!answered) {
      this.#skip(isPaused ? 0 : LIFE_MS);
      return;
    }
    const after = this.#last;
    this.#last = entry.id;
    engine
      .appendJournal(key, { writer, entry, lifeMs: LIFE_MS, after })
      .then(
        (outcome) => {
          if (outcome === 'refused') this.#depose();
        },
        (error: unknown) => {
          if (!(error instanceof EngineError)) throw error;
          this.#skip(RETRY_MS);
        },
      )
      .finally(answered);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Whether the samples are another member's to keep. Ends the group when it has to be elsewhere. */
  #standsIn(): boolean {
    const owner = this.#options.owner();
    if (owner === undefined && this.#owner === undefined) return false;
    const isOver = owner !== this.#owner || this.#options.timers.nowMs() >= this.#standsInUntilMs;
    this.#owner = owner;
    if (owner !== undefined) {
      if (isOver) this.#depose();
      return true;
    }
    // What was sent so far is in no journal.
    void this.#claim();
    return false;
  }

  async #claim(): Promise<readonly JournalEntry[]> {
    const { engine, key, writer, member } = this.#options;
    if (member.isAlone) return [];
    try {
      return await engine.claimJournal(key, this.#owner === undefined ? writer : undefined, LIFE_MS);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return [];
    }
  }

  /** An entry is missing. What there is before it is of no use. */
  #skip(pauseMs: number): void {
    this.#last = undefined;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#options.timers.nowMs() + pauseMs);
  }

  #depose(): void {
    if (this.#isClosed) return;
    this.close();
    this.#options.onDeposed();
  }
}
