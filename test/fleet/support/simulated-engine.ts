import { EMPTY, EngineError, isSameHead } from '../../../src/fleet/engine.js';
import type {
  Adoption,
  Engine,
  FoundContext,
  Head,
  JournalAppend,
  JournalEntry,
  Lease,
  LogEntry,
  LoggedState,
  PutOptions,
  Renewal,
  StoredContext,
  Tenure,
} from '../../../src/fleet/engine.js';
import { addSeconds, compareTimestamps } from '../../../src/pmapi/index.js';
import type { Random, SimulatedProcess, VirtualTime } from './virtual-time.js';

/** How long a command may take before its client gives up, and how long a read waits for an entry. */
const COMMAND_MS = 1000;
const READ_MS = 800;
const ENTRIES_BEHIND_SNAPSHOT = 5;
const ENDS_KEPT_MS = 3_600_000;
const JOURNAL_MS = 10_000;

/** What one node of the engine holds. */
class Store {
  readonly leases = new Map<string, { readonly value: string; readonly untilMs: number }>();
  log: LogEntry[] = [];
  snapshot: LogEntry | undefined;
  readonly contexts = new Map<number, { readonly found: FoundContext; readonly untilMs: number }>();

  secret: string | undefined;
  readonly journals = new Map<string, { writer: string; entries: readonly JournalEntry[]; untilMs: number }>();

  get head(): Head {
    const { version, hash } = this.log.at(-1) ?? this.snapshot ?? EMPTY;
    return { version, hash };
  }
}

/** One write: it has the same effect at each node. */
type Write = (store: Store) => void;

interface Replica {
  /** How many writes it has. */
  applied: number;
  /** When it has the last of them that is under way. */
  untilMs: number;
}

/**
 * The engine in memory, in virtual time: a primary with two replicas that follow it after a while. The primary can fail; then the
 * replica that has most takes over, and what no replica had is lost.
 */
export class SimulatedEngine {
  readonly #time: VirtualTime;
  readonly #random: Random;
  #writes: Write[] = [];
  #store = new Store();
  #replicas: Replica[] = [
    { applied: 0, untilMs: 0 },
    { applied: 0, untilMs: 0 },
  ];
  #epoch = 1;
  #isUp = true;
  /** The clock of the node, compared with the time. */
  #skewMs = 0;
  /** Called when a replica got further. */
  #waiters: { readonly offset: number; readonly done: (isReplicated: boolean) => void }[] = [];
  #readers: (() => void)[] = [];
  readonly #subscribers: { readonly process: SimulatedProcess; readonly receive: (message: string) => void }[] = [];
  readonly #cut = new Set<SimulatedProcess>();
  /** Replication is this much slower than usual. */
  lagMs = 1;
  /** The share of messages and answers that get lost. */
  lossRate = 0.01;

  readonly #isHasty: boolean;

  /** @param isHasty answers before a replica has what was written */
  constructor(time: VirtualTime, random: Random, isHasty = false) {
    this.#time = time;
    this.#random = random;
    this.#isHasty = isHasty;
  }

  /** Cuts a process off, or lets it back. */
  setCut(process: SimulatedProcess, isCut: boolean): void {
    if (isCut) this.#cut.add(process);
    else this.#cut.delete(process);
  }

  /** The primary dies; a replica takes over after a while. */
  failOver(silenceMs: number): void {
    if (!this.#isUp) return;
    this.#goDown();
    this.#time.after(silenceMs, () => {
      const applied = Math.max(...this.#replicas.map((replica) => replica.applied));
      this.#writes.length = applied;
      this.#comeUp();
    });
  }

  /** All nodes die, and come back with nothing. */
  loseEverything(silenceMs: number): void {
    if (!this.#isUp) return;
    this.#goDown();
    this.#time.after(silenceMs, () => {
      this.#writes = [];
      this.#comeUp();
    });
  }

  #goDown(): void {
    this.#isUp = false;
    this.#epoch++;
    for (const { done } of this.#waiters.splice(0)) done(false);
    for (const wake of this.#readers.splice(0)) wake();
  }

  #comeUp(): void {
    this.#store = new Store();
    for (const write of this.#writes) write(this.#store);
    this.#skewMs = this.#random.between(-100, 100);
    const applied = this.#writes.length;
    for (const replica of this.#replicas) {
      // Each has to load everything first.
      replica.applied = Math.min(replica.applied, applied);
      replica.untilMs = this.#time.nowMs + this.#random.between(50, 400);
      this.#time.at(replica.untilMs, () => this.#replicated(replica, applied, this.#epoch));
    }
    this.#isUp = true;
  }

  /** A connection for a process. */
  connect(process: SimulatedProcess): Engine {
    const call = <T>(execute: () => Promise<T> | T): Promise<T> => this.#call(process, execute);
    return {
      renew: (lease: Lease) => call(() => this.#renew(lease)),
      release: (name) => call(() => void this.#write((store) => store.leases.delete(name))),
      append: (entry, head, epoch) => call(() => this.#append(entry, head, epoch)),
      load: () => call(() => this.#load()),
      read: (after) => call(() => this.#read(after)),
      putSnapshot: (snapshot) => call(() => this.#putSnapshot(snapshot)),
      getContext: (id) => call(() => ({ epoch: String(this.#epoch), found: this.#contextOf(id) })),
      putContext: (id, context, options) => call(() => this.#putContext(id, context, options)),
      adoptContext: (adoption) => call(() => this.#adoptContext(adoption)),
      endContext: (id, tenure, how) => call(() => this.#endContext(id, tenure, how)),
      touchContexts: (lives) => call(() => this.#touchContexts(lives)),
      secret: (proposal) => call(() => this.#secret(proposal)),
      claimJournal: (journal, writer) => call(() => this.#claimJournal(journal, writer)),
      appendJournal: (journal, append) => call(() => this.#appendJournal(journal, append)),
      publish: (message) => this.#publish(process, message),
      subscribe: (receive) => void this.#subscribers.push({ process, receive }),
      close: () => undefined,
    };
  }

  /** One command: it arrives, is executed, and answered. Each way it may get lost. */
  #call<T>(process: SimulatedProcess, execute: () => Promise<T> | T): Promise<T> {
    return new Promise((resolve, reject) => {
      let isDone = false;
      const finish = (run: () => void): void => {
        if (isDone) return;
        isDone = true;
        stopWaiting();
        process.deliver(run);
      };
      const fail = (message: string, mayHaveEffect: boolean): void => {
        if (!isDone) finish(() => reject(new EngineError(message, mayHaveEffect)));
      };
      const stopWaiting = this.#time.after(COMMAND_MS, () => fail('the engine does not answer', true));
      if (this.#isLost(process)) return;
      this.#time.after(this.#delayMs(), () => {
        if (!this.#isUp) {
          fail('there is no connection to the engine', false);
          return;
        }
        const epoch = this.#epoch;
        Promise.resolve()
          .then(execute)
          .then(
            (value) => {
              if (epoch !== this.#epoch) fail('the connection to the engine was lost', true);
              else if (!this.#isLost(process)) this.#time.after(this.#delayMs(), () => finish(() => resolve(value)));
            },
            (error: unknown) => finish(() => reject(error instanceof Error ? error : new Error(String(error)))),
          );
      });
    });
  }

  #isLost(process: SimulatedProcess): boolean {
    return this.#cut.has(process) || this.#random.isTrue(this.lossRate);
  }

  #delayMs(): number {
    return this.#random.isTrue(0.02) ? this.#random.between(20, 300) : this.#random.between(0.1, 2);
  }

  #write(write: Write): number {
    this.#writes.push(write);
    write(this.#store);
    const offset = this.#writes.length;
    for (const replica of this.#replicas) {
      const untilMs = Math.max(replica.untilMs, this.#time.nowMs + this.#random.between(0.2, 2) * this.lagMs);
      replica.untilMs = untilMs;
      const epoch = this.#epoch;
      this.#time.at(untilMs, () => this.#replicated(replica, offset, epoch));
    }
    return offset;
  }

  #replicated(replica: Replica, offset: number, epoch: number): void {
    if (epoch !== this.#epoch) return;
    replica.applied = Math.max(replica.applied, offset);
    const ready = this.#waiters.filter((waiter) => waiter.offset <= replica.applied);
    if (ready.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter.offset > replica.applied);
    for (const { done } of ready) done(true);
  }

  async #wait(offset: number): Promise<void> {
    if (this.#isHasty) return;
    const isReplicated = await new Promise<boolean>((done) => {
      const stopWaiting = this.#time.after(COMMAND_MS / 2, () => done(false));
      this.#waiters.push({
        offset,
        done: (isDone) => {
          stopWaiting();
          done(isDone);
        },
      });
    });
    if (!isReplicated) throw new EngineError('no replica has it', true);
  }

  async #renew({ name, value, ttlMs }: Lease): Promise<Renewal> {
    const nowMs = this.#time.nowMs + this.#skewMs;
    const offset = this.#write((store) => {
      for (const [other, { untilMs }] of store.leases) if (untilMs <= nowMs) store.leases.delete(other);
      store.leases.set(name, { value, untilMs: nowMs + ttlMs });
    });
    const { head, leases } = this.#store;
    const members = new Map([...leases].map(([member, lease]) => [member, lease.value]));
    const epoch = String(this.#epoch);
    await this.#wait(offset);
    return { epoch, head, members };
  }

  async #append(entry: LogEntry, head: Head, epoch: string): Promise<'appended' | 'overtaken'> {
    if (epoch !== String(this.#epoch) || !isSameHead(this.#store.head, head)) return 'overtaken';
    const offset = this.#write((store) => void store.log.push(entry));
    for (const wake of this.#readers.splice(0)) wake();
    await this.#wait(offset);
    return 'appended';
  }

  #load(): LoggedState {
    const { snapshot, log } = this.#store;
    return { epoch: String(this.#epoch), snapshot, entries: [...log] };
  }

  async #read(after: number): Promise<readonly LogEntry[]> {
    const newer = (): LogEntry[] => this.#store.log.filter(({ version }) => version > after);
    if (newer().length === 0) {
      await new Promise<void>((wake) => {
        const stopWaiting = this.#time.after(READ_MS, wake);
        this.#readers.push(() => {
          stopWaiting();
          wake();
        });
      });
    }
    return newer();
  }

  #putSnapshot(snapshot: LogEntry): void {
    const { head, log, snapshot: last } = this.#store;
    const hasIt = log.some((entry) => isSameHead(entry, snapshot)) && snapshot.version > (last?.version ?? 0);
    if (!hasIt && head.version > 0) return;
    this.#write((store) => {
      store.snapshot = snapshot;
      store.log = store.log.filter(({ version }) => version > snapshot.version - ENTRIES_BEHIND_SNAPSHOT);
    });
  }

  get #nodeMs(): number {
    return this.#time.nowMs + this.#skewMs;
  }

  #contextOf(id: number): FoundContext {
    const known = this.#store.contexts.get(id);
    return known && known.untilMs > this.#nodeMs ? known.found : { kind: 'none' };
  }

  #setContext(id: number, found: FoundContext, ttlMs: number): Promise<void> {
    const untilMs = this.#nodeMs + ttlMs;
    return this.#wait(this.#write(({ contexts }) => void contexts.set(id, { found, untilMs })));
  }

  async #putContext(
    id: number,
    context: Omit<StoredContext, 'kind'>,
    { ttlMs, isNew }: PutOptions,
  ): Promise<'stored' | 'missing' | 'lost'> {
    const known = this.#contextOf(id);
    if (known.kind === 'ended') return 'lost';
    if (known.kind === 'none' && !isNew) return 'missing';
    if (known.kind === 'open' && !isSameTenure(known, context)) return 'lost';
    const isOlder = known.kind === 'open' && known.revision > context.revision;
    await this.#setContext(id, isOlder ? known : { kind: 'open', ...context }, ttlMs);
    return 'stored';
  }

  async #adoptContext({ id, expected, home, epoch }: Adoption): Promise<FoundContext> {
    const known = this.#contextOf(id);
    if (known.kind !== 'open' || !isSameTenure(known, expected) || epoch !== String(this.#epoch)) return known;
    const { untilMs = 0 } = this.#store.leases.get(known.home) ?? {};
    if (known.home !== home && untilMs > this.#nodeMs) return known;
    const adopted = { ...known, home, takeovers: known.takeovers + 1 };
    await this.#setContext(id, adopted, this.#store.contexts.get(id)!.untilMs - this.#nodeMs);
    return adopted;
  }

  async #endContext(id: number, tenure: Tenure, how: string): Promise<'ended' | 'lost'> {
    const known = this.#contextOf(id);
    if (known.kind === 'open' && !isSameTenure(known, tenure)) return 'lost';
    if (known.kind !== 'ended') await this.#setContext(id, { kind: 'ended', how }, ENDS_KEPT_MS);
    return 'ended';
  }

  #touchContexts(lives: ReadonlyMap<number, number>): void {
    for (const [id, ttlMs] of lives) {
      const found = this.#contextOf(id);
      const untilMs = this.#nodeMs + ttlMs;
      if (found.kind === 'open') this.#write(({ contexts }) => void contexts.set(id, { found, untilMs }));
    }
  }

  async #secret(proposal: string): Promise<string> {
    await this.#wait(this.#write((store) => void (store.secret ??= proposal)));
    return this.#store.secret ?? proposal;
  }

  #journal(name: string): { readonly writer: string | undefined; readonly entries: readonly JournalEntry[] } {
    const known = this.#store.journals.get(name);
    return known && known.untilMs > this.#nodeMs ? known : { writer: undefined, entries: [] };
  }

  #setJournal(name: string, writer: string, entries: readonly JournalEntry[], lifeMs: number): void {
    const untilMs = this.#nodeMs + lifeMs;
    this.#write(({ journals }) => void journals.set(name, { writer, entries, untilMs }));
  }

  #claimJournal(name: string, writer: string | undefined): readonly JournalEntry[] {
    const { entries } = this.#journal(name);
    if (writer !== undefined) this.#setJournal(name, writer, entries, JOURNAL_MS);
    return entries;
  }

  #appendJournal(name: string, { writer, entry, lifeMs, after }: JournalAppend): 'appended' | 'refused' {
    const known = this.#journal(name);
    const last = known.entries.at(-1);
    const isLater = !last || compareTimestamps(entry.id, last.id) > 0;
    if ((known.writer !== undefined && known.writer !== writer) || !isLater) return 'refused';
    const first = addSeconds(entry.id, -lifeMs / 1000);
    const isNext = last && after && compareTimestamps(last.id, after) === 0;
    const kept = !isNext ? [] : known.entries.filter(({ id }) => compareTimestamps(id, first) >= 0);
    this.#setJournal(name, writer, [...kept, entry], lifeMs);
    return 'appended';
  }

  #publish(from: SimulatedProcess, message: string): void {
    if (!this.#isUp || this.#isLost(from)) return;
    for (const { process, receive } of this.#subscribers) {
      const copies = this.#random.isTrue(0.02) ? 2 : 1;
      for (let i = 0; i < copies; i++) {
        if (this.#isLost(process)) continue;
        this.#time.after(this.#delayMs(), () => process.deliver(() => receive(message)));
      }
    }
  }
}

function isSameTenure(one: Tenure, other: Tenure): boolean {
  return one.home === other.home && one.takeovers === other.takeovers;
}
