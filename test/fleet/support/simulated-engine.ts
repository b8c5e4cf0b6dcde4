import { NO_DOCUMENT, type SharedDocument, idOf } from '../../../src/fleet/document.js';
import { EngineError } from '../../../src/fleet/engine.js';
import type {
  Adoption,
  Engine,
  FoundContext,
  Lease,
  PutOptions,
  Renewal,
  StoredContext,
  Tenure,
} from '../../../src/fleet/engine.js';
import type { Random } from '../../support/random.js';
import type { SimulatedProcess, VirtualTime } from './virtual-time.js';

/** How long a command may take before its client gives up. */
const COMMAND_MS = 1000;
const ENDS_KEPT_MS = 3_600_000;

class Store {
  readonly leases = new Map<string, { readonly value: string; readonly untilMs: number }>();
  document: SharedDocument = NO_DOCUMENT;
  /** The node that answers renewals, and since when. */
  node: { readonly epoch: string; readonly sinceMs: number } | undefined;
  readonly contexts = new Map<number, { readonly found: FoundContext; readonly untilMs: number }>();
  secret: string | undefined;
}

/** One write: it has the same effect at each node. */
type Write = (store: Store) => void;

interface Replica {
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

  connect(process: SimulatedProcess): Engine {
    const call = <T>(execute: () => Promise<T> | T): Promise<T> => this.#call(process, execute);
    return {
      documentKey: 'definitions',
      renew: (lease: Lease, knownId) => call(() => this.#renew(lease, knownId)),
      release: (name) => call(() => void this.#write((store) => store.leases.delete(name))),
      putDocument: (document, expectedId, epoch) => call(() => this.#putDocument(document, expectedId, epoch)),
      getContext: (id) => call(() => ({ epoch: String(this.#epoch), found: this.#contextOf(id) })),
      putContext: (id, context, options) => call(() => this.#putContext(id, context, options)),
      adoptContext: (adoption) => call(() => this.#adoptContext(adoption)),
      endContext: (id, tenure, how) => call(() => this.#endContext(id, tenure, how)),
      touchContexts: (lives) => call(() => this.#touchContexts(lives)),
      secret: (proposal) => call(() => this.#secret(proposal)),
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

  async #renew({ name, value, ttlMs }: Lease, knownId: string): Promise<Renewal> {
    const nowMs = this.#nodeMs;
    const epoch = String(this.#epoch);
    const offset = this.#write((store) => {
      for (const [other, { untilMs }] of store.leases) if (untilMs <= nowMs) store.leases.delete(other);
      store.leases.set(name, { value, untilMs: nowMs + ttlMs });
      if (store.node?.epoch !== epoch) store.node = { epoch, sinceMs: nowMs };
    });
    const { document, leases, node } = this.#store;
    const members = new Map([...leases].map(([member, lease]) => [member, lease.value]));
    await this.#wait(offset);
    const isKnown = idOf(document) === knownId;
    const ageMs = nowMs - node!.sinceMs;
    return { epoch, ageMs, document: isKnown ? undefined : document, members, isFull: false };
  }

  async #putDocument(document: SharedDocument, expectedId: string, epoch: string): Promise<'stored' | 'overtaken'> {
    if (epoch !== String(this.#epoch) || idOf(this.#store.document) !== expectedId) return 'overtaken';
    await this.#wait(this.#write((store) => void (store.document = document)));
    return 'stored';
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
